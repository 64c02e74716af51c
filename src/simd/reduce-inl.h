// Reductions of f32 rows and columns. Included once per ISA by rows.cpp.
#if defined(ONEFOLD_SIMD_REDUCE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ONEFOLD_SIMD_REDUCE_INL_H
#undef ONEFOLD_SIMD_REDUCE_INL_H
#else
#define ONEFOLD_SIMD_REDUCE_INL_H
#endif

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

inline vector_of<f64_tag> to_f64(row_vector v) { return hn::PromoteTo(f64_tag(), v); }

template <class V>
V tree_of_8(V v0, V v1, V v2, V v3, V v4, V v5, V v6, V v7) {
    return hn::Add(hn::Add(hn::Add(v0, v1), hn::Add(v2, v3)), hn::Add(hn::Add(v4, v5), hn::Add(v6, v7)));
}

template <class Map>
double sum_row(const float *src, size_t count) {
    const row_tag d;
    const f64_tag d64;
    const size_t lanes = hn::Lanes(d);
    auto total = hn::Zero(d64);
    const auto at = [&](size_t i) HWY_ATTR { return Map::apply(hn::LoadU(d, src + i)); };
    size_t i = 0;
    for (; i + 8 * lanes <= count; i += 8 * lanes)
        total = hn::Add(total, to_f64(tree_of_8(at(i), at(i + lanes), at(i + 2 * lanes), at(i + 3 * lanes), at(i + 4 * lanes),
                                                at(i + 5 * lanes), at(i + 6 * lanes), at(i + 7 * lanes))));
    for (; i + lanes <= count; i += lanes)
        total = hn::Add(total, to_f64(at(i)));
    if (i < count) total = hn::Add(total, to_f64(Map::apply(load_part(d, src + i, count - i, 0.0F))));
    return hn::GetLane(hn::SumOfLanes(d64, total));
}

/// Calls `at(i, part)` for every vector of a row; `part` is 0 for whole vectors, else how many lanes count.
template <class Function>
void for_each_vector(size_t count, Function at) {
    const size_t lanes = hn::Lanes(row_tag());
    size_t i = 0;
    for (; i + lanes <= count; i += lanes)
        at(i, size_t{0});
    if (i < count) at(i, count - i);
}

template <class Map>
row_vector load_mapped(const float *src, size_t part) {
    const row_tag d;
    return Map::apply(part == 0 ? hn::LoadU(d, src) : load_part(d, src, part, 0.0F));
}

/// Works on a copy of the totals where fewer lanes than a vector has are left.
template <class Function>
void on_totals(double *totals, size_t part, Function update) {
    if (part == 0) return update(totals);
    HWY_ALIGN double padded[HWY_MAX_BYTES / sizeof(double)] = {};
    std::memcpy(padded, totals, part * sizeof(double));
    update(padded);
    std::memcpy(totals, padded, part * sizeof(double));
}

template <class Map>
void sum_columns(const float *const *rows, size_t row_count, double *totals, size_t count) {
    const f64_tag d64;
    for_each_vector(count, [&](size_t i, size_t part) HWY_ATTR {
        const auto at = [&](size_t row) HWY_ATTR { return load_mapped<Map>(rows[row] + i, part); };
        auto v = at(0);
        if (row_count == static_cast<size_t>(most_rows))
            v = tree_of_8(v, at(1), at(2), at(3), at(4), at(5), at(6), at(7));
        else
            for (size_t row = 1; row < row_count; ++row)
                v = hn::Add(v, at(row));
        on_totals(totals + i, part,
                  [&](double *t) HWY_ATTR { hn::StoreU(hn::Add(hn::LoadU(d64, t), to_f64(v)), d64, t); });
    });
}

inline double product_row(const float *src, size_t count) {
    const row_tag d;
    const f64_tag d64;
    auto product = hn::Set(d64, 1.0);
    for_each_vector(count, [&](size_t i, size_t part) HWY_ATTR {
        product = hn::Mul(product, to_f64(part == 0 ? hn::LoadU(d, src + i) : load_part(d, src + i, part, 1.0F)));
    });
    HWY_ALIGN double lanes[HWY_MAX_BYTES / sizeof(double)];
    hn::Store(product, d64, lanes);
    double result = 1;
    for (size_t lane = 0; lane < hn::Lanes(d64); ++lane)
        result *= lanes[lane];
    return result;
}

inline void product_columns(const float *const *rows, size_t row_count, double *totals, size_t count) {
    const f64_tag d64;
    for_each_vector(count, [&](size_t i, size_t part) HWY_ATTR {
        on_totals(totals + i, part, [&](double *t) HWY_ATTR {
            auto product = hn::LoadU(d64, t);
            for (size_t row = 0; row < row_count; ++row)
                product = hn::Mul(product, to_f64(load_mapped<identity_map>(rows[row] + i, part)));
            hn::StoreU(product, d64, t);
        });
    });
}

template <class Op>
double extreme_row(const float *src, size_t count) {
    const f32_tag d;
    constexpr float identity = Op::template identity<float>();
    auto a = hn::Set(d, identity);
    auto b = a;
    const size_t lanes = hn::Lanes(d);
    size_t i = 0;
    for (; i + 2 * lanes <= count; i += 2 * lanes) {
        a = Op::apply(d, a, hn::LoadU(d, src + i));
        b = Op::apply(d, b, hn::LoadU(d, src + i + lanes));
    }
    for (; i < count; i += lanes)
        a = Op::apply(d, a, load_part(d, src + i, HWY_MIN(lanes, count - i), identity));
    HWY_ALIGN float parts[2 * HWY_MAX_BYTES / sizeof(float)];
    hn::Store(Op::apply(d, a, b), d, parts);
    const hn::CappedTag<float, 1> one;
    auto extreme = hn::LoadU(one, parts);
    for (size_t lane = 1; lane < lanes; ++lane)
        extreme = Op::apply(one, extreme, hn::LoadU(one, parts + lane));
    return static_cast<double>(hn::GetLane(extreme));
}

template <class Op>
void extreme_columns(const float *const *rows, size_t row_count, double *totals, size_t count) {
    const row_tag d;
    const f64_tag d64;
    for_each_vector(count, [&](size_t i, size_t part) HWY_ATTR {
        auto v = load_mapped<identity_map>(rows[0] + i, part);
        for (size_t row = 1; row < row_count; ++row)
            v = Op::apply(d, v, load_mapped<identity_map>(rows[row] + i, part));
        on_totals(totals + i, part,
                  [&](double *t) HWY_ATTR { hn::StoreU(Op::apply(d64, hn::LoadU(d64, t), to_f64(v)), d64, t); });
    });
}

} // namespace HWY_NAMESPACE
} // namespace onefold::impl::simd
HWY_AFTER_NAMESPACE();

#endif
