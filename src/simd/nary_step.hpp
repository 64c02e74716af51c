#pragma once

#include "simd/elementwise_step.hpp"

namespace onefold::impl::simd {

/// A reduction over the sources, any number of them in one pass: they are rows, whose columns are reduced.
class nary_step : public elementwise_step {
public:
    nary_step(const computation &c, const isa &on);

private:
    void compute_tile(std::byte *values, buffer_list buffers, const position &where, int64_t begin,
                      int64_t count) const override;
    void compute_part(std::byte *values, buffer_list buffers, const position &where, int64_t begin, int64_t count) const;
    /// Element `i` of a row at a position, by other means.
    double compute_carefully(buffer_list buffers, const position &where, int64_t i) const;
    /// `count` elements of source `which` as the reduction reads them.
    const std::byte *row(size_t which, buffer_list buffers, const position &where, std::byte *room, int64_t begin,
                         int64_t count) const;

    op_kind op_;
    data_type row_type_; // the sources' own if they have the same, else the arithmetic type
    data_type arithmetic_;
    reduction reduce_;
    conversion copy_; // of floats of 16 bits as they are
};

} // namespace onefold::impl::simd
