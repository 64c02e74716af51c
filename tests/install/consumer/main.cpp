// The mean over the last axis of a 2x3 tensor.
#include <cstdint>
#include <cstdio>
#include <vector>

#include <onefold/graph.hpp>

std::size_t count_cpu_engines();

int main() {
    using namespace onefold::graph;
    const logical_tensor src{0, logical_tensor::data_type::f32, {2, 3}, logical_tensor::layout_type::strided};
    const logical_tensor dst{1, logical_tensor::data_type::f32, {2, 1}, logical_tensor::layout_type::strided};
    op mean{0, op::kind::ReduceMean, {src}, {dst}, "mean"};
    mean.set_attr<std::vector<std::int64_t>>(op::attr::axes, {1});
    mean.set_attr<bool>(op::attr::keep_dims, true);
    graph g{onefold::engine::kind::cpu};
    g.add_op(mean);
    g.finalize();
    onefold::engine engine{onefold::engine::kind::cpu, 0};
    onefold::stream stream{engine};
    const compiled_partition compiled = g.get_partitions().at(0).compile({src}, {dst}, engine);
    std::vector<float> x{1, 2, 3, 4, 5, 6}, y(2);
    compiled.execute(stream, {tensor{src, engine, x.data()}}, {tensor{dst, engine, y.data()}});
    std::printf("%g %g\n", static_cast<double>(y[0]), static_cast<double>(y[1]));
    return y[0] == 2.0F && y[1] == 5.0F && count_cpu_engines() == 1 ? 0 : 1;
}
