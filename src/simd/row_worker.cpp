#include "simd/row_worker.hpp"

#include <algorithm>

namespace onefold::impl::simd {

namespace {

constexpr int64_t most_rows_at_once = 64; // that a reduction of columns is given

} // namespace

row_worker::row_worker(const row_job &job, buffer_list buffers)
    : job_(job),
      geometry_(job.geometry),
      buffers_(buffers),
      tile_elements_(job.geometry.elements_a_tile()),
      runs_(job.geometry.runs()),
      tiles_a_group_(job.geometry.tiles_a_group()),
      spare_register_(job.register_count),
      operands_(job.program.inputs.size() + job.program.outputs.size()) {}

void row_worker::enter(int64_t unit, float *results, float *cache) {
    results_ = results;
    cache_ = cache;
    const int64_t first = unit % geometry_.pieces_a_row() * geometry_.width;
    width_ = std::min(geometry_.width, geometry_.kept.length - first);
    has_next_ = geometry_.results_are_rows && first + 2 * geometry_.width <= geometry_.kept.length;
    const odometer here(geometry_.outer_kept, unit / geometry_.pieces_a_row());
    const int64_t next = std::min(unit + 1, geometry_.units() - 1);
    const odometer there(geometry_.outer_kept, next / geometry_.pieces_a_row());
    const int64_t results_apart = next % geometry_.pieces_a_row() * geometry_.width - first;
    const auto enter_operand = [&](size_t number, size_t buffer) {
        const int64_t stride = geometry_.kept.strides[number];
        piece_[number] = buffers_[buffer] + here.offset(number) + first * stride;
        to_next_[number] = there.offset(number) - here.offset(number) + results_apart * stride;
    };
    const row_program &p = job_.program;
    for (size_t i = 0; i < p.inputs.size(); ++i)
        enter_operand(i, p.inputs[i].buffer);
    for (size_t i = 0; i < p.outputs.size(); ++i)
        enter_operand(p.inputs.size() + i, p.outputs[i].to.buffer);
}

void row_worker::enter_group(const row_phase &phase, int64_t group) {
    first_ = group * geometry_.tile_width;
    tile_width_ = std::min(geometry_.tile_width, width_ - first_);
    // A result is one value for each row of a tile, or there is a row of them.
    for (const size_t i : phase.read_results)
        values_[i] = {results_of(i) + first_, geometry_.results_are_rows ? 1 : 0};
}

/// Code goes over columns of several tiles as if they were one; there must be room for one value of each row.
int64_t row_worker::tiles_at_once(size_t phase) const {
    const phase_code &code = job_.codes[phase];
    const bool is_one = geometry_.results_are_rows || !code.exists() || careful_ || code.has_tiles;
    return is_one ? 1 : tile_elements_ / geometry_.run;
}

void row_worker::enter_tile(int64_t which_run, int64_t count, const odometer &outer) {
    const int64_t begin = which_run * geometry_.run;
    const int64_t run = std::min(count * geometry_.run, geometry_.reduced.length - begin);
    first_row_ = begin;
    rows_ = geometry_.results_are_rows ? tile_width_ : run;
    length_ = geometry_.results_are_rows ? run : tile_width_;
    const cut_dim &along_rows = geometry_.results_are_rows ? geometry_.kept : geometry_.reduced;
    for (size_t k = 0; k < operands_; ++k)
        memory_[k] = {piece_[k] + first_ * geometry_.kept.strides[k] + outer.offset(k) + begin * geometry_.reduced.strides[k],
                      along_rows.strides[k]};
}

void row_worker::run_tiles(size_t phase, int64_t begin, int64_t end, std::byte *totals) {
    phase_ = phase;
    const row_phase &actions = job_.schedule.phases[phase];
    for (tile_ = begin; tile_ < end;) {
        const int64_t group = tile_ / tiles_a_group_;
        enter_group(actions, group);
        if (tile_width_ <= 0) return; // the last piece has fewer results
        int64_t in_group = tile_ - group * tiles_a_group_;
        odometer outer(geometry_.outer_reduced, in_group / runs_);
        int64_t run = in_group % runs_;
        while (tile_ < end && in_group < tiles_a_group_) {
            const int64_t count = std::min({tiles_at_once(phase), runs_ - run, end - tile_});
            enter_tile(run, count, outer);
            run_tile(phase, totals);
            if (has_next_ && phase + 1 == job_.schedule.phases.size()) prefetch_next();
            tile_ += count;
            in_group += count;
            run += count;
            if (run < runs_) continue;
            run = 0;
            outer.next();
        }
    }
}

/// What the next piece reads in the place of this tile, while the last pass over this one writes: memory has less to do then.
void row_worker::prefetch_next() const {
    constexpr int64_t line = 64;
    for (const size_t k : job_.streamed_inputs) {
        const std::byte *next = memory_[k].data + geometry_.width * geometry_.kept.strides[k];
        const int64_t bytes = length_ * size_of(job_.program.inputs[k].type);
        for (int64_t r = 0; r < rows_; ++r)
            for (int64_t at = 0; at < bytes; at += line)
                __builtin_prefetch(next + r * memory_[k].distance + at);
    }
}

void row_worker::run_tile(size_t phase, std::byte *totals) {
    const row_phase &actions = job_.schedule.phases[phase];
    const phase_code &code = job_.codes[phase];
    if (!code.exists() || careful_) {
        for (const tile_action &action : actions.actions)
            act(actions.registers, action, totals);
        return;
    }
    for (const tile_action &action : code.before)
        act(code.registers, action, totals);
    run_code(code, totals);
    for (const tile_action &action : code.behind)
        act(code.registers, action, totals);
}

void row_worker::run_code(const phase_code &code, std::byte *totals) {
    tile_call call; // NOLINT(cppcoreguidelines-pro-type-member-init): what the code reads is set
    bool is_compact = true;
    size_t stream = 0;
    for (const bound_stream &s : code.streams) {
        const memory_place place = place_of(s, code, totals);
        call.pointers[stream] = place.data;
        call.distances[stream++] = place.distance;
        is_compact = is_compact && s.size > 0 && place.distance == length_ * s.size;
    }
    place_prefetches(code, call);
    call.rows = is_compact ? 1 : rows_;
    call.length = is_compact ? rows_ * length_ : length_;
    const bool multiplies = std::all_of(code.divisors.begin(), code.divisors.end(), [&](size_t d) { return may_multiply_[d]; });
    (multiplies ? code.multiplying : code.dividing)->run(call);
}

void row_worker::place_prefetches(const phase_code &code, tile_call &call) const {
    size_t number = 0;
    for (const prefetched_part &part : code.prefetches) {
        const int64_t row = part.begin(geometry_.reduced.length) + first_row_ / part.parts;
        const int64_t distance = geometry_.reduced.strides[part.operand];
        std::byte *piece = piece_[part.operand] + (part.is_written ? 0 : to_next_[part.operand]);
        call.prefetched[number] = piece + row * distance;
        call.prefetched_distances[number++] = distance;
    }
}

row_worker::memory_place row_worker::place_of(const bound_stream &s, const phase_code &code, std::byte *totals) {
    constexpr auto size = static_cast<int64_t>(sizeof(float));
    switch (s.in) {
    case bound_stream::place::memory:
        return memory_[s.index];
    case bound_stream::place::values: {
        // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): only read
        auto *data = const_cast<float *>(values_[s.index].data);
        return {reinterpret_cast<std::byte *>(data), values_[s.index].distance * size};
    }
    case bound_stream::place::tile: {
        float *tile = tile_of(code.registers, s.index);
        values_[s.index] = {tile, length_};
        return {reinterpret_cast<std::byte *>(tile), length_ * size};
    }
    case bound_stream::place::total:
        break;
    }
    const row_reduction &r = job_.kernels.reduction_of(s.index);
    return {tile_totals_of(r, totals), static_cast<int64_t>(r.kernels.total_size)};
}

/// Where an instruction's tile is made: its cache, else its register.
float *row_worker::tile_of(const std::vector<size_t> &registers, size_t i) {
    const size_t cache = job_.kernels.of(i).cache;
    if (cache == not_cached) return register_at(registers[i]);
    // Of columns, rows are side by side, however wide they are.
    const int64_t a_tile = geometry_.results_are_rows ? tile_elements_ : geometry_.run * length_;
    return cache_ + static_cast<int64_t>(cache) * job_.cache_distance() + tile_ * a_tile;
}

void row_worker::act(const std::vector<size_t> &registers, const tile_action &action, std::byte *totals) {
    switch (action.what) {
    case tile_action::kind::compute:
        return compute(registers, action.index);
    case tile_action::kind::reduce:
        return take_in(action.index, totals);
    case tile_action::kind::store:
        return store(action.index);
    }
}

void row_worker::compute(const std::vector<size_t> &registers, size_t i) {
    const row_kernel &k = job_.kernels.of(i);
    if (k.by == row_kernel::way::in_place) {
        const memory_place &m = memory_[k.operand];
        values_[i] = {reinterpret_cast<const float *>(m.data), m.distance / static_cast<int64_t>(sizeof(float))};
        return;
    }
    float *dst = tile_of(registers, i);
    int64_t distance = k.is_alike ? 1 : length_;
    if (float *output = direct_output(i, distance)) dst = output;
    values_[i] = {dst, distance};
    if (job_.schedule.phases[phase_].is_read_from_cache[i]) return;
    compute_with(k, dst, distance);
}

/// Where the values of an instruction are to be stored, if that is where they can be made.
float *row_worker::direct_output(size_t i, int64_t &distance) const {
    const size_t output = job_.kernels.of(i).direct_output;
    if (output == no_output) return nullptr;
    const memory_place &m = memory_[job_.program.inputs.size() + output];
    distance = m.distance / static_cast<int64_t>(sizeof(float));
    return reinterpret_cast<float *>(m.data);
}

bool row_worker::is_compact(const std::array<size_t, 3> &arguments, int64_t distance, const row_kernel &k) const {
    if (k.is_alike) return true;
    if (distance != length_) return rows_ == 1;
    for (size_t a = 0; a < k.argument_count; ++a)
        if (job_.kernels.of(arguments[a]).is_alike || values_[arguments[a]].distance != length_) return rows_ == 1;
    return true;
}

void row_worker::compute_with(const row_kernel &k, float *dst, int64_t distance) {
    const bool multiplies = k.by != row_kernel::way::quotient || may_multiply_[k.divided[k.argument_count - 1]];
    const auto &arguments = multiplies ? k.arguments : k.divided;
    const bool compact = is_compact(arguments, distance, k);
    const auto length = static_cast<size_t>(k.is_alike ? rows_ : compact ? rows_ * length_ : length_);
    const auto rows = static_cast<size_t>(compact ? 1 : rows_);
    const tile_operand &first = values_[arguments[0]];
    switch (k.by) {
    case row_kernel::way::converted:
    case row_kernel::way::cast:
    case row_kernel::way::repeated:
        return convert(k, dst);
    case row_kernel::way::unary:
    case row_kernel::way::root:
    case row_kernel::way::round:
        for (size_t r = 0; r < rows; ++r)
            apply(k, first.data + static_cast<int64_t>(r) * first.distance, dst + static_cast<int64_t>(r) * distance, length);
        return;
    default: {
        tile_operand operands[3];
        for (size_t a = 0; a < k.argument_count; ++a)
            operands[a] = values_[arguments[a]];
        (multiplies ? k.kernel : k.division)(operands, dst, distance, rows, length);
    }
    }
}

/// An instruction of one argument to a row.
void row_worker::apply(const row_kernel &k, const float *src, float *dst, size_t count) {
    switch (k.by) {
    case row_kernel::way::unary:
        return k.unary(src, dst, count, k.alpha, k.beta);
    case row_kernel::way::root:
        return k.root(src, dst, count);
    default:
        return round_row(k, src, dst, count);
    }
}

void row_worker::round_row(const row_kernel &k, const float *src, float *dst, size_t count) {
    uint16_t rounded[256];
    for (size_t i = 0; i < count; i += std::size(rounded)) {
        const size_t part = std::min(std::size(rounded), count - i);
        k.convert.store(src + i, rounded, 1, part);
        k.convert.load(rounded, 1, dst + i, part);
    }
}

void row_worker::convert(const row_kernel &k, float *dst) {
    const memory_place &m = memory_[k.operand];
    const operand &input = job_.program.inputs[k.operand];
    const int64_t size = size_of(input.type);
    if (k.by == row_kernel::way::repeated) return k.convert.load(m.data, m.distance / size, dst, static_cast<size_t>(rows_));
    const int64_t stride = k.inner_stride;
    if (stride == 1 && m.distance == length_ * size)
        return k.convert.load(m.data, 1, dst, static_cast<size_t>(rows_ * length_));
    for (int64_t r = 0; r < rows_; ++r)
        k.convert.load(m.data + r * m.distance, stride, dst + r * length_, static_cast<size_t>(length_));
}

/// An instruction's values, one for each element and without gaps: where they are, or in the last register.
const float *row_worker::dense(size_t i) {
    const row_kernel &k = job_.kernels.of(i);
    const tile_operand &value = values_[i];
    if (!k.is_alike && (value.distance == length_ || rows_ == 1)) return value.data;
    float *room = register_at(spare_register_);
    for (int64_t r = 0; r < rows_; ++r)
        job_.kernels.floats().load(value.data + r * value.distance, k.is_alike ? 0 : 1, room + r * length_,
                                   static_cast<size_t>(length_));
    return room;
}

void row_worker::take_in(size_t reduction, std::byte *totals) {
    const row_reduction &r = job_.kernels.reduction_of(reduction);
    if (careful_) {
        if (careful_->reduction == reduction) take_in_carefully(r);
        return;
    }
    if (r.reads_memory) {
        const memory_place &m = memory_[job_.kernels.of(r.source).operand];
        return take_in_rows(r, m.data, m.distance, tile_totals_of(r, totals));
    }
    const float *src = dense(r.source);
    const auto distance = length_ * static_cast<int64_t>(sizeof(float));
    take_in_rows(r, reinterpret_cast<const std::byte *>(src), distance, tile_totals_of(r, totals));
}

void row_worker::take_in_rows(const row_reduction &r, const std::byte *src, int64_t distance, std::byte *totals) const {
    if (geometry_.results_are_rows)
        return r.kernels.rows(src, distance, static_cast<size_t>(rows_), static_cast<size_t>(length_), totals);
    const void *rows[most_rows_at_once];
    for (int64_t first = 0; first < rows_; first += most_rows_at_once) {
        const int64_t count = std::min(most_rows_at_once, rows_ - first);
        for (int64_t k = 0; k < count; ++k)
            rows[k] = src + (first + k) * distance;
        r.kernels.columns(rows, static_cast<size_t>(count), static_cast<size_t>(length_), totals);
    }
}

void row_worker::take_in_carefully(const row_reduction &r) {
    const row_kernel &source = job_.kernels.of(r.source);
    const bool is_unread = r.reads_memory && source.by == row_kernel::way::converted;
    float *room = register_at(spare_register_);
    if (is_unread) convert(source, room);
    const float *values = is_unread ? room : dense(r.source);
    const int64_t which = careful_->which - first_;
    if (which < 0 || which >= tile_width_) return;
    if (geometry_.results_are_rows) return careful_->sum->add(values + which * length_, length_);
    for (int64_t row = 0; row < rows_; ++row)
        careful_->sum->add(values + row * length_ + which, 1);
}

void row_worker::store(size_t output) {
    const size_t value = job_.program.outputs[output].value;
    if (job_.kernels.of(value).direct_output == output) return;
    const row_store &s = job_.kernels.store_of(output);
    const memory_place &m = memory_[job_.program.inputs.size() + output];
    const float *values = dense(value);
    if (s.inner_stride == 1 && m.distance == length_ * s.size)
        return s.convert.store(values, m.data, 1, static_cast<size_t>(rows_ * length_));
    for (int64_t r = 0; r < rows_; ++r)
        s.convert.store(values + r * length_, m.data + r * m.distance, s.inner_stride, static_cast<size_t>(length_));
}

} // namespace onefold::impl::simd
