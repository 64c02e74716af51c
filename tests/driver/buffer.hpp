#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "graph/logical_tensor.hpp"
#include "tests/driver/element.hpp"
#include "tests/driver/integer.hpp"

namespace onefold::driver {

/// A tensor's memory, laid out by its logical tensor's strides. Elements are counted in logical row-major order, whatever the
/// strides. The memory that no element reaches holds NaN or the type's lowest value, so that reading it shows; at first the
/// elements do too.
class buffer {
public:
    /// dims and strides must be known and is_loadable(type); throws impl::error, std::bad_alloc.
    explicit buffer(impl::logical_tensor description);
    /// The memory of `other` under another description: both are dense and row-major, of one size.
    buffer(impl::logical_tensor description, const buffer &other);

    const impl::logical_tensor &description() const { return description_; }
    impl::data_type type() const { return description_.type; }
    /// The number of elements.
    int64_t count() const { return count_; }
    /// The size of the memory; 0 for an empty tensor.
    size_t bytes() const { return bytes_; }
    /// 64-byte aligned; nullptr for an empty tensor.
    void *data() { return memory_.get(); }
    const void *data() const { return memory_.get(); }

    /// NaN or the type's lowest value everywhere: elements and gaps.
    void poison();

    /// Where element i lies, in elements from data().
    int64_t offset_of(int64_t i) const;
    double load(int64_t i) const;
    void store(int64_t i, double value);
    std::string text(int64_t i) const;

    /// All elements in row-major order. Much faster than one by one.
    std::vector<double> load_all() const;
    /// `values` has count() entries.
    void store_all(std::span<const double> values);
    /// The same of an integer type, where load_all() would round.
    std::vector<wide_integer> load_integers() const;
    /// `values` has count() entries, which are wrapped to the type.
    void store_integers(std::span<const wide_integer> values);

    /// The elements as they are in memory, row-major and dense: what an .npy file holds.
    std::vector<std::byte> gather() const;
    /// The inverse of gather(); `dense` has count() elements.
    void scatter(std::span<const std::byte> dense);

private:
    buffer(impl::logical_tensor description, std::shared_ptr<std::byte[]> memory);

    /// Calls function(i, pointer to element i) in row-major order.
    template <typename Function>
    void for_each_element(Function &&function) const;

    impl::logical_tensor description_;
    int64_t count_ = 0;
    size_t element_size_ = 0;
    size_t bytes_ = 0;
    std::shared_ptr<std::byte[]> memory_; // shared with the views of it
};

} // namespace onefold::driver
