// Reductions of rows and columns. Included once per ISA by rows.cpp.
#if defined(ONEFOLD_SIMD_REDUCE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ONEFOLD_SIMD_REDUCE_INL_H
#undef ONEFOLD_SIMD_REDUCE_INL_H
#else
#define ONEFOLD_SIMD_REDUCE_INL_H
#endif

#include <algorithm>
#include <limits>

#include "simd/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace onefold::impl::simd {
namespace HWY_NAMESPACE {

struct identity_map {
    template <class V>
    static V apply(V x) {
        return x;
    }
};
struct magnitude_map {
    template <class V>
    static V apply(V x) {
        return hn::Abs(x);
    }
};
struct square_map {
    template <class V>
    static V apply(V x) {
        return hn::Mul(x, x);
    }
};

/// f32 vectors of as many lanes as f64 ones have: each converts to one, whatever the ISA.
using row_tag = hn::Rebind<float, f64_tag>;
using row_vector = vector_of<row_tag>;
using total_vector = vector_of<f64_tag>;

inline total_vector to_f64(row_vector v) { return hn::PromoteTo(f64_tag(), v); }

template <class V>
V tree_of_8(V v0, V v1, V v2, V v3, V v4, V v5, V v6, V v7) {
    return hn::Add(hn::Add(hn::Add(v0, v1), hn::Add(v2, v3)), hn::Add(hn::Add(v4, v5), hn::Add(v6, v7)));
}

/// Elements of a row as vectors of f32.
template <class Element>
struct row_reader {
    using storage = typename Element::storage;
    const storage *src;

    row_vector at(size_t i) const { return Element::load(row_tag(), src + i); }

    /// The last `count` elements, from i on; zeros behind them.
    row_vector part(size_t i, size_t count) const {
        HWY_ALIGN storage lanes[HWY_MAX_BYTES / sizeof(double)] = {};
        // By powers of two: a copy of unknown length is a call.
        size_t done = 0;
        for (size_t step = HWY_MAX_BYTES / sizeof(double) / 2; step > 0; step /= 2)
            if (count & step) {
                for (size_t k = 0; k < step; ++k)
                    lanes[done + k] = load_one(src + i + done + k);
                done += step;
            }
        return Element::load(row_tag(), lanes);
    }

    /// Likewise with `rest` behind them.
    row_vector part(size_t i, size_t count, float rest) const {
        const row_tag d;
        return hn::IfThenElse(hn::FirstN(d, count), part(i, count), hn::Set(d, rest));
    }
};

template <class Element>
row_reader<Element> reader_of(const void *src, int64_t row_stride, size_t row) {
    const char *first = static_cast<const char *>(src) + row_stride * static_cast<int64_t>(row);
    return {reinterpret_cast<const typename Element::storage *>(first)};
}

template <class Map, class Element>
HWY_INLINE double sum_of_row(const row_reader<Element> row, size_t length) {
    const f64_tag d64;
    const size_t lanes = hn::Lanes(d64);
    const auto at = [&](size_t i) HWY_ATTR { return Map::apply(row.at(i)); };
    auto total = hn::Zero(d64);
    size_t i = 0;
    for (; i + 8 * lanes <= length; i += 8 * lanes)
        total = hn::Add(total, to_f64(tree_of_8(at(i), at(i + lanes), at(i + 2 * lanes), at(i + 3 * lanes), at(i + 4 * lanes),
                                                at(i + 5 * lanes), at(i + 6 * lanes), at(i + 7 * lanes))));
    for (; i + lanes <= length; i += lanes)
        total = hn::Add(total, to_f64(at(i)));
    if (i < length) total = hn::Add(total, to_f64(Map::apply(row.part(i, length - i))));
    return hn::GetLane(hn::SumOfLanes(d64, total));
}

template <class Element, class Map>
void sum_rows(const void *src, int64_t row_stride, size_t rows, size_t length, double *totals) {
    for (size_t r = 0; r < rows; ++r)
        totals[r] += sum_of_row<Map>(reader_of<Element>(src, row_stride, r), length);
}

/// Updates the totals of `count` columns from i on; where they are fewer than a vector has lanes, through a copy.
template <class Function>
HWY_INLINE void update_totals(double *totals, size_t count, Function update) {
    const f64_tag d64;
    if (count >= hn::Lanes(d64)) {
        hn::StoreU(update(hn::LoadU(d64, totals)), d64, totals);
        return;
    }
    HWY_ALIGN double padded[HWY_MAX_BYTES / sizeof(double)] = {};
    std::copy_n(totals, count, padded);
    hn::Store(update(hn::Load(d64, padded)), d64, padded);
    std::copy_n(padded, count, totals);
}

/// Calls at(column, columns left, load) for every vector of columns; load(reader) gives a row's vector there.
template <class Element, class Function>
HWY_INLINE void for_each_column_vector(size_t length, Function at) {
    const size_t lanes = hn::Lanes(f64_tag());
    size_t i = 0;
    for (; i + lanes <= length; i += lanes)
        at(i, lanes, [i](const row_reader<Element> &row) HWY_ATTR { return row.at(i); });
    if (i < length) at(i, length - i, [i, length](const row_reader<Element> &row) HWY_ATTR { return row.part(i, length - i); });
}

/// Rows in groups of 8 and what is left, whole rows at a time: memory is read in order.
template <class Element, class Group>
HWY_INLINE void for_each_group(const void *src, int64_t row_stride, size_t rows, Group group) {
    row_reader<Element> readers[8] = {};
    for (size_t first = 0; first < rows; first += 8) {
        const size_t count = HWY_MIN(size_t{8}, rows - first);
        for (size_t r = 0; r < count; ++r)
            readers[r] = reader_of<Element>(src, row_stride, first + r);
        group(readers, count);
    }
}

template <class Element, class Map>
void sum_columns(const void *src, int64_t row_stride, size_t rows, size_t length, double *totals) {
    for_each_group<Element>(src, row_stride, rows, [&](const row_reader<Element> *row, size_t count) HWY_ATTR {
        for_each_column_vector<Element>(length, [&](size_t i, size_t left, auto load) HWY_ATTR {
            const auto at = [&](size_t r) HWY_ATTR { return Map::apply(load(row[r])); };
            auto sum = at(0);
            if (count == 8)
                sum = tree_of_8(sum, at(1), at(2), at(3), at(4), at(5), at(6), at(7));
            else
                for (size_t r = 1; r < count; ++r)
                    sum = hn::Add(sum, at(r));
            update_totals(totals + i, left, [&](total_vector t) HWY_ATTR { return hn::Add(t, to_f64(sum)); });
        });
    });
}

template <class Element>
void product_rows(const void *src, int64_t row_stride, size_t rows, size_t length, double *totals) {
    const f64_tag d64;
    const size_t lanes = hn::Lanes(d64);
    for (size_t r = 0; r < rows; ++r) {
        const auto row = reader_of<Element>(src, row_stride, r);
        auto product = hn::Set(d64, 1.0);
        size_t i = 0;
        for (; i + lanes <= length; i += lanes)
            product = hn::Mul(product, to_f64(row.at(i)));
        if (i < length) product = hn::Mul(product, to_f64(row.part(i, length - i, 1.0F)));
        HWY_ALIGN double parts[HWY_MAX_BYTES / sizeof(double)];
        hn::Store(product, d64, parts);
        for (size_t lane = 0; lane < lanes; ++lane)
            totals[r] *= parts[lane];
    }
}

template <class Element>
void product_columns(const void *src, int64_t row_stride, size_t rows, size_t length, double *totals) {
    for_each_group<Element>(src, row_stride, rows, [&](const row_reader<Element> *row, size_t count) HWY_ATTR {
        for_each_column_vector<Element>(length, [&](size_t i, size_t left, auto load) HWY_ATTR {
            update_totals(totals + i, left, [&](total_vector t) HWY_ATTR {
                for (size_t r = 0; r < count; ++r)
                    t = hn::Mul(t, to_f64(load(row[r])));
                return t;
            });
        });
    });
}

template <class Element, class Op>
void extreme_rows(const void *src, int64_t row_stride, size_t rows, size_t length, double *totals) {
    const row_tag d;
    const hn::CappedTag<double, 1> one;
    constexpr float identity = Op::template identity<float>();
    const size_t lanes = hn::Lanes(d);
    for (size_t r = 0; r < rows; ++r) {
        const auto row = reader_of<Element>(src, row_stride, r);
        auto a = hn::Set(d, identity);
        auto b = a;
        size_t i = 0;
        for (; i + 2 * lanes <= length; i += 2 * lanes) {
            a = Op::apply(d, a, row.at(i));
            b = Op::apply(d, b, row.at(i + lanes));
        }
        for (; i + lanes <= length; i += lanes)
            a = Op::apply(d, a, row.at(i));
        if (i < length) b = Op::apply(d, b, row.part(i, length - i, identity));
        HWY_ALIGN double parts[HWY_MAX_BYTES / sizeof(double)];
        hn::Store(to_f64(Op::apply(d, a, b)), f64_tag(), parts);
        auto extreme = hn::LoadU(one, totals + r);
        for (size_t lane = 0; lane < lanes; ++lane)
            extreme = Op::apply(one, extreme, hn::LoadU(one, parts + lane));
        hn::StoreU(extreme, one, totals + r);
    }
}

template <class Element, class Op>
void extreme_columns(const void *src, int64_t row_stride, size_t rows, size_t length, double *totals) {
    const row_tag d;
    for_each_group<Element>(src, row_stride, rows, [&](const row_reader<Element> *row, size_t count) HWY_ATTR {
        for_each_column_vector<Element>(length, [&](size_t i, size_t left, auto load) HWY_ATTR {
            auto extreme = load(row[0]);
            for (size_t r = 1; r < count; ++r)
                extreme = Op::apply(d, extreme, load(row[r]));
            update_totals(totals + i, left, [&](total_vector t) HWY_ATTR { return Op::apply(f64_tag(), t, to_f64(extreme)); });
        });
    });
}

} // namespace HWY_NAMESPACE
} // namespace onefold::impl::simd
HWY_AFTER_NAMESPACE();

#endif
