// SPDX-License-Identifier: Apache-2.0
#include "report/series.h"

#include "report/worlds.h"

#include <algorithm>
#include <optional>
#include <set>

namespace alxsim::report {
namespace {

const char* const cores_pointer = "/machine/cores";

std::int64_t cores_of(const Point& point)
{
    return point.machine.cores;
}

/// How much of the ideal speed-up came out of going from one core count to a larger one.
double gain_between(const CoreTime& from, const CoreTime& to)
{
    const double cores = static_cast<double>(to.cores) / static_cast<double>(from.cores);
    return (from.seconds / to.seconds - 1) / (cores - 1);
}

void write_speedups(const std::vector<std::size_t>& fitting, std::vector<Point>& points)
{
    const Point& base = points.at(fitting[0]);
    for (const std::size_t index : fitting) {
        Point& point = points.at(index);
        const double speedup = growth_of_work(base, point) * base.seconds() / point.seconds();
        point.result->speedup = speedup;
        point.result->efficiency =
            speedup * static_cast<double>(cores_of(base)) / static_cast<double>(cores_of(point));
    }
}

/// The first of the points with the least value; none unless all of them have it.
template <class Value>
std::optional<std::size_t> least(const Value& value_of, const std::vector<std::size_t>& fitting,
                                 const std::vector<Point>& points)
{
    std::optional<std::size_t> best;
    for (const std::size_t index : fitting) {
        const std::optional<double> value = value_of(*points.at(index).result);
        if (!value) {
            return std::nullopt;
        }
        best = !best || *value < *value_of(*points.at(*best).result) ? index : *best;
    }
    return best;
}

/// Adds where it lies in the draws of these points, if they have some.
void add_draws(SweetSpot& spot, const std::vector<std::size_t>& fitting,
               const std::vector<Point>& points)
{
    const int draws = common_draws(fitting, points);
    if (draws == 0) {
        return;
    }
    std::vector<std::int64_t> cores;
    for (int draw = 0; draw < draws; ++draw) {
        cores.push_back(sweet_spot_of(World(points, draw).curve(fitting)).cores);
    }
    std::sort(cores.begin(), cores.end());
    const auto at = [&](double share) {
        return cores[static_cast<std::size_t>(share * static_cast<double>(draws - 1) + 0.5)];
    };
    spot.cores_p05 = at(0.05);
    spot.cores_p50 = at(0.5);
    spot.cores_p95 = at(0.95);
    for (const std::int64_t one : cores) {
        const std::string key = std::to_string(one);
        if (spot.shares.empty() || spot.shares.back().first != key) {
            spot.shares.emplace_back(key, 0.0);
        }
        spot.shares.back().second += 1.0 / draws;
    }
}

/// What compares core counts: sweet spot, fit, the phases that bend the curve.
void add_core_figures(Series& series, const std::vector<std::size_t>& fitting,
                      const std::vector<Point>& points)
{
    const std::vector<CoreTime> curve = curve_of(fitting, points);
    series.fit = curve_fit_of(fitting, points);
    series.regimes = regimes_of(fitting, points);
    if (curve.size() >= 2) {
        series.sweet_spot = sweet_spot_of(curve);
        add_draws(*series.sweet_spot, fitting, points);
        const std::size_t first = bend_start(*series.sweet_spot, fitting, points);
        series.phases_that_do_not_shrink =
            phases_that_do_not_shrink(points.at(first), points.at(fitting.back()));
    }
}

} // namespace

std::vector<Gain> gains_of(const std::vector<CoreTime>& curve)
{
    std::vector<Gain> gains;
    for (std::size_t i = 1; i < curve.size(); ++i) {
        const CoreTime& from = curve[i - 1];
        const CoreTime& to = curve[i];
        gains.push_back({from.cores, to.cores, gain_between(from, to)});
    }
    return gains;
}

SweetSpot sweet_spot_of(const std::vector<CoreTime>& curve)
{
    SweetSpot found{curve.at(0).cores, "", gains_of(curve), {}};
    std::size_t steps = 0;
    while (steps < found.gains.size() && found.gains[steps].gain >= enough_gain) {
        found.cores = found.gains[steps].to;
        ++steps;
    }
    if (steps == 0) {
        found.at_edge = "low";
    } else if (steps == found.gains.size()) {
        found.at_edge = "high";
    }
    return found;
}

std::vector<PhaseChange> phase_changes(const Point& first, const Point& last)
{
    std::vector<PhaseChange> changes;
    for (const auto& [phase, seconds] : last.result->epoch.phases) {
        changes.push_back(
            {phase, first.result->epoch.phase(phase), seconds, seconds / last.seconds()});
    }
    std::stable_sort(
        changes.begin(), changes.end(),
        [](const PhaseChange& a, const PhaseChange& b) { return a.seconds_last > b.seconds_last; });
    return changes;
}

std::vector<PhaseChange> phases_that_do_not_shrink(const Point& first, const Point& last)
{
    const auto shrinks = [&](const PhaseChange& change) {
        const double gain = gain_between({cores_of(first), change.seconds_first},
                                         {cores_of(last), change.seconds_last});
        return change.share_of_last < 0.01 || change.seconds_last < 0.5 * change.seconds_first ||
               gain >= enough_gain;
    };
    std::vector<PhaseChange> changes = phase_changes(first, last);
    changes.erase(std::remove_if(changes.begin(), changes.end(), shrinks), changes.end());
    return changes;
}

bool is_core_series(const std::vector<std::size_t>& indices, const std::vector<Point>& points)
{
    std::set<std::int64_t> cores;
    std::optional<Settings> others;
    for (const std::size_t index : indices) {
        Settings rest = points.at(index).sweep;
        if (!rest.erase(cores_pointer) || !cores.insert(cores_of(points.at(index))).second ||
            (others && rest != *others)) {
            return false;
        }
        others = rest;
    }
    return !indices.empty();
}

double growth_of_work(const Point& from, const Point& to)
{
    const auto& before = from.result->throughput;
    const auto& after = to.result->throughput;
    return before && after ? after->useful_operations / before->useful_operations : 1;
}

bool is_weak_scaling(const std::vector<std::size_t>& fitting, const std::vector<Point>& points)
{
    for (std::size_t i = 0; i < fitting.size(); ++i) {
        const Point& point = points.at(fitting[i]);
        const bool paired = point.sweep.contains(cores_pointer) && point.sweep.size() > 1;
        if (!paired || !point.result->throughput) {
            return false;
        }
        const Point& before = points.at(fitting[i == 0 ? 0 : i - 1]);
        if (i > 0 && (cores_of(before) == cores_of(point) || growth_of_work(before, point) <= 1)) {
            return false;
        }
    }
    return fitting.size() > 1;
}

std::vector<std::size_t> fitting_points(const std::vector<std::size_t>& indices,
                                        const std::vector<Point>& points)
{
    std::vector<std::size_t> fitting;
    for (const std::size_t index : indices) {
        if (points.at(index).result) {
            fitting.push_back(index);
        }
    }
    std::stable_sort(fitting.begin(), fitting.end(), [&](std::size_t a, std::size_t b) {
        return cores_of(points.at(a)) < cores_of(points.at(b));
    });
    return fitting;
}

std::size_t bend_start(const SweetSpot& sweet_spot, const std::vector<std::size_t>& fitting,
                       const std::vector<Point>& points)
{
    for (const std::size_t index : fitting) {
        if (cores_of(points.at(index)) == sweet_spot.cores && index != fitting.back()) {
            return index;
        }
    }
    return fitting.at(0);
}

std::vector<CoreTime> curve_of(const std::vector<std::size_t>& fitting,
                               const std::vector<Point>& points)
{
    std::vector<CoreTime> curve;
    curve.reserve(fitting.size());
    for (const std::size_t index : fitting) {
        curve.push_back({cores_of(points.at(index)), points.at(index).seconds()});
    }
    return curve;
}

/// Whether they get through as many units an interval, or say of none.
bool all_do_as_much(const std::vector<std::size_t>& fitting, const std::vector<Point>& points)
{
    const auto units = [&](std::size_t index) {
        const auto& throughput = points.at(index).result->throughput;
        return throughput ? std::optional(throughput->per_interval) : std::nullopt;
    };
    return std::all_of(fitting.begin(), fitting.end(), [&](std::size_t index) {
        return !units(index) || !units(fitting.front()) || units(index) == units(fitting.front());
    });
}

Series make_series(const SeriesSpec& spec, std::vector<Point>& points)
{
    Series series;
    series.name = spec.name;
    series.points = spec.points;
    const std::vector<std::size_t> fitting = fitting_points(spec.points, points);
    if (fitting.empty()) {
        return series;
    }
    if (is_core_series(spec.points, points)) {
        write_speedups(fitting, points);
        add_core_figures(series, fitting, points);
    } else if (is_weak_scaling(fitting, points)) {
        write_speedups(fitting, points);
        series.scaling = "weak";
    }
    series.fastest = least([](const Result& result) { return std::optional(result.epoch.seconds); },
                           fitting, points);
    const bool alike = all_do_as_much(fitting, points);
    series.cheapest = least(
        [alike](const Result& result) {
            const auto& throughput = result.throughput;
            return alike        ? result.cost_usd
                   : throughput ? throughput->usd_per_million
                                : std::nullopt;
        },
        fitting, points);
    return series;
}

} // namespace alxsim::report
