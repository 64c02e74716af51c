#include "compile/plan_cache.hpp"

#include <thread>

#include <gtest/gtest.h>

namespace onefold::impl {
namespace {

using numbers = std::vector<int64_t>;

std::unique_ptr<const plan> make(std::string info) {
    auto made = std::make_unique<plan>();
    made->info = std::move(info);
    return made;
}

TEST(plan_cache, finds_what_was_kept) {
    plan_cache cache;
    const std::vector<numbers> keys = {{}, {0}, {-1}, {0, -1}, {-1, 0}, {0, 0}, {INT64_MIN}, {INT64_MAX}, numbers(100, 7)};
    for (size_t i = 0; i < keys.size(); ++i) {
        EXPECT_EQ(cache.find(keys[i]), nullptr);
        auto made = make(std::to_string(i));
        const plan *raw = made.get();
        EXPECT_EQ(cache.keep(keys[i], made), raw);
        EXPECT_EQ(made, nullptr);
    }
    for (size_t i = 0; i < keys.size(); ++i) {
        ASSERT_NE(cache.find(keys[i]), nullptr);
        EXPECT_EQ(cache.find(keys[i])->info, std::to_string(i));
    }
    EXPECT_EQ(cache.size(), keys.size());
}

TEST(plan_cache, keeps_the_first_plan_of_a_key) {
    plan_cache cache;
    auto first = make("first"), second = make("second");
    const plan *kept = cache.keep(numbers{1, 2}, first);
    EXPECT_EQ(cache.keep(numbers{1, 2}, second), kept);
    EXPECT_EQ(cache.find(numbers{1, 2})->info, "first");
    EXPECT_EQ(cache.size(), 1U);
}

TEST(plan_cache, leaves_plans_to_the_caller_where_it_is_full) {
    plan_cache cache;
    for (int64_t i = 0; i < static_cast<int64_t>(plan_cache::most_plans); ++i) {
        auto made = make("");
        ASSERT_NE(cache.keep(numbers{i}, made), nullptr) << i;
    }
    auto one_more = make("one more"), known = make("");
    EXPECT_EQ(cache.keep(numbers{-1}, one_more), nullptr);
    ASSERT_NE(one_more, nullptr);
    EXPECT_EQ(one_more->info, "one more");
    EXPECT_EQ(cache.find(numbers{-1}), nullptr);
    EXPECT_NE(cache.keep(numbers{5}, known), nullptr);
    EXPECT_EQ(cache.size(), plan_cache::most_plans);
}

TEST(plan_cache, gives_all_threads_one_plan_a_key) {
    constexpr int64_t keys = 200;
    constexpr size_t thread_count = 8;
    plan_cache cache;
    std::vector<std::vector<const plan *>> seen(thread_count);
    std::vector<std::thread> threads;
    for (size_t t = 0; t < thread_count; ++t)
        threads.emplace_back([&, t] {
            for (int64_t i = 0; i < keys; ++i) {
                const int64_t key = (i + static_cast<int64_t>(t) * 25) % keys;
                const plan *found = cache.find(numbers{key, 1});
                auto made = make(std::to_string(key));
                if (!found) found = cache.keep(numbers{key, 1}, made);
                if (found->info != std::to_string(key)) found = nullptr;
                seen[t].push_back(found);
            }
        });
    for (std::thread &t : threads)
        t.join();
    for (size_t t = 0; t < thread_count; ++t)
        for (size_t i = 0; i < seen[t].size(); ++i)
            EXPECT_EQ(seen[t][i], cache.find(numbers{static_cast<int64_t>((i + t * 25) % keys), 1}));
    EXPECT_EQ(cache.size(), static_cast<size_t>(keys));
}

} // namespace
} // namespace onefold::impl
