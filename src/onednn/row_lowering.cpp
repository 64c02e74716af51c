#include <limits>
#include <new>

#include "compile/loop_space.hpp"
#include "onednn/layer_norm_step.hpp"
#include "onednn/lowering.hpp"

// Softmax and log-softmax are none of oneDNN's although it has them: where a row holds a NaN or +inf, which makes all its
// results NaN, oneDNN's other results are 0 (log-softmax: -inf), and results near the smallest normal number and below it
// become 0.
namespace onefold::impl::onednn {

namespace {

constexpr double unsupported = std::numeric_limits<double>::infinity();
// A smaller one would show that oneDNN's squares below the normal numbers have lost bits.
constexpr float smallest_epsilon = 1e-30F;

// From onefold_benchmark --calibrate, two threads, statistics included. On AVX-512 it takes about as long as a program in
// machine code, which is then to be preferred; elsewhere half as long as kernels, but for a few rows.
constexpr double nanoseconds_a_call = 1000;
constexpr double nanoseconds_a_row = 12;
constexpr double nanoseconds_an_element = 0.065;
constexpr double bytes_per_nanosecond = 44;

/// Rows of reduced elements, one after the other without gaps.
bool is_dense(const operand &o, const loop_space &space) {
    const loop_space all{space.sizes, std::vector<bool>(space.rank(), false)};
    return o.strides == dense_kept_strides(all);
}

/// One f32 for each element of a row, the same for all rows.
bool is_weight(const std::optional<size_t> &input, const row_program &p) {
    if (!input) return true;
    const operand &o = p.inputs[*input];
    return o.type == onefold_f32 && o.strides.back() == 1 && (o.strides.size() == 1 || o.strides[0] == 0);
}

bool is_supported(const row_program &p, const layer_norm &norm) {
    const size_t rank = p.space.rank();
    if (rank > 2 || !p.space.reduced.back() || (rank == 2 && p.space.reduced[0])) return false;
    if (reduced_count(p.space) == 0 || reduced_count(p.space) > longest_row) return false;
    return is_dense(p.inputs[norm.src], p.space) && is_dense(p.outputs[0].to, p.space) && is_weight(norm.scale, p) &&
           is_weight(norm.shift, p) && norm.epsilon >= smallest_epsilon;
}

} // namespace

double cost(const row_program &p) {
    const auto norm = match_layer_norm(p);
    if (!norm || !is_supported(p, *norm)) return unsupported;
    const auto rows = static_cast<double>(kept_count(p.space));
    const double elements = rows * static_cast<double>(reduced_count(p.space));
    // Weights as often as they are read, as everywhere.
    double bytes_an_element = static_cast<double>(size_of(p.outputs[0].to.type));
    for (const operand &input : p.inputs)
        bytes_an_element += static_cast<double>(size_of(input.type));
    const double bytes = elements * bytes_an_element;
    return nanoseconds_a_call + rows * nanoseconds_a_row + elements * nanoseconds_an_element + bytes / bytes_per_nanosecond;
}

std::unique_ptr<step> make(const row_program &p, std::unique_ptr<step> careful) {
    const auto norm = match_layer_norm(p);
    if (!norm || !is_supported(p, *norm)) return nullptr;
    try {
        return make_layer_norm(p, *norm, std::move(careful));
    } catch (const dnnl::error &e) {
        if (e.status == dnnl_out_of_memory) throw std::bad_alloc();
        return nullptr;
    }
}

} // namespace onefold::impl::onednn
