#include "tests/driver/fill_input.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "tests/driver/commands.hpp"
#include "tests/driver/fill.hpp"
#include "tests/driver/reference_ops.hpp"

namespace onefold::driver {

namespace {

/// Which dims go where each way to find dst's dims, in their order, among src's is as likely as any other; nothing where there
/// is no way.
std::vector<size_t> draw_removed_dims(random_source &random, const impl::dims &src, const impl::dims &dst) {
    // ways[i][k]: to find dst's dims from k on among src's from i on
    std::vector<std::vector<double>> ways(src.size() + 1, std::vector<double>(dst.size() + 1, 0));
    for (size_t i = src.size() + 1; i-- > 0;) {
        ways[i][dst.size()] = 1;
        for (size_t k = dst.size(); i < src.size() && k-- > 0;)
            ways[i][k] = ways[i + 1][k] + (src[i] == dst[k] ? ways[i + 1][k + 1] : 0);
    }
    std::vector<size_t> removed;
    size_t k = 0;
    for (size_t i = 0; i < src.size(); ++i) {
        const bool may_stay = k < dst.size() && src[i] == dst[k];
        const double to_stay = may_stay ? ways[i + 1][k + 1] : 0;
        const double draw = static_cast<double>(random.next() >> 11) * 0x1p-53 * ways[i][k];
        if (draw < to_stay)
            ++k;
        else
            removed.push_back(i);
    }
    return removed;
}

/// Which dims become 1: those that differ, and as many others that are 1 already as are wanted.
std::vector<size_t> draw_dims_to_one(random_source &random, const impl::dims &src, const impl::dims &dst, size_t count) {
    std::vector<size_t> reduced, ones;
    for (size_t i = 0; i < src.size(); ++i)
        (src[i] == 1 ? ones : reduced).push_back(i);
    std::erase_if(reduced, [&](size_t i) { return src[i] == dst[i]; });
    while (reduced.size() < count && !ones.empty()) {
        const size_t picked = random.below(ones.size());
        reduced.push_back(ones[picked]);
        ones.erase(ones.begin() + static_cast<std::ptrdiff_t>(picked));
    }
    return reduced;
}

/// Whether reducing those dims of src gives dst.
bool gives(const impl::dims &src, const impl::dims &dst, bool keep_dims, const std::vector<size_t> &reduced) {
    impl::dims result;
    for (size_t i = 0; i < src.size(); ++i) {
        const bool is_reduced = std::find(reduced.begin(), reduced.end(), i) != reduced.end();
        if (!is_reduced || keep_dims) result.push_back(is_reduced ? 1 : src[i]);
    }
    return result == dst;
}

const impl::dims &known_dims(const session &s, const impl::op &o, size_t tensor_id) {
    if (!s.tensor(tensor_id).has_known_dims())
        throw bad_input(fmt::format("{}: no axes can be drawn for it, since the shape of tensor {} is not known; give them",
                                    impl::to_string(o), tensor_id));
    return s.tensor(tensor_id).dims;
}

/// The reductions that a tensor tells the axes.
std::vector<const impl::op *> readers_of_axes(const session &s, size_t tensor_id) {
    std::vector<const impl::op *> readers;
    for (const impl::op &o : s.file().ops)
        if (is_reduction(o.kind) && o.inputs.size() > 1 && o.inputs[1].id == tensor_id) readers.push_back(&o);
    return readers;
}

bool fits(const session &s, const impl::op &o, const std::vector<int64_t> &axes) {
    const impl::dims &src = known_dims(s, o, o.inputs[0].id);
    std::vector<size_t> reduced;
    for (const int64_t axis : axes)
        reduced.push_back(static_cast<size_t>(axis < 0 ? axis + static_cast<int64_t>(src.size()) : axis));
    return gives(src, known_dims(s, o, o.outputs[0].id), attribute_or(o, onefold_op_attr_keep_dims, false), reduced);
}

std::vector<int64_t> draw_axes(const session &s, const std::vector<const impl::op *> &readers, size_t tensor_id,
                               random_source &random) {
    constexpr int most_draws = 1000; // one that fits the first reader need not fit the others
    const impl::op &first = *readers.front();
    const auto count = static_cast<size_t>(s.tensor(tensor_id).dims.at(0));
    for (int i = 0; i < most_draws && count != 0; ++i) {
        auto drawn = draw_axes(random, known_dims(s, first, first.inputs[0].id), known_dims(s, first, first.outputs[0].id),
                               attribute_or(first, onefold_op_attr_keep_dims, false), count);
        if (!drawn) break;
        const auto fits_it = [&](const impl::op *o) { return fits(s, *o, *drawn); };
        if (std::all_of(readers.begin() + 1, readers.end(), fits_it)) return *drawn;
    }
    if (count == 0) return {};
    throw bad_input(fmt::format("{}: no {} axes lead from {} to {}", impl::to_string(first), count,
                                impl::to_string(known_dims(s, first, first.inputs[0].id)),
                                impl::to_string(known_dims(s, first, first.outputs[0].id))));
}

/// Whether a root or a logarithm is taken of the tensor, or something is divided by it.
bool must_be_positive(const session &s, size_t tensor_id) {
    return std::any_of(s.file().ops.begin(), s.file().ops.end(), [&](const impl::op &o) {
        const bool is_divisor = o.kind == onefold_op_divide && o.inputs[1].id == tensor_id;
        const bool is_root = o.kind == onefold_op_sqrt || o.kind == onefold_op_pow || o.kind == onefold_op_log ||
                             o.kind == onefold_op_reciprocal;
        return is_divisor || (is_root && o.inputs[0].id == tensor_id);
    });
}

/// What reads an input behind casts from float to float, and where: its values must suit that.
graph_input behind_casts(const session &s, graph_input input) {
    const auto is_cast = [](const impl::op *o) {
        return o != nullptr && o->kind == onefold_op_type_cast && impl::is_floating(o->inputs[0].type) &&
               impl::is_floating(o->outputs[0].type);
    };
    while (is_cast(input.consumer)) {
        const size_t cast = input.consumer->outputs[0].id;
        const auto reads = [&](const impl::logical_tensor &t) { return t.id == cast; };
        const auto reader = std::find_if(s.file().ops.begin(), s.file().ops.end(), [&](const impl::op &o) {
            return o.kind != onefold_op_end && std::any_of(o.inputs.begin(), o.inputs.end(), reads);
        });
        if (reader == s.file().ops.end()) break;
        const auto port = std::find_if(reader->inputs.begin(), reader->inputs.end(), reads);
        input.consumer = &*reader;
        input.port = static_cast<size_t>(port - reader->inputs.begin());
    }
    return input;
}

/// Whether the input is one number that is added to such a tensor, or that such a tensor is at least.
bool is_epsilon(const session &s, const graph_input &input) {
    const impl::op *reader = input.consumer;
    const bool keeps_away_from_0 = reader != nullptr && (reader->kind == onefold_op_add || reader->kind == onefold_op_maximum);
    const buffer &b = s.buffer_of(input.id);
    return keeps_away_from_0 && b.count() == 1 && impl::is_floating(b.type()) && must_be_positive(s, reader->outputs[0].id);
}

} // namespace

std::optional<std::vector<int64_t>> draw_axes(random_source &random, const impl::dims &src, const impl::dims &dst,
                                              bool keep_dims, size_t count) {
    if (keep_dims && src.size() != dst.size()) return std::nullopt;
    std::vector<size_t> reduced = keep_dims ? draw_dims_to_one(random, src, dst, count) : draw_removed_dims(random, src, dst);
    if (count == 0) return std::vector<int64_t>();
    if (reduced.size() != count || !gives(src, dst, keep_dims, reduced)) return std::nullopt;
    std::vector<int64_t> axes;
    while (!reduced.empty()) {
        const size_t picked = random.below(reduced.size());
        const auto axis = static_cast<int64_t>(reduced[picked]);
        axes.push_back(random.one_in(2) ? axis : axis - static_cast<int64_t>(src.size()));
        reduced.erase(reduced.begin() + static_cast<std::ptrdiff_t>(picked));
    }
    return axes;
}

bool is_axes(const session &s, size_t tensor_id) { return !readers_of_axes(s, tensor_id).empty(); }

void fill_input(session &s, const graph_input &input, uint64_t seed) {
    const auto readers = readers_of_axes(s, input.id);
    buffer &b = s.buffer_of(input.id);
    if (readers.empty()) {
        const graph_input read = behind_casts(s, input);
        return is_epsilon(s, read) ? fill_with_epsilons(b, seed) : fill(b, read.consumer, read.port, seed);
    }
    random_source random(seed * 0x2545f4914f6cdd1dU + input.id);
    const std::vector<int64_t> axes = draw_axes(s, readers, input.id, random);
    b.store_integers(std::vector<wide_integer>(axes.begin(), axes.end()));
}

} // namespace onefold::driver
