// SPDX-License-Identifier: Apache-2.0
#include "report/worlds.h"

#include "report/series.h"

#include <algorithm>
#include <limits>

namespace alxsim::report {
namespace {

std::optional<double> as_number(const Json* found)
{
    return found != nullptr && found->is_number() ? std::optional(found->get<double>())
                                                  : std::nullopt;
}

double cores_of(const Json& point)
{
    return point.at("machine").at("cores").get<double>();
}

/// What grows with the epoch and with nothing else that is drawn.
bool follows_epoch(const std::string& path)
{
    return path == "cost_usd" || path == "energy_joules";
}

} // namespace

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

double World::epoch_seconds(std::size_t point) const
{
    const Json& one = points_.at(point);
    return draw_ == central ? one.at("epoch_seconds").get<double>()
                            : one.at("drawn")
                                  .at("epoch_seconds")
                                  .at(static_cast<std::size_t>(draw_))
                                  .get<double>();
}

std::vector<CoreTime> World::curve(const std::vector<std::size_t>& fitting) const
{
    std::vector<CoreTime> curve;
    for (const std::size_t index : fitting) {
        curve.push_back(
            {static_cast<std::int64_t>(cores_of(points_.at(index))), epoch_seconds(index)});
    }
    return curve;
}

std::optional<double> World::number(std::size_t point, const std::string& path,
                                    std::size_t base) const
{
    const Json& one = points_.at(point);
    const std::optional<double> known = as_number(find_field(one, path));
    if (draw_ == central || !known) {
        return known;
    }
    const double speedup = epoch_seconds(base) / epoch_seconds(point);
    if (path == "speedup") {
        return speedup;
    }
    if (path == "efficiency") {
        return speedup * cores_of(points_.at(base)) / cores_of(one);
    }
    if (follows_epoch(path)) {
        return *known * epoch_seconds(point) / one.at("epoch_seconds").get<double>();
    }
    const Json* drawn = find_field(one.at("drawn"), path);
    return drawn == nullptr ? known : as_number(&drawn->at(static_cast<std::size_t>(draw_)));
}

std::optional<double> World::number(const Json& series, const std::string& path) const
{
    if (draw_ == central || path != "sweet_spot.cores") {
        return as_number(find_field(series, path));
    }
    const std::vector<std::size_t> fitting =
        fitting_points(series.at("points").get<std::vector<std::size_t>>(), points_);
    return static_cast<double>(sweet_spot_of(curve(fitting)).cores);
}

int common_draws(const std::vector<std::size_t>& indices, const Json& points)
{
    int draws = std::numeric_limits<int>::max();
    for (const std::size_t index : indices) {
        const Json drawn = points.at(index).value("drawn", Json::object());
        const std::size_t count = drawn.value("epoch_seconds", Json::array()).size();
        draws = std::min(draws, static_cast<int>(count));
    }
    return indices.empty() ? 0 : draws;
}

void drop_details_of_draws(Json& point)
{
    if (point.contains("drawn")) {
        const Json seconds = point.at("drawn").at("epoch_seconds");
        point["drawn"] = {{"epoch_seconds", seconds}};
    }
}

} // namespace alxsim::report
