#include <limits>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "io/graph_file.hpp"

namespace {

using namespace onefold::impl;
using io::graph_file;
using io::parse_graph;
using io::serialize;

/// A graph of one op without attributes; the tensors are JSON.
graph_file parse_add(const std::string &src0, const std::string &src1, const std::string &dst) {
    return parse_graph(fmt::format(
        R"({{"graph": [{{"id": 3, "name": "sum", "kind": "Add", "attrs": {{}}, "inputs": [{}, {}], "outputs": [{}]}}]}})", src0,
        src1, dst));
}

logical_tensor parse_tensor(const std::string &text) {
    const std::string plain = R"({"id": 1, "dtype": "f32", "shape": [], "stride": [], "layout_type": "strided"})";
    return parse_add(text, plain, plain).ops.at(0).inputs.at(0);
}

const char *const reduction = R"({
  "version": "3.7.0", "engine_kind": "cpu", "fpmath_mode": "bf16", "fpmath_mode_apply_to_int": "true",
  "input_ports": [0], "output_ports": [18446744073709551615],
  "graph": [ {
    "id": 11, "name": "REDUCTION_0", "kind": "ReduceMean",
    "attrs": { "axes": { "type": "s64[]", "value": [1, -1] }, "keep_dims": { "type": "bool", "value": 1 } },
    "inputs": [ { "id": 0, "dtype": "bf16", "shape": [2, 3, 4], "stride": [12, 1, 3], "layout_type": "strided",
                  "property_type": "constant" } ],
    "outputs": [ { "id": 18446744073709551615, "dtype": "bf16", "shape": [2, 1, 1], "stride": [1, 1, 1],
                   "layout_type": "strided", "property_type": "undef" } ]
  } ]
})";

TEST(io_graph_file, reads_everything_that_onednn_writes) {
    const graph_file file = parse_graph(reduction);
    EXPECT_EQ(file.version, "3.7.0");
    EXPECT_EQ(file.kind, onefold_cpu);
    EXPECT_EQ(file.fpmath, onefold_fpmath_bf16);
    EXPECT_TRUE(file.fpmath_applies_to_int);
    EXPECT_EQ(file.input_ports, std::vector<size_t>{0});
    EXPECT_EQ(file.output_ports, std::vector<size_t>{SIZE_MAX});
    ASSERT_EQ(file.ops.size(), 1U);
    const op &o = file.ops[0];
    EXPECT_EQ(o.id, 11U);
    EXPECT_EQ(o.name, "REDUCTION_0");
    EXPECT_EQ(o.kind, onefold_op_reduce_mean);
    EXPECT_EQ(std::get<std::vector<int64_t>>(o.raw_attributes.at(onefold_op_attr_axes)), (dims{1, -1}));
    EXPECT_TRUE(std::get<bool>(o.raw_attributes.at(onefold_op_attr_keep_dims)));
    EXPECT_EQ(o.inputs.at(0).dims, (dims{2, 3, 4}));
    EXPECT_EQ(o.inputs.at(0).strides, (dims{12, 1, 3}));
    EXPECT_EQ(o.inputs.at(0).property, onefold_property_constant);
    EXPECT_EQ(o.outputs.at(0).id, SIZE_MAX);
}

TEST(io_graph_file, fpmath_mode_may_be_an_object) {
    std::string text = reduction;
    const std::string from = R"("fpmath_mode": "bf16", "fpmath_mode_apply_to_int": "true")";
    text.replace(text.find(from), from.size(), R"("fpmath_mode": {"mode": "tf32", "apply_to_int": true})");
    const graph_file file = parse_graph(text);
    EXPECT_EQ(file.fpmath, onefold_fpmath_tf32);
    EXPECT_TRUE(file.fpmath_applies_to_int);
}

TEST(io_graph_file, unknown_rank_dims_and_strides) {
    const logical_tensor unknown_rank = parse_tensor(
        R"({"id": 0, "dtype": "f32", "shape": [-9223372036854775808], "stride": [-9223372036854775808],
            "layout_type": "undef"})");
    EXPECT_EQ(unknown_rank.ndims, unknown_ndims);
    const logical_tensor unknown_strides =
        parse_tensor(R"({"id": 0, "dtype": "f32", "shape": [2, 3], "stride": [-9223372036854775808], "layout_type": "undef"})");
    EXPECT_EQ(unknown_strides.dims, (dims{2, 3}));
    EXPECT_EQ(unknown_strides.layout, onefold_layout_undef);
    const logical_tensor unknown_dims =
        parse_tensor(R"({"id": 0, "dtype": "f32", "shape": [-1, 3], "stride": [3, -1], "layout_type": "strided"})");
    EXPECT_EQ(unknown_dims.dims, (dims{unknown_dim, 3}));
    EXPECT_EQ(unknown_dims.strides, (dims{3, unknown_dim}));
    const logical_tensor vector_of_any_length =
        parse_tensor(R"({"id": 0, "dtype": "f32", "shape": [-1], "stride": [1], "layout_type": "strided"})");
    EXPECT_EQ(vector_of_any_length.dims, dims{unknown_dim});
}

TEST(io_graph_file, layouts) {
    EXPECT_EQ(parse_tensor(R"({"id": 0, "dtype": "f32", "shape": [2, 3], "layout_type": "any"})").layout, onefold_layout_any);
    // As benchdnn takes it.
    const logical_tensor undef =
        parse_tensor(R"({"id": 0, "dtype": "f32", "shape": [2, 3], "stride": [1, 2], "layout_type": "undef"})");
    EXPECT_EQ(undef.layout, onefold_layout_strided);
    EXPECT_EQ(undef.strides, (dims{1, 2}));
    const logical_tensor neither = parse_tensor(R"({"id": 0, "dtype": "f32", "shape": [2, 3]})");
    EXPECT_EQ(neither.layout, onefold_layout_strided);
    EXPECT_EQ(neither.strides, (dims{3, 1}));
}

TEST(io_graph_file, attribute_values) {
    const auto value_of = [](const std::string &name, const std::string &entry) {
        const graph_file file = parse_graph(fmt::format(
            R"({{"graph": [{{"id": 0, "kind": "Abs", "attrs": {{"{}": {}}}, "inputs": [], "outputs": []}}]}})", name, entry));
        return file.ops.at(0).raw_attributes.at(*op_attr_from_name(name));
    };
    EXPECT_EQ(value_of("alpha", R"({"type": "f32", "value": 2})"), attribute_value(2.0F));
    EXPECT_EQ(value_of("alpha", R"({"type": "f32", "value": "-inf"})"),
              attribute_value(-std::numeric_limits<float>::infinity()));
    EXPECT_EQ(value_of("scales", R"({"type": "f32[]", "value": [1, 0.1]})"), attribute_value(std::vector<float>{1.0F, 0.1F}));
    EXPECT_EQ(value_of("axis", R"({"type": "s64", "value": -9223372036854775808})"),
              attribute_value(std::numeric_limits<int64_t>::min()));
    EXPECT_EQ(value_of("keep_dims", R"({"type": "bool", "value": false})"), attribute_value(false));
    EXPECT_EQ(value_of("keep_dims", R"({"type": "bool", "value": 1})"), attribute_value(true));
    EXPECT_EQ(value_of("mode", R"({"type": "string", "value": "linear"})"), attribute_value(std::string("linear")));
}

TEST(io_graph_file, bookkeeping_of_onednn_dumps_is_skipped) {
    const graph_file file = parse_graph(R"({"graph": [{"id": 0, "kind": "Abs", "inputs": [], "outputs": [], "attrs": {
        "partition_id": {"type": "string", "value": "0"}, "backend": {"type": "string", "value": "dnnl_backend"}}}]})");
    EXPECT_TRUE(file.ops.at(0).raw_attributes.empty());
}

void expect_same(const graph_file &a, const graph_file &b) {
    EXPECT_EQ(a.version, b.version);
    EXPECT_EQ(a.kind, b.kind);
    EXPECT_EQ(a.fpmath, b.fpmath);
    EXPECT_EQ(a.fpmath_applies_to_int, b.fpmath_applies_to_int);
    EXPECT_EQ(a.input_ports, b.input_ports);
    EXPECT_EQ(a.output_ports, b.output_ports);
    ASSERT_EQ(a.ops.size(), b.ops.size());
    for (size_t i = 0; i < a.ops.size(); ++i) {
        EXPECT_EQ(a.ops[i].id, b.ops[i].id);
        EXPECT_EQ(a.ops[i].kind, b.ops[i].kind);
        EXPECT_EQ(a.ops[i].name, b.ops[i].name);
        EXPECT_EQ(a.ops[i].raw_attributes, b.ops[i].raw_attributes);
        EXPECT_EQ(a.ops[i].inputs, b.ops[i].inputs);
        EXPECT_EQ(a.ops[i].outputs, b.ops[i].outputs);
    }
}

TEST(io_graph_file, what_is_written_reads_the_same) {
    const graph_file from_text = parse_graph(reduction);
    expect_same(parse_graph(serialize(from_text)), from_text);

    graph_file file;
    file.version = "0.1.0";
    op o;
    o.id = SIZE_MAX;
    o.kind = onefold_op_clamp;
    o.name = "quotes \" and \\ and \n and \u00e9";
    o.raw_attributes = {
        {onefold_op_attr_min, -std::numeric_limits<float>::infinity()},
        {onefold_op_attr_max, 0.1F},
        {onefold_op_attr_alpha, std::numeric_limits<float>::denorm_min()},
        {onefold_op_attr_beta, 3.0F},
        {onefold_op_attr_scales, std::vector<float>{}},
        {onefold_op_attr_axes, std::vector<int64_t>{std::numeric_limits<int64_t>::min(), -1}},
        {onefold_op_attr_axis, std::numeric_limits<int64_t>::max()},
        {onefold_op_attr_keep_dims, false},
        {onefold_op_attr_mode, std::string("none")},
    };
    const auto add = [&](int64_t ndims, const dims &shape, const int64_t *strides, layout_type layout) {
        o.inputs.push_back(make_logical_tensor(o.inputs.size(), onefold_u64, ndims, shape.data(), strides, layout, 0,
                                               onefold_property_variable));
    };
    const dims permuted{1, 2};
    add(unknown_ndims, {}, nullptr, onefold_layout_undef);
    add(unknown_ndims, {}, nullptr, onefold_layout_strided);
    add(0, {}, nullptr, onefold_layout_strided);
    add(0, {}, nullptr, onefold_layout_any);
    add(1, {unknown_dim}, nullptr, onefold_layout_strided);
    add(1, {unknown_dim}, nullptr, onefold_layout_any);
    add(1, {7}, nullptr, onefold_layout_strided);
    add(2, {2, 3}, permuted.data(), onefold_layout_strided);
    add(2, {2, 3}, nullptr, onefold_layout_any);
    add(2, {2, 3}, nullptr, onefold_layout_undef);
    add(2, {unknown_dim, 3}, nullptr, onefold_layout_strided);
    add(3, {2, 0, 3}, nullptr, onefold_layout_strided);
    file.ops.push_back(o);
    expect_same(parse_graph(serialize(file)), file);
}

TEST(io_graph_file, ops_of_several_outputs_are_written_and_read) {
    graph_file file;
    op o;
    o.kind = onefold_op_layer_norm;
    o.raw_attributes = {{onefold_op_attr_begin_norm_axis, int64_t{-2}},
                        {onefold_op_attr_epsilon, 1e-6F},
                        {onefold_op_attr_keep_stats, true},
                        {onefold_op_attr_use_affine, false}};
    o.inputs = {make_dense(0, onefold_bf16, {2, 3, 4})};
    o.outputs = {make_dense(1, onefold_bf16, {2, 3, 4}), make_dense(2, onefold_f32, {2}), make_dense(3, onefold_f32, {2})};
    file.ops.push_back(o);
    o.id = 1;
    o.kind = onefold_op_rms_norm;
    o.raw_attributes = {};
    o.inputs = {make_dense(1, onefold_bf16, {2, 3, 4}), make_dense(4, onefold_f32, {4})};
    o.outputs = {make_dense(5, onefold_bf16, {2, 3, 4})};
    file.ops.push_back(o);
    const graph_file read = parse_graph(serialize(file));
    expect_same(read, file);
    ASSERT_EQ(read.ops.at(0).outputs.size(), 3U);
    EXPECT_EQ(read.ops[0].outputs[2].dims, dims{2});
    EXPECT_EQ(read.ops[1].kind, onefold_op_rms_norm);
}

TEST(io_graph_file, is_written_as_onednn_writes) {
    const std::string text = serialize(parse_graph(reduction));
    EXPECT_TRUE(text.starts_with("{\n  \"version\": \"3.7.0\",\n  \"engine_kind\": \"cpu\",\n  \"fpmath_mode\": \"bf16\",\n"
                                 "  \"fpmath_mode_apply_to_int\": \"true\",\n  \"input_ports\": [\n    0\n  ],\n"))
        << text;
    EXPECT_NE(text.find("\"keep_dims\": {\n          \"type\": \"bool\",\n          \"value\": 1\n"), std::string::npos)
        << text;
}

TEST(io_graph_file, extensions_are_written_and_read) {
    for (const auto &[name, kind] :
         {std::pair{"Mean", onefold_op_mean}, std::pair{"Max", onefold_op_max}, std::pair{"Min", onefold_op_min},
          std::pair{"Sum", onefold_op_sum}, std::pair{"ReduceSumSquare", onefold_op_reduce_sum_square},
          std::pair{"ReduceLogSum", onefold_op_reduce_log_sum}, std::pair{"ReduceLogSumExp", onefold_op_reduce_log_sum_exp},
          std::pair{"Neg", onefold_op_neg}})
        for (const data_type type : {onefold_f64, onefold_s8, onefold_u8, onefold_s16, onefold_u16, onefold_s32, onefold_u32,
                                     onefold_s64, onefold_u64}) {
            graph_file file;
            op o;
            o.kind = kind;
            o.inputs.assign(9, make_dense(7, type, {2, 3}));
            o.outputs = {make_dense(8, type, {2, 3})};
            file.ops = {o};
            const std::string text = serialize(file);
            EXPECT_NE(text.find(fmt::format("\"{}\"", name)), std::string::npos) << text;
            EXPECT_NE(text.find(fmt::format("\"{}\"", name_of(type))), std::string::npos) << text;
            const graph_file again = parse_graph(text);
            ASSERT_EQ(again.ops.size(), 1U);
            EXPECT_EQ(again.ops[0].kind, kind);
            EXPECT_EQ(again.ops[0].inputs, o.inputs);
            EXPECT_EQ(again.ops[0].outputs, o.outputs);
        }
}

} // namespace
