// TypeCast from integers and booleans in front of what is fused, and to them behind it: as the op by itself casts.
#include <limits>

#include "support/run_op.hpp"

using namespace onefold_test;

namespace {

constexpr data_type border_types[] = {data_type::s8,  data_type::u8,  data_type::s16, data_type::u16,    data_type::s32,
                                      data_type::u32, data_type::s64, data_type::u64, data_type::boolean};
constexpr data_type small_floats[] = {data_type::f32, data_type::bf16, data_type::f16};

size_t bytes_of(data_type type) { return dense(0, type, {1}).get_mem_size(); }

/// Elements in memory, row-major.
struct elements {
    data_type type;
    dims shape;
    std::vector<std::byte> bytes;

    elements(data_type t, dims s) : type(t), shape(std::move(s)), bytes(count_of(shape) * bytes_of(t)) {}
    logical_tensor describe(size_t id) const { return dense(id, type, shape); }
    double value(size_t i) const { return load(type, bytes.data() + i * bytes_of(type)); }
};

/// What the ops compute as one partition, in the order of its output ports.
std::vector<elements> run_fused(const std::vector<op> &ops, std::vector<elements> srcs) {
    graph g(engine::kind::cpu);
    for (const op &o : ops)
        g.add_op(o);
    g.finalize();
    const auto partitions = g.get_partitions();
    EXPECT_EQ(partitions.size(), 1U) << "the ops are not one partition";
    const auto inputs = partitions.at(0).get_input_ports();
    const auto outputs = partitions.at(0).get_output_ports();
    const auto compiled = partitions.at(0).compile(inputs, outputs, cpu());
    std::vector<elements> dsts;
    for (const logical_tensor &output : outputs)
        dsts.emplace_back(output.get_data_type(), output.get_dims());
    std::vector<tensor> bound_srcs, bound_dsts;
    for (const logical_tensor &input : inputs)
        bound_srcs.emplace_back(input, cpu(), srcs.at(input.get_id()).bytes.data());
    for (size_t i = 0; i < outputs.size(); ++i)
        bound_dsts.emplace_back(outputs[i], cpu(), dsts[i].bytes.data());
    stream s(cpu());
    compiled.execute(s, bound_srcs, bound_dsts);
    return dsts;
}

elements cast_alone(const elements &src, data_type to) {
    const elements dst(to, src.shape);
    return run_fused({make_op(0, op::kind::TypeCast, {}, {src.describe(0)}, dst.describe(1))}, {src}).at(0);
}

/// Every length of a part of a vector: whole tiles and what is left.
constexpr int64_t lengths[] = {1, 3, 8, 17, 33, 300, 1000};

/// Integers of all magnitudes; those next to what a type of 16 bits rounds half to even among them.
elements integers(data_type type, int64_t rows, int64_t length) {
    elements made(type, {rows, length});
    uint64_t bits = 88172645463325252U;
    for (size_t i = 0; i < count_of(made.shape); ++i) {
        bits ^= bits << 13;
        bits ^= bits >> 7;
        bits ^= bits << 17;
        uint64_t value = bits >> (i * 7 % 61);
        if (i % 5 == 0) value = (uint64_t{0x101} << (i % 48 + 8) >> 1) + (i % 3);
        if (i % 11 == 0) value = ~value;
        if (type == data_type::boolean) value = i % 3 == 0 ? 0 : value;
        std::memcpy(made.bytes.data() + i * bytes_of(type), &value, bytes_of(type));
    }
    return made;
}

/// Cast and negated, over rows: along them, and with one number a row.
TEST(border, what_is_loaded_is_cast_once) {
    for (const data_type from : border_types)
        for (const data_type to : small_floats)
            for (const int64_t length : lengths) {
                const elements src = integers(from, 3, length);
                const elements expected = cast_alone(src, to);
                const auto cast = dense(10, to, src.shape);
                const auto got = run_fused({make_op(0, op::kind::TypeCast, {}, {src.describe(0)}, cast),
                                            make_op(1, op::kind::Neg, {}, {cast}, dense(11, to, src.shape))},
                                           {src});
                for (size_t i = 0; i < count_of(src.shape); ++i)
                    ASSERT_EQ(got[0].value(i), -expected.value(i)) << name_of(from) << " to " << name_of(to) << " at " << i;
            }
}

elements floats(data_type type, int64_t rows, int64_t length) {
    static const double values[] = {0,       -0.0,  0.5,  -0.5,  0.999,  1.5,      -1.5,      2.75,         -2.75, 127.5,  128,
                                    -128.75, 255.5, 256,  32767, -32769, 65504,    65535.9,   -65504,       4.2e9, -2.2e9, 1e19,
                                    2e19,    -1e19, 1e30, -1e30, 1e-30,  infinity, -infinity, std::nan(""), 17,    -17};
    elements made(type, {rows, length});
    for (size_t i = 0; i < count_of(made.shape); ++i)
        store(type, made.bytes.data() + i * bytes_of(type), values[(i * 5) % std::size(values)]);
    return made;
}

TEST(border, what_is_stored_is_cast_as_by_the_op_alone) {
    for (const data_type from : small_floats)
        for (const data_type to : border_types)
            for (const int64_t length : lengths) {
                const elements src = floats(from, 3, length);
                const auto negated = dense(10, from, src.shape);
                const elements alone = run_fused({make_op(0, op::kind::Neg, {}, {src.describe(0)}, negated)}, {src}).at(0);
                const auto got = run_fused({make_op(0, op::kind::Neg, {}, {src.describe(0)}, negated),
                                            make_op(1, op::kind::TypeCast, {}, {negated}, dense(11, to, src.shape))},
                                           {src});
                ASSERT_EQ(got[0].bytes, cast_alone(alone, to).bytes) << name_of(from) << " to " << name_of(to);
            }
}

/// 3 - 2^-8 is 3 in bf16, and so is what a cast makes of it.
TEST(border, a_value_of_16_bits_is_rounded_before_it_is_truncated) {
    elements a(data_type::bf16, {3, 40}), b(data_type::bf16, {1});
    for (size_t i = 0; i < count_of(a.shape); ++i)
        store(a.type, a.bytes.data() + i * bytes_of(a.type), 3 - 0x1p-6);
    store(b.type, b.bytes.data(), 3 * 0x1p-8);
    const auto sum = dense(10, data_type::bf16, a.shape);
    const auto got = run_fused({make_op(0, op::kind::Add, {}, {a.describe(0), b.describe(1)}, sum),
                                make_op(1, op::kind::TypeCast, {}, {sum}, dense(11, data_type::s32, a.shape))},
                               {a, b});
    for (size_t i = 0; i < count_of(a.shape); ++i)
        ASSERT_EQ(got[0].value(i), 3);
}

} // namespace
