#include "onednn/layer_norm_step.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "compile/loop_space.hpp"

namespace onefold::impl::onednn {

namespace {

/// The buffers as the primitive's arguments number them.
enum place { src_place, dst_place, scale_place, shift_place, mean_place, variance_place, place_count };

bool are_finite(const float *values, int64_t count) {
    constexpr uint32_t exponent = 0x7f800000;
    uint32_t others = 0;
    for (int64_t i = 0; i < count; ++i)
        others |= static_cast<uint32_t>((std::bit_cast<uint32_t>(values[i]) & exponent) == exponent);
    return others == 0;
}

size_t bytes_of_statistic(int64_t rows) {
    constexpr size_t alignment = 64;
    const size_t bytes = static_cast<size_t>(rows) * sizeof(float);
    return (bytes + alignment - 1) / alignment * alignment;
}

class layer_norm_step : public step {
public:
    /// `buffers` of the program: those of the places before the mean's.
    layer_norm_step(std::unique_ptr<step> primitive, std::unique_ptr<step> careful, std::array<size_t, mean_place> buffers,
                    int64_t rows)
        : primitive_(std::move(primitive)), careful_(std::move(careful)), buffers_(buffers), rows_(rows) {}

    std::string name() const override { return primitive_->name(); }
    size_t scratch_bytes() const override {
        return std::max(2 * bytes_of_statistic(rows_) + primitive_->scratch_bytes(), careful_->scratch_bytes());
    }
    void run(std::span<std::byte *const> buffers, std::byte *scratch, const executor &threads) const override {
        std::byte *variance = scratch + bytes_of_statistic(rows_);
        std::array<std::byte *, place_count> places{};
        for (size_t i = 0; i < buffers_.size(); ++i)
            places[i] = buffers[buffers_[i]];
        places[mean_place] = scratch;
        places[variance_place] = variance;
        primitive_->run(places, variance + bytes_of_statistic(rows_), threads);
        // A mean that is not finite leaves no finite variance either.
        if (!are_finite(reinterpret_cast<const float *>(variance), rows_)) careful_->run(buffers, scratch, threads);
    }

private:
    std::unique_ptr<step> primitive_;
    std::unique_ptr<step> careful_;
    std::array<size_t, mean_place> buffers_;
    int64_t rows_;
};

} // namespace

std::unique_ptr<step> make_layer_norm(const row_program &p, const layer_norm &norm, std::unique_ptr<step> careful) {
    const int64_t rows = kept_count(p.space);
    const int64_t length = reduced_count(p.space);
    const operand &src = p.inputs[norm.src];
    const operand &dst = p.outputs[0].to;
    const auto rows_of = [&](const operand &o) {
        return dnnl::memory::desc({rows, length}, to_dnnl(o.type), dnnl::memory::dims{length, 1});
    };
    auto flags = dnnl::normalization_flags::none;
    if (norm.scale) flags |= dnnl::normalization_flags::use_scale;
    if (norm.shift) flags |= dnnl::normalization_flags::use_shift;
    dnnl::primitive_attr attributes;
    attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    // Training, for its mean and variance.
    const dnnl::layer_normalization_forward::primitive_desc descriptor(
        cpu_engine(), dnnl::prop_kind::forward_training, rows_of(src), rows_of(dst), norm.epsilon, flags, attributes, true);
    if (!descriptor || !is_fast(descriptor)) return nullptr;
    const dnnl::memory::desc weights({length}, dnnl::memory::data_type::f32, dnnl::memory::dims{1});
    std::vector<argument> arguments = {{DNNL_ARG_SRC, src_place, rows_of(src)},
                                       {DNNL_ARG_DST, dst_place, rows_of(dst)},
                                       {DNNL_ARG_MEAN, mean_place, descriptor.mean_desc()},
                                       {DNNL_ARG_VARIANCE, variance_place, descriptor.variance_desc()}};
    std::array<size_t, mean_place> buffers = {src.buffer, dst.buffer, src.buffer, src.buffer};
    const auto add_weights = [&](int name, place at, const std::optional<size_t> &input) {
        if (!input) return;
        arguments.push_back({name, at, weights});
        buffers[at] = p.inputs[*input].buffer;
    };
    add_weights(DNNL_ARG_SCALE, scale_place, norm.scale);
    add_weights(DNNL_ARG_SHIFT, shift_place, norm.shift);
    auto primitive = std::make_unique<primitive_step>(descriptor, dnnl::layer_normalization_forward(descriptor),
                                                      "layer_normalization", std::move(arguments));
    return std::make_unique<layer_norm_step>(std::move(primitive), std::move(careful), buffers, rows);
}

} // namespace onefold::impl::onednn
