// SPDX-License-Identifier: Apache-2.0
#include "experiments/answers/advise/fewest_cores.h"

#include "base/input_error.h"
#include "base/work/stop.h"
#include "experiments/answers/advise/slice_options.h"
#include "experiments/points/study/job.h"
#include "experiments/points/study/machine_request.h"

namespace alxsim::experiments {
namespace {

/// More than any pod has.
constexpr int most_cores = 1 << 15;

/// The settings of the study's chip with so many cores; nothing where it has no such slice, or the
/// study none.
std::optional<Settings> slice_of(const PointStudy& study, const topologies::Machine& machine,
                                 int cores)
{
    if (cores == machine.cores) {
        return Settings();
    }
    try {
        const std::vector<Option> options =
            slice_options(study, machine, {*study.machine.chip, {cores}, false});
        return options.empty() ? std::nullopt : std::optional<Settings>(options.front().set);
    } catch (const InputError&) {
        return std::nullopt;
    }
}

bool fits(const PointStudy& study)
{
    const Job job = sketch_on(machine_of(study.machine, study.file), study);
    return memory_fit(*job.workload, job.machine).fits();
}

/// Whether the job fits on that slice; a job that cannot be there does not.
bool fits_on(const PointStudy& study, const Settings& slice)
{
    try {
        return fits(changed(study, slice));
    } catch (const InputError&) {
        return false;
    }
}

std::optional<int> fewest_of(const PointStudy& study, const topologies::Machine& machine)
{
    for (int cores = 1; cores <= most_cores; cores *= 2) {
        look_for_stop();
        const std::optional<Settings> slice = slice_of(study, machine, cores);
        if (slice && fits_on(study, *slice)) {
            return cores;
        }
    }
    return std::nullopt;
}

} // namespace

std::vector<FewestCores> fewest_cores(const PointStudy& given)
{
    const PointStudy study = changed(given, {{"/numerics", false}});
    const topologies::Machine machine = machine_of(study.machine, study.file);
    std::vector<FewestCores> found{{"", fewest_of(study, machine)}};
    for (const Choice& choice : job_of(study).workload->choices().if_too_large) {
        for (const Option& option : choice.options) {
            if (!option.set.empty() && !option.is_default) {
                found.push_back({option.words, fewest_of(changed(study, option.set), machine)});
            }
        }
    }
    return found;
}

std::string in_words(const std::vector<FewestCores>& found, const std::string& chip)
{
    std::string words = "fewest cores of " + chip + " that hold it: ";
    for (std::size_t i = 0; i < found.size(); ++i) {
        const std::string cores =
            found[i].cores ? std::to_string(*found[i].cores) : std::string("none do");
        words += (i > 0 ? "; with " + found[i].with + ": " : "") + cores;
    }
    return words;
}

} // namespace alxsim::experiments
