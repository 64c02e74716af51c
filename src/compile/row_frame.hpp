#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>

#include "graph/op.hpp"

namespace onefold::impl {

/// How the dims of a tensor lie in a loop space.
enum class tensor_layout {
    aligned, // at the right, as NumPy broadcasts
    dropped, // on the kept dims alone: the result of a reduction that keeps no dims, and what follows from it
};

/// The loop space that ops have in common, while ops are added. Dims are told by their distance from the right: 1 is the last.
/// All reductions reduce the same dims, and what they reduce is of full size there. Unknown dims are taken to fit.
class row_frame {
public:
    /// True if a row program has instructions for the op.
    static bool has_instructions(const op &o);

    /// Adds an op whose tensors have known ranks; `dims_of` has their dims. False, and nothing changed, where it does not fit.
    bool try_add(const op &o, const std::function<const dims &(const logical_tensor &)> &dims_of);

    /// True if a tensor varies along all kept dims, so that each of its elements would be stored once: what a result of the
    /// program must do.
    bool can_store(size_t id) const;

    /// Sizes from the right.
    const dims &sizes() const { return sizes_; }
    /// Without any reduction all dims count as reduced: one pass over them is all there is.
    bool is_reduced(size_t distance) const { return !reduced_ || reduced_->count(distance) != 0; }

    /// Dims, or strides, of a tensor that was added, over the loop space from the right; `filling` where it has none.
    dims spread(size_t id, const dims &of_tensor, int64_t filling) const;

private:
    struct tensor {
        tensor_layout layout;
        dims sizes; // from the right, over the loop space
    };

    bool add(const op &o, const std::function<const dims &(const logical_tensor &)> &dims_of);
    bool cross_border(const op &o);
    bool add_reduction(const op &o, const dims &src, const dims &dst);
    bool add_normalization(const op &o, const std::function<const dims &(const logical_tensor &)> &dims_of);
    /// False where another set is reduced already.
    bool reduce(const std::set<size_t> &distances, const logical_tensor &src);
    bool add_tensor(size_t id, tensor_layout layout, const dims &d);
    bool grow(const dims &sizes);
    bool is_consistent() const;
    std::optional<tensor_layout> layout_of(size_t id) const;
    std::optional<tensor_layout> common_layout(const op &o) const;
    dims spread(tensor_layout layout, const dims &of_tensor, int64_t filling) const;

    dims sizes_;
    std::optional<std::set<size_t>> reduced_;
    std::map<size_t, tensor> tensors_;
    std::map<size_t, bool> is_read_; // of a tensor at the border: else it is made
    std::vector<size_t> reduction_sources_;
};

} // namespace onefold::impl
