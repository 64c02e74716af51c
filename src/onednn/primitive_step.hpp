#pragma once

#include <vector>

#include <oneapi/dnnl/dnnl.hpp>
#include <tbb/enumerable_thread_specific.h>

#include "compile/computation.hpp"
#include "runtime/step.hpp"

namespace onefold::impl::onednn {

/// The process's CPU engine of oneDNN, capped by ONEFOLD_MAX_CPU_ISA. It holds no state that changes.
const dnnl::engine &cpu_engine();

dnnl::memory::data_type to_dnnl(data_type type);

/// An operand's memory descriptor: size 1 along dims where the operand's stride is 0.
dnnl::memory::desc descriptor(const operand &o, const loop_space &space);

/// A fast oneDNN implementation; its reference loops are slower than what else there is. ONEFOLD_LOWERING=onednn asks for
/// oneDNN as it is.
bool is_fast(const dnnl::primitive_desc_base &descriptor);

/// Elements of a row that oneDNN may add up: it adds a lane in sequence, and the bound on the error holds up to here.
inline constexpr int64_t longest_row = 1024;

/// An execution argument: which of the program's buffers, under which oneDNN name.
struct argument {
    int name;
    size_t buffer;
    dnnl::memory::desc descriptor;
};

/// A primitive with its arguments. Scratch memory is the caller's.
class primitive_step : public step {
public:
    primitive_step(const dnnl::primitive_desc_base &descriptor, dnnl::primitive primitive, std::string_view family,
                   std::vector<argument> arguments);

    std::string name() const override { return name_; }
    size_t scratch_bytes() const override { return scratch_.get_size(); }
    void run(std::span<std::byte *const> buffers, std::byte *scratch, const executor &threads) const override;

private:
    /// oneDNN binds buffers to memory objects, so an execution needs objects of its own.
    struct binding {
        dnnl::stream stream;
        std::vector<dnnl::memory> memories; // the arguments', then the scratchpad
        std::vector<dnnl_exec_arg_t> arguments;
    };
    using bindings = std::vector<std::unique_ptr<binding>>;

    std::unique_ptr<binding> make_binding() const;
    void execute(binding &b, std::span<std::byte *const> buffers, std::byte *scratch) const;

    std::string name_;
    dnnl::primitive primitive_;
    std::vector<argument> arguments_;
    dnnl::memory::desc scratch_;
    // Bindings that no execution holds, by thread. A thread that TBB makes execute this step inside an execution of the same
    // step finds none and makes another.
    mutable tbb::enumerable_thread_specific<bindings> free_bindings_;
};

} // namespace onefold::impl::onednn
