#include "tests/driver/buffer.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <new>

#include "graph/error.hpp"

namespace onefold::driver {

namespace {

constexpr std::align_val_t alignment{64};

void release(std::byte *memory) { ::operator delete[](memory, alignment); }

} // namespace

buffer::buffer(impl::logical_tensor description) : buffer(std::move(description), nullptr) {
    if (bytes_ > 0) memory_.reset(static_cast<std::byte *>(::operator new[](bytes_, alignment)), release);
    poison();
}

buffer::buffer(impl::logical_tensor description, const buffer &other) : buffer(std::move(description), other.memory_) {
    const auto is_row_major = [](const impl::logical_tensor &lt) { return lt.strides == impl::row_major_strides(lt.dims); };
    if (bytes_ != other.bytes_ || !is_row_major(description_) || !is_row_major(other.description_))
        impl::fail(onefold_invalid_arguments, "tensor {}: {} is not a view of {}", description_.id,
                   impl::to_string(description_), impl::to_string(other.description_));
}

buffer::buffer(impl::logical_tensor description, std::shared_ptr<std::byte[]> memory)
    : description_(std::move(description)), memory_(std::move(memory)) {
    if (!description_.has_known_dims() || !description_.has_known_strides())
        impl::fail(onefold_invalid_arguments, "tensor {}: {} has no size yet", description_.id, impl::to_string(description_));
    if (!is_loadable(type()))
        impl::fail(onefold_unimplemented, "tensor {}: the driver holds no elements of type {}", description_.id,
                   impl::name_of(type()));
    count_ = impl::element_count(description_.dims);
    element_size_ = static_cast<size_t>(impl::size_of(type()));
    bytes_ = impl::mem_size(description_);
}

void buffer::poison() {
    if (bytes_ == 0) return;
    const double value = impl::is_floating(type()) ? std::numeric_limits<double>::quiet_NaN() : lowest_of(type());
    store_element(type(), memory_.get(), value);
    for (size_t done = element_size_; done < bytes_;) {
        const size_t next = std::min(done, bytes_ - done);
        std::memcpy(memory_.get() + done, memory_.get(), next);
        done += next;
    }
}

int64_t buffer::offset_of(int64_t i) const {
    int64_t offset = 0;
    for (size_t d = description_.dims.size(); d-- > 0;) {
        offset += i % description_.dims[d] * description_.strides[d];
        i /= description_.dims[d];
    }
    return offset;
}

double buffer::load(int64_t i) const {
    return load_element(type(), memory_.get() + static_cast<size_t>(offset_of(i)) * element_size_);
}

void buffer::store(int64_t i, double value) {
    store_element(type(), memory_.get() + static_cast<size_t>(offset_of(i)) * element_size_, value);
}

std::string buffer::text(int64_t i) const {
    return element_text(type(), memory_.get() + static_cast<size_t>(offset_of(i)) * element_size_);
}

template <typename Function>
void buffer::for_each_element(Function &&function) const {
    const impl::dims &dims = description_.dims;
    const impl::dims &strides = description_.strides;
    impl::dims index(dims.size(), 0);
    int64_t offset = 0;
    for (int64_t i = 0; i < count_; ++i) {
        function(static_cast<size_t>(i), memory_.get() + static_cast<size_t>(offset) * element_size_);
        for (size_t d = dims.size(); d-- > 0;) {
            offset += strides[d];
            if (++index[d] < dims[d]) break;
            offset -= strides[d] * dims[d];
            index[d] = 0;
        }
    }
}

std::vector<double> buffer::load_all() const {
    std::vector<double> values(static_cast<size_t>(count_));
    for_each_element([&](size_t i, const std::byte *element) { values[i] = load_element(type(), element); });
    return values;
}

void buffer::store_all(std::span<const double> values) {
    for_each_element([&](size_t i, std::byte *element) { store_element(type(), element, values[i]); });
}

std::vector<wide_integer> buffer::load_integers() const {
    std::vector<wide_integer> values(static_cast<size_t>(count_));
    for_each_element([&](size_t i, const std::byte *element) { values[i] = load_integer(type(), element); });
    return values;
}

void buffer::store_integers(std::span<const wide_integer> values) {
    for_each_element([&](size_t i, std::byte *element) { store_integer(type(), element, values[i]); });
}

std::vector<std::byte> buffer::gather() const {
    std::vector<std::byte> dense(static_cast<size_t>(count_) * element_size_);
    for_each_element(
        [&](size_t i, const std::byte *element) { std::memcpy(dense.data() + i * element_size_, element, element_size_); });
    return dense;
}

void buffer::scatter(std::span<const std::byte> dense) {
    for_each_element(
        [&](size_t i, std::byte *element) { std::memcpy(element, dense.data() + i * element_size_, element_size_); });
}

} // namespace onefold::driver
