// SPDX-License-Identifier: Apache-2.0
#include "experiments/answers/explain/moved_spots.h"

#include "base/input_error.h"
#include "experiments/answers/explain/what_ifs.h"
#include "workloads/registry.h"

#include <algorithm>
#include <optional>

namespace alxsim::experiments {
namespace {

/// A curve of more points, or of more data, is left to `explain`: nobody shall wait for what was
/// not asked for. Where training is simulated, it takes far longer than reading its data again.
constexpr std::size_t most_points = 32;
constexpr Bytes most_data(std::int64_t{8} << 20);
constexpr Bytes most_trained_data(std::int64_t{64} << 20);

/// Less is a flat end of a curve, on which any count may be the fastest.
constexpr double worth_telling = 0.05;

/// Whether a point's data, whose size is predicted before it is read, is too much to read again.
bool has_much_data(PointStudy study)
{
    const workloads::Kind& kind = workloads::registry().kind_of(study.document, study.file);
    const Bytes most = study.numerics ? most_trained_data : most_data;
    study.document["numerics"] = true; // else no data is kept, though it is read
    return kind.predict_memory && kind.predict_memory(study.document, study.file) > most;
}

std::size_t fastest_of(const std::vector<std::optional<double>>& seconds)
{
    return static_cast<std::size_t>(std::min_element(seconds.begin(), seconds.end()) -
                                    seconds.begin());
}

/// Compares two curves; nothing where both bend at the same place.
std::optional<report::MovedSpot> moved_by(const Outcome& outcome, const WhatIfs& base)
{
    report::MovedSpot moved{"sweet spot", outcome.set, outcome.sweet_spot->cores,
                            outcome.sweet_spot->at_edge, base.sweet_spot->cores};
    if (moved.cores == moved.own_cores) {
        const std::vector<std::optional<double>> own(base.seconds.begin(), base.seconds.end());
        const std::size_t before = fastest_of(own);
        const std::size_t after = fastest_of(outcome.seconds);
        if (*outcome.seconds[after] > (1 - worth_telling) * *outcome.seconds[before]) {
            return std::nullopt;
        }
        moved = {"fastest", outcome.set, base.cores[after], "", base.cores[before]};
    }
    moved.compared_at = std::max(moved.cores, moved.own_cores);
    const auto place = static_cast<std::size_t>(
        std::find(base.cores.begin(), base.cores.end(), moved.compared_at) - base.cores.begin());
    moved.seconds = *outcome.seconds[place];
    moved.own_seconds = base.seconds[place];
    return moved;
}

std::vector<RebuiltPoint> curve_of(const std::vector<PointSpec>& points)
{
    std::vector<RebuiltPoint> curve;
    for (const PointSpec& point : points) {
        curve.push_back(rebuild(whole_study(point)));
    }
    return curve;
}

/// Takes the changes with a time at each point: curves of others do not compare.
std::vector<report::MovedSpot> moved_by(const WhatIfs& what_ifs)
{
    std::vector<report::MovedSpot> all;
    for (const Outcome& outcome : what_ifs.ranked) {
        if (!outcome.does_not_fit.empty() || !outcome.refused.empty()) {
            continue;
        }
        if (std::optional<report::MovedSpot> moved = moved_by(outcome, what_ifs)) {
            all.push_back(std::move(*moved));
        }
    }
    return all;
}

} // namespace

std::vector<report::MovedSpot> moved_spots(const report::SweetSpot& spot,
                                           const std::vector<PointSpec>& points)
{
    if (points.size() < 2 || points.size() > most_points) {
        return {};
    }
    try {
        if (has_much_data(whole_study(points.back()))) {
            return {};
        }
        const std::vector<RebuiltPoint> curve = curve_of({points.front()});
        std::vector<Change> changes = changes_of(curve.front());
        changes.erase(std::remove_if(changes.begin(), changes.end(),
                                     [](const Change& one) { return !one.is_told_by_runs; }),
                      changes.end());
        if (changes.empty()) {
            return {};
        }
        const WhatIfs found = what_ifs(curve_of(points), changes);
        return found.sweet_spot->cores == spot.cores ? moved_by(found)
                                                     : std::vector<report::MovedSpot>();
    } catch (const InputError&) { // a file is gone, perhaps: the report stands without this
        return {};
    }
}

std::string in_words(const report::MovedSpot& moved, const report::IntervalWords& interval)
{
    const std::string edge = moved.at_edge == "low"    ? " (already the first step up fails)"
                             : moved.at_edge == "high" ? " (no step up fails)"
                                                       : "";
    return "With " + settings_in_words(moved.set) + " the " + moved.what + " is " +
           report::counted(moved.cores, "core") + edge + ", not " +
           std::to_string(moved.own_cores) + ": by closed forms " + interval.with_article() +
           " on " + report::counted(moved.compared_at, "core") + " takes " +
           report::seconds_in_words(moved.seconds) + " with it, " +
           report::seconds_in_words(moved.own_seconds) + " as it is.";
}

} // namespace alxsim::experiments
