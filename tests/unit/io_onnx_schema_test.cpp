// The table of ONNX ops beside ONNX's own schemas, as far as the installed library knows them.

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <onnx/defs/schema.h>

#include "io/onnx/array.hpp"
#include "io/onnx/ops.hpp"

namespace {

using namespace onefold::impl;
using ::onnx::OpSchema;
using ::onnx::OpSchemaRegistry;

struct named_type {
    std::string name;
    int onnx;
};

const std::vector<named_type> numeric_types = {
    {"tensor(float)", 1},   {"tensor(uint8)", 2},   {"tensor(int8)", 3},      {"tensor(uint16)", 4},   {"tensor(int16)", 5},
    {"tensor(int32)", 6},   {"tensor(int64)", 7},   {"tensor(bool)", 9},      {"tensor(float16)", 10}, {"tensor(double)", 11},
    {"tensor(uint32)", 12}, {"tensor(uint64)", 13}, {"tensor(bfloat16)", 16},
};

/// The names of the numeric types that the first input may have.
std::set<std::string> types_of(const OpSchema &schema) {
    std::set<std::string> result;
    for (const auto &constraint : schema.typeConstraintParams())
        if (constraint.type_param_str == schema.inputs().at(0).GetTypeStr())
            for (const named_type &type : numeric_types)
                for (const std::string &allowed : constraint.allowed_type_strs)
                    if (allowed == type.name) result.insert(type.name);
    return result;
}

std::set<std::string> types_of(const io::onnx_op &row, int opset) {
    type_set allowed = 0;
    for (const io::onnx_types &step : row.types)
        if (step.since <= opset) allowed = step.allowed;
    std::set<std::string> result;
    for (const named_type &type : numeric_types)
        if (contains(allowed, io::type_from_onnx(type.onnx))) result.insert(type.name);
    return result;
}

std::set<std::string> attributes_of(const OpSchema &schema) {
    std::set<std::string> result;
    for (const auto &attribute : schema.attributes())
        result.insert(attribute.first);
    return result;
}

std::set<std::string> attributes_of(const io::onnx_op &row, int opset) {
    std::set<std::string> result;
    for (const io::onnx_attribute &attribute : row.attributes)
        if (attribute.since <= opset && opset <= attribute.until) result.emplace(attribute.name);
    return result;
}

TEST(io_onnx_schema, the_table_agrees_with_onnx) {
    const auto versions = OpSchemaRegistry::DomainToVersionRange::Instance().Map().at("");
    for (int opset = 1; opset <= std::min(versions.second, io::newest_opset); ++opset)
        for (const io::onnx_op &any : io::onnx_ops()) {
            const std::string name(any.name);
            SCOPED_TRACE(name + " " + std::to_string(opset));
            const OpSchema *schema = OpSchemaRegistry::Schema(name, opset, "");
            const io::onnx_op *row = io::find_onnx_op(name, opset);
            ASSERT_EQ(schema != nullptr, row != nullptr);
            if (!schema) continue;
            EXPECT_EQ(static_cast<size_t>(schema->min_input()), row->inputs.min);
            EXPECT_EQ(static_cast<size_t>(schema->max_input()), row->inputs.max);
            EXPECT_EQ(attributes_of(*schema), attributes_of(*row, opset));
            if (schema->inputs().empty()) continue;
            EXPECT_EQ(types_of(*schema), types_of(*row, opset));
        }
}

} // namespace
