// SPDX-License-Identifier: Apache-2.0
#include "experiments/commands/host_room.h"

#include "base/host_memory.h"
#include "experiments/registration/workloads.h"

#include <algorithm>
#include <cstdlib>
#include <iostream>

namespace alxsim::experiments {
namespace {

constexpr Bytes told_from(std::int64_t{256} << 20); ///< of memory that a point takes

Bytes predicted_memory(const PointSpec& point)
{
    const workloads::Kind& kind = workload_kinds().kind_of(point.study.document, point.study.file);
    if (!kind.predict_memory) {
        return Bytes(0);
    }
    return for_point(point,
                     [&] { return kind.predict_memory(point.study.document, point.study.file); });
}

} // namespace

void limit_host_memory(const std::string& memory)
{
    if (!memory.empty()) {
        bytes_of_text(memory, "--memory");
        setenv("ALXSIM_MEMORY", memory.c_str(), 1); // points run in processes
    }
}

int points_in_host_memory(const std::vector<PointSpec>& points, int jobs, bool quiet)
{
    Bytes largest(0);
    for (const PointSpec& point : points) {
        largest = std::max(largest, predicted_memory(point));
    }
    const Bytes limit = host_memory_limit();
    const int at_once = points_at_once(jobs, largest, limit);
    if (largest > told_from && !quiet) {
        std::cerr << "A point keeps up to about " << memory_in_words(largest) << " of "
                  << memory_in_words(limit) << " of this host's memory; " << at_once
                  << " at once\n";
    }
    return at_once;
}

} // namespace alxsim::experiments
