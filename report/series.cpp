// SPDX-License-Identifier: Apache-2.0
#include "report/series.h"

#include <Eigen/Dense>

#include <algorithm>
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

/// The weighted terms 1/N, 1 and N of each point: a row per point, divided by its time, so that the
/// right-hand side is all ones.
Eigen::MatrixXd relative_terms(const std::vector<CoreTime>& curve)
{
    Eigen::MatrixXd terms(static_cast<Eigen::Index>(curve.size()), 3);
    for (Eigen::Index i = 0; i < terms.rows(); ++i) {
        const CoreTime& point = curve[static_cast<std::size_t>(i)];
        const double cores = static_cast<double>(point.cores);
        terms.row(i) << 1 / cores, 1, cores;
        terms.row(i) /= point.seconds;
    }
    return terms;
}

/// Least squares over the chosen columns (bits of `chosen`); the other coefficients are 0. Columns
/// are scaled to length one first: they differ by orders of magnitude.
Eigen::Vector3d solve_subset(const Eigen::MatrixXd& terms, unsigned chosen)
{
    Eigen::MatrixXd some = Eigen::MatrixXd::Zero(terms.rows(), 3);
    for (int column = 0; column < 3; ++column) {
        if ((chosen >> column) & 1U) {
            some.col(column) = terms.col(column) / terms.col(column).norm();
        }
    }
    const Eigen::VectorXd ones = Eigen::VectorXd::Ones(terms.rows());
    Eigen::Vector3d coefficients = some.colPivHouseholderQr().solve(ones);
    for (int column = 0; column < 3; ++column) {
        coefficients[column] /= terms.col(column).norm();
    }
    return coefficients;
}

/// 1 - (sum of squared relative errors)/(the same of the best constant).
double relative_r2(const Eigen::MatrixXd& terms, const Eigen::Vector3d& coefficients)
{
    const Eigen::VectorXd ones = Eigen::VectorXd::Ones(terms.rows());
    const Eigen::Vector3d flat = solve_subset(terms, 0b010);
    const double spread = (terms * flat - ones).squaredNorm();
    const double rest = (terms * coefficients - ones).squaredNorm();
    return spread > 0 ? 1 - rest / spread : 1;
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
    const CoreTime base = {cores_of(points[fitting[0]]), epoch_of(points[fitting[0]])};
    for (const std::size_t index : fitting) {
        Json& point = points[index];
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
        if (!points[index].contains(field)) {
            return std::nullopt;
        }
        if (!best || points[index][field].get<double>() < points[*best][field].get<double>()) {
            best = index;
        }
    }
    return best;
}

/// What compares core counts: sweet spot, fit, the phases that bend the curve.
void add_core_figures(Json& series, const std::vector<std::size_t>& fitting, const Json& points)
{
    const std::vector<CoreTime> curve = curve_of(fitting, points);
    if (const std::optional<Fit> fit = fit_of(curve)) {
        series["fit"] = {{"a_over_n", fit->a_over_n},
                         {"constant", fit->constant},
                         {"per_core", fit->per_core},
                         {"r2", fit->r2}};
    }
    if (curve.size() >= 2) {
        const SweetSpot sweet_spot = sweet_spot_of(curve);
        series["sweet_spot"] = to_json(sweet_spot);
        const std::size_t first = bend_start(sweet_spot, fitting, points);
        series["phases_that_do_not_shrink"] =
            to_json(phases_that_do_not_shrink(points[first], points[fitting.back()]));
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

std::optional<Fit> fit_of(const std::vector<CoreTime>& curve)
{
    if (curve.size() < 3) {
        return std::nullopt;
    }
    const Eigen::MatrixXd terms = relative_terms(curve);
    const Eigen::VectorXd ones = Eigen::VectorXd::Ones(terms.rows());
    // With three terms the active set is found by trying all seven: the best that has no negative
    // one.
    Eigen::Vector3d best = Eigen::Vector3d::Zero();
    double least_error = ones.squaredNorm();
    for (unsigned chosen = 1; chosen < 8; ++chosen) {
        const Eigen::Vector3d candidate = solve_subset(terms, chosen);
        const double error = (terms * candidate - ones).squaredNorm();
        if (candidate.minCoeff() >= 0 && error < least_error) {
            best = candidate;
            least_error = error;
        }
    }
    return Fit{best[0], best[1], best[2], relative_r2(terms, best)};
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
        if (rest.erase(cores_pointer) == 0 || !cores.insert(cores_of(points[index])).second ||
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
        return cores_of(points[a]) < cores_of(points[b]);
    });
    return fitting;
}

std::size_t bend_start(const SweetSpot& sweet_spot, const std::vector<std::size_t>& fitting,
                       const Json& points)
{
    for (const std::size_t index : fitting) {
        if (cores_of(points[index]) == sweet_spot.cores && index != fitting.back()) {
            return index;
        }
    }
    return fitting.at(0);
}

std::vector<CoreTime> curve_of(const std::vector<std::size_t>& fitting, const Json& points)
{
    std::vector<CoreTime> curve;
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
    write_speedups(fitting, points);
    if (is_core_series(spec.points, points)) {
        add_core_figures(series, fitting, points);
    }
    series["fastest"] = *least("epoch_seconds", fitting, points);
    if (const std::optional<std::size_t> cheapest = least("cost_usd", fitting, points)) {
        series["cheapest"] = *cheapest;
    }
    return series;
}

} // namespace alxsim::report
