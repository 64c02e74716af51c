// reported.json: small inputs of the kind that have gone wrong in other libraries, with the right answers. A case has
//   dialect     onnx (keepdims, 1 by default; no axes: all of them) or onednn_graph (keep_dims, false by default)
//   op, attrs   or op "Graph" with nodes and graph_output
//   inputs      name, dtype, shape, data, strides; role "axes" for a tensor of axes, constant or not
//   expect      outputs, or error: it must be refused
//   tolerance   "exact" or {rel, abs}; zeros compare equal, unless it has signed_zero
// data is a list or a generator: {fill}, {iota: [start, step]}, {cycle: [...]}; "nan", "inf", "-inf" are strings, null in
// expected data is any value.
#include <fstream>
#include <map>

#include <nlohmann/json.hpp>

#include "support/expected.hpp"

using namespace onefold_test;
using nlohmann::json;

namespace {

/// Why a case cannot be expressed.
struct not_expressible {
    std::string reason;
};

struct reported_case {
    json text;
    std::string id() const { return text.at("id"); }
};

/// What lists of tests show.
std::ostream &operator<<(std::ostream &out, const reported_case &one) { return out << one.id(); }

std::vector<reported_case> read_cases() {
    std::ifstream file(ONEFOLD_SOURCE_DIR "/tests/conformance/reported.json");
    std::vector<reported_case> cases;
    for (const json &one : json::parse(file))
        cases.push_back({one});
    return cases;
}

data_type type_of(const json &tensor) {
    const auto name = tensor.at("dtype").get<std::string>();
    for (const data_type type : float_types)
        if (name == name_of(type)) return type;
    for (const data_type type : integer_types)
        if (name == name_of(type)) return type;
    if (name == name_of(data_type::f64)) return data_type::f64;
    throw not_expressible{"type " + name};
}

dims shape_of(const json &tensor) {
    dims shape;
    for (const json &size : tensor.at("shape"))
        shape.push_back(size.is_string() ? std::stoll(size.get<std::string>()) : size.get<int64_t>());
    return shape;
}

double number(const json &value) {
    if (value.is_number()) return value.get<double>();
    const auto text = value.get<std::string>();
    return text == "nan" ? not_a_number : text == "inf" ? infinity : text == "-inf" ? -infinity : std::stod(text);
}

/// `count` elements; null becomes `any`.
std::vector<double> data_of(const json &tensor, size_t count, double any = 0) {
    const json &data = tensor.at("data");
    std::vector<double> values(count);
    for (size_t i = 0; i < count; ++i) {
        if (data.is_array())
            values[i] = data.at(i).is_null() ? any : number(data.at(i));
        else if (data.contains("fill"))
            values[i] = number(data["fill"]);
        else if (data.contains("iota"))
            values[i] = number(data["iota"][0]) + static_cast<double>(i) * number(data["iota"][1]);
        else if (data.contains("cycle"))
            values[i] = number(data["cycle"][i % data["cycle"].size()]);
        else
            throw not_expressible{"data by a generator that this test does not know"};
    }
    return values;
}

op::kind kind_of(const std::string &name) {
    static const std::map<std::string, op::kind> kinds = {
        {"ReduceSum", op::kind::ReduceSum},
        {"ReduceMean", op::kind::ReduceMean},
        {"ReduceMax", op::kind::ReduceMax},
        {"ReduceMin", op::kind::ReduceMin},
        {"ReduceProd", op::kind::ReduceProd},
        {"ReduceL1", op::kind::ReduceL1},
        {"ReduceL2", op::kind::ReduceL2},
        {"Add", op::kind::Add},
        {"Sub", op::kind::Subtract},
        {"Subtract", op::kind::Subtract},
        {"Mul", op::kind::Multiply},
        {"Multiply", op::kind::Multiply},
        {"Div", op::kind::Divide},
        {"Divide", op::kind::Divide},
        {"Maximum", op::kind::Maximum},
        {"Minimum", op::kind::Minimum},
        {"Mean", op::kind::Mean},
        {"Max", op::kind::Max},
        {"Min", op::kind::Min},
        {"Sum", op::kind::Sum},
    };
    const auto found = kinds.find(name);
    if (found == kinds.end()) throw not_expressible{"op " + name};
    return found->second;
}

bool is_reduction(op::kind kind) {
    return std::find(std::begin(reductions), std::end(reductions), kind) != std::end(reductions);
}

/// Axes that come with the graph, and not with an execution of it.
bool is_constant(const json *axes_input) { return axes_input && axes_input->value("constant", false); }

attributes onnx_attributes(const json &attrs, const json *axes_input) {
    attributes result = {{op::attr::keep_dims, attrs.value("keepdims", 1) != 0},
                         {op::attr::noop_with_empty_axes, attrs.value("noop_with_empty_axes", 0) != 0}};
    if (attrs.contains("axes"))
        result.emplace_back(op::attr::axes, attrs["axes"].get<axes_list>());
    else if (is_constant(axes_input))
        result.emplace_back(op::attr::axes, axes_input->at("data").get<axes_list>());
    return result;
}

attributes attributes_of(const std::string &dialect, op::kind kind, const json &attrs, const json *axes_input) {
    attributes result;
    if (is_reduction(kind) && dialect == "onnx") return onnx_attributes(attrs, axes_input);
    if (is_reduction(kind)) return over(attrs.at("axes").get<axes_list>(), attrs.value("keep_dims", false));
    if (attrs.contains("auto_broadcast")) result = {{op::attr::auto_broadcast, attrs["auto_broadcast"].get<std::string>()}};
    return result;
}

/// Computes the nodes in order, each by an op of its own.
class evaluation {
public:
    explicit evaluation(const json &one) : one_(one), dialect_(one.at("dialect")) {
        for (const json &input : one.at("inputs")) {
            if (input.value("role", "") == "axes") {
                axes_input_ = &input;
                continue;
            }
            const data_type type = type_of(input);
            const dims shape = shape_of(input);
            names_.push_back(input.at("name"));
            const dims strides = input.contains("strides") ? input["strides"].get<dims>() : row_major(shape);
            arrays_.emplace(names_.back(), array(type, shape, data_of(input, count_of(shape)), strides));
        }
    }

    const array &run_all(const json &one) {
        if (one.at("op") != "Graph") return compute(one.at("op"), one.at("attrs"), names_, "y");
        for (const json &node : one.at("nodes"))
            compute(node.at("op"), node.at("attrs"), node.at("inputs").get<std::vector<std::string>>(), node.at("outputs")[0]);
        return arrays_.at(one.at("graph_output"));
    }

private:
    const array &compute(const std::string &name, const json &attrs, const std::vector<std::string> &inputs,
                         const std::string &output) {
        const op::kind kind = kind_of(name);
        std::vector<array> srcs;
        for (const std::string &input : inputs)
            srcs.push_back(arrays_.at(input));
        const attributes given = attributes_of(dialect_, kind, attrs, axes_input_);
        const bool axes_are_read = is_reduction(kind) && axes_input_ && !is_constant(axes_input_);
        return arrays_.insert_or_assign(output, axes_are_read ? reduce_by_tensor(kind, given, srcs[0]) : run(kind, given, srcs))
            .first->second;
    }

    /// Over axes that only the execution knows: dst must be told its shape.
    array reduce_by_tensor(op::kind kind, const attributes &given, const array &src) const {
        const json &expect = one_.at("expect");
        if (!expect.contains("outputs")) throw not_expressible{"an error by axes known only at execution"};
        const array axes(type_of(*axes_input_), shape_of(*axes_input_),
                         data_of(*axes_input_, count_of(shape_of(*axes_input_))));
        array dst(src.type(), shape_of(expect["outputs"].at(0)));
        run_into(dst, kind, given, {src, axes});
        return dst;
    }

    const json &one_;
    std::string dialect_;
    const json *axes_input_ = nullptr;
    std::vector<std::string> names_;
    std::map<std::string, array> arrays_;
};

void check_output(const array &got, const json &expected, const json &tolerance) {
    ASSERT_EQ(name_of(got.type()), expected.at("dtype").get<std::string>());
    ASSERT_EQ(got.shape(), shape_of(expected));
    const auto values = got.values();
    const auto right = data_of(expected, got.count());
    const bool exact = tolerance == "exact";
    const double relative = exact ? 0 : tolerance.value("rel", 0.0);
    const double absolute = exact ? 0 : tolerance.value("abs", 0.0);
    const bool zero_signs = !exact && tolerance.contains("signed_zero");
    for (size_t i = 0; i < values.size(); ++i) {
        const double wanted = round_to(got.type(), right[i]);
        if (zero_signs || !std::isfinite(wanted))
            ASSERT_TRUE(is_identical(values[i], wanted)) << "element " << i << " is " << values[i] << ", not " << wanted;
        else
            ASSERT_LE(std::abs(values[i] - wanted), absolute + relative * std::abs(wanted))
                << "element " << i << " is " << values[i];
    }
}

class reported : public testing::TestWithParam<reported_case> {};

TEST_P(reported, has_the_right_answer) {
    const json &one = GetParam().text;
    SCOPED_TRACE(one.at("symptom").get<std::string>());
    const json &expect = one.at("expect");
    try {
        evaluation e(one);
        if (!expect.contains("error")) return check_output(e.run_all(one), expect.at("outputs").at(0), one.at("tolerance"));
        const array &result = e.run_all(one);
        FAIL() << "gave a tensor of shape " << testing::PrintToString(result.shape()) << ", not an error: " << expect["error"];
    } catch (const not_expressible &e) {
        GTEST_SKIP() << e.reason;
    } catch (const onefold::error &e) {
        EXPECT_TRUE(expect.contains("error")) << e.what();
        EXPECT_TRUE(e.status == onefold_invalid_arguments || e.status == onefold_invalid_shape)
            << onefold_status_name(e.status);
    }
}

INSTANTIATE_TEST_SUITE_P(json, reported, testing::ValuesIn(read_cases()), [](const auto &one) {
    std::string name = one.param.id();
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
});

} // namespace
