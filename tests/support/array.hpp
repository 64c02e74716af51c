#pragma once

#include <functional>
#include <vector>

#include "support/numbers.hpp"

namespace onefold_test {

using onefold::graph::logical_tensor;
using dims = logical_tensor::dims;

inline size_t count_of(const dims &shape) {
    size_t count = 1;
    for (const int64_t d : shape)
        count *= static_cast<size_t>(d);
    return count;
}

inline dims row_major(const dims &shape) {
    dims strides(shape.size());
    int64_t next = 1;
    for (size_t i = shape.size(); i-- > 0;) {
        strides[i] = next;
        next *= shape[i] > 1 ? shape[i] : 1;
    }
    return strides;
}

/// Calls visit(i, offset) for the elements in row-major order.
inline void for_each_element(const dims &shape, const dims &strides, const std::function<void(size_t, int64_t)> &visit) {
    dims index(shape.size(), 0);
    int64_t offset = 0;
    const size_t count = count_of(shape);
    for (size_t i = 0; i < count; ++i) {
        visit(i, offset);
        for (size_t d = shape.size(); d-- > 0;) {
            offset += strides[d];
            if (++index[d] < shape[d]) break;
            offset -= strides[d] * shape[d];
            index[d] = 0;
        }
    }
}

/// A tensor in memory of its own, laid out by strides. What no element reaches, and what surrounds it, is NaN with all bits
/// set, and so are the elements at first: reading or writing them shows.
class array {
public:
    array(data_type type, const dims &shape) : array(strided(type, shape, row_major(shape))) {}
    array(data_type type, const dims &shape, const std::vector<double> &values) : array(type, shape) { set(values); }
    array(data_type type, const dims &shape, const std::vector<double> &values, const dims &strides)
        : array(strided(type, shape, strides)) {
        set(values);
    }
    static array strided(data_type type, const dims &shape, const dims &strides) {
        array a;
        a.type_ = type;
        a.shape_ = shape;
        a.strides_ = strides;
        int64_t span = count_of(shape) == 0 ? 0 : 1;
        for (size_t i = 0; i < shape.size() && span > 0; ++i)
            span += (shape[i] - 1) * strides[i];
        a.memory_.assign((static_cast<size_t>(span) + 2 * margin) * size_of(type), std::byte{0xff});
        return a;
    }

    data_type type() const { return type_; }
    const dims &shape() const { return shape_; }
    const dims &strides() const { return strides_; }
    size_t count() const { return count_of(shape_); }

    /// Shifts the elements within the memory by that many bytes; to be called before they are set.
    array &misalign(size_t bytes) {
        shift_ = bytes;
        return *this;
    }

    void *data() { return count() == 0 ? nullptr : first(); }
    const std::vector<std::byte> &memory() const { return memory_; }

    /// In row-major order, rounded to the type.
    array &set(const std::vector<double> &values) {
        for_each_element(shape_, strides_, [&](size_t i, int64_t offset) { store(type_, at(offset), values.at(i)); });
        return *this;
    }
    std::vector<double> values() const {
        std::vector<double> result(count());
        for_each_element(shape_, strides_, [&](size_t i, int64_t offset) { result[i] = load(type_, at(offset)); });
        return result;
    }

    /// Whether everything that is not an element still has all bits set.
    bool gaps_are_untouched() const {
        array only_elements = *this;
        std::fill(only_elements.memory_.begin(), only_elements.memory_.end(), std::byte{0xff});
        for_each_element(shape_, strides_,
                         [&](size_t, int64_t offset) { std::memcpy(only_elements.at(offset), at(offset), size_of(type_)); });
        return only_elements.memory_ == memory_;
    }

    logical_tensor describe(size_t id) const { return {id, type_, shape_, strides_}; }

private:
    static constexpr size_t margin = 64; // elements on either side

    array() = default;

    const std::byte *first() const { return memory_.data() + margin * size_of(type_) + shift_; }
    std::byte *first() { return memory_.data() + margin * size_of(type_) + shift_; }
    const std::byte *at(int64_t offset) const { return first() + offset * static_cast<int64_t>(size_of(type_)); }
    std::byte *at(int64_t offset) { return first() + offset * static_cast<int64_t>(size_of(type_)); }

    data_type type_ = data_type::undef;
    dims shape_;
    dims strides_;
    size_t shift_ = 0;
    std::vector<std::byte> memory_;
};

} // namespace onefold_test
