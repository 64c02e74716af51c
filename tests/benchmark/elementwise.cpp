// Element-wise ops, against a loop that reads and writes as much.
#include <memory>

#include <fmt/format.h>

#include "tests/benchmark/cell.hpp"
#include "tests/benchmark/primitive.hpp"

namespace onefold::bench {

namespace {

using kind = graph::op::kind;

const dims large = {8, 384, 1024};

cell make_cell(const description &what) {
    auto op = std::make_shared<operation>(what);
    primitive other = make_primitive(what, *op);
    std::vector<const std::byte *> read; // what is broadcast stays in the caches
    cell c;
    c.bytes = static_cast<double>(op->dst().size());
    for (size_t i = 0; i < what.srcs.size(); ++i) {
        c.bytes += static_cast<double>(op->src(i).size());
        if (op->src(i).size() == op->dst().size()) read.push_back(op->src(i).data());
    }
    c.ours = [op] { op->execute(); };
    c.loop = [op, read] { combine_all(read, op->dst().data(), op->dst().size()); };
    c.primitive = std::move(other.run);
    c.aim = 1.3;
    c.label = op->steps() + (other.name.empty() ? "" : "; " + other.name);
    return c;
}

bool is_measured_with_one_thread(data_type type) {
    return type == data_type::f32 || type == data_type::bf16 || type == data_type::u8 || type == data_type::s64;
}

enum class types { floats, all };

void register_op(const std::string &name, kind what, const std::vector<dims> &srcs, types in = types::all) {
    for (const element &type : elements) {
        if (in == types::floats && !is_float(type)) continue;
        const threads numbers = is_measured_with_one_thread(type.type) ? threads::all_and_one : threads::all;
        register_cell(fmt::format("{}/{}", name, type.name), numbers, [=, &type] {
            return make_cell({what, &type, srcs, {}});
        });
    }
}

} // namespace

void register_elementwise() {
    register_op("add/8x384x1024:8x384x1024", kind::Add, {large, large});
    register_op("add/8x384x1024:1024", kind::Add, {large, {1024}});
    register_op("add/8x384x1024:8x384x1", kind::Add, {large, {8, 384, 1}});
    register_op("maximum/8x384x1024:8x384x1024", kind::Maximum, {large, large});
    for (const size_t count : {size_t{3}, size_t{8}}) {
        const std::vector<dims> srcs(count, large);
        register_op(fmt::format("mean_of_{}/8x384x1024", count), kind::Mean, srcs, types::floats);
        register_op(fmt::format("max_of_{}/8x384x1024", count), kind::Max, srcs);
    }
}

} // namespace onefold::bench
