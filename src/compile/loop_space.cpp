#include "compile/loop_space.hpp"

#include <algorithm>
#include <numeric>

namespace onefold::impl {

namespace {

using stride_lists = std::vector<dims *>;

/// Keeps the loop dims at `positions`, in that order.
void select_dims(loop_space &space, const stride_lists &all, const std::vector<size_t> &positions) {
    const auto select = [&](const auto &from) {
        auto to = std::decay_t<decltype(from)>();
        for (const size_t position : positions)
            to.push_back(from[position]);
        return to;
    };
    for (dims *strides : all)
        *strides = select(*strides);
    space.sizes = select(space.sizes);
    space.reduced = select(space.reduced);
}

void drop_ones(loop_space &space, const stride_lists &all) {
    const auto &[sizes, reduced] = space;
    std::vector<size_t> kept;
    bool any_reduced = false;
    for (size_t i = 0; i < sizes.size(); ++i)
        if (sizes[i] != 1) {
            kept.push_back(i);
            any_reduced = any_reduced || reduced[i];
        }
    const auto first_reduced = std::find(reduced.begin(), reduced.end(), true);
    // |x| over one element is still |x|: a reduction stays one.
    if (!any_reduced && first_reduced != reduced.end()) kept.push_back(static_cast<size_t>(first_reduced - reduced.begin()));
    select_dims(space, all, kept);
}

/// The operand whose strides the order of the loop dims follows: what a reduction reads most of, else dst.
const operand &primary_operand(const computation &c) {
    if (c.kind != computation_kind::reduce) return c.dst;
    const auto broadcast_dims = [](const operand &o) { return std::count(o.strides.begin(), o.strides.end(), 0); };
    const operand *primary = &c.src[0];
    for (const post_op &p : c.pre_ops)
        if (p.is_binary && broadcast_dims(p.other) < broadcast_dims(*primary)) primary = &p.other;
    return *primary;
}

void sort_dims(loop_space &space, const stride_lists &all, const dims &primary) {
    std::vector<size_t> order(primary.size());
    std::iota(order.begin(), order.end(), size_t{0});
    // A reduced dim that is kept only as a 1 goes first, whatever stride it had: what lies behind it are columns, not rows of
    // one element each. So does one that repeats the same elements.
    const auto key = [&](size_t i) { return space.sizes[i] == 1 || primary[i] == 0 ? INT64_MAX : primary[i]; };
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return key(a) > key(b); });
    select_dims(space, all, order);
}

void merge_dims(loop_space &space, const stride_lists &all) {
    size_t last = 0; // what is merged so far ends here
    for (size_t i = 1; i < space.rank(); ++i) {
        const bool mergeable =
            space.reduced[last] == space.reduced[i] &&
            std::all_of(all.begin(), all.end(), [&](const dims *s) { return (*s)[last] == (*s)[i] * space.sizes[i]; });
        if (mergeable)
            space.sizes[last] *= space.sizes[i];
        else {
            ++last;
            space.sizes[last] = space.sizes[i];
            space.reduced[last] = space.reduced[i];
        }
        for (dims *s : all)
            (*s)[last] = (*s)[i];
    }
    const size_t rank = space.rank() == 0 ? 0 : last + 1;
    space.sizes.resize(rank);
    space.reduced.resize(rank);
    for (dims *s : all)
        s->resize(rank);
}

void give_scalars_a_dim(loop_space &space, const stride_lists &all) {
    if (space.rank() > 0) return;
    space.sizes = {1};
    space.reduced = {false};
    for (dims *strides : all)
        *strides = {1};
}

} // namespace

void canonicalise(loop_space &space, const std::vector<dims *> &strides, const dims &primary) {
    drop_ones(space, strides);
    sort_dims(space, strides, dims(primary));
    merge_dims(space, strides);
    give_scalars_a_dim(space, strides);
}

void canonicalise(computation &c) {
    stride_lists strides;
    for (operand *o : operands_of(c))
        strides.push_back(&o->strides);
    canonicalise(c.space, strides, primary_operand(c).strides);
}

dims broadcast_strides(const dims &d, const dims &strides, const dims &sizes) {
    dims aligned(sizes.size(), 0);
    const size_t offset = sizes.size() - d.size();
    for (size_t i = 0; i < d.size(); ++i)
        if (d[i] != 1) aligned[offset + i] = strides[i];
    return aligned;
}

dims dense_kept_strides(const loop_space &space) {
    dims strides(space.rank(), 0);
    int64_t next = 1;
    for (size_t i = space.rank(); i-- > 0;)
        if (!space.reduced[i]) {
            strides[i] = next;
            next *= space.sizes[i];
        }
    return strides;
}

int64_t kept_count(const loop_space &space) {
    int64_t count = 1;
    for (size_t i = 0; i < space.rank(); ++i)
        if (!space.reduced[i]) count *= space.sizes[i];
    return count;
}

int64_t reduced_count(const loop_space &space) {
    int64_t count = 1;
    for (size_t i = 0; i < space.rank(); ++i)
        if (space.reduced[i]) count *= space.sizes[i];
    return count;
}

double touched_bytes(const computation &c) {
    const auto results = static_cast<double>(kept_count(c.space));
    const double elements = results * static_cast<double>(reduced_count(c.space));
    double bytes = results * static_cast<double>(size_of(c.dst.type));
    for (const operand &src : c.src)
        bytes += elements * static_cast<double>(size_of(src.type));
    for (const post_op &p : c.pre_ops)
        if (p.is_binary) bytes += elements * static_cast<double>(size_of(p.other.type));
    return bytes;
}

} // namespace onefold::impl
