// The part of row_worker that takes pieces through all passes.
#include <algorithm>

#include "simd/row_worker.hpp"

namespace onefold::impl::simd {

void row_worker::run_piece(std::byte *totals) {
    const auto may_multiply = [&](size_t i) { return !job_.kernels.of(i).is_divisor || may_multiply_[i]; };
    if (job_.rows && std::all_of(job_.common_results.begin(), job_.common_results.end(), may_multiply))
        run_rows(totals);
    else
        run_all_passes(totals);
}

/// By the code; rows of a group that it leaves one by one, without it where it leaves them again.
void row_worker::run_rows(std::byte *totals) {
    const int64_t width = width_;
    width_ = 1; // of what is not left to the code
    for (int64_t left = width; left > 0;) {
        const int64_t behind = run_code_of_rows(left);
        skip_rows(left - behind);
        left = behind;
        for (int64_t k = std::min(left, job_.rows->grouped_rows()); k > 0; --k, --left) {
            if (run_code_of_rows(1) > 0) run_all_passes(totals);
            skip_rows(1);
        }
    }
}

int64_t row_worker::run_code_of_rows(int64_t rows) {
    row_call call; // NOLINT(cppcoreguidelines-pro-type-member-init): what the code reads is set
    for (size_t k = 0; k < operands_; ++k) {
        call.pointers[k] = piece_[k];
        call.distances[k] = geometry_.kept.strides[k];
    }
    for (size_t cache = 0; cache < job_.schedule.cached.size(); ++cache) {
        call.pointers[operands_ + cache] = cache_ + static_cast<int64_t>(cache) * job_.cache_distance();
        call.distances[operands_ + cache] = job_.row_distance() * static_cast<int64_t>(sizeof(float));
    }
    const size_t behind_caches = operands_ + job_.schedule.cached.size();
    for (size_t n = 0; n < job_.rows->converted_loads().size(); ++n) {
        call.pointers[behind_caches + n] = converted_load(n);
        call.distances[behind_caches + n] = 0;
    }
    for (auto &values : call.values)
        for (const size_t i : job_.common_results)
            values[i] = *results_of(i);
    call.rows = rows;
    job_.rows->run(call);
    return call.rows;
}

void row_worker::skip_rows(int64_t count) {
    for (size_t k = 0; k < operands_; ++k)
        piece_[k] += count * geometry_.kept.strides[k];
}

void row_worker::run_all_passes(std::byte *totals) {
    compute_first_results();
    for (size_t phase = 0; phase < job_.schedule.phases.size(); ++phase) {
        clear(phase, totals);
        run_tiles(phase, 0, geometry_.tiles(), totals);
        finish_pass(phase, totals);
    }
    store_results();
}

} // namespace onefold::impl::simd
