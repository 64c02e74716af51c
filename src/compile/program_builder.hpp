#pragma once

#include "compile/computation.hpp"
#include "compile/program.hpp"

namespace onefold::impl {

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
    /// Adds a step that reads and writes those buffers, and what it computes as text.
    void add(std::unique_ptr<step> s, std::vector<size_t> reads, std::vector<size_t> writes, double nanoseconds,
             const std::string &text);

    /// What the steps take together, as their lowerings estimate it.
    double nanoseconds() const { return nanoseconds_; }
    /// What the steps compute that are programs of several ops, one instruction a line.
    const std::string &program_text() const { return program_text_; }

    /// Places the scratch buffers: two share memory where the last step that uses one comes before the first of the other.
    program finish();

    /// The input ports whose buffer the given output may share: not read when or after it is written, or only as first operand
    /// of the element-wise step that writes it.
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
    struct step_uses {
        std::vector<size_t> reads; // the first operand first
        std::vector<size_t> writes;
        bool elementwise;
    };

    void add(std::unique_ptr<step> s, step_uses uses, double nanoseconds);
    void note_use(size_t buffer, size_t step);
    size_t place_scratch();

    size_t input_count_;
    size_t output_count_;
    std::vector<scratch> scratch_;
    std::vector<step_uses> uses_;
    std::vector<std::unique_ptr<step>> steps_;
    double nanoseconds_ = 0;
    std::string program_text_;
};

} // namespace onefold::impl
