#include "tests/fuzz/random_op.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace onefold::fuzz {

namespace {

using data_type = logical_tensor::data_type;
using dims = logical_tensor::dims;
using kind = op::kind;

constexpr data_type usual_types[] = {data_type::f32, data_type::f32, data_type::bf16, data_type::f16, data_type::f64,
                                     data_type::s8,  data_type::u8,  data_type::s16,  data_type::u16, data_type::s32,
                                     data_type::u32, data_type::s64, data_type::u64};

constexpr kind reductions[] = {kind::ReduceSum,  kind::ReduceMean, kind::ReduceMax, kind::ReduceMin,
                               kind::ReduceProd, kind::ReduceL1,   kind::ReduceL2,  kind::ReduceSumSquare};
constexpr kind binaries[] = {kind::Add,     kind::Subtract, kind::Multiply,         kind::Divide,
                             kind::Maximum, kind::Minimum,  kind::SquaredDifference};
constexpr kind naries[] = {kind::Max, kind::Mean, kind::Min, kind::Sum};
constexpr kind unaries[] = {kind::Abs,        kind::Clamp,     kind::Elu,     kind::Exp,      kind::GELU,    kind::HardSwish,
                            kind::LeakyReLU,  kind::Log,       kind::Mish,    kind::Pow,      kind::Reorder, kind::ReLU,
                            kind::Reciprocal, kind::Round,     kind::Sigmoid, kind::SoftPlus, kind::Sqrt,    kind::Square,
                            kind::Tanh,       kind::TypeCast,  kind::End,     kind::Wildcard, kind::SoftMax, kind::HardSigmoid,
                            kind::LogSoftmax, kind::LayerNorm, kind::RMSNorm};

template <typename Kinds>
bool is_among(const Kinds &kinds, kind k) {
    return std::find(std::begin(kinds), std::end(kinds), k) != std::end(kinds);
}

kind draw_kind(byte_source &bytes) {
    switch (bytes.below(16)) {
    case 0: // any at all, and the next beyond
        return static_cast<kind>(bytes.below(static_cast<size_t>(kind::LastSymbol) + 1));
    case 1:
    case 2:
    case 3:
        return bytes.pick(binaries);
    case 4:
    case 5:
        return bytes.pick(naries);
    case 6:
    case 7:
    case 8:
    case 9:
        return bytes.pick(unaries);
    default:
        return bytes.pick(reductions);
    }
}

} // namespace

op_source::op_source(byte_source &bytes) : bytes_(bytes), type_(bytes.pick(usual_types)) { dims_ = draw_dims(); }

data_type op_source::draw_type() {
    if (!bytes_.one_in(16)) return type_;
    return bytes_.one_in(4) ? static_cast<data_type>(bytes_.below(20)) : bytes_.pick(usual_types);
}

int64_t op_source::draw_dim() {
    const size_t choice = bytes_.below(64);
    if (choice < 50) return static_cast<int64_t>(choice % 10);
    if (choice < 58) return static_cast<int64_t>(1 + bytes_.byte());
    if (choice < 60) return ONEFOLD_UNKNOWN_DIM;
    return choice < 63 ? 1 : static_cast<int64_t>(bytes_.word());
}

dims op_source::draw_dims() {
    dims result(bytes_.one_in(16) ? bytes_.below(70) : bytes_.below(5));
    for (int64_t &dim : result)
        dim = result.size() > 4 && !bytes_.one_in(4) ? 1 : draw_dim();
    return result;
}

dims op_source::draw_strides(const dims &d) {
    dims strides(d.size());
    const bool gaps = bytes_.one_in(4);
    int64_t next = 1;
    for (size_t i = d.size(); i-- > 0;) {
        strides[i] = bytes_.one_in(24) ? static_cast<int64_t>(bytes_.below(4)) : next;
        if (d[i] > 1 && __builtin_mul_overflow(next, d[i], &next)) next = 1;
        if (gaps && next < 1000) next += static_cast<int64_t>(bytes_.below(4));
    }
    if (strides.size() > 1 && bytes_.one_in(8)) std::swap(strides.front(), strides.back());
    return strides;
}

logical_tensor op_source::draw_source(data_type type) {
    dims d = dims_;
    if (bytes_.one_in(4)) // broadcast
        for (int64_t &dim : d)
            if (bytes_.one_in(2)) dim = 1;
    if (!d.empty() && bytes_.one_in(6)) d.erase(d.begin(), d.begin() + static_cast<std::ptrdiff_t>(bytes_.below(d.size())));
    if (bytes_.one_in(12)) d = draw_dims();
    const size_t id = next_tensor_++;
    switch (bytes_.below(16)) {
    case 0:
        return {id, type};
    case 1:
        return {id, type, d, logical_tensor::layout_type::any};
    case 2:
    case 3:
    case 4:
        return {id, type, d, draw_strides(d)};
    default:
        return {id, type, d, logical_tensor::layout_type::strided};
    }
}

logical_tensor op_source::draw_input() {
    if (!known_.empty() && !bytes_.one_in(3)) return bytes_.one_in(3) ? bytes_.pick(known_) : known_.back();
    known_.push_back(draw_source(draw_type()));
    return known_.back();
}

logical_tensor op_source::draw_output() {
    if (bytes_.one_in(8)) return draw_source(draw_type());
    const size_t id = bytes_.one_in(32) ? bytes_.below(8) : next_tensor_++;
    return {id, draw_type()};
}

size_t op_source::draw_input_count(kind k) {
    if (bytes_.one_in(32)) return bytes_.below(5);
    if (is_among(binaries, k)) return 2;
    if (is_among(naries, k)) return 1 + bytes_.below(4);
    if (is_among(reductions, k)) return bytes_.one_in(6) ? 2 : 1;
    return 1;
}

void op_source::set_axes(op &o) {
    const auto rank = std::max<int64_t>(static_cast<int64_t>(dims_.size()), 1);
    std::vector<int64_t> axes;
    for (int64_t axis = 0; axis < rank && axes.size() < 8; ++axis)
        if (bytes_.one_in(2)) axes.push_back(bytes_.one_in(4) ? axis - rank : axis);
    if (bytes_.one_in(24)) axes.push_back(static_cast<int64_t>(bytes_.word()));
    o.set_attr(op::attr::axes, axes);
}

void op_source::set_attributes(op &o, kind k) {
    using attr = op::attr;
    if (is_among(reductions, k)) {
        if (!bytes_.one_in(12)) set_axes(o);
        if (bytes_.one_in(2)) o.set_attr(attr::keep_dims, bytes_.one_in(2));
    }
    if (is_among(binaries, k) && bytes_.one_in(8))
        o.set_attr(attr::auto_broadcast, std::string(bytes_.one_in(2) ? "none" : "numpy"));
    const auto number = [&] { return (static_cast<float>(bytes_.byte()) - 128) / 16; };
    const bool has_alpha = k == kind::Elu || k == kind::LeakyReLU || k == kind::HardSigmoid;
    if (has_alpha) o.set_attr(attr::alpha, number());
    if (k == kind::Pow || k == kind::HardSigmoid || (k == kind::SoftPlus && bytes_.one_in(2))) o.set_attr(attr::beta, number());
    if (k == kind::Clamp) {
        o.set_attr(attr::min, number());
        o.set_attr(attr::max, number());
    }
    if (k == kind::GELU && bytes_.one_in(2)) o.set_attr(attr::mode, std::string("gelu_tanh"));
    if (!bytes_.one_in(40)) return;
    // One that the kind may not have.
    switch (bytes_.below(4)) {
    case 0:
        o.set_attr(static_cast<attr>(bytes_.byte()), number());
        break;
    case 1:
        o.set_attr(static_cast<attr>(bytes_.byte()), static_cast<int64_t>(bytes_.word()));
        break;
    case 2:
        o.set_attr(static_cast<attr>(bytes_.byte()), bytes_.one_in(2));
        break;
    default:
        o.set_attr(static_cast<attr>(bytes_.byte()), std::string(bytes_.below(4), '?'));
    }
}

op op_source::next() {
    const kind k = draw_kind(bytes_);
    std::vector<logical_tensor> inputs;
    for (size_t count = draw_input_count(k); inputs.size() < count;)
        inputs.push_back(draw_input());
    std::vector<logical_tensor> outputs;
    if (k != kind::End) outputs.push_back(draw_output());
    op o(bytes_.one_in(32) ? bytes_.below(4) : next_op_, k, inputs, outputs);
    ++next_op_;
    set_attributes(o, k);
    known_.insert(known_.end(), outputs.begin(), outputs.end());
    return o;
}

} // namespace onefold::fuzz
