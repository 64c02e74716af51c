#pragma once

#include "compile/computation.hpp"
#include "compile/program.hpp"

namespace onefold::impl {

/// The buffers that a step reads and writes.
struct buffer_uses {
    std::vector<size_t> reads;
    std::vector<size_t> writes;
    std::vector<std::pair<size_t, size_t>> overwrites; // a buffer of each that may be the same memory
};

/// Collects the steps of a partition and plans its scratch memory.
class program_builder {
public:
    program_builder(size_t input_count, size_t output_count);

    size_t input_buffer(size_t port) const { return port; }
    size_t output_buffer(size_t port) const { return input_count_ + port; }
    /// A buffer for an intermediate result.
    size_t add_scratch(size_t bytes);

    /// Adds the step that was made for the computation, which takes about so long.
    void add(std::unique_ptr<step> s, const computation &c, double nanoseconds = 0);
    /// Adds a step that uses those buffers; what it computes as text, where that is more than an op.
    void add(std::unique_ptr<step> s, buffer_uses uses, double nanoseconds, const std::string &text = {});

    /// What the steps take together, as their lowerings estimate it.
    double nanoseconds() const { return nanoseconds_; }
    /// What the steps compute that are programs of several ops, one instruction a line.
    const std::string &program_text() const { return program_text_; }

    /// Places the scratch buffers: two share memory where the last step that uses one comes before the first of the other.
    program finish();

    /// True if an output may share the buffer of an input: it is not read when or after the output is written, or only by the
    /// step that writes it, and that allows it.
    bool may_share(size_t input_port, size_t output_port) const;

private:
    struct use {
        size_t first = SIZE_MAX;
        size_t last = 0;
    };
    struct scratch {
        size_t bytes;
        use when;
        size_t offset = 0;
    };
    void note_use(size_t buffer, size_t step);
    size_t place_scratch();

    size_t input_count_;
    size_t output_count_;
    std::vector<scratch> scratch_;
    std::vector<buffer_uses> uses_;
    std::vector<std::unique_ptr<step>> steps_;
    double nanoseconds_ = 0;
    std::string program_text_;
};

} // namespace onefold::impl
