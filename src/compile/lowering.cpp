#include "compile/lowering.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "compile/loop_space.hpp"
#include "graph/error.hpp"
#include "graph/schema.hpp"
#include "onednn/lowering.hpp"
#include "runtime/environment.hpp"
#include "simd/lowering.hpp"
#include "simd/row_overwriting.hpp"

namespace onefold::impl {

namespace {

/// oneDNN's step with one of ours behind it, for what it must not do.
std::unique_ptr<step> make_of_onednn(const row_program &p) { return onednn::make(p, simd::make(p)); }

/// The step behind it reads again what oneDNN's has written over.
std::vector<std::pair<size_t, size_t>> no_overwrites(const row_program & /*p*/) { return {}; }

constexpr std::array lowerings = {
    lowering{"onednn", {onednn::cost, onednn::make}, {onednn::cost, make_of_onednn}, no_overwrites},
    lowering{"simd", {simd::cost, simd::make}, {simd::cost, simd::make}, simd::find_overwrites},
};

const way<computation> &way_of(const lowering &l, const computation &) { return l.computations; }
const way<row_program> &way_of(const lowering &l, const row_program &) { return l.row_programs; }

bool is_asked_for(const lowering &l) {
    const std::string only = environment("ONEFOLD_LOWERING");
    return only.empty() || only == l.name;
}

/// Copies and fills are only in simd, and every lowering needs them.
bool is_allowed(const lowering &l, const computation &c) {
    return c.kind == computation_kind::copy || c.kind == computation_kind::fill || is_asked_for(l);
}
bool is_allowed(const lowering &l, const row_program &) { return is_asked_for(l); }
bool is_any(const lowering &, const row_program &) { return true; }

constexpr double unsupported = std::numeric_limits<double>::infinity();

/// What the cheapest lowering that takes `c` whole costs.
double cheapest_cost(const computation &c) {
    double cheapest = unsupported;
    for (const lowering &l : lowerings)
        if (is_allowed(l, c)) cheapest = std::min(cheapest, l.computations.cost(c));
    return cheapest;
}

struct made_step {
    std::unique_ptr<step> made; // nullptr: there is none
    double cost = 0;
    const lowering *how = nullptr;
};

/// The step of the cheapest lowering that takes the work whole, among those that are allowed.
template <typename Work>
made_step make_cheapest(const Work &work, bool (*allowed)(const lowering &l, const Work &work) = is_allowed) {
    struct candidate {
        const lowering *how;
        double cost;
    };
    std::vector<candidate> candidates;
    for (const lowering &l : lowerings)
        if (allowed(l, work))
            if (const double cost = way_of(l, work).cost(work); cost < unsupported) candidates.push_back({&l, cost});
    std::stable_sort(candidates.begin(), candidates.end(), [](const auto &a, const auto &b) { return a.cost < b.cost; });
    for (const candidate &next : candidates)
        if (auto made = way_of(*next.how, work).make(work)) return {std::move(made), next.cost, next.how};
    return {};
}

bool try_whole(const computation &c, program_builder &builder) {
    made_step whole = make_cheapest(c);
    if (!whole.made) return false;
    builder.add(std::move(whole.made), c, whole.cost);
    return true;
}

/// Dense scratch, in the arithmetic type, for what a space keeps.
operand scratch_for(const loop_space &space, data_type arithmetic, program_builder &builder) {
    const auto bytes = static_cast<size_t>(kept_count(space)) * static_cast<size_t>(size_of(arithmetic));
    return {builder.add_scratch(bytes), arithmetic, dense_kept_strides(space)};
}

operand scratch_for_results(const computation &c, program_builder &builder) {
    return scratch_for(c.space, c.arithmetic(), builder);
}

loop_space with_all_kept(const loop_space &space) { return {space.sizes, std::vector<bool>(space.rank(), false)}; }

/// Ops as a computation of their own, which begins with the first of them.
computation as_elementwise(const std::vector<post_op> &ops, const operand &value) {
    const post_op &base = ops.front();
    computation c;
    c.kind = base.is_binary ? computation_kind::binary : computation_kind::unary;
    c.op = base.op;
    c.attributes = base.attributes;
    c.src = {value};
    if (base.is_binary) c.src.insert(base.value_is_second ? c.src.begin() : c.src.end(), base.other);
    c.post_ops.assign(ops.begin() + 1, ops.end());
    return c;
}

loop_space without_reduced_dims(const loop_space &space) {
    loop_space kept = space;
    for (size_t i = 0; i < kept.rank(); ++i)
        if (kept.reduced[i]) kept.sizes[i] = 1;
    kept.reduced.assign(kept.rank(), false);
    return kept;
}

/// What is left of `c` when its results before the post-op `first` lie in `value`.
computation rest_of(const computation &c, size_t first, const operand &value) {
    computation rest = as_elementwise({c.post_ops.begin() + static_cast<std::ptrdiff_t>(first), c.post_ops.end()}, value);
    rest.space = without_reduced_dims(c.space);
    rest.dst = c.dst;
    canonicalise(rest);
    return rest;
}

/// Computes as many post-ops as one step can take, `most` of them, and the rest behind it.
bool try_split_post_ops(const computation &c, size_t most, program_builder &builder) {
    if (c.post_ops.empty()) return false;
    computation head = c;
    head.dst = scratch_for_results(c, builder);
    for (size_t count = std::min(most + 1, c.post_ops.size()); count-- > 0;) {
        head.post_ops.resize(count);
        if (!try_whole(head, builder)) continue;
        lower(rest_of(c, count, head.dst), builder);
        return true;
    }
    return false;
}

/// True if a reduction is done sooner alone, its post-ops following over the results, than as one step.
bool is_better_split(const computation &c) {
    if (c.kind != computation_kind::reduce || c.post_ops.empty()) return false;
    computation head = c;
    head.post_ops.clear();
    head.dst = {c.dst.buffer, c.arithmetic(), dense_kept_strides(c.space)};
    return cheapest_cost(head) + cheapest_cost(rest_of(c, 0, head.dst)) < cheapest_cost(c);
}

/// Adds a copy; there is one for every pair of types that a computation can have.
void copy(const loop_space &space, const operand &from, const operand &to, program_builder &builder) {
    computation c{computation_kind::copy, onefold_op_reorder, {}, space, {from}, {}, to, {}};
    canonicalise(c);
    if (!try_whole(c, builder)) fail(onefold_unimplemented, "nothing copies {} to {}", name_of(from.type), name_of(to.type));
}

/// Makes a pass of its own of what comes before a reduction.
bool try_split_pre_ops(const computation &c, program_builder &builder) {
    if (c.pre_ops.empty()) return false;
    const loop_space everything = with_all_kept(c.space);
    const operand value = scratch_for(everything, c.arithmetic(), builder);
    computation before = as_elementwise(c.pre_ops, c.src[0]);
    before.space = everything;
    before.dst = value;
    canonicalise(before);
    lower(std::move(before), builder);
    computation reduction = c;
    reduction.pre_ops.clear();
    reduction.src = {value};
    canonicalise(reduction);
    lower(std::move(reduction), builder);
    return true;
}

/// Brings the sources into dense f32 (broadcasts written out), computes there, and goes on from the result.
bool try_in_dense_f32(const computation &c, program_builder &builder) {
    if (c.kind == computation_kind::copy || c.kind == computation_kind::fill || c.arithmetic() != onefold_f32) return false;
    const loop_space everything = with_all_kept(c.space);
    const operand result = scratch_for_results(c, builder);
    computation dense = c;
    dense.dst = result;
    dense.post_ops.clear();
    for (operand &src : dense.src) {
        const operand from = src;
        if (from.type == onefold_f32 && from.strides == dense_kept_strides(everything)) continue;
        src = scratch_for(everything, onefold_f32, builder);
        copy(everything, from, src, builder);
    }
    canonicalise(dense);
    if (!try_whole(dense, builder)) return false;
    if (c.post_ops.empty())
        copy(without_reduced_dims(c.space), result, c.dst, builder);
    else
        lower(rest_of(c, 0, result), builder);
    return true;
}

bool try_lower_if(const row_program &p, bool (*allowed)(const lowering &l, const row_program &p), program_builder &builder) {
    if (kept_count(p.space) == 0) return true;
    made_step whole = make_cheapest(p, allowed);
    if (!whole.made) return false;
    buffer_uses uses{{}, {}, whole.how->find_overwrites(p)};
    for (const operand &input : p.inputs)
        uses.reads.push_back(input.buffer);
    for (const row_output &output : p.outputs)
        uses.writes.push_back(output.to.buffer);
    builder.add(std::move(whole.made), std::move(uses), whole.cost, to_string(p));
    return true;
}

} // namespace

bool try_lower(const row_program &p, program_builder &builder) { return try_lower_if(p, is_allowed, builder); }

bool try_lower_op(const row_program &p, program_builder &builder) {
    return try_lower(p, builder) || try_lower_if(p, is_any, builder);
}

void lower(computation c, program_builder &builder) {
    if (is_better_split(c) && try_split_post_ops(c, 0, builder)) return;
    if (try_whole(c, builder)) return;
    if (try_split_pre_ops(c, builder)) return;
    if (try_split_post_ops(c, c.post_ops.size(), builder)) return;
    if (try_in_dense_f32(c, builder)) return;
    fail(onefold_unimplemented, "nothing computes {} of {} over the loop space {}", schema_of(c.op).name,
         name_of(c.src[0].type), to_string(c.space.sizes));
}

} // namespace onefold::impl
