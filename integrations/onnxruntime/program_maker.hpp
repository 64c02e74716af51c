#pragma once

#include "integrations/onnxruntime/program.hpp"

namespace onefold::onnxruntime {

/// Makes a program of an imported graph: cuts it into partitions, compiles them, and gives every tensor a place.
class program_maker {
public:
    program_maker(program &made, impl::io::onnx_graph graph, impl::engine &engine)
        : made_(made), graph_(std::move(graph)), engine_(engine) {}

    void make(const group &g);

private:
    void find_ports(const group &g);
    void cut();
    void compile_partition(const impl::partition &p);
    void add_view(const impl::op &view);
    void place_outputs();
    void place_intermediates();
    void fill_stages();

    /// The tensor whose memory a tensor is: another one where it is a view.
    size_t root(size_t id) const;
    void use(size_t id, size_t stage);

    /// From the stage that writes a tensor to the last that reads it.
    struct life {
        size_t first = 0;
        size_t last = 0;
        size_t bytes = 0;
    };

    /// Tensor ids of a stage; what the program has instead are places.
    struct draft {
        std::shared_ptr<const impl::compiled_partition> compiled;
        std::vector<size_t> inputs;
        std::vector<size_t> outputs;
        size_t bytes = 0;
    };

    program &made_;
    impl::io::onnx_graph graph_;
    impl::engine &engine_;
    std::map<size_t, impl::logical_tensor> tensors_; // all of them, dense
    std::map<size_t, size_t> views_;                 // a view's dst -> its src
    std::map<size_t, place> places_;                 // of roots
    std::map<size_t, life> lives_;                   // of roots that have no place yet when places are given
    std::vector<draft> drafts_;
};

} // namespace onefold::onnxruntime
