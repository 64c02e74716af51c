#pragma once

#include <set>

#include "tests/driver/reference.hpp"
#include "tests/driver/session.hpp"
#include "tests/property/random_graph.hpp"

namespace onefold_test {

/// A graph compiled, filled and executed by the driver's own means, and compared with the driver's reference. Ops without one
/// (foreign ops) are stood in for: what they produce is filled like an input.
class execution {
public:
    /// `told`: the dims of sources that the graph leaves open, told when it is compiled.
    execution(impl::io::graph_file file, unsigned threads, onefold::graph::partition::policy policy, uint64_t seed,
              const std::map<size_t, impl::dims> &told = {});

    onefold::driver::session &session() { return session_; }

    /// "", or what is wrong: an output beyond its bounds, a gap or a source that was written to.
    std::string check();
    /// The same after another execution, with other axes where several would do; "" if no axes are an input.
    std::string check_with_other_axes(uint64_t seed);
    /// "", or which output differs in a bit from the other execution's.
    std::string check_same_bits(execution &other);
    /// "", or what is no longer the same after another execution, by a host's threads.
    std::string check_on_host(unsigned threads);
    /// "", or what differs when each pair of ports that may share a buffer does.
    std::string check_in_place();
    /// "", or what differs when compile() knows the ranks of inputs alone, and the dims come with the execution.
    std::string check_with_open_dims();
    /// Whether the reference can say something of at least half the elements.
    bool is_trusted() const { return trusted_; }

private:
    void fill_sources(uint64_t seed);
    /// Whether the op that produces a tensor reads nothing that other ops computed: they give zeros of any sign.
    bool reads_only_sources(size_t tensor) const;
    std::string check_in_place(size_t stage, size_t input, size_t output);
    std::string check_with_open_dims(const onefold::driver::stage &s);

    onefold::driver::session session_;
    onefold::driver::reference_tensors sources_; // as they were filled, in row-major order
    bool trusted_ = true;
};

} // namespace onefold_test
