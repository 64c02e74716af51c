// Builds a graph with a ReduceMean in it and an Add behind it, compiles its one partition, and executes it: the mean of each
// channel of an image batch, with a bias added.
#include <cstdio>
#include <vector>

#include <onefold/graph.hpp>

using namespace onefold;
using namespace onefold::graph;

int main() {
    const logical_tensor::dims shape = {2, 3, 4, 4};
    const auto f32 = logical_tensor::data_type::f32;
    const auto strided = logical_tensor::layout_type::strided;
    const logical_tensor src(0, f32, shape, strided);
    const logical_tensor mean(1, f32, {2, 3}, strided);
    const logical_tensor bias(2, f32, logical_tensor::dims{3}, strided); // {3} alone would be a rank
    const logical_tensor dst(3, f32, {2, 3}, strided);

    try {
        op reduce(0, op::kind::ReduceMean, {src}, {mean}, "mean_of_channels");
        reduce.set_attr<std::vector<int64_t>>(op::attr::axes, {2, 3});
        const op add(1, op::kind::Add, {mean, bias}, {dst}, "add_bias");

        class graph g(engine::kind::cpu);
        g.add_op(reduce);
        g.add_op(add);
        g.finalize();

        const engine cpu(engine::kind::cpu, 0);
        stream s(cpu);
        std::vector<float> x(2 * 3 * 4 * 4);
        for (size_t i = 0; i < x.size(); ++i)
            x[i] = static_cast<float>(i);
        std::vector<float> b = {100, 200, 300};
        std::vector<float> y(6);

        for (const partition &p : g.get_partitions()) {
            compiled_partition compiled = p.compile({src, bias}, {dst}, cpu);
            std::printf("%zu ops in one partition, computed by %s\n", p.get_ops_num(), compiled.get_info().c_str());
            compiled.execute(s, {tensor(src, cpu, x.data()), tensor(bias, cpu, b.data())}, {tensor(dst, cpu, y.data())});
        }
        for (const float value : y)
            std::printf("%g ", static_cast<double>(value)); // 107.5 223.5 339.5 155.5 271.5 387.5
        std::printf("\n");
        return y == std::vector<float>{107.5F, 223.5F, 339.5F, 155.5F, 271.5F, 387.5F} ? 0 : 1;
    } catch (const error &e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 1;
    }
}
