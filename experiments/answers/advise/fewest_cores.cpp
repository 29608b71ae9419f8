// SPDX-License-Identifier: Apache-2.0
#include "experiments/answers/advise/fewest_cores.h"

#include "base/input_error.h"
#include "base/work/stop.h"
#include "experiments/answers/advise/slice_options.h"
#include "experiments/points/study/job.h"
#include "experiments/points/study/machine_request.h"

#include <utility>

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

/// The counts that a study's kind takes, and the first refusal.
struct Tried {
    int slices = 0;
    int refused = 0;
    std::string refusal;
};

/// Whether the job fits on that slice; a job that cannot be there does not.
bool fits_on(const PointStudy& study, const Settings& slice, Tried& tried)
{
    ++tried.slices;
    try {
        return fits(changed(study, slice));
    } catch (const InputError& error) {
        if (tried.refused++ == 0) {
            tried.refusal = error.what();
        }
        return false;
    }
}

/// Nothing where no other number of cores is allowed than the one that the study has.
std::optional<FewestCores> fewest_of(const std::string& with, const PointStudy& study,
                                     const topologies::Machine& machine)
{
    Tried tried;
    for (int cores = 1; cores <= most_cores; cores *= 2) {
        look_for_stop();
        const std::optional<Settings> slice = slice_of(study, machine, cores);
        if (slice && fits_on(study, *slice, tried)) {
            return FewestCores{with, cores, ""};
        }
    }
    if (tried.refused > 0 && tried.refused == tried.slices - 1) {
        return std::nullopt;
    }
    return FewestCores{with, std::nullopt,
                       tried.refused == tried.slices ? tried.refusal : std::string()};
}

} // namespace

std::vector<FewestCores> fewest_cores(const PointStudy& given)
{
    const PointStudy study = changed(given, {{"/numerics", false}});
    const topologies::Machine machine = machine_of(study.machine, study.file);
    std::vector<FewestCores> found;
    const auto add = [&](const std::string& with, const PointStudy& of) {
        if (std::optional<FewestCores> fewest = fewest_of(with, of, machine)) {
            found.push_back(std::move(*fewest));
        }
    };
    add("", study);
    for (const Choice& choice : job_of(study).workload->choices().if_too_large) {
        for (const Option& option : choice.options) {
            if (!option.set.empty() && !option.is_default) {
                add(option.words, changed(study, option.set));
            }
        }
    }
    return found;
}

std::string in_words(const std::vector<FewestCores>& found, const std::string& chip)
{
    std::string words =
        "fewest cores of " + chip + " that hold it" + (found.size() > 1 ? " as it is: " : ": ");
    for (std::size_t i = 0; i < found.size(); ++i) {
        const std::string none =
            found[i].refusal.empty() ? "none do" : "none may, " + found[i].refusal;
        const std::string cores = found[i].cores ? std::to_string(*found[i].cores) : none;
        const std::string with = found[i].with.empty() ? "" : "with " + found[i].with + ": ";
        words += (i > 0 ? "; " : "") + with + cores;
    }
    return words;
}

} // namespace alxsim::experiments
