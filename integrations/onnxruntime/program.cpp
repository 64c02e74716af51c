#include "integrations/onnxruntime/program.hpp"

#include <cstring>

#include "compile/small_table.hpp"
#include "integrations/onnxruntime/program_maker.hpp"

namespace onefold::onnxruntime {

program::program(const group &g, std::span<const known_input> known, impl::engine &engine) {
    program_maker(*this, import_group(g, known), engine).make(g);
}

void program::run(impl::stream &s, std::span<const void *const> inputs, std::span<void *const> outputs,
                  std::byte *scratch) const {
    const auto data = [&](const place &at) -> void * {
        switch (at.where) {
        case place::kind::input:
            return const_cast<void *>(inputs[at.index]); // inputs of a partition are only read
        case place::kind::output:
            return outputs[at.index];
        case place::kind::constant:
            return const_cast<std::byte *>(constants_[at.index].data.data());
        default:
            return scratch + at.index;
        }
    };
    constexpr size_t usual_ports = 24;
    for (const stage &one : stages_) {
        if (!one.compiled) {
            if (one.bytes > 0) std::memcpy(data(one.outputs[0].at), data(one.inputs[0].at), one.bytes);
            continue;
        }
        impl::small_table<impl::bound_tensor, usual_ports> srcs(one.inputs.size()), dsts(one.outputs.size());
        for (size_t i = 0; i < one.inputs.size(); ++i)
            srcs[i] = {one.inputs[i].description, data(one.inputs[i].at)};
        for (size_t i = 0; i < one.outputs.size(); ++i)
            dsts[i] = {one.outputs[i].description, data(one.outputs[i].at)};
        const size_t bytes = one.compiled->scratch_bytes();
        one.compiled->execute(s, srcs.view(), dsts.view(), bytes > 0 ? scratch + step_scratch_offset_ : nullptr, bytes);
    }
}

} // namespace onefold::onnxruntime
