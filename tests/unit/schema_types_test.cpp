// Which data types the ops that are compiled take, and which of them together.
#include <set>

#include <gtest/gtest.h>

#include "graph/error.hpp"
#include "graph/op.hpp"

namespace onefold::impl {

namespace {

constexpr data_type floats[] = {onefold_f32, onefold_bf16, onefold_f16, onefold_f64};
constexpr data_type integers[] = {onefold_s8,  onefold_u8,  onefold_s16, onefold_u16,
                                  onefold_s32, onefold_u32, onefold_s64, onefold_u64};
constexpr data_type others[] = {onefold_boolean, onefold_f8_e4m3, onefold_s4, onefold_data_type_undef};

logical_tensor make_port(data_type type) {
    logical_tensor port;
    port.type = type;
    return port;
}

op make_op(op_kind kind, std::vector<data_type> srcs, data_type dst) {
    op o;
    o.id = 4711;
    o.kind = kind;
    for (const data_type type : srcs)
        o.inputs.push_back(make_port(type));
    o.outputs = {make_port(dst)};
    if (o.schema().family == op_family::reduction) o.raw_attributes[onefold_op_attr_axes] = std::vector<int64_t>{0};
    return o;
}

/// "", or the sentence that says why not.
std::string refusal(const op &o) {
    try {
        validate(o);
    } catch (const error &e) {
        EXPECT_EQ(e.code(), onefold_invalid_graph_op) << e.what();
        return e.what();
    }
    return "";
}

bool takes(const op_schema &row, data_type type) {
    const size_t srcs = row.family == op_family::binary ? 2 : 1;
    return refusal(make_op(row.kind, std::vector<data_type>(srcs, type), type)).empty();
}

} // namespace

TEST(schema_types, reductions_binary_and_nary_ops_take_all_numbers) {
    for (const auto table : {reduction_schemas(), binary_schemas(), nary_schemas()})
        for (const op_schema &row : table) {
            SCOPED_TRACE(row.name);
            const bool is_extreme = row.kind == onefold_op_reduce_max || row.kind == onefold_op_reduce_min;
            const bool is_logarithm = row.kind == onefold_op_reduce_log_sum || row.kind == onefold_op_reduce_log_sum_exp;
            for (const data_type type : floats)
                EXPECT_TRUE(takes(row, type)) << name_of(type);
            for (const data_type type : integers)
                EXPECT_EQ(takes(row, type), row.kind != onefold_op_mean && (!is_logarithm || size_of(type) >= 4))
                    << name_of(type);
            for (const data_type type : others)
                EXPECT_EQ(takes(row, type), is_extreme && type == onefold_boolean) << name_of(type);
        }
}

op with_attributes(op o) {
    for (const attribute_schema &row : o.schema().attributes)
        if (row.need == attribute_need::required) o.raw_attributes[row.name] = 1.0F;
    return o;
}

TEST(schema_types, unary_ops_take_floats_and_some_integers) {
    const std::set<op_kind> of_integers = {onefold_op_abs, onefold_op_clamp, onefold_op_pow, onefold_op_relu,
                                           onefold_op_square};
    for (const op_schema &row : unary_schemas()) {
        SCOPED_TRACE(row.name);
        for (const data_type type : floats)
            EXPECT_EQ(refusal(with_attributes(make_op(row.kind, {type}, type))), "") << name_of(type);
        for (const data_type type : integers) {
            const bool is_taken =
                of_integers.count(row.kind) != 0 || (row.kind == onefold_op_neg && contains(signed_integers, type));
            EXPECT_EQ(refusal(with_attributes(make_op(row.kind, {type}, type))).empty(), is_taken) << name_of(type);
        }
        for (const data_type type : others)
            EXPECT_NE(refusal(with_attributes(make_op(row.kind, {type}, type))), "") << name_of(type);
    }
    EXPECT_EQ(refusal(make_op(onefold_op_exp, {onefold_s32}, onefold_s32)),
              "op 4711 (Exp): input src has data type s32; allowed: f16, bf16, f32, f64");
    EXPECT_EQ(refusal(make_op(onefold_op_neg, {onefold_u8}, onefold_u8)),
              "op 4711 (Neg): input src has data type u8; allowed: f16, bf16, f32, s32, s8, f64, s16, s64");
}

TEST(schema_types, reorders_and_casts_take_numbers_and_booleans) {
    std::vector<data_type> all(std::begin(floats), std::end(floats));
    all.insert(all.end(), std::begin(integers), std::end(integers));
    all.push_back(onefold_boolean);
    for (const data_type from : all) {
        EXPECT_TRUE(takes(schema_of(onefold_op_reorder), from)) << name_of(from);
        for (const data_type to : all)
            EXPECT_EQ(refusal(make_op(onefold_op_type_cast, {from}, to)).empty(), from != to)
                << name_of(from) << " to " << name_of(to);
        EXPECT_NE(refusal(make_op(onefold_op_type_cast, {from}, onefold_f8_e4m3)), "") << name_of(from);
    }
    EXPECT_EQ(refusal(make_op(onefold_op_type_cast, {onefold_s8}, onefold_s8)),
              "op 4711 (TypeCast): src and dst have the same type, s8");
    EXPECT_FALSE(takes(schema_of(onefold_op_reorder), onefold_s4));
}

TEST(schema_types, products_mix_small_floats_and_nothing_else) {
    for (const op_kind kind : {onefold_op_multiply, onefold_op_divide}) {
        EXPECT_EQ(refusal(make_op(kind, {onefold_f32, onefold_bf16}, onefold_f16)), "");
        const std::string name = "op 4711 (" + std::string(schema_of(kind).name) + "): ";
        EXPECT_EQ(refusal(make_op(kind, {onefold_f64, onefold_s8}, onefold_f32)),
                  name +
                      "input src_0 has data type f64, src_1 s8 and output dst f32; they must be the same unless all are among "
                      "f32, bf16 and f16");
        for (const data_type type : {onefold_f64, onefold_s32, onefold_u64}) {
            EXPECT_NE(refusal(make_op(kind, {type, onefold_f32}, onefold_f32)), "");
            EXPECT_NE(refusal(make_op(kind, {onefold_f32, type}, onefold_f32)), "");
            EXPECT_NE(refusal(make_op(kind, {type, type}, onefold_f32)), "");
        }
    }
    EXPECT_NE(refusal(make_op(onefold_op_add, {onefold_f32, onefold_bf16}, onefold_f32)), "");
}

TEST(schema_types, nary_ops_take_one_type) {
    for (const op_schema &row : nary_schemas()) {
        const std::string name = "op 4711 (" + std::string(row.name) + "): ";
        std::vector<data_type> srcs(1000, onefold_f32);
        EXPECT_EQ(refusal(make_op(row.kind, srcs, onefold_f32)), "");
        EXPECT_NE(refusal(make_op(row.kind, srcs, onefold_f64)), "");
        srcs[700] = onefold_f64;
        EXPECT_EQ(refusal(make_op(row.kind, srcs, onefold_f32)),
                  name + "input src_i has data type f64, but src_0 has f32; they must be the same");
        EXPECT_EQ(refusal(make_op(row.kind, {}, onefold_f32)), name + "input src_0 is missing: 0 given, 1 required");
    }
}

} // namespace onefold::impl
