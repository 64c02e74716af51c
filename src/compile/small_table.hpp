#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <vector>

namespace onefold::impl {

/// Values for the length of one call: on the stack, unless there are more of them than is usual.
template <typename Value, size_t usual_size>
class small_table {
public:
    explicit small_table(size_t size) { grow(size); }
    small_table(const small_table &) = delete;
    small_table &operator=(const small_table &) = delete;

    /// Keeps what it holds.
    void grow(size_t size) {
        if (size > usual_size) {
            if (many_.empty()) many_.assign(few_.begin(), few_.begin() + static_cast<std::ptrdiff_t>(size_));
            many_.resize(size);
        }
        size_ = size;
    }

    Value &operator[](size_t i) { return data()[i]; }
    std::span<Value> view() { return {data(), size_}; }

private:
    Value *data() { return many_.empty() ? few_.data() : many_.data(); }

    size_t size_ = 0;
    std::array<Value, usual_size> few_; // not initialized: it is many bytes, and few are used
    std::vector<Value> many_;
};

} // namespace onefold::impl
