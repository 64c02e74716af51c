#include "compile/program_builder.hpp"

#include <gtest/gtest.h>

#include "graph/error.hpp"

namespace onefold::impl {
namespace {

class idle_step : public step {
public:
    explicit idle_step(size_t scratch) : scratch_(scratch) {}
    std::string name() const override { return "idle"; }
    size_t scratch_bytes() const override { return scratch_; }
    void run(std::span<std::byte *const>, std::byte *, const executor &) const override {}

private:
    size_t scratch_;
};

void add(program_builder &builder, const std::vector<size_t> &reads, size_t writes, size_t scratch = 0,
         computation_kind kind = computation_kind::binary) {
    computation c;
    c.kind = kind;
    for (const size_t buffer : reads)
        c.src.push_back({buffer, onefold_f32, {1}});
    c.dst = {writes, onefold_f32, {1}};
    builder.add(std::make_unique<idle_step>(scratch), c);
}

size_t offset_of(const program &p, size_t buffer) {
    EXPECT_EQ(p.buffers.at(buffer).where, buffer_place::kind::scratch);
    return p.buffers.at(buffer).index;
}

TEST(program_builder, numbers_ports_before_scratch) {
    program_builder builder(2, 1);
    EXPECT_EQ(builder.input_buffer(1), 1U);
    EXPECT_EQ(builder.output_buffer(0), 2U);
    EXPECT_EQ(builder.add_scratch(100), 3U);
    add(builder, {0, 1}, 3);
    add(builder, {3}, 2);
    const program p = builder.finish();
    ASSERT_EQ(p.buffers.size(), 4U);
    EXPECT_EQ(p.buffers[0].where, buffer_place::kind::input);
    EXPECT_EQ(p.buffers[1].index, 1U);
    EXPECT_EQ(p.buffers[2].where, buffer_place::kind::output);
    EXPECT_EQ(p.steps.size(), 2U);
    EXPECT_EQ(p.scratch_bytes, 128U); // a multiple of the alignment
}

TEST(program_builder, scratch_is_shared_where_lifetimes_do_not_meet) {
    program_builder builder(1, 1);
    const size_t a = builder.add_scratch(1000);
    const size_t b = builder.add_scratch(500);
    const size_t c = builder.add_scratch(900);
    add(builder, {0}, a);
    add(builder, {a}, b);
    add(builder, {b}, c);
    add(builder, {c}, 1);
    const program p = builder.finish();
    EXPECT_EQ(offset_of(p, a), 0U);
    EXPECT_EQ(offset_of(p, b), 1024U);
    EXPECT_EQ(offset_of(p, c), 0U);
    EXPECT_EQ(p.step_scratch_offset, 1024U + 512U);
}

TEST(program_builder, buffers_alive_at_once_do_not_overlap) {
    program_builder builder(1, 1);
    std::vector<size_t> buffers;
    for (size_t i = 0; i < 10; ++i)
        buffers.push_back(builder.add_scratch(100 * (i % 4 + 1)));
    // Each is read two steps after it was written.
    for (size_t i = 0; i < 10; ++i)
        add(builder, i < 2 ? std::vector<size_t>{0} : std::vector<size_t>{buffers[i - 2], buffers[i - 1]}, buffers[i]);
    add(builder, {buffers[8], buffers[9]}, 1);
    const program p = builder.finish();
    for (size_t i = 0; i < 10; ++i)
        for (size_t j = i + 1; j < 10 && j <= i + 2; ++j) {
            const size_t first = offset_of(p, buffers[i]);
            const size_t second = offset_of(p, buffers[j]);
            EXPECT_TRUE(first + 100 * (i % 4 + 1) <= second || second + 100 * (j % 4 + 1) <= first) << i << " and " << j;
        }
    for (const size_t buffer : buffers)
        EXPECT_EQ(offset_of(p, buffer) % 64, 0U);
}

TEST(program_builder, a_buffer_that_no_step_uses_takes_no_room) {
    program_builder builder(1, 1);
    builder.add_scratch(1U << 20);
    add(builder, {0}, 1);
    EXPECT_EQ(builder.finish().scratch_bytes, 0U);
}

TEST(program_builder, the_steps_own_scratch_stands_behind_the_buffers) {
    program_builder builder(1, 1);
    const size_t a = builder.add_scratch(64);
    add(builder, {0}, a, 100);
    add(builder, {a}, 1, 300);
    const program p = builder.finish();
    EXPECT_EQ(p.step_scratch_offset, 64U);
    EXPECT_EQ(p.scratch_bytes, 64U + 320U);
}

TEST(program_builder, an_intermediate_result_that_no_machine_holds_is_refused) {
    program_builder builder(1, 1);
    EXPECT_THROW(builder.add_scratch(SIZE_MAX / 2), error);
}

TEST(program_builder, an_elementwise_step_may_write_over_its_first_operand) {
    program_builder builder(2, 1);
    add(builder, {0, 1}, 2);
    EXPECT_TRUE(builder.may_share(0, 0));
    EXPECT_FALSE(builder.may_share(1, 0));
}

TEST(program_builder, a_reduction_may_not_write_over_its_source) {
    program_builder builder(1, 1);
    add(builder, {0}, 1, 0, computation_kind::reduce);
    EXPECT_FALSE(builder.may_share(0, 0));
}

TEST(program_builder, an_input_that_is_read_later_or_twice_is_not_written_over) {
    program_builder later(2, 2);
    add(later, {0}, 2);
    add(later, {1, 0}, 3);
    EXPECT_FALSE(later.may_share(0, 0));
    program_builder twice(1, 1);
    add(twice, {0, 0}, 1);
    EXPECT_FALSE(twice.may_share(0, 0));
}

TEST(program_builder, a_step_says_what_it_may_write_over) {
    program_builder builder(2, 2);
    builder.add(std::make_unique<idle_step>(0), {{0, 1}, {2, 3}, {{1, 2}}}, 0);
    EXPECT_TRUE(builder.may_share(1, 0));
    EXPECT_FALSE(builder.may_share(0, 0));
    EXPECT_FALSE(builder.may_share(1, 1));
    add(builder, {1}, 3);
    EXPECT_FALSE(builder.may_share(1, 0));
}

TEST(program_builder, an_input_that_was_read_before_may_be_written_over) {
    program_builder builder(1, 1);
    const size_t a = builder.add_scratch(64);
    add(builder, {0}, a);
    add(builder, {a}, 1);
    EXPECT_TRUE(builder.may_share(0, 0));
}

} // namespace
} // namespace onefold::impl
