#include "onednn/primitive_step.hpp"

#include <array>

#include "graph/error.hpp"
#include "runtime/environment.hpp"

namespace onefold::impl::onednn {

namespace {

struct isa_row {
    std::string_view name;
    dnnl::cpu_isa isa;
};

constexpr std::array isas = {
    isa_row{"SSE41", dnnl::cpu_isa::sse41},
    isa_row{"AVX", dnnl::cpu_isa::avx},
    isa_row{"AVX2", dnnl::cpu_isa::avx2},
    isa_row{"AVX2_VNNI", dnnl::cpu_isa::avx2_vnni},
    isa_row{"AVX2_VNNI_2", dnnl::cpu_isa::avx2_vnni_2},
    isa_row{"AVX512_CORE", dnnl::cpu_isa::avx512_core},
    isa_row{"AVX512_CORE_VNNI", dnnl::cpu_isa::avx512_core_vnni},
    isa_row{"AVX512_CORE_BF16", dnnl::cpu_isa::avx512_core_bf16},
    isa_row{"AVX512_CORE_FP16", dnnl::cpu_isa::avx512_core_fp16},
};

dnnl::engine make_capped_engine() {
    const std::string cap = environment("ONEFOLD_MAX_CPU_ISA");
    for (const isa_row &row : isas)
        if (row.name == cap) dnnl::set_max_cpu_isa(row.isa);
    return {dnnl::engine::kind::cpu, 0};
}

} // namespace

const dnnl::engine &cpu_engine() {
    static const dnnl::engine engine = make_capped_engine();
    return engine;
}

dnnl::memory::data_type to_dnnl(data_type type) {
    switch (type) {
    case onefold_f32:
        return dnnl::memory::data_type::f32;
    case onefold_bf16:
        return dnnl::memory::data_type::bf16;
    case onefold_f16:
        return dnnl::memory::data_type::f16;
    default:
        return dnnl::memory::data_type::undef;
    }
}

dnnl::memory::desc descriptor(const operand &o, const loop_space &space) {
    dnnl::memory::dims sizes = space.sizes;
    dnnl::memory::dims strides = o.strides;
    // A broadcast dim has size 1; its stride then has no meaning, but oneDNN wants it to look dense.
    int64_t dense = 1;
    for (size_t i = sizes.size(); i-- > 0;) {
        if (strides[i] == 0) {
            sizes[i] = 1;
            strides[i] = dense;
        }
        dense = std::max(dense, strides[i] * sizes[i]);
    }
    return {sizes, to_dnnl(o.type), strides};
}

bool is_fast(const dnnl::primitive_desc_base &descriptor) {
    const std::string_view implementation = descriptor.impl_info_str();
    return implementation.substr(0, 3) != "ref" || environment("ONEFOLD_LOWERING") == "onednn";
}

primitive_step::primitive_step(const dnnl::primitive_desc_base &descriptor, dnnl::primitive primitive, std::string_view family,
                               std::vector<argument> arguments)
    : name_(fmt::format("onednn:{}:{}", family, descriptor.impl_info_str())),
      primitive_(std::move(primitive)),
      arguments_(std::move(arguments)),
      scratch_(descriptor.scratchpad_desc()) {}

std::unique_ptr<primitive_step::binding> primitive_step::make_binding() const {
    auto b = std::make_unique<binding>();
    b->stream = dnnl::stream(cpu_engine());
    for (const argument &a : arguments_)
        b->memories.emplace_back(a.descriptor, cpu_engine(), nullptr);
    b->memories.emplace_back(scratch_, cpu_engine(), nullptr);
    for (size_t i = 0; i < arguments_.size(); ++i)
        b->arguments.push_back({arguments_[i].name, b->memories[i].get()});
    b->arguments.push_back({DNNL_ARG_SCRATCHPAD, b->memories.back().get()});
    return b;
}

void primitive_step::run(std::span<std::byte *const> buffers, std::byte *scratch, const executor &threads) const {
    bindings &unused = free_bindings_.local();
    std::unique_ptr<binding> mine;
    if (unused.empty())
        mine = make_binding();
    else {
        mine = std::move(unused.back());
        unused.pop_back();
    }
    threads.run_tbb_work([&] { execute(*mine, buffers, scratch); });
    // A step that a waiting thread ran inside this one may have returned its binding in the meantime: the list just grows.
    unused.push_back(std::move(mine));
}

void primitive_step::execute(binding &b, std::span<std::byte *const> buffers, std::byte *scratch) const {
    for (size_t i = 0; i < arguments_.size(); ++i)
        b.memories[i].set_data_handle(buffers[arguments_[i].buffer]);
    b.memories.back().set_data_handle(scratch);
    const auto count = static_cast<int>(b.arguments.size());
    if (dnnl_primitive_execute(primitive_.get(), b.stream.get(), count, b.arguments.data()) != dnnl_success)
        fail(onefold_runtime_error, "oneDNN failed to execute {}", name_);
}

} // namespace onefold::impl::onednn
