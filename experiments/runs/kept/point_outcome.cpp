// SPDX-License-Identifier: Apache-2.0
#include "experiments/runs/kept/point_outcome.h"

#include "experiments/points/parts/point_parts.h"
#include "experiments/points/study/machine_request.h"

#include <cstdio>

namespace alxsim::experiments {
namespace {

std::string too_large(const report::PointMemory& memory)
{
    const bool host = memory.largest == "host memory";
    const std::int64_t needed = host ? memory.host_bytes_per_core.value() : memory.bytes_per_core;
    const std::int64_t there = host ? memory.host_capacity_bytes.value() : memory.capacity_bytes;
    const bool at_edge = memory.at_edge && !host;
    char words[128];
    std::snprintf(words, sizeof words,
                  at_edge ? "does not fit, at the edge: %.2f GB of %.2f GB a core, %s most"
                          : "does not fit: %.1f GB of %.1f GB a core, %s most",
                  1e-9 * static_cast<double>(needed), 1e-9 * static_cast<double>(there),
                  memory.largest.value_or("").c_str());
    return words;
}

} // namespace

std::string outcome_of(const report::Point& point)
{
    if (point.error) {
        return "FAILED: " + *point.error;
    }
    if (!point.fits) {
        return too_large(point.memory.value());
    }
    char seconds[48];
    std::snprintf(seconds, sizeof seconds, "%.4g s per ", point.seconds());
    return seconds + report::interval_words(*point.result).one;
}

PointResult failed_point(const PointSpec& point, const std::string& why)
{
    PointResult result;
    const MachineRequest& request = point.study.machine;
    result.point.machine = machine_told(machine_of(request, point.study.file), request);
    result.point.error = why;
    return result;
}

} // namespace alxsim::experiments
