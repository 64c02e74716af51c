#include "tests/benchmark/race.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace onefold::bench {

namespace {

constexpr double shortest_sample = 20e3; // ns
constexpr double too_slow = 200e6;       // ns: to run more than once
constexpr int fewest_rounds = 3;
constexpr int most_rounds = 2000;

} // namespace

double contender::time_a_run(size_t runs) const {
    const auto start = std::chrono::steady_clock::now();
    for (size_t i = 0; i < runs; ++i)
        run_();
    const std::chrono::duration<double, std::nano> all = std::chrono::steady_clock::now() - start;
    return all.count() / static_cast<double>(runs);
}

void contender::add_sample(size_t runs) {
    samples_.push_back(time_a_run(runs));
    spent_ += samples_.back() * static_cast<double>(runs);
}

void contender::warm_up() {
    add_sample(1);
    if (spent_ > too_slow) return;
    samples_.clear();
    const double again = time_a_run(1);
    runs_a_sample_ = static_cast<size_t>(std::ceil(shortest_sample / std::max(again, 10.0)));
    // The first runs are slower than the later ones, of which a sample needs more.
    runs_a_sample_ = static_cast<size_t>(std::ceil(shortest_sample / std::max(time_a_run(runs_a_sample_), 10.0)));
}

void contender::sample() { add_sample(runs_a_sample_); }

double contender::best() const { return *std::min_element(samples_.begin(), samples_.end()); }

double contender::median() const {
    std::vector<double> sorted = samples_;
    std::sort(sorted.begin(), sorted.end());
    return sorted[sorted.size() / 2];
}

void race(std::vector<contender *> equals, std::vector<contender *> slow, double seconds) {
    for (auto *contenders : {&equals, &slow}) {
        std::erase_if(*contenders, [](const contender *c) { return !c->takes_part(); });
        for (contender *c : *contenders)
            c->warm_up();
    }
    const auto start = std::chrono::steady_clock::now();
    double elapsed = 0;
    for (int round = 0; round < fewest_rounds || (round < most_rounds && elapsed < seconds * 1e9); ++round) {
        for (contender *c : equals)
            c->sample();
        for (contender *c : slow)
            if (!c->has_samples() || c->spent() < elapsed / 3) c->sample();
        elapsed = std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
    }
}

} // namespace onefold::bench
