#include "compile/loop_space.hpp"

#include <algorithm>
#include <numeric>

namespace onefold::impl {

namespace {

std::vector<dims *> all_strides(computation &c) {
    std::vector<dims *> all;
    for (operand *o : operands_of(c))
        all.push_back(&o->strides);
    return all;
}

/// Keeps the loop dims at `positions`, in that order.
void select_dims(computation &c, const std::vector<size_t> &positions) {
    const auto select = [&](const auto &from) {
        auto to = std::decay_t<decltype(from)>();
        for (const size_t position : positions)
            to.push_back(from[position]);
        return to;
    };
    for (dims *strides : all_strides(c))
        *strides = select(*strides);
    c.space.sizes = select(c.space.sizes);
    c.space.reduced = select(c.space.reduced);
}

void drop_ones(computation &c) {
    const auto &[sizes, reduced] = c.space;
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
    select_dims(c, kept);
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

void sort_dims(computation &c) {
    const dims primary = primary_operand(c).strides;
    std::vector<size_t> order(primary.size());
    std::iota(order.begin(), order.end(), size_t{0});
    // A reduced dim that is kept only as a 1 goes first, whatever stride it had: what lies behind it are columns, not rows of
    // one element each. So does one that repeats the same elements.
    const auto key = [&](size_t i) { return c.space.sizes[i] == 1 || primary[i] == 0 ? INT64_MAX : primary[i]; };
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return key(a) > key(b); });
    select_dims(c, order);
}

void merge_dims(computation &c) {
    const auto strides = all_strides(c);
    size_t last = 0; // what is merged so far ends here
    for (size_t i = 1; i < c.space.rank(); ++i) {
        const bool mergeable = c.space.reduced[last] == c.space.reduced[i] &&
                               std::all_of(strides.begin(), strides.end(),
                                           [&](const dims *s) { return (*s)[last] == (*s)[i] * c.space.sizes[i]; });
        if (mergeable)
            c.space.sizes[last] *= c.space.sizes[i];
        else {
            ++last;
            c.space.sizes[last] = c.space.sizes[i];
            c.space.reduced[last] = c.space.reduced[i];
        }
        for (dims *s : strides)
            (*s)[last] = (*s)[i];
    }
    const size_t rank = c.space.rank() == 0 ? 0 : last + 1;
    c.space.sizes.resize(rank);
    c.space.reduced.resize(rank);
    for (dims *s : strides)
        s->resize(rank);
}

void give_scalars_a_dim(computation &c) {
    if (c.space.rank() > 0) return;
    c.space.sizes = {1};
    c.space.reduced = {false};
    for (dims *strides : all_strides(c))
        *strides = {1};
}

} // namespace

void canonicalise(computation &c) {
    drop_ones(c);
    sort_dims(c);
    merge_dims(c);
    give_scalars_a_dim(c);
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
