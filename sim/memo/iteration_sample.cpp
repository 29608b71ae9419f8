// SPDX-License-Identifier: Apache-2.0
#include "sim/memo/iteration_sample.h"

#include <array>
#include <cmath>
#include <utility>

namespace alxsim::sim {

void IterationSample::add(const std::vector<Picoseconds>& times)
{
    Picoseconds sum(0);
    for (const Picoseconds time : times) {
        sum += time - times.front();
    }
    const Picoseconds mean = times.front() + sum / static_cast<std::int64_t>(times.size());
    begins_.push_back(mean);
    const std::size_t iterations = begins_.size() - 1;
    if (iterations != looks_at_ && iterations != looks_at_ / 2 && iterations != looks_at_ / 4 * 3) {
        return;
    }
    std::vector<Picoseconds> offsets;
    offsets.reserve(times.size());
    for (const Picoseconds time : times) {
        offsets.push_back(time - mean);
    }
    if (iterations == looks_at_) {
        mean_ = drift(offsets) ? std::nullopt : std::optional(of_later_half());
        looks_at_ *= 2;
        offsets_.clear();
    }
    offsets_.push_back(std::move(offsets));
}

/// One iteration has to do with the next, so that the error is that of a few long batches (batch
/// means; Law, Simulation Modeling and Analysis, section 9.5.3).
IterationSample::Mean IterationSample::of_later_half() const
{
    const std::size_t iterations = begins_.size() - 1;
    const std::size_t in_batch = iterations / 2 / batches;
    std::array<double, batches> times{};
    Mean mean;
    for (std::size_t batch = 0; batch < batches; ++batch) {
        const std::size_t end = iterations - batch * in_batch;
        times.at(batch) = static_cast<double>((begins_[end] - begins_[end - in_batch]).count()) /
                          static_cast<double>(in_batch);
        mean.picoseconds += times.at(batch) / batches;
    }
    double squares = 0;
    for (const double time : times) {
        squares += (time - mean.picoseconds) * (time - mean.picoseconds);
    }
    mean.standard_error = std::sqrt(squares / degrees_of_freedom / batches);
    return mean;
}

/// Whether devices lose and win in the second half of the later half much as they did in its first
/// half: correlation above a half. What only swings is around 0 or below.
bool IterationSample::drift(const std::vector<Picoseconds>& now) const
{
    double both = 0;
    double first = 0;
    double second = 0;
    for (std::size_t device = 0; device < now.size(); ++device) {
        const auto before =
            static_cast<double>((offsets_[1][device] - offsets_[0][device]).count());
        const auto after = static_cast<double>((now[device] - offsets_[1][device]).count());
        both += before * after;
        first += before * before;
        second += after * after;
    }
    return both > 0.5 * std::sqrt(first * second);
}

} // namespace alxsim::sim
