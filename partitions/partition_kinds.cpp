#include "partitions/partition_kinds.hpp"

#include <array>

#include "graph/error.hpp"

namespace onefold::impl {

namespace {

constexpr std::array fusion = {&row_program_kind, &reduction_chain, &elementwise_chain, &single_op};
constexpr std::array debug = {&single_op};

} // namespace

std::span<const partition_kind *const> partition_kinds(partition_policy policy) {
    switch (policy) {
    case onefold_policy_fusion:
        return fusion;
    case onefold_policy_debug:
        return debug;
    }
    fail(onefold_invalid_arguments, "there is no partition policy {}", static_cast<int>(policy));
}

} // namespace onefold::impl
