// SPDX-License-Identifier: Apache-2.0
#include "experiments/runs/kept/point_outcome.h"

#include "base/input_error.h"
#include "base/text/printed.h"
#include "experiments/points/parts/point_parts.h"
#include "experiments/points/study/machine_request.h"
#include "report/wording/point_words.h"

namespace alxsim::experiments {
namespace {

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

/// What a study says of a machine that cannot be made: its chip, cores and slice, the rest as
/// usual.
report::PointMachine machine_asked_for(const MachineRequest& request, const std::string& file)
{
    MachineRequest usual;
    usual.chip = request.chip;
    usual.cores = request.cores;
    report::PointMachine told;
    try {
        told = machine_told(machine_of(usual, file), usual);
    } catch (const InputError&) { // the chip has no slice of so many cores
        told.chip = request.chip.value_or("");
        told.cores = request.cores.value_or(1);
        told.chips = told.cores;
    }
    told.id.reset();
    told.wrap = request.wrap;
    told.slice = request.slice.value_or(told.slice);
    return told;
}

/// Also of a machine that cannot be made.
report::PointMachine machine_of_failed(MachineRequest request, const std::string& file)
{
    try {
        return machine_told(machine_of(request, file), request);
    } catch (const InputError&) {
    }
    request.faults.reset(); // those that leave a chip without a way to others are refused
    try {
        return machine_told(machine_of(request, file), request);
    } catch (const InputError&) {
        return machine_asked_for(request, file);
    }
}

} // namespace

std::string outcome_of(const report::Point& point)
{
    if (point.error) {
        const bool refused = point.no_result && point.no_result->kind == "refused";
        return (refused ? "REFUSED: " : "FAILED: ") + *point.error;
    }
    if (!point.fits) {
        const report::PointMemory& memory = point.memory.value();
        return std::string("does not fit") + (memory.at_edge ? ", at the edge: " : ": ") +
               report::unfit_in_words(memory);
    }
    return printed("%.4g s per ", point.seconds()) + report::interval_words(*point.result).one +
           throughput_of(*point.result) + slots_of(*point.result);
}

PointResult failed_point(const PointSpec& point, const std::string& why)
{
    PointResult result;
    result.point.machine = machine_of_failed(point.study.machine, point.study.file);
    result.point.error = why;
    result.point.fits = false;
    return result;
}

PointResult refused_point(const PointSpec& point, const std::string& why)
{
    PointResult result = failed_point(point, why);
    result.refused = true;
    result.point.no_result = report::NoResult{"refused", why};
    return result;
}

} // namespace alxsim::experiments
