// SPDX-License-Identifier: Apache-2.0
#include "report/series.h"

#include "report/regimes.h"
#include "report/worlds.h"

#include <algorithm>
#include <optional>
#include <set>

namespace alxsim::report {
namespace {

const char* const cores_pointer = "/machine/cores";

std::int64_t cores_of(const Json& point)
{
    return point.at("machine").at("cores").get<std::int64_t>();
}

double epoch_of(const Json& point)
{
    return point.at("epoch_seconds").get<double>();
}

/// How much of the ideal speed-up came out of going from one core count to a larger one.
double gain_between(const CoreTime& from, const CoreTime& to)
{
    const double cores = static_cast<double>(to.cores) / static_cast<double>(from.cores);
    return (from.seconds / to.seconds - 1) / (cores - 1);
}

Json to_json(const SweetSpot& sweet_spot)
{
    Json json{{"cores", sweet_spot.cores}};
    if (!sweet_spot.at_edge.empty()) {
        json["at_edge"] = sweet_spot.at_edge;
    }
    json["gains"] = Json::array();
    for (const Gain& gain : sweet_spot.gains) {
        json["gains"].push_back({{"from", gain.from}, {"to", gain.to}, {"gain", gain.gain}});
    }
    return json;
}

Json to_json(const std::vector<PhaseChange>& changes)
{
    Json json = Json::array();
    for (const PhaseChange& change : changes) {
        json.push_back({{"phase", change.phase},
                        {"seconds_first", change.seconds_first},
                        {"seconds_last", change.seconds_last},
                        {"share_of_last", change.share_of_last}});
    }
    return json;
}

void write_speedups(const std::vector<std::size_t>& fitting, Json& points)
{
    const CoreTime base = {cores_of(points.at(fitting[0])), epoch_of(points.at(fitting[0]))};
    for (const std::size_t index : fitting) {
        Json& point = points.at(index);
        const double speedup = base.seconds / epoch_of(point);
        point["speedup"] = speedup;
        point["efficiency"] =
            speedup * static_cast<double>(base.cores) / static_cast<double>(cores_of(point));
    }
}

/// The first of the points with the least value of `field`; none unless all of them have it.
std::optional<std::size_t> least(const std::string& field, const std::vector<std::size_t>& fitting,
                                 const Json& points)
{
    std::optional<std::size_t> best;
    for (const std::size_t index : fitting) {
        if (!points.at(index).contains(field)) {
            return std::nullopt;
        }
        if (!best ||
            points.at(index).at(field).get<double>() < points.at(*best).at(field).get<double>()) {
            best = index;
        }
    }
    return best;
}

/// Where the sweet spot is in the draws: 5, 50 and 95 %, and the share of each core count.
void add_distribution(Json& sweet_spot, const std::vector<std::size_t>& fitting, const Json& points)
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
    sweet_spot["low"] = at(0.05);
    sweet_spot["median"] = at(0.5);
    sweet_spot["high"] = at(0.95);
    Json& shares = sweet_spot["shares"] = Json::object();
    for (const std::int64_t one : cores) {
        const std::string key = std::to_string(one);
        shares[key] = shares.value(key, 0.0) + 1.0 / draws;
    }
}

/// What compares core counts: sweet spot, fit, the phases that bend the curve.
void add_core_figures(Json& series, const std::vector<std::size_t>& fitting, const Json& points)
{
    const std::vector<CoreTime> curve = curve_of(fitting, points);
    if (const std::optional<Json> fit = fit_json(fitting, points)) {
        series["fit"] = *fit;
    }
    const Json regimes = regimes_json(fitting, points);
    if (!regimes.is_null()) {
        series["regimes"] = regimes;
    }
    if (curve.size() >= 2) {
        const SweetSpot sweet_spot = sweet_spot_of(curve);
        series["sweet_spot"] = to_json(sweet_spot);
        add_distribution(series["sweet_spot"], fitting, points);
        const std::size_t first = bend_start(sweet_spot, fitting, points);
        series["phases_that_do_not_shrink"] =
            to_json(phases_that_do_not_shrink(points.at(first), points.at(fitting.back())));
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
    SweetSpot found{curve.at(0).cores, "", gains_of(curve)};
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

std::vector<PhaseChange> phase_changes(const Json& first, const Json& last)
{
    std::vector<PhaseChange> changes;
    for (const auto& [phase, seconds] : last.at("phases").items()) {
        const double seconds_last = seconds.get<double>();
        changes.push_back({phase, first.at("phases").value(phase, 0.0), seconds_last,
                           seconds_last / epoch_of(last)});
    }
    std::stable_sort(
        changes.begin(), changes.end(),
        [](const PhaseChange& a, const PhaseChange& b) { return a.seconds_last > b.seconds_last; });
    return changes;
}

std::vector<PhaseChange> phases_that_do_not_shrink(const Json& first, const Json& last)
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

bool is_core_series(const std::vector<std::size_t>& indices, const Json& points)
{
    std::set<std::int64_t> cores;
    Json others;
    for (const std::size_t index : indices) {
        Json rest = points.at(index).at("sweep");
        if (rest.erase(cores_pointer) == 0 || !cores.insert(cores_of(points.at(index))).second ||
            (!others.is_null() && rest != others)) {
            return false;
        }
        others = rest;
    }
    return !indices.empty();
}

std::vector<std::size_t> fitting_points(const std::vector<std::size_t>& indices, const Json& points)
{
    std::vector<std::size_t> fitting;
    for (const std::size_t index : indices) {
        if (points.at(index).contains("epoch_seconds")) {
            fitting.push_back(index);
        }
    }
    std::stable_sort(fitting.begin(), fitting.end(), [&](std::size_t a, std::size_t b) {
        return cores_of(points.at(a)) < cores_of(points.at(b));
    });
    return fitting;
}

std::size_t bend_start(const SweetSpot& sweet_spot, const std::vector<std::size_t>& fitting,
                       const Json& points)
{
    for (const std::size_t index : fitting) {
        if (cores_of(points.at(index)) == sweet_spot.cores && index != fitting.back()) {
            return index;
        }
    }
    return fitting.at(0);
}

std::vector<CoreTime> curve_of(const std::vector<std::size_t>& fitting, const Json& points)
{
    std::vector<CoreTime> curve;
    curve.reserve(fitting.size());
    for (const std::size_t index : fitting) {
        curve.push_back({cores_of(points.at(index)), epoch_of(points.at(index))});
    }
    return curve;
}

Json make_series(const SeriesSpec& spec, Json& points)
{
    Json series{{"name", spec.name}, {"points", spec.points}};
    const std::vector<std::size_t> fitting = fitting_points(spec.points, points);
    if (fitting.empty()) {
        return series;
    }
    if (is_core_series(spec.points, points)) {
        write_speedups(fitting, points);
        add_core_figures(series, fitting, points);
    }
    series["fastest"] = *least("epoch_seconds", fitting, points);
    if (const std::optional<std::size_t> cheapest = least("cost_usd", fitting, points)) {
        series["cheapest"] = *cheapest;
    }
    return series;
}

} // namespace alxsim::report
