// SPDX-License-Identifier: Apache-2.0
#include "experiments/runs/executors/host_room.h"

#include "base/memory/host_memory.h"
#include "experiments/points/point.h"

#include <algorithm>
#include <cstdlib>

namespace alxsim::experiments {
namespace {

constexpr Bytes told_from(std::int64_t{256} << 20); ///< of memory that a point takes
/// What a point takes beside its links and tables hides what is wrong with smaller predictions.
constexpr Bytes learned_from(std::int64_t{64} << 20);

} // namespace

void limit_host_memory(const std::string& memory)
{
    if (!memory.empty()) {
        bytes_of_text(memory, "--memory");
        setenv("ALXSIM_MEMORY", memory.c_str(), 1); // points run in processes
    }
}

int HostRoom::points_at_once() const
{
    const auto largest = static_cast<std::int64_t>(factor_ * static_cast<double>(largest_.count()));
    return alxsim::points_at_once(jobs_, Bytes(largest), limit_);
}

std::string HostRoom::in_words() const
{
    if (largest_ <= told_from) {
        return "";
    }
    const auto largest = static_cast<std::int64_t>(factor_ * static_cast<double>(largest_.count()));
    return "A point keeps up to about " + memory_in_words(Bytes(largest)) + " of " +
           memory_in_words(limit_) + " of this host's memory; " + std::to_string(points_at_once()) +
           " at once";
}

bool HostRoom::learn(const report::HostUse& use)
{
    const Bytes predicted(use.predicted_memory_bytes.value_or(0));
    if (predicted < learned_from || !use.memory_bytes) {
        return false;
    }
    const int before = points_at_once();
    factor_ = std::max(factor_, Bytes(*use.memory_bytes) / predicted);
    return points_at_once() < before;
}

HostRoom host_room(const std::vector<PointSpec>& points, int jobs)
{
    Bytes largest(0);
    for_each_possible(points, [&](const PointSpec& point) {
        largest = std::max(largest, predicted_memory(point.study));
    });
    return {jobs, largest, host_memory_limit()};
}

} // namespace alxsim::experiments
