#pragma once

#include <memory>

#include "compile/compiled_partition.hpp"
#include "integrations/onnxruntime/group.hpp"

namespace onefold::onnxruntime {

/// Where a tensor of a program is when it runs.
struct place {
    enum class kind { input, output, constant, scratch };

    kind where = kind::scratch;
    size_t index = 0; // of the input, output or constant; the offset in scratch memory
};

/// A group made ready to run for inputs of known dims. Immutable: run() may be called from many threads at once. The engine
/// must outlive it.
class program {
public:
    /// Throws impl::error where the dims do not fit the nodes, or the group is not supported.
    program(const group &g, std::span<const known_input> known, impl::engine &engine);

    /// True for the inputs, by index, that run() reads.
    const std::vector<bool> &reads() const { return reads_; }
    const std::vector<impl::dims> &output_dims() const { return output_dims_; }
    /// Memory that run() needs.
    size_t scratch_bytes() const { return scratch_bytes_; }

    /// Runs; `inputs` and `outputs` are those of the group, of any alignment, `scratch` is aligned to 64 bytes. Inputs that it
    /// does not read may be nullptr.
    void run(impl::stream &s, std::span<const void *const> inputs, std::span<void *const> outputs, std::byte *scratch) const;

private:
    friend class program_maker;

    struct port {
        const impl::logical_tensor *description;
        place at;
    };

    /// A compiled partition; where there is none, a copy from the only input to the only output.
    struct stage {
        std::shared_ptr<const impl::compiled_partition> compiled;
        std::vector<port> inputs;
        std::vector<port> outputs;
        size_t bytes = 0; // of a copy
    };

    std::vector<stage> stages_;
    std::vector<onnx_array> constants_;
    std::vector<bool> reads_;
    std::vector<impl::dims> output_dims_;
    size_t step_scratch_offset_ = 0; // what the partitions use while they run
    size_t scratch_bytes_ = 0;
};

} // namespace onefold::onnxruntime
