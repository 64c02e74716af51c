#include "compile/program_builder.hpp"

#include <algorithm>

#include "graph/error.hpp"

namespace onefold::impl {

namespace {

constexpr size_t scratch_alignment = 64;

size_t align_up(size_t bytes) { return (bytes + scratch_alignment - 1) / scratch_alignment * scratch_alignment; }

} // namespace

program_builder::program_builder(size_t input_count, size_t output_count)
    : input_count_(input_count), output_count_(output_count) {}

size_t program_builder::add_scratch(size_t bytes) {
    if (bytes > SIZE_MAX / 4) fail(onefold_out_of_memory, "an intermediate result of {} bytes", bytes);
    scratch_.push_back({align_up(bytes), {}, 0});
    return input_count_ + output_count_ + scratch_.size() - 1;
}

void program_builder::note_use(size_t buffer, size_t step) {
    const size_t first_scratch = input_count_ + output_count_;
    if (buffer < first_scratch) return;
    use &when = scratch_[buffer - first_scratch].when;
    when.first = std::min(when.first, step);
    when.last = std::max(when.last, step);
}

void program_builder::add(std::unique_ptr<step> s, const computation &c, double nanoseconds) {
    buffer_uses uses{{}, {c.dst.buffer}, {}};
    for (const operand *o : operands_of(c))
        if (o != &c.dst) uses.reads.push_back(o->buffer);
    // An element-wise step may write over its first operand. An n-ary one may have to read its sources again.
    const bool is_elementwise = c.kind != computation_kind::reduce && c.kind != computation_kind::nary;
    if (is_elementwise && !c.src.empty() && std::count(uses.reads.begin(), uses.reads.end(), c.src[0].buffer) == 1)
        uses.overwrites.emplace_back(c.src[0].buffer, c.dst.buffer);
    add(std::move(s), std::move(uses), nanoseconds);
}

void program_builder::add(std::unique_ptr<step> s, buffer_uses uses, double nanoseconds, const std::string &text) {
    program_text_ += text;
    for (const auto *buffers : {&uses.reads, &uses.writes})
        for (const size_t buffer : *buffers)
            note_use(buffer, steps_.size());
    uses_.push_back(std::move(uses));
    steps_.push_back(std::move(s));
    nanoseconds_ += nanoseconds;
}

size_t program_builder::place_scratch() {
    size_t end = 0;
    for (size_t i = 0; i < scratch_.size(); ++i) {
        scratch &mine = scratch_[i];
        if (mine.when.first == SIZE_MAX) continue; // was only tried
        // First fit: the lowest offset at which no placed buffer lives at the same time.
        std::vector<const scratch *> neighbours;
        for (size_t j = 0; j < i; ++j)
            if (scratch_[j].when.first <= mine.when.last && mine.when.first <= scratch_[j].when.last)
                neighbours.push_back(&scratch_[j]);
        std::sort(neighbours.begin(), neighbours.end(),
                  [](const scratch *a, const scratch *b) { return a->offset < b->offset; });
        size_t offset = 0;
        for (const scratch *other : neighbours) {
            if (offset + mine.bytes <= other->offset) break;
            offset = std::max(offset, other->offset + other->bytes);
        }
        mine.offset = offset;
        end = std::max(end, offset + mine.bytes);
    }
    return end;
}

program program_builder::finish() {
    program p;
    p.step_scratch_offset = place_scratch();
    size_t for_steps = 0;
    for (const auto &s : steps_)
        for_steps = std::max(for_steps, s->scratch_bytes());
    p.scratch_bytes = p.step_scratch_offset + align_up(for_steps);
    for (size_t i = 0; i < input_count_; ++i)
        p.buffers.push_back({buffer_place::kind::input, i});
    for (size_t i = 0; i < output_count_; ++i)
        p.buffers.push_back({buffer_place::kind::output, i});
    for (const scratch &s : scratch_)
        p.buffers.push_back({buffer_place::kind::scratch, s.offset});
    p.steps = std::move(steps_);
    return p;
}

bool program_builder::may_share(size_t input_port, size_t output_port) const {
    const auto contains = [](const auto &list, const auto &value) {
        return std::find(list.begin(), list.end(), value) != list.end();
    };
    const std::pair both(input_buffer(input_port), output_buffer(output_port));
    bool written = false;
    for (const buffer_uses &uses : uses_) {
        const bool reads = contains(uses.reads, both.first);
        const bool writes = contains(uses.writes, both.second);
        if (reads && written) return false;
        if (reads && writes && !contains(uses.overwrites, both)) return false;
        written = written || writes;
    }
    return written;
}

} // namespace onefold::impl
