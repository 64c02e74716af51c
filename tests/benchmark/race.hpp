#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace onefold::bench {

/// One of those whose times are compared: samples of how long a run takes, in nanoseconds. What is soon done runs many times a
/// sample, so that one is at least some 20 microseconds long.
class contender {
public:
    /// An empty function: takes no part.
    explicit contender(std::function<void()> run) : run_(std::move(run)) {}

    bool takes_part() const { return static_cast<bool>(run_); }
    /// Runs untimed, unless it is so slow that the first run has to be the sample.
    void warm_up();
    void sample();
    bool has_samples() const { return !samples_.empty(); }
    double best() const;
    double median() const;
    /// The nanoseconds that all of its samples took.
    double spent() const { return spent_; }

private:
    double time_a_run(std::size_t runs) const;
    void add_sample(std::size_t runs);

    std::function<void()> run_;
    std::size_t runs_a_sample_ = 1;
    std::vector<double> samples_;
    double spent_ = 0;
};

/// Samples each of them in turn, again and again, for some `seconds`; each of the `slow` ones as often as a third of the time
/// allows, at least once. So all of them meet the same state of the machine. Those without a function are left out.
void race(std::vector<contender *> equals, std::vector<contender *> slow, double seconds);

} // namespace onefold::bench
