#include "tests/driver/fill.hpp"

#include <algorithm>
#include <cmath>

#include "tests/driver/random_source.hpp"

namespace onefold::driver {

namespace {

/// What values a tensor may hold.
struct domain {
    int lowest_exponent = -4; // magnitudes from 2 to this power
    int binades = 8;          // and so many binades up
    bool negative = true;
    bool zero = true;
    uint64_t negatives_one_in = 2; // how many are negative
    double scale = 1;
    bool full_precision = false; // significands of 53 bits instead of 24
};

/// How many elements make one output of the reduction that consumes the tensor.
double reduced_count(const impl::op &o, const impl::dims &d) {
    const auto axes = o.raw_attributes.find(onefold_op_attr_axes);
    double count = 1;
    for (size_t i = 0; i < d.size(); ++i) {
        bool reduced = axes == o.raw_attributes.end();
        if (!reduced) {
            for (const int64_t axis : std::get<std::vector<int64_t>>(axes->second))
                reduced |= axis == static_cast<int64_t>(i) || axis + static_cast<int64_t>(d.size()) == static_cast<int64_t>(i);
        }
        if (reduced) count *= static_cast<double>(d[i]);
    }
    return count;
}

/// x to the power of beta must exist and stay finite in f16.
domain domain_of_pow(const impl::op &o) {
    const auto found = o.raw_attributes.find(onefold_op_attr_beta);
    const float beta = found == o.raw_attributes.end() ? 1.0F : std::get<float>(found->second);
    domain d;
    d.negative = beta == std::nearbyint(beta);
    d.zero = beta > 0;
    if (std::abs(beta) > 2) {
        const int reach = std::max(1, static_cast<int>(8 / std::abs(beta)));
        d.lowest_exponent = -reach;
        d.binades = 2 * reach;
    }
    return d;
}

domain domain_of(const impl::op &o, size_t port, const impl::logical_tensor &t) {
    domain d;
    d.full_precision = t.type == onefold_f64;
    switch (o.kind) {
    case onefold_op_log:
    case onefold_op_reduce_log_sum:
        d.negative = d.zero = false;
        break;
    case onefold_op_type_cast: // what overflows some integers, and is truncated in others
        d.lowest_exponent = -6;
        d.binades = 20;
        break;
    case onefold_op_sqrt:
        d.negative = false;
        break;
    case onefold_op_reciprocal:
        d.zero = false;
        break;
    case onefold_op_divide:
        d.zero = port != 1;
        break;
    case onefold_op_exp:
        d.binades = 7;
        break;
    case onefold_op_pow:
        return domain_of_pow(o);
    case onefold_op_reduce_sum:
    case onefold_op_reduce_mean:
        // Sums that grow show what an accumulator loses; 16-bit results only show an element that was missed where the sum
        // stays small.
        if (t.type == onefold_f32 || t.type == onefold_f64) d.negatives_one_in = 8;
        break;
    case onefold_op_reduce_sum_square:
        if (t.type == onefold_f16)
            d.scale = std::exp2(-std::max(0.0, std::ceil(std::log2(reduced_count(o, t.dims) / 1024) / 2)));
        break;
    case onefold_op_reduce_l1:
        if (t.type == onefold_f16) d.scale = std::exp2(-std::max(0.0, std::ceil(std::log2(reduced_count(o, t.dims) / 4096))));
        break;
    default:
        break;
    }
    return d;
}

double draw(random_source &random, const domain &d) {
    const bool negative = random.one_in(d.negatives_one_in) && d.negative;
    double magnitude = 0;
    if (random.one_in(16)) {
        // Halves: ties of rounding to integers, and equal values for maxima and minima.
        magnitude = 0.5 * static_cast<double>(random.below(16) + (d.zero ? 0 : 1));
        if (d.binades < 8) magnitude = std::min(magnitude, std::exp2(d.lowest_exponent + d.binades - 1));
    } else if (!(d.zero && random.one_in(32))) {
        const auto exponent = d.lowest_exponent + static_cast<int>(random.below(static_cast<uint64_t>(d.binades)));
        const uint64_t bits = random.next();
        const double fraction = static_cast<double>(d.full_precision ? bits >> 12 << 12 : bits >> 40 << 40) * 0x1p-64;
        magnitude = std::ldexp(1 + fraction, exponent);
    }
    return d.scale * (negative ? -magnitude : magnitude);
}

/// Factors of products: near 1, and the nearer the more there are, so that the product stays finite in every type; every
/// sign counts.
double draw_factor(random_source &random, double count) {
    const bool negative = random.one_in(2);
    double magnitude = 1;
    if (count <= 16)
        magnitude = std::exp2(static_cast<double>(random.below(65)) / 64 - 0.5);
    else if (random.below(1000) < static_cast<uint64_t>(std::clamp(1e6 / count, 1.0, 1000.0)))
        magnitude = 1 + (static_cast<double>(random.below(5)) - 2) * 0x1p-7;
    return negative ? -magnitude : magnitude;
}

bool is_reduction(impl::op_kind kind) { return impl::schema_of(kind).family == impl::op_family::reduction; }

/// A missed first or last element is what goes wrong most in a reduction: one of them, by turns, outweighs all others.
void emphasize_an_edge(std::vector<double> &values, const impl::op &o, const domain &d, uint64_t seed) {
    if (values.empty() || o.kind == onefold_op_reduce_prod) return;
    const double weight = d.scale * std::exp2(d.lowest_exponent + d.binades);
    double &edge = (values.size() + seed) % 2 == 0 ? values.front() : values.back();
    edge = o.kind == onefold_op_reduce_min ? -weight : weight;
}

/// What values a tensor of integers may hold.
struct integer_domain {
    wide_integer lowest;
    wide_integer highest;
    bool zero = true;
    bool even = true;
    uint64_t negatives_one_in = 2;
};

integer_domain integer_domain_of(const impl::op *o, size_t port, impl::data_type type) {
    integer_domain d{lowest_integer(type), highest_integer(type)};
    if (o == nullptr) return d;
    d.zero = o->kind != onefold_op_divide || port != 1;
    d.even = o->kind != onefold_op_reduce_prod; // even factors soon make a product 0
    // A mean of both signs would be near 0, whatever was missed.
    if (o->kind == onefold_op_reduce_mean) d.negatives_one_in = 8;
    // Room for the edge that outweighs all others.
    const wide_integer middle = d.highest / 2;
    if (o->kind == onefold_op_reduce_max) d.highest = middle;
    if (o->kind == onefold_op_reduce_min) d.lowest = d.lowest == 0 ? middle : -middle;
    return d;
}

/// Any magnitude, the ends of the type, and small values that meet often.
wide_integer draw_integer(random_source &random, const integer_domain &d, int bits) {
    const uint64_t choice = random.below(16);
    wide_integer value = 0;
    if (choice == 0)
        value = d.lowest;
    else if (choice == 1)
        value = d.highest;
    else if (choice <= 3)
        value = static_cast<wide_integer>(random.below(17)) - 8;
    else
        value = random.next() >> (63 - random.below(static_cast<uint64_t>(bits)));
    if (choice > 3 && d.lowest < 0 && random.one_in(d.negatives_one_in)) value = -value;
    value = std::clamp(value, d.lowest, d.highest);
    if (!d.even && value % 2 == 0) value += value < d.highest ? 1 : -1;
    return value == 0 && !d.zero ? 1 : value;
}

void fill_integers(buffer &b, const impl::op *consumer, size_t port, uint64_t seed, random_source &random) {
    const integer_domain d = integer_domain_of(consumer, port, b.type());
    std::vector<wide_integer> values(static_cast<size_t>(b.count()));
    for (wide_integer &value : values)
        value = draw_integer(random, d, impl::bits_of(b.type()));
    if (!values.empty() && consumer != nullptr && port == 0) {
        wide_integer &edge = (values.size() + seed) % 2 == 0 ? values.front() : values.back();
        if (consumer->kind == onefold_op_reduce_max) edge = highest_integer(b.type());
        if (consumer->kind == onefold_op_reduce_min) edge = lowest_integer(b.type());
    }
    b.store_integers(values);
}

random_source source_of(const buffer &b, uint64_t seed) {
    return random_source(seed * 0x2545f4914f6cdd1dU + b.description().id);
}

} // namespace

void fill_with_epsilons(buffer &b, uint64_t seed) {
    random_source random = source_of(b, seed);
    std::vector<double> values(static_cast<size_t>(b.count()));
    for (double &value : values)
        value = std::exp2(-4 - static_cast<double>(random.below(9)));
    b.store_all(values);
}

void fill(buffer &b, const impl::op *consumer, size_t port, uint64_t seed) {
    random_source random = source_of(b, seed);
    if (is_integer(b.type())) return fill_integers(b, consumer, port, seed, random);
    std::vector<double> values(static_cast<size_t>(b.count()));
    const bool is_product = consumer != nullptr && consumer->kind == onefold_op_reduce_prod;
    const double count = is_product ? reduced_count(*consumer, b.description().dims) : 0;
    const domain d = consumer != nullptr ? domain_of(*consumer, port, b.description()) : domain();
    for (double &value : values)
        if (b.type() == onefold_boolean)
            value = random.one_in(2) ? 1 : 0;
        else
            value = is_product ? draw_factor(random, count) : draw(random, d);
    if (consumer != nullptr && port == 0 && is_reduction(consumer->kind)) emphasize_an_edge(values, *consumer, d, seed);
    b.store_all(values);
}

} // namespace onefold::driver
