#pragma once

#include <string>

#include "runtime/step.hpp"
#include "simd/fused_ops.hpp"

namespace onefold::impl::simd {

/// What element-wise steps share: rows along the innermost loop dim, cut into segments, those into tiles.
class elementwise_step : public step {
public:
    elementwise_step(const computation &c, const isa &on, std::string_view family);

    std::string name() const override;
    void run(buffer_list buffers, std::byte *scratch, const executor &threads) const override;

protected:
    /// The results before the post-ops, in the arithmetic type: those from `begin` on of the row at a position.
    virtual void compute_tile(std::byte *values, buffer_list buffers, const position &where, int64_t begin,
                              int64_t count) const = 0;

    /// Elements [begin, begin + count) of a row, by tiles.
    virtual void compute(buffer_list buffers, const position &where, int64_t begin, int64_t count) const;

    /// `count` elements of a source in the arithmetic type: where they are or in `room`.
    const std::byte *source(size_t which, buffer_list buffers, const position &where, std::byte *room, int64_t begin,
                            int64_t count) const {
        const operand_row &o = src_[which];
        return o.load(o.at(buffers, where, begin), room, count);
    }

    std::vector<operand_row> src_;
    operand_row dst_;
    fused_ops epilogue_;

private:
    std::string name_;
    int64_t length_; // of a row
    nest outer_;     // the dims around it
};

} // namespace onefold::impl::simd
