// SPDX-License-Identifier: Apache-2.0
#include "experiments/runs/kept/point_outcome.h"

#include "base/text/printed.h"
#include "experiments/points/parts/point_parts.h"
#include "experiments/points/study/machine_request.h"
#include "report/wording/point_words.h"

namespace alxsim::experiments {
namespace {

std::string too_large(const report::PointMemory& memory)
{
    const bool host = memory.largest == "host memory";
    const bool storage = memory.largest == "storage";
    const std::int64_t needed = host      ? memory.host_bytes_per_core.value()
                                : storage ? memory.storage_bytes_per_core.value()
                                          : memory.needed_bytes();
    const std::int64_t there = host      ? memory.host_capacity_bytes.value()
                               : storage ? memory.storage_capacity_bytes.value()
                                         : memory.capacity_bytes;
    const bool at_edge = memory.at_edge && !host && !storage;
    const char* const format = at_edge ? "%.2f GB" : "%.1f GB";
    return std::string("does not fit") + (at_edge ? ", at the edge: " : ": ") +
           printed(format, 1e-9 * static_cast<double>(needed)) + " of " +
           printed(format, 1e-9 * static_cast<double>(there)) + " a core, " +
           memory.largest.value_or("") + " most";
}

/// Nothing of a job that says of no units what it gets through.
std::string throughput_of(const report::Result& result)
{
    if (!result.throughput || result.throughput->per_interval <= 1) {
        return "";
    }
    return ", " + report::throughput_in_words(*result.throughput);
}

/// Nothing of a job without a pipeline.
std::string slots_of(const report::Result& result)
{
    const std::string slots = report::slots_in_words(result);
    return slots.empty() ? "" : ", " + slots;
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
    return printed("%.4g s per ", point.seconds()) + report::interval_words(*point.result).one +
           throughput_of(*point.result) + slots_of(*point.result);
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
