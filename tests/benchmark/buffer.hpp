#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "tests/benchmark/element.hpp"

namespace onefold::bench {

/// Memory on pages as large as the system gives, filled (so touched) with values of an element type.
class buffer {
public:
    buffer(const element &e, std::size_t bytes, uint64_t seed);

    std::byte *data() const { return data_.get(); }
    std::size_t size() const { return size_; }

private:
    struct free_memory {
        void operator()(std::byte *p) const;
    };

    std::size_t size_;
    std::unique_ptr<std::byte, free_memory> data_;
};

} // namespace onefold::bench
