#pragma once

#include <algorithm>

#include "support/run_op.hpp"
#include "support/setting.hpp"

namespace onefold_test {

/// A graph that is one partition, which one row program must compute. Its reductions are over the same axes and keep their
/// dims. Sources have the ids 0, 1, ...
class one_partition {
public:
    explicit one_partition(axes_list axes = {-1}) : axes_(std::move(axes)) {}

    /// Steps of ops, or of some together, may be cheaper than one for all.
    void allow_parts() { may_be_parts_ = true; }
    bool is_row_program() const { return compiled_.get_info().find("row_program") != std::string::npos; }

    logical_tensor add_source(array a) {
        srcs_.push_back(std::move(a));
        return source(srcs_.size() - 1);
    }
    logical_tensor source(size_t i) const { return srcs_.at(i).describe(i); }
    /// Its elements may be set again behind compile().
    array &elements_of_source(size_t i) { return srcs_.at(i); }

    /// A reduction, or an op that broadcasts; in the type of its first source.
    logical_tensor add(op::kind kind, const std::vector<logical_tensor> &srcs, const attributes &attrs = {}) {
        const bool is_reduction = name_of(kind).find("Reduce") == 0;
        const dims shape = is_reduction ? kept(srcs.at(0).get_dims()) : broadcast(srcs);
        const logical_tensor dst = dense(next_++, srcs.at(0).get_data_type(), shape);
        graph_.add_op(make_op(dst.get_id(), kind, is_reduction ? over(axes_, true) : attrs, srcs, dst));
        return dst;
    }
    /// The value itself where it has the type.
    logical_tensor cast(const logical_tensor &src, data_type type) {
        if (src.get_data_type() == type) return src;
        const logical_tensor dst = dense(next_++, type, src.get_dims());
        graph_.add_op(make_op(dst.get_id(), op::kind::TypeCast, {}, {src}, dst));
        return dst;
    }

    /// `strides`: of the first outputs; the others are dense.
    void compile(const std::vector<logical_tensor> &outputs, const std::vector<dims> &strides = {}) {
        for (const logical_tensor &output : outputs)
            graph_.add_op(op(next_++, op::kind::End, {output}, {}));
        graph_.finalize();
        const auto partitions = graph_.get_partitions();
        ASSERT_TRUE(partitions.front().is_supported());
        for (size_t i = 1; i < partitions.size(); ++i)
            ASSERT_FALSE(partitions[i].is_supported()) << "more than one partition computes something";
        outputs_ = outputs;
        for (size_t o = 0; o < strides.size(); ++o)
            outputs_[o] = {outputs[o].get_id(), outputs[o].get_data_type(), outputs[o].get_dims(), strides[o]};
        auto ports = partitions.front().get_output_ports();
        for (logical_tensor &port : ports)
            for (const logical_tensor &output : outputs_)
                if (port.get_id() == output.get_id()) port = output;
        const setting lowering("ONEFOLD_LOWERING", "simd");
        compiled_ = partitions.front().compile(partitions.front().get_input_ports(), ports, cpu());
        ASSERT_TRUE(may_be_parts_ || is_row_program()) << compiled_.get_info();
    }

    bool may_share(size_t input, const logical_tensor &output) const {
        const auto pairs = compiled_.get_inplace_ports();
        return std::find(pairs.begin(), pairs.end(), std::pair<size_t, size_t>(input, output.get_id())) != pairs.end();
    }

    /// The outputs, of which one may lie where a copy of an input does.
    std::vector<array> run(unsigned threads = 1, size_t input = SIZE_MAX, size_t output = SIZE_MAX) {
        std::vector<array> srcs = srcs_;
        std::vector<array> dsts;
        for (const logical_tensor &t : outputs_)
            dsts.push_back(array::strided(t.get_data_type(), t.get_dims(), t.get_strides()));
        std::vector<tensor> from;
        std::vector<tensor> to;
        for (size_t i = 0; i < srcs.size(); ++i)
            from.emplace_back(source(i), cpu(), srcs[i].data());
        for (size_t o = 0; o < dsts.size(); ++o)
            to.emplace_back(outputs_[o], cpu(), o == output ? srcs.at(input).data() : dsts[o].data());
        stream s(cpu(), threads);
        compiled_.execute(s, from, to);
        if (output < dsts.size()) dsts[output] = srcs.at(input);
        for (const array &dst : dsts)
            EXPECT_TRUE(dst.gaps_are_untouched()) << "an output's gaps were written to";
        return dsts;
    }

private:
    dims kept(dims shape) const {
        for (const int64_t axis : axes_)
            shape.at(static_cast<size_t>(axis < 0 ? axis + static_cast<int64_t>(shape.size()) : axis)) = 1;
        return shape;
    }
    static dims broadcast(const std::vector<logical_tensor> &srcs) {
        dims result;
        for (const logical_tensor &src : srcs) {
            dims shape = src.get_dims();
            const size_t rank = std::max(shape.size(), result.size());
            shape.insert(shape.begin(), rank - shape.size(), 1);
            result.insert(result.begin(), rank - result.size(), 1);
            for (size_t i = 0; i < rank; ++i)
                if (shape[i] != 1) result[i] = shape[i];
        }
        return result;
    }

    axes_list axes_;
    bool may_be_parts_ = false;
    std::vector<array> srcs_;
    graph graph_{engine::kind::cpu};
    size_t next_ = dst_id;
    std::vector<logical_tensor> outputs_;
    compiled_partition compiled_;
};

} // namespace onefold_test
