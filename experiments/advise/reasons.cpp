// SPDX-License-Identifier: Apache-2.0
#include "experiments/advise/reasons.h"

#include "base/input_error.h"
#include "report/words.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

namespace alxsim::experiments {
namespace {

/// A phase that changes by less of the released epoch is not worth a word.
constexpr double least_share = 0.01;
constexpr std::size_t named_phases = 3;

struct PhaseChange {
    std::string phase;
    double before = 0;
    double after = 0;
    double saved() const { return before - after; }
};

/// What became shorter most comes first.
std::vector<PhaseChange> phase_changes(const Json& released, const Json& plan)
{
    std::map<std::string, PhaseChange> changes;
    for (const auto& [phase, seconds] : released.at("phases").items()) {
        changes[phase] = {phase, seconds.get<double>(), 0};
    }
    for (const auto& [phase, seconds] : plan.at("phases").items()) {
        changes[phase].phase = phase;
        changes[phase].after = seconds.get<double>();
    }
    std::vector<PhaseChange> sorted;
    sorted.reserve(changes.size());
    for (const auto& [phase, change] : changes) {
        sorted.push_back(change);
    }
    std::stable_sort(sorted.begin(), sorted.end(), [](const PhaseChange& a, const PhaseChange& b) {
        return a.saved() > b.saved();
    });
    return sorted;
}

/// `prefetched`: gathers go on behind other work, which leaves little of them to be seen.
std::string words_of_change(const PhaseChange& change, bool prefetched)
{
    const bool gather = change.phase.rfind("gather", 0) == 0;
    return change.phase + " " + report::seconds_in_words(change.before) + " -> " +
           report::seconds_in_words(change.after) +
           (gather && prefetched ? " (the rest hidden behind the solve)" : "");
}

/// What a choice does; nothing for those whose name says it.
std::string effect_of(const std::string& pointer, const Json& value)
{
    static const std::map<std::string, std::string> effects{
        {"gather all_reduce", "one all-reduce a step in place of one for each core's batch"},
        {"gather reduce_scatter", "each core receives the sums of its own rows alone"},
        {"gather all_to_all", "each owner looks up and sends what it is asked for, each distinct "
                              "row once"},
        {"gather ship_statistics", "owners send partial statistics where these are fewer bytes "
                                   "than a long row's lookups"},
        {"gather replicated", "every core holds the whole table, so that lookups are local"},
        {"scatter all_to_all", "solved rows travel to their owners alone"},
        {"scatter owner_computes", "batches are formed where their rows live, so that no solution "
                                   "travels"},
        {"statistics batched_matmul", "no d x d windows in HBM"},
        {"placement partitioned", "links stay local"},
    };
    const std::string field = pointer.substr(pointer.rfind('/') + 1);
    const std::string name = field + " " + (value.is_string() ? value.get<std::string>() : "");
    const auto found = effects.find(name);
    return found == effects.end() ? "" : name + ": " + found->second;
}

} // namespace

Json bound_of(const Json& point)
{
    const double epoch = point.at("epoch_seconds").get<double>();
    Json bound{{"phase", ""}, {"phase_share", 0.0}, {"share", ""}, {"share_share", 0.0}};
    const auto take = [&](const char* kind, const std::string& name, double seconds) {
        const std::string share = std::string(kind) + "_share";
        if (seconds / epoch > bound.at(share).get<double>()) {
            bound[kind] = name;
            bound[share] = seconds / epoch;
        }
    };
    for (const auto& [phase, seconds] : point.at("phases").items()) {
        take("phase", phase, seconds.get<double>());
    }
    for (const char* share : {"compute", "hbm", "communication", "host", "idle"}) {
        take("share", share, point.at(std::string(share) + "_seconds").get<double>());
    }
    return bound;
}

std::string why(const Json& released, const Json& plan, const Json& set, bool prefetched)
{

    const double epoch = released.at("epoch_seconds").get<double>();
    std::vector<std::string> shorter;
    std::vector<std::string> longer;
    for (const PhaseChange& change : phase_changes(released, plan)) {
        if (change.saved() > least_share * epoch && shorter.size() < named_phases) {
            shorter.push_back(words_of_change(change, prefetched));
        } else if (-change.saved() > least_share * epoch) {
            longer.push_back(words_of_change(change, prefetched));
        }
    }
    std::vector<std::string> effects;
    for (const auto& [pointer, value] : set.items()) {
        const std::string effect = effect_of(pointer, value);
        if (!effect.empty()) {
            effects.push_back(effect);
        }
    }
    std::string text = shorter.empty() ? "no phase is much shorter" : join(shorter);
    text += longer.empty() ? "" : "; longer: " + join(longer);
    return text + (effects.empty() ? "" : ". " + join(effects, "; ")) + ".";
}

} // namespace alxsim::experiments
