#pragma once

#include <functional>
#include <string>

#include "tests/benchmark/chain.hpp"
#include "tests/benchmark/operation.hpp"

namespace onefold::bench {

/// A primitive of oneDNN as it comes, without anything of onefold: in dense row-major layouts, in the calling thread's arena.
/// `run` is empty where oneDNN has none for the op, the type or the rank.
struct primitive {
    std::function<void()> run;
    std::string name; // of oneDNN's implementation
};

/// The primitive for ReduceMean, Add or Maximum, on the operation's own buffers, which must outlive it.
primitive make_primitive(const description &what, const operation &buffers);

/// Layer normalization over the last dim, or (log-)softmax over one dim. The weights are some of its own.
primitive make_primitive(const chain_description &what, const buffer &src, const buffer &dst);

} // namespace onefold::bench
