// Op kinds, attributes and ports.
#include <cstring>
#include <set>
#include <type_traits>

#include "api/helpers.hpp"

namespace onefold_test {
namespace {

template <typename T, typename = void>
constexpr bool can_set = false;
template <typename T>
constexpr bool can_set<T, std::void_t<decltype(std::declval<op &>().set_attr(op::attr::axis, std::declval<T>()))>> = true;

TEST(op, takes_the_six_attribute_types_and_no_other) {
    EXPECT_TRUE(can_set<float> && can_set<std::vector<float>> && can_set<int64_t> && can_set<std::vector<int64_t>> &&
                can_set<bool> && can_set<std::string>);
    EXPECT_FALSE(can_set<int> || can_set<double> || can_set<const char *> || can_set<std::vector<int>>);
}

TEST(op, set_attr_can_be_chained_and_repeated) {
    op o(0, op::kind::ReduceMean);
    o.set_attr<std::vector<int64_t>>(op::attr::axes, {0}).set_attr<bool>(op::attr::keep_dims, true);
    o.set_attr<std::vector<int64_t>>(op::attr::axes, {1});
    o.add_input(f32(0, {2, 3}));
    o.add_output(logical_tensor(1, data_type::f32));
    const engine cpu(engine::kind::cpu, 0);
    const auto compiled = partition_of(o).compile({f32(0, {2, 3})}, {logical_tensor(1, data_type::f32)}, cpu);
    EXPECT_EQ(compiled.query_logical_tensor(1).get_dims(), (dims{2, 1}));
}

TEST(op, refuses_an_attribute_of_another_type) {
    op o(5, op::kind::ReduceMean);
    const auto refused = [&](auto attr, auto value, const char *name, const char *expected) {
        return fails(onefold_invalid_arguments, {"op 5 (ReduceMean)", name, expected}, [&] { o.set_attr(attr, value); });
    };
    EXPECT_TRUE(refused(op::attr::axes, int64_t{1}, "axes", "takes s64[], not s64"));
    EXPECT_TRUE(refused(op::attr::axes, std::vector<float>{1}, "axes", "takes s64[], not f32[]"));
    EXPECT_TRUE(refused(op::attr::keep_dims, int64_t{1}, "keep_dims", "takes bool, not s64"));
    EXPECT_TRUE(refused(op::attr::noop_with_empty_axes, int64_t{1}, "noop_with_empty_axes", "takes bool, not s64"));
    EXPECT_TRUE(refused(op::attr::alpha, true, "alpha", "takes f32, not bool"));
    EXPECT_TRUE(refused(op::attr::auto_broadcast, 1.0F, "auto_broadcast", "takes string, not f32"));
    EXPECT_TRUE(refused(op::attr::scales, std::string("x"), "scales", "takes f32[], not string"));
    EXPECT_TRUE(refused(op::attr::axis, std::vector<int64_t>{1}, "axis", "takes s64, not s64[]"));
}

TEST(op, refuses_what_does_not_exist) {
    op o(5, op::kind::ReduceMean);
    for (const auto attr : {op::attr::undef, op::attr::end, static_cast<op::attr>(0x77)})
        EXPECT_TRUE(fails(onefold_invalid_arguments, {"op 5 (ReduceMean)", "no attribute"}, [&] { o.set_attr(attr, true); }));
    for (const auto kind : {op::kind::LastSymbol, static_cast<op::kind>(-1), static_cast<op::kind>(1000)})
        EXPECT_TRUE(fails(onefold_invalid_arguments, {"op kind"}, [&] { op(5, kind); }));
}

TEST(op, every_kind_and_attribute_has_a_name_of_its_own) {
    std::set<std::string> names;
    for (int kind = 0; kind < onefold_op_kind_count; ++kind) {
        const char *name = onefold_op_kind_name(static_cast<onefold_op_kind>(kind));
        ASSERT_NE(name, nullptr) << "kind " << kind;
        EXPECT_TRUE(names.insert(name).second) << name;
        EXPECT_NO_THROW(op(0, static_cast<op::kind>(kind), "name"));
    }
    const auto name_of_kind = [](op::kind kind) {
        return std::string(onefold_op_kind_name(static_cast<onefold_op_kind>(kind)));
    };
    EXPECT_EQ(name_of_kind(op::kind::ReduceMean), "ReduceMean");
    EXPECT_EQ(name_of_kind(op::kind::BatchNormTrainingBackward), "BatchNormTrainingBackward");
    EXPECT_EQ(name_of_kind(op::kind::GELU), "GELU");
    EXPECT_EQ(name_of_kind(op::kind::Wildcard), "Wildcard");

    names.clear();
    for (int attr = 1; attr < onefold_op_attr_end; ++attr) {
        const char *name = onefold_op_attr_name(static_cast<onefold_op_attr>(attr));
        EXPECT_TRUE(!name || names.insert(name).second) << name;
    }
    EXPECT_EQ(names.size(), 43U);
    EXPECT_STREQ(onefold_op_attr_name(onefold_op_attr_weights_format), "weights_format");
}

TEST(op, is_copied_into_the_graph) {
    const logical_tensor src = f32(0, {2, 3});
    const logical_tensor dst(1, data_type::f32);
    op mean = reduce_mean(0, src, dst);
    graph g(engine::kind::cpu);
    g.add_op(mean);
    mean.set_attr<bool>(op::attr::keep_dims, true); // too late for g
    g.finalize();
    const auto compiled = g.get_partitions().at(0).compile({src}, {dst}, engine(engine::kind::cpu, 0));
    EXPECT_EQ(compiled.query_logical_tensor(1).get_dims(), dims(1, 2));
}

} // namespace
} // namespace onefold_test
