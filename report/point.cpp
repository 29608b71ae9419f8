// SPDX-License-Identifier: Apache-2.0
#include "report/point.h"

#include <algorithm>

namespace alxsim::report {
namespace {

template <class T>
const T* find(const Named<T>& values, const std::string& name)
{
    const auto found = std::find_if(values.begin(), values.end(),
                                    [&](const auto& one) { return one.first == name; });
    return found == values.end() ? nullptr : &found->second;
}

} // namespace

double Breakdown::phase(const std::string& name) const
{
    const double* const seconds_of_phase = find(phases, name);
    return seconds_of_phase == nullptr ? 0.0 : *seconds_of_phase;
}

Named<double> resources_of(const Breakdown& epoch)
{
    Named<double> seconds;
    for (const Share share : all_shares) {
        if (share == Share::waiting && epoch.waiting) {
            seconds.emplace_back("bubble", epoch.waiting->bubble);
            seconds.emplace_back("straggler", epoch.waiting->straggler);
            seconds.emplace_back("late peer", epoch.waiting->late_peer);
        } else if (share == Share::hbm && epoch.row_issue) {
            seconds.emplace_back(row_issue, *epoch.row_issue);
            seconds.emplace_back(name_of(share), epoch.share(share) - *epoch.row_issue);
        } else {
            seconds.emplace_back(name_of(share), epoch.share(share));
        }
    }
    return seconds;
}

const std::vector<double>* Drawn::of(const std::string& field) const
{
    if (field == "epoch_seconds") {
        return &seconds;
    }
    for (const Share share : all_shares) {
        const std::vector<double>& all = shares[static_cast<std::size_t>(share)];
        if (field == field_of(share) && !all.empty()) {
            return &all;
        }
    }
    const std::string prefix = "phases.";
    return field.rfind(prefix, 0) == 0 ? find(phases, field.substr(prefix.size())) : nullptr;
}

void Drawn::drop_splits()
{
    phases.clear();
    shares = {};
}

std::optional<double> Quality::metric(const std::string& name) const
{
    const std::optional<double>* const value = find(metrics, name);
    return value == nullptr ? std::nullopt : *value;
}

const Quality* final_quality(const Result& result)
{
    if (!result.quality || result.quality->empty()) {
        return nullptr;
    }
    const auto kept =
        std::find_if(result.quality->begin(), result.quality->end(),
                     [&](const Quality& one) { return one.interval == result.kept_interval; });
    return kept != result.quality->end() ? &*kept : &result.quality->back();
}

IntervalWords interval_words(const Result& result)
{
    const std::string one = result.interval.value_or("epoch"); // as all were called at first
    return {one, result.intervals.value_or(one + "s")};
}

} // namespace alxsim::report
