#include "compile/bounded_cache.hpp"

#include <atomic>
#include <set>
#include <string>
#include <thread>

#include <gtest/gtest.h>

namespace onefold::impl {
namespace {

using numbers = std::vector<int64_t>;

/// A value that knows whether it is alive.
struct counted_value {
    explicit counted_value(std::string of) : text(std::move(of)) { ++alive; }
    ~counted_value() { --alive; }

    std::string text;
    static inline std::atomic<int> alive{0};
};
using cache = bounded_cache<counted_value>;

std::unique_ptr<const counted_value> make(std::string text) { return std::make_unique<const counted_value>(std::move(text)); }

/// What the cache has for some keys of one number each; "-" where it has nothing. Asking counts as a use.
std::string found(const cache &c, const numbers &keys) {
    std::string text;
    for (const int64_t k : keys) {
        const auto known = c.find(numbers{k});
        text += known ? known->text : "-";
    }
    return text;
}

TEST(bounded_cache, finds_what_was_kept) {
    cache c(100);
    const std::vector<numbers> keys = {{}, {0}, {-1}, {0, -1}, {-1, 0}, {0, 0}, {INT64_MIN}, {INT64_MAX}, numbers(100, 7)};
    for (size_t i = 0; i < keys.size(); ++i) {
        EXPECT_FALSE(c.find(keys[i]));
        auto made = make(std::to_string(i));
        const counted_value *raw = made.get();
        EXPECT_EQ(&*c.keep(keys[i], std::move(made)), raw);
    }
    for (size_t i = 0; i < keys.size(); ++i) {
        ASSERT_TRUE(c.find(keys[i]));
        EXPECT_EQ(c.find(keys[i])->text, std::to_string(i));
    }
    EXPECT_EQ(c.size(), keys.size());
}

TEST(bounded_cache, keeps_the_first_value_of_a_key) {
    cache c(2);
    const auto kept = c.keep(numbers{1, 2}, make("first"));
    EXPECT_EQ(&*c.keep(numbers{1, 2}, make("second")), &*kept);
    EXPECT_EQ(c.find(numbers{1, 2})->text, "first");
    EXPECT_EQ(c.size(), 1U);
}

TEST(bounded_cache, lets_go_of_what_was_not_used_for_longest) {
    cache c(3);
    for (const int64_t k : {1, 2, 3})
        c.keep(numbers{k}, make(std::to_string(k)));
    EXPECT_EQ(found(c, {2, 1, 3, 3, 1}), "21331"); // 2 is the oldest
    c.keep(numbers{4}, make("4"));
    EXPECT_EQ(found(c, {2}), "-");
    c.keep(numbers{5}, make("5"));
    EXPECT_EQ(found(c, {1, 2, 3, 4, 5}), "1--45");
    EXPECT_EQ(c.size(), 3U);
}

TEST(bounded_cache, has_no_more_values_alive_than_it_may) {
    const int before = counted_value::alive;
    {
        cache c(5);
        for (int64_t k = 0; k < 1000; ++k) {
            c.keep(numbers{k, -k}, make(""));
            ASSERT_LE(counted_value::alive - before, 5);
        }
        EXPECT_EQ(c.size(), 5U);
    }
    EXPECT_EQ(counted_value::alive, before);
}

TEST(bounded_cache, lets_not_go_of_what_is_in_use) {
    cache c(2);
    const auto first = c.keep(numbers{1}, make("1"));
    c.keep(numbers{2}, make("2"));
    c.keep(numbers{3}, make("3")); // 1 is older than 2, but in use
    EXPECT_EQ(found(c, {1, 2, 3}), "1-3");
    const auto third = c.find(numbers{3});
    const auto own = c.keep(numbers{4}, make("4")); // all are in use
    EXPECT_EQ(own->text, "4");
    EXPECT_EQ(found(c, {1, 3, 4}), "13-");
    EXPECT_EQ(first->text + third->text, "13");
}

TEST(bounded_cache, a_lease_can_be_moved) {
    cache c(1);
    cache::lease a = c.keep(numbers{1}, make("1"));
    cache::lease b = std::move(a);
    EXPECT_FALSE(a); // NOLINT(bugprone-use-after-move)
    a = std::move(b);
    EXPECT_EQ(a->text, "1");
    EXPECT_EQ(c.keep(numbers{2}, make("own"))->text, "own") << "1 is still in use";
    EXPECT_EQ(found(c, {1, 2}), "1-");
    a = cache::lease();
    b = cache::lease();
    c.keep(numbers{2}, make("2"));
    EXPECT_EQ(found(c, {1, 2}), "-2");
}

/// Threads that all want more keys than there is room for: what each gets must be its key's, as long as it holds it.
TEST(bounded_cache, gives_threads_what_they_ask_for_while_values_come_and_go) {
    constexpr size_t thread_count = 8;
    for (const size_t capacity : {1U, 3U, 10U, 64U}) {
        cache c(capacity);
        std::atomic<int> wrong{0};
        std::vector<std::thread> threads;
        for (size_t t = 0; t < thread_count; ++t)
            threads.emplace_back([&, t] {
                cache::lease before;
                std::string text_before;
                for (size_t i = 0; i < 2000; ++i) {
                    const std::string text = std::to_string((i * (t + 1) + i / 7) % 23);
                    const numbers key = {std::stoll(text), 5};
                    cache::lease mine = c.find(key);
                    if (!mine) mine = c.keep(key, make(text));
                    wrong += mine->text != text;
                    wrong += before && before->text != text_before;
                    before = std::move(mine);
                    text_before = text;
                }
            });
        for (std::thread &t : threads)
            t.join();
        EXPECT_EQ(wrong, 0) << capacity;
        EXPECT_LE(c.size(), capacity);
    }
    EXPECT_EQ(counted_value::alive, 0);
}

TEST(bounded_cache, gives_all_threads_one_value_a_key) {
    constexpr int64_t keys = 200;
    cache c(keys);
    std::vector<std::set<const counted_value *>> seen(8);
    std::vector<std::thread> threads;
    for (size_t t = 0; t < seen.size(); ++t)
        threads.emplace_back([&, t] {
            for (int64_t i = 0; i < keys; ++i) {
                const numbers key = {(i + static_cast<int64_t>(t) * 25) % keys};
                cache::lease mine = c.find(key);
                if (!mine) mine = c.keep(key, make(std::to_string(key[0])));
                seen[t].insert(&*mine);
            }
        });
    for (std::thread &t : threads)
        t.join();
    for (const auto &set : seen) {
        EXPECT_EQ(set.size(), static_cast<size_t>(keys));
        EXPECT_EQ(set, seen[0]);
    }
    EXPECT_EQ(c.size(), static_cast<size_t>(keys));
}

} // namespace
} // namespace onefold::impl
