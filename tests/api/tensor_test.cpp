// Logical tensors: every constructor, every getter. Tensors.
#include <cstdint>

#include "api/helpers.hpp"

namespace onefold_test {
namespace {

constexpr int64_t unknown = ONEFOLD_UNKNOWN_DIM;

TEST(logical_tensor, of_unknown_rank) {
    const logical_tensor lt(7, data_type::bf16);
    EXPECT_EQ(lt.get_id(), 7U);
    EXPECT_EQ(lt.get_data_type(), data_type::bf16);
    EXPECT_EQ(lt.get_layout_type(), layout_type::undef);
    EXPECT_EQ(lt.get_property_type(), property_type::undef);
    EXPECT_EQ(lt.get_mem_size(), SIZE_MAX);
    EXPECT_TRUE(fails(onefold_invalid_arguments, {"logical tensor 7", "rank is unknown"}, [&] { lt.get_dims(); }));
    const logical_tensor strided(8, data_type::f32, ONEFOLD_UNKNOWN_NDIMS, layout_type::strided, property_type::constant);
    EXPECT_EQ(strided.get_property_type(), property_type::constant);
    EXPECT_TRUE(fails(onefold_invalid_arguments, {"logical tensor 8", "rank"}, [&] { strided.get_strides(); }));
}

TEST(logical_tensor, of_known_rank_and_unknown_dims) {
    const logical_tensor lt(0, data_type::f32, 3, layout_type::strided, property_type::variable);
    EXPECT_EQ(lt.get_dims(), dims(3, unknown));
    EXPECT_EQ(lt.get_strides(), dims(3, unknown));
    EXPECT_EQ(lt.get_property_type(), property_type::variable);
    EXPECT_EQ(lt.get_mem_size(), SIZE_MAX);
    EXPECT_EQ(logical_tensor(0, data_type::f32, 65, layout_type::any).get_dims(), dims(65, unknown));
}

TEST(logical_tensor, that_is_a_scalar) {
    for (const auto &lt :
         {logical_tensor(0, data_type::f32, 0, layout_type::strided),
          logical_tensor(0, data_type::f32, dims(), layout_type::strided), logical_tensor(0, data_type::f32, dims(), dims())}) {
        EXPECT_EQ(lt.get_dims(), dims());
        EXPECT_EQ(lt.get_strides(), dims());
        EXPECT_EQ(lt.get_mem_size(), 4U);
    }
}

TEST(logical_tensor, with_dims_is_row_major_where_it_is_strided) {
    const logical_tensor lt(1, data_type::f32, {2, 3, 4}, layout_type::strided);
    EXPECT_EQ(lt.get_dims(), (dims{2, 3, 4}));
    EXPECT_EQ(lt.get_strides(), (dims{12, 4, 1}));
    EXPECT_EQ(lt.get_mem_size(), 96U);
    const logical_tensor any(1, data_type::f32, {2, 3, 4}, layout_type::any);
    EXPECT_EQ(any.get_layout_type(), layout_type::any);
    EXPECT_EQ(any.get_mem_size(), SIZE_MAX);
    EXPECT_TRUE(fails(onefold_invalid_arguments, {"logical tensor 1", "not strided"}, [&] { any.get_strides(); }));
    EXPECT_TRUE(fails(onefold_invalid_arguments, {"logical tensor 1", "not opaque"}, [&] { any.get_layout_id(); }));
}

TEST(logical_tensor, with_some_dims_unknown) {
    const logical_tensor lt(1, data_type::f32, {unknown, 3}, layout_type::strided);
    EXPECT_EQ(lt.get_dims(), (dims{unknown, 3}));
    EXPECT_EQ(lt.get_strides(), (dims{unknown, unknown}));
    EXPECT_EQ(lt.get_mem_size(), SIZE_MAX);
}

TEST(logical_tensor, with_strides) {
    const logical_tensor lt(1, data_type::f32, {2, 3}, dims{1, 2}, property_type::constant);
    EXPECT_EQ(lt.get_layout_type(), layout_type::strided);
    EXPECT_EQ(lt.get_strides(), (dims{1, 2}));
    EXPECT_EQ(lt.get_property_type(), property_type::constant);
    EXPECT_EQ(lt.get_mem_size(), 24U);
    EXPECT_EQ(logical_tensor(1, data_type::f32, {2, 3}, dims{100, 10}).get_mem_size(), 4U * 121);
    EXPECT_EQ(logical_tensor(1, data_type::f32, {2, 3}, dims{0, 1}).get_mem_size(), 12U);
    EXPECT_TRUE(fails(onefold_invalid_arguments, {"logical tensor 1", "2 dims", "3 strides"}, [] {
        logical_tensor(1, data_type::f32, {2, 3}, dims{1, 2, 3});
    }));
}

TEST(logical_tensor, with_an_opaque_layout) {
    const logical_tensor lt(1, data_type::f32, {2, 3}, size_t{42});
    EXPECT_EQ(lt.get_layout_type(), layout_type::opaque);
    EXPECT_EQ(lt.get_layout_id(), 42U);
    EXPECT_TRUE(fails(onefold_invalid_arguments, {"not strided"}, [&] { lt.get_strides(); }));
}

TEST(logical_tensor, sizes_by_type_and_empty) {
    const auto size = [](data_type type) { return logical_tensor(0, type, {2, 3}, layout_type::strided).get_mem_size(); };
    EXPECT_EQ(size(data_type::f64), 48U);
    EXPECT_EQ(size(data_type::f16), 12U);
    EXPECT_EQ(size(data_type::bf16), 12U);
    EXPECT_EQ(size(data_type::u8), 6U);
    EXPECT_EQ(size(data_type::boolean), 6U);
    EXPECT_EQ(size(data_type::s4), 3U);
    EXPECT_EQ(size(data_type::u64), 48U);
    EXPECT_EQ(size(data_type::undef), SIZE_MAX);
    EXPECT_EQ(f32(0, {2, 0, 3}).get_mem_size(), 0U);
}

TEST(logical_tensor, refuses_what_cannot_be) {
    EXPECT_TRUE(fails(onefold_invalid_arguments, {"logical tensor 3", "dim 1", "-2"}, [] { f32(3, {2, -2}); }));
    EXPECT_TRUE(fails(onefold_invalid_arguments, {"logical tensor 3", "stride 0", "-1"}, [] {
        logical_tensor(3, data_type::f32, {2, 2}, dims{-1, 1});
    }));
    EXPECT_TRUE(
        fails(onefold_invalid_arguments, {"rank -2"}, [] { logical_tensor(3, data_type::f32, -2, layout_type::strided); }));
    EXPECT_TRUE(fails(onefold_invalid_arguments, {"data type 99"},
                      [] { logical_tensor(3, static_cast<data_type>(99), 1, layout_type::strided); }));
    EXPECT_TRUE(fails(onefold_invalid_arguments, {"layout type 9"},
                      [] { logical_tensor(3, data_type::f32, 1, static_cast<layout_type>(9)); }));
    EXPECT_TRUE(fails(onefold_invalid_arguments, {"property type 9"},
                      [] { logical_tensor(3, data_type::f32, 1, layout_type::strided, static_cast<property_type>(9)); }));
    EXPECT_TRUE(fails(onefold_invalid_shape, {"2^63"}, [] { f32(3, {INT64_MAX, 2}); }));
    EXPECT_TRUE(fails(onefold_invalid_shape, {"2^63"}, [] { f32(3, dims(64, 2)); }));
}

TEST(logical_tensor, equal_ones_say_the_same) {
    const logical_tensor lt = f32(1, {2, 3});
    const logical_tensor copy = lt;
    EXPECT_TRUE(lt.is_equal(copy));
    EXPECT_TRUE(lt.is_equal(f32(1, {2, 3})));
    EXPECT_TRUE(lt.is_equal(logical_tensor(1, data_type::f32, {2, 3}, dims{3, 1})));
    EXPECT_FALSE(lt.is_equal(f32(2, {2, 3})));
    EXPECT_FALSE(lt.is_equal(f32(1, {3, 2})));
    EXPECT_FALSE(lt.is_equal(logical_tensor(1, data_type::f32, {2, 3}, layout_type::any)));
    EXPECT_FALSE(lt.is_equal(logical_tensor(1, data_type::f16, {2, 3}, layout_type::strided)));
    EXPECT_FALSE(lt.is_equal(logical_tensor(1, data_type::f32, {2, 3}, layout_type::strided, property_type::constant)));
}

TEST(logical_tensor, has_the_data_types_of_the_specification_and_more) {
    const std::pair<data_type, const char *> types[] = {
        {data_type::undef, "undef"},     {data_type::f16, "f16"},         {data_type::bf16, "bf16"},
        {data_type::f32, "f32"},         {data_type::s32, "s32"},         {data_type::s8, "s8"},
        {data_type::u8, "u8"},           {data_type::boolean, "boolean"}, {data_type::f8_e5m2, "f8_e5m2"},
        {data_type::f8_e4m3, "f8_e4m3"}, {data_type::s4, "s4"},           {data_type::u4, "u4"},
        {data_type::f64, "f64"},         {data_type::s16, "s16"},         {data_type::u16, "u16"},
        {data_type::u32, "u32"},         {data_type::s64, "s64"},         {data_type::u64, "u64"}};
    for (const auto &[type, name] : types) {
        EXPECT_STREQ(onefold_data_type_name(static_cast<onefold_data_type>(type)), name);
        EXPECT_EQ(logical_tensor(0, type).get_data_type(), type);
    }
}

TEST(tensor, over_a_buffer_of_the_users) {
    const engine cpu(engine::kind::cpu, 0);
    float buffer[6];
    float other[6];
    tensor t(f32(3, {2, 3}), cpu, buffer);
    EXPECT_EQ(t.get_data_handle(), buffer);
    const tensor copy = t;
    t.set_data_handle(other);
    EXPECT_EQ(copy.get_data_handle(), other) << "copies refer to one tensor";
    EXPECT_TRUE(t.get_engine() == cpu);
    EXPECT_TRUE(t.get_logical_tensor().is_equal(f32(3, {2, 3})));
}

TEST(tensor, outlives_what_it_was_made_of) {
    tensor t;
    {
        const engine cpu(engine::kind::cpu, 0);
        const logical_tensor lt = f32(3, {2, 3});
        t = tensor(lt, cpu);
    }
    EXPECT_EQ(t.get_logical_tensor().get_dims(), (dims{2, 3}));
    EXPECT_EQ(t.get_engine().get_kind(), engine::kind::cpu);
    static_cast<float *>(t.get_data_handle())[5] = 1;
}

TEST(tensor, with_a_buffer_of_its_own) {
    const engine cpu(engine::kind::cpu, 0);
    for (tensor t : {tensor(f32(3, {2, 3}), cpu), tensor(f32(3, {2, 3}), cpu, ONEFOLD_MEMORY_ALLOCATE)}) {
        void *own = t.get_data_handle();
        ASSERT_NE(own, nullptr);
        EXPECT_EQ(reinterpret_cast<uintptr_t>(own) % 64, 0U);
        t.set_data_handle(own); // keeps it
        static_cast<float *>(own)[5] = 1;
        t.set_data_handle(ONEFOLD_MEMORY_NONE);
        EXPECT_EQ(t.get_data_handle(), nullptr);
    }
    EXPECT_EQ(tensor(f32(3, {0, 3}), cpu).get_data_handle(), nullptr);
}

TEST(tensor, of_unknown_size_cannot_be_allocated) {
    const engine cpu(engine::kind::cpu, 0);
    EXPECT_TRUE(fails(onefold_invalid_arguments, {"tensor 3", "size cannot be told"},
                      [&] { tensor(logical_tensor(3, data_type::f32), cpu); }));
    EXPECT_TRUE(fails(onefold_invalid_arguments, {"tensor 3", "any"}, [&] {
        tensor(logical_tensor(3, data_type::f32, {2, 3}, layout_type::any), cpu);
    }));
}

TEST(tensor, may_wait_for_its_buffer) {
    const engine cpu(engine::kind::cpu, 0);
    const tensor t(f32(3, {2, 3}), cpu, ONEFOLD_MEMORY_NONE);
    EXPECT_EQ(t.get_data_handle(), nullptr);
}

} // namespace
} // namespace onefold_test
