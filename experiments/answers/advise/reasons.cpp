// SPDX-License-Identifier: Apache-2.0
#include "experiments/answers/advise/reasons.h"

#include "base/input_error.h"
#include "report/words.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

namespace alxsim::experiments {
namespace {

/// A phase that changes by less of the studied epoch is not worth a word.
constexpr double least_share = 0.01;
constexpr std::size_t named_phases = 3;

struct PhaseChange {
    std::string phase;
    double before = 0;
    double after = 0;
    double saved() const { return before - after; }
};

/// What became shorter most comes first.
std::vector<PhaseChange> phase_changes(const report::Breakdown& studied,
                                       const report::Breakdown& plan)
{
    std::map<std::string, PhaseChange> changes;
    for (const auto& [phase, seconds] : studied.phases) {
        changes[phase] = {phase, seconds, 0};
    }
    for (const auto& [phase, seconds] : plan.phases) {
        changes[phase].phase = phase;
        changes[phase].after = seconds;
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

std::string words_of_change(const PhaseChange& change, const Named<std::string>& remarks)
{
    const auto remark = std::find_if(remarks.begin(), remarks.end(),
                                     [&](const auto& one) { return one.first == change.phase; });
    return change.phase + " " + report::seconds_in_words(change.before) + " -> " +
           report::seconds_in_words(change.after) +
           (remark == remarks.end() ? "" : " (" + remark->second + ")");
}

} // namespace

BoundBy bound_of(const report::Breakdown& epoch)
{
    BoundBy bound;
    const auto take = [&](PartOfEpoch& most, const std::string& name, double seconds) {
        if (seconds / epoch.seconds > most.part) {
            most = {name, seconds / epoch.seconds};
        }
    };
    for (const auto& [phase, seconds] : epoch.phases) {
        take(bound.phase, phase, seconds);
    }
    for (const Share share : all_shares) {
        take(bound.share, name_of(share), epoch.share(share));
    }
    return bound;
}

std::string why(const report::Breakdown& studied, const report::Breakdown& plan,
                const std::vector<std::string>& effects, const Named<std::string>& remarks)
{
    const double epoch = studied.seconds;
    std::vector<std::string> shorter;
    std::vector<std::string> longer;
    for (const PhaseChange& change : phase_changes(studied, plan)) {
        if (change.saved() > least_share * epoch && shorter.size() < named_phases) {
            shorter.push_back(words_of_change(change, remarks));
        } else if (-change.saved() > least_share * epoch) {
            longer.push_back(words_of_change(change, remarks));
        }
    }
    std::string text = shorter.empty() ? "no phase is much shorter" : join(shorter);
    text += longer.empty() ? "" : "; longer: " + join(longer);
    return text + (effects.empty() ? "" : ". " + join(effects, "; ")) + ".";
}

} // namespace alxsim::experiments
