#include "simd/row_passes.hpp"

#include "simd/parallel.hpp"

namespace onefold::impl::simd {

namespace {

/// A piece has a slot of memory: its results, and of each block its totals, and its own results where it has such.
class row_passes_step : public step {
public:
    row_passes_step(row_job job, std::string name)
        : job_(std::move(job)), name_(std::move(name)), blocks_(job_.geometry.blocks()) {
        constexpr int64_t line = 64;
        const auto results = static_cast<int64_t>(job_.program.instructions.size()) * job_.result_distance();
        results_bytes_ = round_up(results * static_cast<int64_t>(sizeof(float)), line);
        totals_bytes_ = round_up(static_cast<int64_t>(job_.kernels.total_size()) * job_.geometry.width, line);
        block_bytes_ = totals_bytes_ + (is_online() ? results_bytes_ : 0);
        slot_bytes_ = results_bytes_ + blocks_ * block_bytes_;
    }

    std::string name() const override { return name_; }
    size_t scratch_bytes() const override { return static_cast<size_t>(job_.geometry.units() * slot_bytes_); }

    void run(buffer_list buffers, std::byte *scratch, const executor &threads) const override {
        for_each_piece(buffers, scratch, threads, [](row_worker &worker, std::byte * /*slot*/) {
            worker.compute_common_results();
            worker.compute_first_results();
        });
        size_t phase = 0;
        if (is_online()) {
            for_each_block(buffers, scratch, threads,
                           [this](row_worker &worker, std::byte *slot, int64_t block) { run_two_passes(worker, slot, block); });
            for_each_piece(buffers, scratch, threads,
                           [this](row_worker &worker, std::byte *slot) { finish_two_passes(worker, slot); });
            phase = 2;
        }
        for (; phase < job_.schedule.phases.size(); ++phase) {
            for_each_block(buffers, scratch, threads, [&](row_worker &worker, std::byte *slot, int64_t block) {
                worker.check_divisors();
                run_pass(worker, phase, slot, block);
            });
            for_each_piece(buffers, scratch, threads, [&](row_worker &worker, std::byte *slot) {
                combine_blocks(worker, phase, slot);
                worker.finish_pass(phase, totals_in(slot, 0));
            });
        }
        for_each_piece(buffers, scratch, threads, [](row_worker &worker, std::byte * /*slot*/) { worker.store_results(); });
    }

private:
    bool is_online() const { return !job_.online_sums.empty(); }
    static float *results_in(std::byte *slot) { return reinterpret_cast<float *>(slot); }
    std::byte *totals_in(std::byte *slot, int64_t block) const { return slot + results_bytes_ + block * block_bytes_; }
    float *own_results_in(std::byte *slot, int64_t block) const {
        return reinterpret_cast<float *>(totals_in(slot, block) + totals_bytes_);
    }

    template <typename Body>
    void for_each_piece(buffer_list buffers, std::byte *scratch, const executor &threads, const Body &body) const {
        for_each_unit(threads, job_.geometry.units(), job_.geometry.width, [&](int64_t begin, int64_t end) {
            row_worker worker(job_, buffers);
            for (int64_t piece = begin; piece < end; ++piece) {
                std::byte *slot = scratch + piece * slot_bytes_;
                worker.enter(piece, results_in(slot), nullptr);
                body(worker, slot);
            }
        });
    }

    template <typename Body>
    void for_each_block(buffer_list buffers, std::byte *scratch, const executor &threads, const Body &body) const {
        const row_geometry &g = job_.geometry;
        const int64_t elements = g.tiles_a_block() * g.elements_a_tile();
        for_each_unit(threads, g.units() * blocks_, elements, [&](int64_t begin, int64_t end) {
            row_worker worker(job_, buffers);
            for (int64_t i = begin; i < end; ++i) {
                std::byte *slot = scratch + i / blocks_ * slot_bytes_;
                worker.enter(i / blocks_, results_in(slot), nullptr);
                body(worker, slot, i % blocks_);
            }
        });
    }

    void run_pass(row_worker &worker, size_t phase, std::byte *slot, int64_t block) const {
        std::byte *totals = totals_in(slot, block);
        worker.clear(phase, totals);
        worker.run_tiles(phase, job_.geometry.first_tile(block), job_.geometry.first_tile(block + 1), totals);
    }

    /// The first pass, and the second one around the block's own centres.
    void run_two_passes(row_worker &worker, std::byte *slot, int64_t block) const {
        worker.use_results(own_results_in(slot, block));
        worker.compute_common_results();
        worker.compute_first_results();
        run_pass(worker, 0, slot, block);
        worker.finish_part(0, totals_in(slot, block), job_.geometry.elements_in(block));
        run_pass(worker, 1, slot, block);
    }

    void finish_two_passes(row_worker &worker, std::byte *slot) const {
        combine_blocks(worker, 0, slot);
        worker.finish_pass(0, totals_in(slot, 0));
        for (int64_t block = 0; block < blocks_; ++block)
            worker.move_sums(totals_in(slot, block), own_results_in(slot, block), job_.geometry.elements_in(block));
        combine_blocks(worker, 1, slot);
        worker.finish_pass(1, totals_in(slot, 0));
    }

    /// In pairs, into the first block's totals.
    void combine_blocks(row_worker &worker, size_t phase, std::byte *slot) const {
        for (int64_t apart = 1; apart < blocks_; apart *= 2)
            for (int64_t block = 0; block + apart < blocks_; block += 2 * apart)
                worker.combine(phase, totals_in(slot, block), totals_in(slot, block + apart));
    }

    row_job job_;
    std::string name_;
    int64_t blocks_; // of a piece
    int64_t results_bytes_;
    int64_t totals_bytes_;
    int64_t block_bytes_;
    int64_t slot_bytes_;
};

} // namespace

std::unique_ptr<step> make_row_passes_step(row_job job, std::string name) {
    return std::make_unique<row_passes_step>(std::move(job), std::move(name));
}

} // namespace onefold::impl::simd
