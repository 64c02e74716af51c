#pragma once

#include <bitset>
#include <optional>

#include "simd/careful_sum.hpp"
#include "simd/online.hpp"
#include "simd/operand_row.hpp"
#include "simd/phase_code.hpp"
#include "simd/row_code.hpp"
#include "simd/row_geometry.hpp"
#include "simd/row_kernels.hpp"
#include "simd/row_program_step.hpp"

namespace onefold::impl::simd {

/// What a worker needs to know of a program.
struct row_job {
    row_program program;
    row_schedule schedule;
    row_geometry geometry;
    row_kernels kernels;
    std::vector<phase_code> codes;        // of each phase
    size_t register_count;                // without the spare one
    std::vector<size_t> common_results;   // of the schedule's first: the same for all pieces
    std::vector<size_t> first_results;    // the others
    std::vector<size_t> streamed_inputs;  // those that vary along kept and reduced dims, side by side
    std::unique_ptr<const row_code> rows; // may be nullptr
    std::vector<online_sum> online_sums;  // of the second pass, if it goes with the first over one block after the other

    /// Offset, in floats, of a result's values in a unit's memory.
    int64_t result_offset(size_t instruction) const { return static_cast<int64_t>(instruction) * result_distance(); }
    int64_t result_distance() const { return round_up(geometry.width, 16); }
    int64_t row_distance() const { return round_up(geometry.reduced.length, 16); }
    /// Floats of a cached value: of all tiles, or of the rows that the code groups.
    int64_t cache_distance() const {
        const int64_t grouped = rows ? rows->grouped_rows() * row_distance() : 0;
        return std::max(grouped, round_up(geometry.tiles() * geometry.elements_a_tile(), 16));
    }
    /// Floats of all caches, and of converted loads behind them.
    int64_t caches_distance() const { return static_cast<int64_t>(schedule.cached.size()) * cache_distance(); }
    int64_t cache_floats() const {
        return caches_distance() + (rows ? static_cast<int64_t>(rows->converted_loads().size()) * row_distance() : 0);
    }
};

/// Computes pieces of a row program, a tile at a time, on the calling thread.
class row_worker {
public:
    row_worker(const row_job &job, buffer_list buffers);

    /// Goes to a piece; its results and cached tiles lie in that memory.
    void enter(int64_t unit, float *results, float *cache);
    /// From here on results are in that memory.
    void use_results(float *results) { results_ = results; }
    /// What is the same for all pieces: results, and loads that are converted.
    void compute_common_results();
    void convert_common_loads();
    /// The other results that need no pass.
    void compute_first_results();
    /// The piece, but for the common results.
    void run_piece(std::byte *totals);
    /// A pass over tiles [begin, end) into totals, which are those of one reduction after the other.
    void run_tiles(size_t phase, int64_t begin, int64_t end, std::byte *totals);
    void clear(size_t phase, std::byte *totals) const;
    void combine(size_t phase, std::byte *totals, const std::byte *others) const;
    /// From totals over all tiles to the results that follow from them.
    void finish_pass(size_t phase, const std::byte *totals);
    /// From totals over some tiles, with so many elements of each result, to those elements' own results, doubtful or not.
    void finish_part(size_t phase, const std::byte *totals, int64_t elements);
    /// Moves a block's sums from the centres in `results`, its own, to those of the piece.
    void move_sums(std::byte *totals, const float *results, int64_t elements) const;
    /// Stores the outputs that are results.
    void store_results();
    /// Of results that are there already: tells which of their reciprocals can be multiplied by.
    void check_divisors();

private:
    struct memory_place {
        std::byte *data;  // of the piece, then of the tile
        int64_t distance; // of the tile's rows, in bytes
    };

    void run_rows(std::byte *totals);
    /// The code, for rows of the piece from the present one on; how many it left.
    int64_t run_code_of_rows(int64_t rows);
    void run_all_passes(std::byte *totals);
    void skip_rows(int64_t count);
    void enter_group(const row_phase &phase, int64_t group);
    int64_t tiles_at_once(size_t phase) const;
    void enter_tile(int64_t run, int64_t count, const odometer &outer);
    void act(const std::vector<size_t> &registers, const tile_action &action, std::byte *totals);
    void run_tile(size_t phase, std::byte *totals);
    void prefetch_next() const;
    void place_prefetches(const phase_code &code, tile_call &call) const;
    void run_code(const phase_code &code, std::byte *totals);
    memory_place place_of(const bound_stream &s, const phase_code &code, std::byte *totals);
    float *tile_of(const std::vector<size_t> &registers, size_t i);
    void compute(const std::vector<size_t> &registers, size_t i);
    void compute_with(const row_kernel &k, float *dst, int64_t distance);
    void convert(const row_kernel &k, float *dst);
    static void apply(const row_kernel &k, const float *src, float *dst, size_t count);
    static void round_row(const row_kernel &k, const float *src, float *dst, size_t count);
    bool is_compact(const std::array<size_t, 3> &arguments, int64_t distance, const row_kernel &k) const;
    void take_in(size_t reduction, std::byte *totals);
    void take_in_rows(const row_reduction &r, const std::byte *src, int64_t distance, std::byte *totals) const;
    void store(size_t output);
    const float *dense(size_t i);
    float *direct_output(size_t i, int64_t &distance) const;

    void compute_result(size_t i, const std::byte *totals);
    void check_divisor(size_t i);
    void finish_reduction(size_t i, const std::byte *totals);
    double sum_carefully(size_t i, int64_t which);
    void take_in_carefully(const row_reduction &r);

    template <typename Byte>
    Byte *totals_of(const row_reduction &r, Byte *totals) const {
        return totals + static_cast<int64_t>(r.totals) * geometry_.width;
    }
    template <typename Body>
    void for_each_reduction(size_t phase, const Body &body) const {
        for (const size_t i : job_.schedule.phases[phase].reductions)
            body(job_.kernels.reduction_of(i));
    }
    /// Of a tile's results.
    std::byte *tile_totals_of(const row_reduction &r, std::byte *totals) const {
        return totals_of(r, totals) + first_ * static_cast<int64_t>(r.kernels.total_size);
    }
    float *results_of(size_t i) const { return results_ + job_.result_offset(i); }
    float *converted_load(size_t number) const {
        return cache_ + job_.caches_distance() + static_cast<int64_t>(number) * job_.row_distance();
    }
    float *register_at(size_t number) { return registers_ + static_cast<int64_t>(number) * tile_elements_; }

    const row_job &job_;
    const row_geometry &geometry_;
    buffer_list buffers_;
    float *results_ = nullptr;
    float *cache_ = nullptr;
    int64_t width_ = 0;      // of this piece
    bool has_next_ = false;  // beside it is another one as wide
    int64_t first_ = 0;      // result of the tile
    int64_t tile_width_ = 0; // likewise
    int64_t tile_ = 0;       // its number
    int64_t rows_ = 0;       // of the tile
    int64_t first_row_ = 0;  // along the reduced dim, where its columns are the results'
    int64_t length_ = 0;     // of its rows
    const int64_t tile_elements_;
    const int64_t runs_;
    const int64_t tiles_a_group_;
    const size_t spare_register_;
    const size_t operands_;
    size_t phase_ = 0;
    std::optional<int64_t> part_; // elements of each result, where they are not all that it has

    struct careful_request {
        size_t reduction;
        int64_t which;
        careful_sum *sum;
    };
    const careful_request *careful_ = nullptr;

    std::array<std::byte *, most_instructions> piece_; // of each operand
    std::array<int64_t, most_instructions> to_next_;   // bytes from it to the next piece
    std::array<memory_place, most_instructions> memory_;
    std::array<tile_operand, most_instructions> values_;
    std::bitset<most_instructions> may_multiply_; // by the reciprocals of a divisor
    alignas(64) float registers_[register_elements];
};

} // namespace onefold::impl::simd
