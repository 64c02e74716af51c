#include "simd/row_program_step.hpp"

#include <algorithm>
#include <thread>

#include <fmt/format.h>

#include "simd/parallel.hpp"
#include "simd/prefetches.hpp"
#include "simd/row_passes.hpp"

namespace onefold::impl::simd {

namespace {

/// Loads that only reductions need, which read memory themselves, are not made.
void drop_unread_loads(row_schedule &schedule, const row_program &p, const row_kernels &kernels) {
    for (row_phase &phase : schedule.phases) {
        const auto is_read = [&](size_t load) {
            return std::any_of(phase.actions.begin(), phase.actions.end(), [&](const tile_action &a) {
                switch (a.what) {
                case tile_action::kind::store:
                    return p.outputs[a.index].value == load;
                case tile_action::kind::reduce:
                    return kernels.reduction_of(a.index).source == load && !kernels.reduction_of(a.index).reads_memory;
                case tile_action::kind::compute:
                    break;
                }
                const row_instruction &i = p.instructions[a.index];
                return i.code != row_opcode::load && !phase.is_read_from_cache[a.index] &&
                       std::find(i.arguments.begin(), i.arguments.end(), load) != i.arguments.end();
            });
        };
        const auto is_unread = [&](const tile_action &a) {
            return a.what == tile_action::kind::compute && kernels.of(a.index).by == row_kernel::way::converted &&
                   kernels.of(a.index).cache == not_cached && !is_read(a.index);
        };
        phase.actions.erase(std::remove_if(phase.actions.begin(), phase.actions.end(), is_unread), phase.actions.end());
    }
}

/// Reductions whose totals alone are of use are not finished.
void drop_unread_results(row_schedule &schedule, const row_program &p) {
    const auto is_unread = [&](size_t result) {
        const auto reads = [&](const row_instruction &i) {
            return i.code != row_opcode::load && std::find(i.arguments.begin(), i.arguments.end(), result) != i.arguments.end();
        };
        return std::none_of(p.instructions.begin(), p.instructions.end(), reads) &&
               std::none_of(p.outputs.begin(), p.outputs.end(), [&](const auto &output) { return output.value == result; });
    };
    for (row_phase &phase : schedule.phases)
        std::erase_if(phase.results, is_unread);
}

/// True of a result that no dim of any input has a say in.
std::vector<bool> find_common(const row_program &p) {
    std::vector<bool> is_common;
    for (const row_instruction &i : p.instructions) {
        bool common = !i.varies && i.code != row_opcode::reduce;
        if (i.code == row_opcode::load) {
            const dims &strides = p.inputs[i.arguments[0]].strides;
            common = common && std::all_of(strides.begin(), strides.end(), [](int64_t stride) { return stride == 0; });
        } else
            for (const size_t argument : i.arguments)
                common = common && is_common[argument];
        is_common.push_back(common);
    }
    return is_common;
}

row_job make_job(row_program p, const isa &on) {
    row_schedule schedule = make_schedule(p, true);
    // One register more is for what has to be brought together.
    row_geometry geometry(p, schedule.register_count() + 1, schedule.cached.size());
    std::vector<online_sum> online_sums;
    if (geometry.goes_by_passes()) {
        if (geometry.has_whole_tiles()) online_sums = add_online_sums(p);
        schedule = make_schedule(p, false);
        drop_unread_results(schedule, p);
        geometry = row_geometry(p, schedule.register_count() + 1, 0);
    }
    row_kernels kernels(p, on, geometry, schedule);
    drop_unread_loads(schedule, p, kernels);
    std::vector<phase_code> codes;
    size_t registers = schedule.register_count();
    add_prefetches(schedule, p, geometry);
    for (const row_phase &phase : schedule.phases) {
        codes.push_back(compile_phase(p, phase, kernels, on, geometry.results_are_rows));
        registers = std::max(registers, codes.back().register_count);
        for (const size_t reduction : codes.back().reductions)
            kernels.reduce_floats(reduction, on);
    }
    const bool needs_tiles =
        std::any_of(codes.begin(), codes.end(), [](const phase_code &code) { return !code.exists() || code.has_tiles; });
    geometry = row_geometry(p, registers + 1, schedule.cached.size(), needs_tiles);
    const auto is_common = find_common(p);
    row_job job{
        std::move(p), std::move(schedule),   std::move(geometry), std::move(kernels), std::move(codes), registers, {}, {}, {},
        nullptr,      std::move(online_sums)};
    job.streamed_inputs = streamed_inputs(job.program, job.geometry);
    for (const size_t i : job.schedule.first_results)
        (is_common[i] ? job.common_results : job.first_results).push_back(i);
    job.rows = compile_rows(job.program, job.schedule, job.geometry, job.kernels, job.codes, job.common_results);
    return job;
}

class row_program_step : public step {
public:
    row_program_step(row_job job, std::string name) : job_(std::move(job)), name_(std::move(name)) {
        const row_geometry &g = job_.geometry;
        results_floats_ = job_.result_distance() * static_cast<int64_t>(job_.program.instructions.size());
        floats_bytes_ = round_up((results_floats_ + job_.cache_floats()) * static_cast<int64_t>(sizeof(float)), line);
        const int64_t totals_bytes = round_up(static_cast<int64_t>(job_.kernels.total_size()) * g.width, line);
        // A unit does not depend on the others: how many threads there are decides on no bit of a result.
        const auto threads = static_cast<int64_t>(std::max(1U, std::thread::hardware_concurrency()));
        slots_ = std::min(g.units(), 4 * threads);
        slot_bytes_ = floats_bytes_ + totals_bytes;
    }

    std::string name() const override { return name_; }
    size_t scratch_bytes() const override { return static_cast<size_t>(slots_ * slot_bytes_); }

    void run(buffer_list buffers, std::byte *scratch, const executor &threads) const override {
        const int64_t units = job_.geometry.units();
        const int64_t units_a_slot = (units + slots_ - 1) / slots_;
        for_each_unit(threads, slots_, units_a_slot * job_.geometry.elements_a_piece(), [&](int64_t begin, int64_t end) {
            row_worker worker(job_, buffers);
            for (int64_t slot = begin; slot < end; ++slot) {
                const int64_t first = slot * units / slots_;
                for (int64_t unit = first; unit < (slot + 1) * units / slots_; ++unit)
                    run_unit(worker, unit, unit == first, scratch + slot * slot_bytes_);
            }
        });
    }

private:
    static constexpr int64_t line = 64; // bytes

    float *results_in(std::byte *slot) const { return reinterpret_cast<float *>(slot); }
    float *cache_in(std::byte *slot) const { return results_in(slot) + results_floats_; }

    void run_unit(row_worker &worker, int64_t unit, bool is_first, std::byte *slot) const {
        worker.enter(unit, results_in(slot), cache_in(slot));
        if (is_first) {
            worker.compute_common_results();
            worker.convert_common_loads();
        }
        worker.run_piece(slot + floats_bytes_);
    }

    row_job job_;
    std::string name_;
    int64_t results_floats_;
    int64_t floats_bytes_; // of results and caches
    int64_t slots_;
    int64_t slot_bytes_;
};

} // namespace

std::unique_ptr<step> make_row_program_step(const row_program &p, const isa &on) {
    row_job job = make_job(p, on);
    std::string name = fmt::format("simd:row_program:{}", on.name);
    if (job.geometry.goes_by_passes()) return make_row_passes_step(std::move(job), std::move(name));
    return std::make_unique<row_program_step>(std::move(job), std::move(name));
}

} // namespace onefold::impl::simd
