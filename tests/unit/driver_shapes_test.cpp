#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/driver/commands.hpp"
#include "tests/driver/shapes.hpp"

namespace onefold::driver {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

/// 0 -> ReduceMean -> 1 -> Add(2) -> 3
impl::io::graph_file mean_and_add() {
    impl::op mean;
    mean.id = 10;
    mean.kind = onefold_op_reduce_mean;
    mean.raw_attributes = {{onefold_op_attr_axes, std::vector<int64_t>{1}}, {onefold_op_attr_keep_dims, true}};
    mean.inputs = {impl::make_dense(0, onefold_f32, {4, 6, 2, 3})};
    mean.outputs = {impl::make_dense(1, onefold_f32, {4, 1, 2, 3})};
    impl::op add;
    add.id = 11;
    add.kind = onefold_op_add;
    add.inputs = {mean.outputs[0], impl::make_dense(2, onefold_f32, {3})};
    add.outputs = {impl::make_dense(3, onefold_f32, {4, 1, 2, 3})};
    impl::io::graph_file file;
    file.ops = {mean, add};
    return file;
}

TEST(driver_shapes, nothing_to_rewrite) {
    auto file = mean_and_add();
    rewrite(file, {});
    EXPECT_EQ(impl::io::serialize(file), impl::io::serialize(mean_and_add()));
}

TEST(driver_shapes, shape_forgets_what_follows) {
    auto file = mean_and_add();
    graph_rewrite knobs;
    knobs.in_shapes = {{0, "2x5x7"}};
    rewrite(file, knobs);
    EXPECT_THAT(file.ops[0].inputs[0].dims, ElementsAre(2, 5, 7));
    EXPECT_THAT(file.ops[0].inputs[0].strides, ElementsAre(35, 7, 1));
    EXPECT_EQ(file.ops[0].outputs[0].ndims, impl::unknown_ndims);
    EXPECT_EQ(file.ops[1].inputs[0].ndims, impl::unknown_ndims);
    EXPECT_EQ(file.ops[1].outputs[0].ndims, impl::unknown_ndims);
    EXPECT_THAT(file.ops[1].inputs[1].dims, ElementsAre(3));
}

TEST(driver_shapes, layouts) {
    const auto strides = [](const std::string &text) {
        auto file = mean_and_add();
        graph_rewrite knobs;
        knobs.in_shapes = {{0, text}};
        rewrite(file, knobs);
        return file.ops[0].inputs[0].strides;
    };
    EXPECT_THAT(strides("acdb"), ElementsAre(36, 1, 18, 6));
    EXPECT_THAT(strides("2x3x4x5*acdb"), ElementsAre(60, 1, 15, 3));
    EXPECT_THAT(strides("2x3*10x2"), ElementsAre(10, 2));
    EXPECT_THAT(strides("-"), IsEmpty());
    EXPECT_THAT(strides("0x3"), ElementsAre(3, 1));
}

TEST(driver_shapes, same_rank_keeps_the_order_of_dims) {
    auto file = mean_and_add();
    file.ops[0].inputs[0].strides = strides_of_tag(file.ops[0].inputs[0].dims, "acdb");
    graph_rewrite knobs;
    knobs.in_shapes = {{0, "2x3x4x5"}};
    rewrite(file, knobs);
    EXPECT_THAT(file.ops[0].inputs[0].strides, ElementsAre(60, 1, 15, 3));
}

TEST(driver_shapes, attributes_and_kinds) {
    auto file = mean_and_add();
    graph_rewrite knobs;
    knobs.op_attrs = {{10, "axes:-1x0*keep_dims:0"}};
    knobs.op_kinds = {{10, "ReduceL2"}, {11, "Subtract"}};
    rewrite(file, knobs);
    EXPECT_EQ(file.ops[0].kind, onefold_op_reduce_l2);
    EXPECT_EQ(file.ops[1].kind, onefold_op_subtract);
    const auto &attributes = file.ops[0].raw_attributes;
    EXPECT_EQ(attributes.at(onefold_op_attr_axes), impl::attribute_value(std::vector<int64_t>{-1, 0}));
    EXPECT_EQ(attributes.at(onefold_op_attr_keep_dims), impl::attribute_value(false));
}

TEST(driver_shapes, attributes_that_a_kind_lacks_go) {
    auto file = mean_and_add();
    graph_rewrite knobs;
    knobs.op_kinds = {{10, "LeakyReLU"}};
    knobs.op_attrs = {{10, "alpha:0.5"}};
    rewrite(file, knobs);
    ASSERT_EQ(file.ops[0].raw_attributes.size(), 1U);
    EXPECT_EQ(file.ops[0].raw_attributes.at(onefold_op_attr_alpha), impl::attribute_value(0.5F));
}

TEST(driver_shapes, types) {
    auto file = mean_and_add();
    graph_rewrite knobs;
    knobs.type = onefold_bf16;
    knobs.type_of_tensor = {{2, onefold_f16}};
    rewrite(file, knobs);
    EXPECT_EQ(file.ops[0].inputs[0].type, onefold_bf16);
    EXPECT_EQ(file.ops[1].outputs[0].type, onefold_bf16);
    EXPECT_EQ(file.ops[1].inputs[1].type, onefold_f16);
    EXPECT_THAT(file.ops[0].outputs[0].dims, ElementsAre(4, 1, 2, 3));
}

TEST(driver_shapes, ports_that_a_type_may_not_enter_keep_theirs) {
    auto file = mean_and_add();
    file.ops[0].kind = onefold_op_batch_norm_inference;
    for (size_t id = 20; id < 24; ++id)
        file.ops[0].inputs.push_back(impl::make_dense(id, onefold_f32, {6}));
    graph_rewrite knobs;
    knobs.type = onefold_f16;
    rewrite(file, knobs);
    EXPECT_EQ(file.ops[0].inputs[0].type, onefold_f16);
    EXPECT_EQ(file.ops[0].inputs[1].type, onefold_f32);
    EXPECT_EQ(file.ops[0].outputs[0].type, onefold_f16);
}

TEST(driver_shapes, of_what_an_op_produces_are_unknown_unless_given) {
    auto file = mean_and_add();
    graph_rewrite knobs;
    knobs.in_shapes = {{0, "4x5x6x7"}, {1, "4x5"}};
    rewrite(file, knobs);
    EXPECT_EQ(file.ops[0].outputs[0].dims, (impl::dims{4, 5}));
    EXPECT_EQ(file.ops[0].outputs[0].strides, (impl::dims{5, 1}));
    EXPECT_EQ(file.ops[1].outputs[0].ndims, impl::unknown_ndims);
}

TEST(driver_shapes, an_axes_tensor_keeps_its_type) {
    auto file = mean_and_add();
    file.ops[0].raw_attributes.erase(onefold_op_attr_axes);
    file.ops[0].inputs.push_back(impl::make_dense(20, onefold_s32, {1}));
    graph_rewrite knobs;
    for (const auto type : {onefold_s64, onefold_f64, onefold_u8}) { // from integers as from floats
        knobs.type = type;
        rewrite(file, knobs);
        EXPECT_EQ(file.ops[0].inputs[0].type, type);
        EXPECT_EQ(file.ops[0].inputs[1].type, onefold_s32);
        EXPECT_EQ(file.ops[0].outputs[0].type, type);
        EXPECT_EQ(file.ops[1].inputs[1].type, type);
    }
}

TEST(driver_shapes, strides_are_those_of_the_producer) {
    auto file = mean_and_add();
    file.ops[1].inputs[0].strides = {100, 100, 3, 1};
    rewrite(file, {});
    EXPECT_EQ(file.ops[1].inputs[0].strides, file.ops[0].outputs[0].strides);
}

TEST(driver_shapes, batch) {
    auto file = mean_and_add();
    graph_rewrite knobs;
    knobs.mb = 9;
    rewrite(file, knobs);
    EXPECT_THAT(file.ops[0].inputs[0].dims, ElementsAre(9, 6, 2, 3));
    EXPECT_THAT(file.ops[1].inputs[1].dims, ElementsAre(3));
}

TEST(driver_shapes, bad_ones) {
    const auto message = [](const graph_rewrite &knobs, const std::string &words) {
        auto file = mean_and_add();
        EXPECT_THAT([&] { rewrite(file, knobs); }, ThrowsMessage<bad_input>(HasSubstr(words)));
    };
    const auto shape = [](size_t id, const std::string &text) {
        graph_rewrite knobs;
        knobs.in_shapes = {{id, text}};
        return knobs;
    };
    const auto attribute = [](size_t id, const std::string &text) {
        graph_rewrite knobs;
        knobs.op_attrs = {{id, text}};
        return knobs;
    };
    message(shape(7, "2"), "no tensor 7");
    message(shape(0, "2*ab"), "'ab' is not a tag");
    message(shape(0, "aacd"), "'aacd' is not a tag");
    message(shape(0, "2x3*1"), "1 strides for 2 dims");
    message(shape(0, "2xy"), "'y' is not a number");
    message(shape(0, "-2x3"), "-2");
    message(shape(0, "4x4*ab*ab"), "is not SHAPE");
    message(attribute(0, "axes:1"), "no op 0");
    message(attribute(10, "nonsense:1"), "nonsense: there is no such attribute");
    message(attribute(10, "keep_dims:maybe"), "'maybe' is not true or false");
    message(attribute(10, "axes"), "'axes' is not NAME:VALUE");
    graph_rewrite kind;
    kind.op_kinds = {{10, "Nonsense"}};
    message(kind, "no kind 'Nonsense'");
    graph_rewrite property;
    property.properties = {{0, "nonsense"}};
    message(property, "no property 'nonsense'");
}

TEST(driver_shapes, tags) {
    EXPECT_EQ(tag_of_strides({2, 3, 4, 5}, {60, 1, 15, 3}), "acdb");
    EXPECT_EQ(tag_of_strides({1, 1}, {1, 1}), "ab");
    EXPECT_THROW(strides_of_tag({int64_t{1} << 40, int64_t{1} << 40}, "ab"), bad_input);
}

} // namespace
} // namespace onefold::driver
