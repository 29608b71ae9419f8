// SPDX-License-Identifier: Apache-2.0
#include "experiments/answers/advise/fewest_cores.h"

#include "base/input_error.h"
#include "base/work/stop.h"
#include "experiments/answers/advise/slice_options.h"
#include "experiments/points/study/job.h"
#include "experiments/points/study/machine_request.h"

#include <algorithm>
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

/// Whether a study has these values already, or there are none.
bool is_set(const PointStudy& study, const Settings& values)
{
    return std::all_of(values.begin(), values.end(), [&](const auto& one) {
        const Json::json_pointer place(one.first);
        return study.document.contains(place) && study.document.at(place) == one.second;
    });
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
    const workloads::Choices choices = job_of(study).workload->choices();
    const auto add_options = [&](const Choice& choice, bool all) {
        for (const Option& option : choice.options) {
            if ((all || option.saves_memory) && !option.is_default && !is_set(study, option.set)) {
                add(option.words, changed(study, option.set));
            }
        }
    };
    for (const Choice& choice : choices.if_too_large) {
        add_options(choice, true);
    }
    for (const Choice& choice : choices.list) {
        add_options(choice, false);
    }
    return found;
}

std::string in_words(const std::vector<FewestCores>& found, const std::string& chip)
{
    Named<std::vector<std::string>> ways; // by what they come to, as it is apart
    for (const FewestCores& one : found) {
        const std::string come_to = one.cores             ? std::to_string(*one.cores)
                                    : one.refusal.empty() ? "none do"
                                                          : "none may, " + one.refusal;
        const auto known = std::find_if(ways.begin(), ways.end(), [&](const auto& way) {
            return way.first == come_to && !way.second.front().empty();
        });
        if (known != ways.end()) {
            known->second.push_back(one.with);
        } else {
            ways.emplace_back(come_to, std::vector<std::string>{one.with});
        }
    }
    std::string words = "fewest cores of " + chip + " that hold it";
    for (const auto& [come_to, with] : ways) {
        const bool as_it_is = with.front().empty();
        const bool first = &with == &ways.front().second;
        words += as_it_is ? (found.size() > 1 ? " as it is: " : ": ")
                          : std::string(first ? "" : ";") + " with " +
                                join(with, with.size() > 2 ? ", " : " or ") + ": ";
        words += come_to;
    }
    return words;
}

} // namespace alxsim::experiments
