// How the elements of a row or of columns are accumulated: one struct for each way. Included once per ISA by the reductions.
//
// A vector of elements is lifted to a group; groups are combined, a few at a time, and widened to sums, which are combined
// without limit and are what totals in memory hold.
#if defined(ONEFOLD_SIMD_ACCUMULATE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ONEFOLD_SIMD_ACCUMULATE_INL_H
#undef ONEFOLD_SIMD_ACCUMULATE_INL_H
#else
#define ONEFOLD_SIMD_ACCUMULATE_INL_H
#endif

#include <algorithm>

#include "simd/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace onefold::impl::simd {
namespace HWY_NAMESPACE {

/// As many vectors as a vector of elements widens to.
template <class D, size_t count>
struct vectors {
    vector_of<D> part[count];
};

template <class Op, class D, size_t count>
HWY_INLINE vectors<D, count> combine_vectors(D d, vectors<D, count> a, const vectors<D, count> &b) {
    for (size_t p = 0; p < count; ++p)
        a.part[p] = Op::apply(d, a.part[p], b.part[p]);
    return a;
}

/// A run of `count` vectors, a power of 2, into one: lane k of the result is of the run's elements k * count to
/// (k + 1) * count - 1.
template <size_t count, class D, class Combine>
HWY_INLINE vector_of<D> combine_runs(D d, vector_of<D> *v, const Combine &combine) {
#if HWY_TARGET == HWY_SCALAR
    (void)d;
    for (size_t k = 1; k < count; ++k)
        v[0] = combine(v[0], v[k]);
#else
    for (size_t left = count; left > 1; left /= 2)
        for (size_t k = 0; k < left / 2; ++k)
            v[k] = combine(hn::ConcatEven(d, v[2 * k + 1], v[2 * k]), hn::ConcatOdd(d, v[2 * k + 1], v[2 * k]));
#endif
    return v[0];
}

/// The lanes of each of `lanes` vectors into one: lane k of the result is of v[k].
template <class Op, class D>
HWY_INLINE vector_of<D> combine_lanes(D d, vector_of<D> *v) {
    return combine_runs<hn::MaxLanes(D())>(d, v, [d](vector_of<D> a, vector_of<D> b) HWY_ATTR { return Op::apply(d, a, b); });
}

/// f32 as f64, integers of 32 bits as of 64: two vectors. Integers of 16 bits as of 64: four. One of them on HWY_SCALAR.
template <typename Wide, class V>
HWY_INLINE auto promote(V v) {
    const hn::ScalableTag<Wide> wide;
    constexpr size_t parts = hn::MaxLanes(hn::DFromV<V>()) / hn::MaxLanes(hn::ScalableTag<Wide>());
    vectors<hn::ScalableTag<Wide>, parts> result;
#if HWY_TARGET == HWY_SCALAR
    result.part[0] = hn::PromoteTo(wide, v);
#else
    const hn::Half<hn::DFromV<V>> half;
    if constexpr (parts == 2) {
        result.part[0] = hn::PromoteTo(wide, hn::LowerHalf(half, v));
        result.part[1] = hn::PromoteTo(wide, hn::UpperHalf(half, v));
    } else {
        const auto middle = promote<hwy::MakeNarrow<Wide>>(v);
        for (size_t p = 0; p < 2; ++p) {
            const auto widest = promote<Wide>(middle.part[p]);
            result.part[2 * p] = widest.part[0];
            result.part[2 * p + 1] = widest.part[1];
        }
    }
#endif
    return result;
}

/// What the ways have in common whose totals are plain numbers: Parts vectors of them for a vector of elements.
template <class Element, typename Total, size_t Parts, class Op>
struct plain_totals {
    using element = Element;
    using tag = lane_tag<Element>;
    using result_element = same_element<typename Element::lane>;
    using total = Total;
    using total_tag = hn::ScalableTag<Total>;
    using sums = vectors<total_tag, Parts>;

    static total identity_total() { return static_cast<total>(Op::template identity<typename Element::lane>()); }
    static HWY_INLINE total add(total a, total b) {
        const hn::CappedTag<total, 1> one;
        return hn::GetLane(Op::apply(one, hn::Set(one, a), hn::Set(one, b)));
    }
    static HWY_INLINE sums combine(const sums &a, const sums &b) { return combine_vectors<Op>(total_tag(), a, b); }
    static HWY_INLINE sums load(const total *from) {
        sums s;
        for (size_t p = 0; p < Parts; ++p)
            s.part[p] = hn::LoadU(total_tag(), from + p * hn::MaxLanes(total_tag()));
        return s;
    }
    static HWY_INLINE void store(const sums &s, total *to) {
        for (size_t p = 0; p < Parts; ++p)
            hn::StoreU(s.part[p], total_tag(), to + p * hn::MaxLanes(total_tag()));
    }

    /// The sums of one row, folded into one vector, then as many of those into one total a row.
    using folded = vector_of<total_tag>;
    static constexpr size_t rows_at_a_time = hn::MaxLanes(total_tag());
    static HWY_INLINE folded fold(const sums &s) {
        if constexpr (Parts == 1)
            return s.part[0];
        else
            return Op::apply(total_tag(), s.part[0], s.part[1]);
    }
    static HWY_INLINE void add_rows(folded *rows, total *to) {
        const total_tag d;
        hn::StoreU(Op::apply(d, hn::LoadU(d, to), combine_lanes<Op>(d, rows)), d, to);
    }
};

/// In the elements' own lanes: extremes, f64, integers that wrap.
template <class Element, class Map, class Op>
struct in_lanes : plain_totals<Element, typename Element::lane, 1, Op> {
    using base = plain_totals<Element, typename Element::lane, 1, Op>;
    using typename base::sums;
    using typename base::tag;
    using group = vector_of<tag>;
    static constexpr bool group_is_vector = true;

    /// What an absent element is.
    static typename Element::lane absent() { return absent_of(Op::template identity<typename Element::storage>()); }
    static typename Element::lane identity_total() { return absent(); }
    static HWY_INLINE group lift(vector_of<tag> v) { return Map::apply(tag(), v); }
    static HWY_INLINE group combine_groups(group a, group b) { return Op::apply(tag(), a, b); }
    static HWY_INLINE sums widen(group g) { return {{g}}; }

    template <size_t length>
    static HWY_INLINE sums sums_of_short_rows(group *groups) {
        return {{combine_runs<length>(tag(), groups, combine_groups)}};
    }

private:
    template <typename T>
    static typename Element::lane absent_of(T value) {
        // The 16-bit floats are stored as bits.
        if constexpr (std::is_same_v<typename Element::lane, float>)
            return Op::template identity<float>();
        else
            return static_cast<typename Element::lane>(value);
    }
};

/// Extremes of floats of 16 bits, in order as integers.
template <class Ordered, class Op>
struct in_order : in_lanes<Ordered, identity_map, Op> {
    using result_element = Ordered;
    static int16_t absent() { return Ordered::identity(); }
    static int16_t identity_total() { return Ordered::identity(); }
};

/// Trees of 8 in the elements' lanes, those in wider lanes: f32 in f64, integers of 8 and 16 bits in s64.
template <class Element, class Map, typename Wide,
          size_t Parts = hn::MaxLanes(lane_tag<Element>()) / hn::MaxLanes(hn::ScalableTag<Wide>())>
struct in_wider_trees : plain_totals<Element, Wide, Parts, add_op> {
    using base = plain_totals<Element, Wide, Parts, add_op>;
    using typename base::sums;
    using typename base::tag;
    using group = vector_of<tag>;
    static constexpr bool group_is_vector = true;

    static typename Element::lane absent() { return 0; }
    static HWY_INLINE group lift(vector_of<tag> v) { return Map::apply(tag(), v); }
    static HWY_INLINE group combine_groups(group a, group b) { return hn::Add(a, b); }
    static HWY_INLINE sums widen(group g) { return promote<Wide>(g); }

    template <size_t length>
    static HWY_INLINE sums sums_of_short_rows(group *groups) {
        return widen(combine_runs<length>(tag(), groups, combine_groups));
    }
};

/// Sums of columns of integers of 8 bits: trees of 8 in 16 bits.
template <typename T>
using in_narrow_trees = in_wider_trees<byte_element<T>, identity_map, int64_t>;

/// Sums of floats: of small ones from trees of f32.
template <class Element, class Map>
using float_sum = std::conditional_t<std::is_same_v<Element, f64_element>, in_lanes<f64_element, Map, add_op>,
                                     in_wider_trees<Element, Map, double>>;

/// Each element in a lane of twice the width: products of f32, integers of 32 bits.
template <class Element, class Op, typename Wide,
          size_t Parts = hn::MaxLanes(lane_tag<Element>()) / hn::MaxLanes(hn::ScalableTag<Wide>())>
struct in_wider_lanes : plain_totals<Element, Wide, Parts, Op> {
    using base = plain_totals<Element, Wide, Parts, Op>;
    using typename base::sums;
    using typename base::tag;
    using group = sums;
    static constexpr bool group_is_vector = false;

    static typename Element::lane absent() { return Op::template identity<typename Element::lane>(); }
    static HWY_INLINE group lift(vector_of<tag> v) { return promote<Wide>(v); }
    static HWY_INLINE group combine_groups(const group &a, const group &b) { return base::combine(a, b); }
    static HWY_INLINE sums widen(const group &g) { return g; }

    /// One vector of totals for each part of a group.
    template <size_t length>
    static HWY_INLINE sums sums_of_short_rows(const group *groups) {
        const typename base::total_tag d;
        const auto combine_two = [d](auto a, auto b) HWY_ATTR { return Op::apply(d, a, b); };
        sums result;
        for (size_t p = 0; p < Parts; ++p) {
            vector_of<typename base::total_tag> v[length];
            for (size_t k = 0; k < length; ++k)
                v[k] = groups[(p * length + k) / Parts].part[(p * length + k) % Parts];
            result.part[p] = combine_runs<length>(d, v, combine_two);
        }
        return result;
    }
};

/// Squares of integers of 8 and 16 bits, which fit 32 bits without a sign, in u64.
template <class Element, size_t Parts = hn::MaxLanes(lane_tag<Element>()) / hn::MaxLanes(hn::ScalableTag<uint64_t>())>
struct squares_in_u64 : in_wider_lanes<Element, add_op, uint64_t, Parts> {
    using base = in_wider_lanes<Element, add_op, uint64_t, Parts>;
    using typename base::tag;
    static HWY_INLINE typename base::group lift(vector_of<tag> v) {
        return promote<uint64_t>(hn::BitCast(hn::RebindToUnsigned<tag>(), hn::Mul(v, v)));
    }
};

/// Sums of rows of integers of 8 bits: 8 of them in each lane of 64.
template <typename T>
struct in_octets : plain_totals<same_element<T>, int64_t, 1, add_op> {
    using base = plain_totals<same_element<T>, int64_t, 1, add_op>;
    using typename base::sums;
    using typename base::tag;
    using group = vector_of<hn::ScalableTag<int64_t>>;
    static constexpr bool group_is_vector = false;

    static T absent() { return 0; }
    static HWY_INLINE group lift(vector_of<tag> v) {
        const hn::ScalableTag<uint8_t> bytes;
        const hn::ScalableTag<int64_t> d;
        if constexpr (std::is_unsigned_v<T>)
            return hn::BitCast(d, hn::SumsOf8(v));
        else // each is moved up by 128
            return hn::Sub(hn::BitCast(d, hn::SumsOf8(hn::Xor(hn::BitCast(bytes, v), hn::Set(bytes, 0x80)))), hn::Set(d, 1024));
    }
    static HWY_INLINE group combine_groups(group a, group b) { return hn::Add(a, b); }
    static HWY_INLINE sums widen(group g) { return {{g}}; }
};

/// A sum of 64-bit integers that does not wrap: high * 2^32 + low, each the sum of the elements' halves.
struct split_total {
    uint64_t low;
    int64_t high;
};

/// Means of integers of 64 bits: exact for 2^31 elements and more.
template <class Element>
struct in_halves {
    using element = Element;
    using tag = lane_tag<Element>;
    using unsigned_tag = hn::ScalableTag<uint64_t>;
    using total = split_total;
    using sums = vectors<unsigned_tag, 2>;
    using group = sums;
    static constexpr bool group_is_vector = false;

    static typename Element::lane absent() { return 0; }
    static total identity_total() { return {0, 0}; }
    static HWY_INLINE total add(total a, total b) { return {a.low + b.low, a.high + b.high}; }
    static HWY_INLINE group lift(vector_of<tag> v) {
        const unsigned_tag d;
        return {{hn::And(hn::BitCast(d, v), hn::Set(d, 0xFFFFFFFF)), hn::BitCast(d, hn::ShiftRight<32>(v))}};
    }
    static HWY_INLINE group combine_groups(const group &a, const group &b) { return combine(a, b); }
    static HWY_INLINE sums widen(const group &g) { return g; }
    static HWY_INLINE sums combine(const sums &a, const sums &b) { return combine_vectors<add_op>(unsigned_tag(), a, b); }
    static HWY_INLINE sums load(const total *from) {
        sums s;
        hn::LoadInterleaved2(unsigned_tag(), words(from), s.part[0], s.part[1]);
        return s;
    }
    static HWY_INLINE void store(const sums &s, total *to) {
        hn::StoreInterleaved2(s.part[0], s.part[1], unsigned_tag(), words(to));
    }

    using folded = sums;
    static constexpr size_t rows_at_a_time = hn::MaxLanes(unsigned_tag());
    static HWY_INLINE folded fold(const sums &s) { return s; }
    static HWY_INLINE void add_rows(const folded *rows, total *to) {
        store(combine(load(to), sums_of_short_rows<rows_at_a_time>(rows)), to);
    }

    template <size_t length>
    static HWY_INLINE sums sums_of_short_rows(const group *groups) {
        const unsigned_tag d;
        sums result;
        for (size_t p = 0; p < 2; ++p) {
            vector_of<unsigned_tag> v[length];
            for (size_t k = 0; k < length; ++k)
                v[k] = groups[k].part[p];
            result.part[p] = combine_runs<length>(d, v, [](auto a, auto b) HWY_ATTR { return hn::Add(a, b); });
        }
        return result;
    }

private:
    static const uint64_t *words(const total *t) { return reinterpret_cast<const uint64_t *>(t); }
    static uint64_t *words(total *t) { return reinterpret_cast<uint64_t *>(t); }
};

} // namespace HWY_NAMESPACE
} // namespace onefold::impl::simd
HWY_AFTER_NAMESPACE();

#endif
