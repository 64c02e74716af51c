#include "graph/shape_inference.hpp"

#include <gtest/gtest.h>

#include "graph/error.hpp"

namespace onefold::impl {
namespace {

op reduction(std::vector<int64_t> axes, bool keep_dims = false) {
    op o;
    o.id = 7;
    o.kind = onefold_op_reduce_mean;
    o.attributes = reduction_attributes{std::move(axes), keep_dims};
    return o;
}

op add(bool broadcasts = true) {
    op o;
    o.id = 8;
    o.kind = onefold_op_add;
    o.attributes = binary_attributes{broadcasts};
    return o;
}

dims infer(const op &o, const std::vector<dims> &shapes) {
    std::vector<logical_tensor> inputs;
    for (size_t i = 0; i < shapes.size(); ++i)
        inputs.push_back(make_dense(i, onefold_f32, shapes[i]));
    return o.schema().infer(o, inputs).at(0);
}

/// The message of the error that the call throws, which must have that status.
template <typename Call>
std::string message_of(status expected, Call &&call) {
    try {
        call();
    } catch (const error &e) {
        EXPECT_EQ(e.code(), expected) << e.what();
        return e.what();
    }
    return "nothing was thrown";
}

TEST(shape_inference, axes_are_normalised_and_sorted) {
    const auto normalise = [](std::vector<int64_t> axes, size_t rank) { return normalise_axes(reduction({}), axes, rank); };
    EXPECT_EQ(normalise({}, 3), std::vector<int64_t>{});
    EXPECT_EQ(normalise({-1, 0}, 3), (std::vector<int64_t>{0, 2}));
    EXPECT_EQ(normalise({2, 1, 0}, 3), (std::vector<int64_t>{0, 1, 2}));
    EXPECT_EQ(normalise({-3}, 3), std::vector<int64_t>{0});
    EXPECT_EQ(normalise({64, -65}, 65), (std::vector<int64_t>{0, 64}));
    EXPECT_EQ(normalise({999}, 1000), std::vector<int64_t>{999});
}

TEST(shape_inference, an_axis_out_of_range_is_named) {
    for (const int64_t axis : {int64_t{3}, int64_t{-4}, INT64_MAX, INT64_MIN}) {
        const std::string message =
            message_of(onefold_invalid_arguments, [&] { normalise_axes(reduction({}), std::vector{axis}, 3); });
        EXPECT_EQ(message,
                  "op 7 (ReduceMean): axis " + std::to_string(axis) + " is not in [-3, 2], the range for a src of rank 3");
    }
}

TEST(shape_inference, an_axis_given_twice_is_named) {
    const auto message = [](std::vector<int64_t> axes) {
        return message_of(onefold_invalid_arguments, [&] { normalise_axes(reduction({}), axes, 3); });
    };
    EXPECT_EQ(message({1, 1}), "op 7 (ReduceMean): axis 1 is given twice for a src of rank 3");
    EXPECT_EQ(message({1, 0, -2}), "op 7 (ReduceMean): axis -2 is given twice for a src of rank 3");
}

TEST(shape_inference, rank_0_has_no_axis) {
    for (const int64_t axis : {0, -1, 5}) {
        const std::string message =
            message_of(onefold_invalid_arguments, [&] { normalise_axes(reduction({}), std::vector{axis}, 0); });
        EXPECT_EQ(message, "op 7 (ReduceMean): axis " + std::to_string(axis) + " of a rank 0 src; rank 0 has no axis");
    }
    EXPECT_EQ(normalise_axes(reduction({}), {}, 0), std::vector<int64_t>{});
}

TEST(shape_inference, of_a_reduction) {
    EXPECT_EQ(infer(reduction({1}), {{2, 3, 4}}), (dims{2, 4}));
    EXPECT_EQ(infer(reduction({1}, true), {{2, 3, 4}}), (dims{2, 1, 4}));
    EXPECT_EQ(infer(reduction({-1, 0}), {{2, 3, 4}}), (dims{3}));
    EXPECT_EQ(infer(reduction({0, 1, 2}), {{2, 3, 4}}), (dims{}));
    EXPECT_EQ(infer(reduction({0, 1, 2}, true), {{2, 3, 4}}), (dims{1, 1, 1}));
    EXPECT_EQ(infer(reduction({}), {{2, 3, 4}}), (dims{2, 3, 4}));
    EXPECT_EQ(infer(reduction({}, true), {{2, 3, 4}}), (dims{2, 3, 4}));
    EXPECT_EQ(infer(reduction({}), {{}}), (dims{}));
    EXPECT_EQ(infer(reduction({1}), {{2, 0, 4}}), (dims{2, 4}));
    EXPECT_EQ(infer(reduction({0}), {{2, 0, 4}}), (dims{0, 4}));
}

TEST(shape_inference, broadcast_is_numpys) {
    EXPECT_EQ(broadcast({2, 3, 4}, {4}), (dims{2, 3, 4}));
    EXPECT_EQ(broadcast({4}, {2, 3, 4}), (dims{2, 3, 4}));
    EXPECT_EQ(broadcast({2, 1, 4}, {3, 1}), (dims{2, 3, 4}));
    EXPECT_EQ(broadcast({}, {}), (dims{}));
    EXPECT_EQ(broadcast({}, {5}), (dims{5}));
    EXPECT_EQ(broadcast({0}, {1}), (dims{0}));
    EXPECT_EQ(broadcast({1}, {0}), (dims{0}));
    EXPECT_EQ(broadcast({0}, {0}), (dims{0}));
    EXPECT_EQ(broadcast({3, 0}, {1, 1}), (dims{3, 0}));
    EXPECT_EQ(broadcast({0}, {2}), std::nullopt);
    EXPECT_EQ(broadcast({2}, {0}), std::nullopt);
    EXPECT_EQ(broadcast({2, 3}, {2}), std::nullopt);
    EXPECT_EQ(broadcast(dims(65, 1), dims(1, 7)).value().size(), 65U);
}

TEST(shape_inference, of_a_broadcast_op) {
    EXPECT_EQ(infer(add(), {{2, 1}, {3}}), (dims{2, 3}));
    EXPECT_EQ(message_of(onefold_invalid_shape,
                         [] {
                             infer(add(), {{2, 3}, {2}});
                         }),
              "op 8 (Add): src_0 2x3 and src_1 2 cannot be broadcast together");
    EXPECT_EQ(infer(add(false), {{2, 3}, {2, 3}}), (dims{2, 3}));
    EXPECT_EQ(message_of(onefold_invalid_shape,
                         [] {
                             infer(add(false), {{2, 3}, {3}});
                         }),
              "op 8 (Add): src_0 2x3 and src_1 3 differ, but auto_broadcast is none");
}

TEST(shape_inference, of_an_nary_op) {
    op o;
    o.id = 9;
    o.kind = onefold_op_mean;
    EXPECT_EQ(infer(o, {{2, 3}}), (dims{2, 3}));
    EXPECT_EQ(infer(o, {{}, {2, 1}, {4, 1, 1}, {1, 3}}), (dims{4, 2, 3}));
    EXPECT_EQ(infer(o, {{1}, {0}, {1, 1}}), (dims{1, 0}));
    std::vector<dims> many(1000, dims{1, 5});
    many[500] = {3, 1};
    EXPECT_EQ(infer(o, many), (dims{3, 5}));
    EXPECT_EQ(message_of(onefold_invalid_shape,
                         [&] {
                             infer(o, {{2, 3}, {2}});
                         }),
              "op 9 (Mean): src_0 2x3 and src_1 2 cannot be broadcast together");
    EXPECT_EQ(message_of(onefold_invalid_shape,
                         [&] {
                             infer(o, {{3}, {2, 1}, {4}});
                         }),
              "op 9 (Mean): src_2 4 cannot be broadcast with 2x3, the shape of those before it");
}

TEST(shape_inference, of_an_elementwise_op) {
    op o;
    o.kind = onefold_op_exp;
    for (const dims &shape : {dims{}, dims{0, 3}, dims(65, 1)})
        EXPECT_EQ(infer(o, {shape}), shape);
}

} // namespace
} // namespace onefold::impl
