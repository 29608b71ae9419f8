// SPDX-License-Identifier: Apache-2.0
#include "report/worlds.h"

#include "report/point_fields.h"
#include "report/series_fields.h"

#include <algorithm>
#include <limits>

namespace alxsim::report {
namespace {

/// What stands at `path` in `object`; null if nothing does.
const Json* find_field(const Json& object, const std::string& path)
{
    if (object.is_object() && object.contains(path)) {
        return &object.at(path);
    }
    for (std::size_t dot = path.rfind('.'); dot != std::string::npos && dot > 0;
         dot = path.rfind('.', dot - 1)) {
        const std::string key = path.substr(0, dot);
        if (object.is_object() && object.contains(key)) {
            return find_field(object.at(key), path.substr(dot + 1));
        }
    }
    return nullptr;
}

std::optional<double> number_at(const Json& object, const std::string& path)
{
    const Json* const found = find_field(object, path);
    return found != nullptr && found->is_number() ? std::optional(found->get<double>())
                                                  : std::nullopt;
}

double number_of_cores(const Point& point)
{
    return static_cast<double>(point.machine.cores);
}

const std::string of_waiting = "waiting.";

const std::string of_axes = "communication.";

bool begins_with(const std::string& text, const std::string& beginning)
{
    return text.rfind(beginning, 0) == 0;
}

/// What grows with the epoch and with nothing else that is drawn.
bool follows_epoch(const std::string& path)
{
    return path == "cost_usd" || path == "energy_joules";
}

/// The draws of a point; none of one without.
const Drawn* drawn_of(const Point& point)
{
    return point.result && point.result->drawn ? &*point.result->drawn : nullptr;
}

} // namespace

NamedFigures::NamedFigures(const std::vector<Point>& points)
{
    for (const Point& point : points) {
        points_.push_back(json_of(point));
    }
}

std::optional<double> NamedFigures::of_point(std::size_t index, const std::string& path) const
{
    const std::optional<double> number = number_at(points_.at(index), path);
    return number || !is_none_of_its_time(index, path) ? number : std::optional(0.0);
}

bool NamedFigures::is_none_of_its_time(std::size_t index, const std::string& path) const
{
    // Names of axes are not known before a point has them: elsewhere a typing error would be 0.
    const bool is_known = begins_with(path, "phases.") || begins_with(path, of_waiting) ||
                          (begins_with(path, of_axes) &&
                           std::any_of(points_.begin(), points_.end(), [&](const Json& point) {
                               return number_at(point, path).has_value();
                           }));
    return is_known && points_.at(index).contains("epoch_seconds");
}

std::optional<double> NamedFigures::of_series(const Series& series, const std::string& path)
{
    return number_at(json_of(series), path);
}

double World::epoch_seconds(std::size_t point) const
{
    const Point& one = points_.at(point);
    return draw_ == central ? one.seconds()
                            : drawn_of(one)->seconds.at(static_cast<std::size_t>(draw_));
}

std::vector<CoreTime> World::curve(const std::vector<std::size_t>& fitting) const
{
    std::vector<CoreTime> curve;
    for (const std::size_t index : fitting) {
        curve.push_back({points_.at(index).machine.cores, epoch_seconds(index)});
    }
    return curve;
}

std::optional<double> World::number(const NamedFigures& figures, std::size_t point,
                                    const std::string& path, std::size_t base) const
{
    const Point& one = points_.at(point);
    const std::optional<double> known = figures.of_point(point, path);
    if (draw_ == central || !known) {
        return known;
    }
    const double speedup =
        growth_of_work(points_.at(base), one) * epoch_seconds(base) / epoch_seconds(point);
    if (path == "speedup") {
        return speedup;
    }
    if (path == "efficiency") {
        return speedup * number_of_cores(points_.at(base)) / number_of_cores(one);
    }
    if (follows_epoch(path)) {
        return *known * epoch_seconds(point) / one.seconds();
    }
    if (begins_with(path, of_waiting)) { // its kinds are not drawn apart
        const std::vector<double>* const all = drawn_of(one)->of(field_of(Share::waiting));
        const double central_waiting = one.result->epoch.share(Share::waiting);
        return all == nullptr || central_waiting <= 0
                   ? known
                   : std::optional(*known * all->at(static_cast<std::size_t>(draw_)) /
                                   central_waiting);
    }
    const std::vector<double>* const drawn = drawn_of(one)->of(path);
    return drawn == nullptr ? known : drawn->at(static_cast<std::size_t>(draw_));
}

std::optional<double> World::number(const Series& series, const std::string& path) const
{
    if (draw_ == central || path != "sweet_spot.cores") {
        return NamedFigures::of_series(series, path);
    }
    return static_cast<double>(sweet_spot_of(curve(fitting_points(series.points, points_))).cores);
}

double line_seconds(const Point& point)
{
    const Result& result = point.result.value();
    const double central = result.epoch.seconds;
    const bool outside = result.low_seconds && result.high_seconds &&
                         (central < *result.low_seconds || central > *result.high_seconds);
    return outside ? result.median_seconds.value_or(central) : central;
}

int common_draws(const std::vector<std::size_t>& indices, const std::vector<Point>& points)
{
    int draws = std::numeric_limits<int>::max();
    for (const std::size_t index : indices) {
        const Drawn* const drawn = drawn_of(points.at(index));
        draws = std::min(draws, drawn == nullptr ? 0 : static_cast<int>(drawn->seconds.size()));
    }
    return indices.empty() ? 0 : draws;
}

} // namespace alxsim::report
