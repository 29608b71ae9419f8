// SPDX-License-Identifier: Apache-2.0
#include "report/page/page_data.h"

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace alxsim::report {
namespace {

constexpr const char* details[] = {
    "geometry", "confidence", "uncertainty",     "hbm",      "schedules",     "traffic",
    "skew",     "quality",    "device_counters", "counters", "critical_path", "tables_digest",
    "time_by"};

/// Indices of the points that a series names.
std::set<std::size_t> named_points(const Json& report)
{
    std::set<std::size_t> named;
    for (const Json& series : report.at("series")) {
        for (const char* const which : {"fastest", "cheapest"}) {
            if (series.contains(which)) {
                named.insert(series.at(which).get<std::size_t>());
            }
        }
        const Json& points = series.at("points");
        if (!points.empty()) {
            named.insert(points.front().get<std::size_t>());
            named.insert(points.back().get<std::size_t>());
        }
        if (series.contains("sweet_spot")) {
            for (const Json& index : points) {
                const Json& machine =
                    report.at("points").at(index.get<std::size_t>()).at("machine");
                if (machine.at("cores") == series.at("sweet_spot").at("cores")) {
                    named.insert(index.get<std::size_t>());
                }
            }
        }
    }
    return named;
}

/// A JSON object's text, field by field: of a tree that is not copied.
class ObjectText {
public:
    void add(const std::string& name, std::string_view value)
    {
        text_.append(text_.size() > 1 ? "," : "").append(Json(name).dump());
        text_.append(":").append(value);
    }
    std::string whole() && { return std::move(text_.append("}")); }

private:
    std::string text_ = "{";
};

std::string all_but(const Json& object, std::initializer_list<std::string_view> left_out)
{
    ObjectText text;
    for (const auto& [name, value] : object.items()) {
        if (std::find(left_out.begin(), left_out.end(), name) == left_out.end()) {
            text.add(name, value.dump());
        }
    }
    return std::move(text).whole();
}

/// All but the single draws.
std::string with_details(const Json& point)
{
    return all_but(point, {"drawn"});
}

/// Of metrics, those after the last interval stay; of notes, which the page tells once, those that
/// the point before does not have.
std::string without_details(const Json& point, const Json& before)
{
    const bool same_notes = point.value("notes", Json()) == before.value("notes", Json());
    ObjectText text;
    for (const auto& [name, value] : point.items()) {
        if (name == "drawn" || (name == "notes" && same_notes) ||
            std::find(std::begin(details), std::end(details), name) != std::end(details)) {
            continue;
        }
        text.add(name, name == "ici"      ? all_but(value, {"axes"})
                       : name == "memory" ? all_but(value, {"parts"})
                                          : value.dump());
    }
    if (point.contains("quality") && !point.at("quality").empty()) {
        text.add("quality", Json::array({point.at("quality").back()}).dump());
    }
    return std::move(text).whole();
}

/// A report with these texts for its points, and what `more` has behind all.
std::string with_points(const Json& report, const std::string& points, const Json& more)
{
    ObjectText text;
    for (const auto& [name, value] : report.items()) {
        text.add(name, name == "points" ? points : value.dump());
    }
    for (const auto& [name, value] : more.items()) {
        text.add(name, value.dump());
    }
    return std::move(text).whole();
}

void add_to_list(std::string& list, const std::string& item)
{
    list.append(list.size() > 1 ? "," : "").append(item);
}

/// Nothing if that alone is more than `most_bytes`.
std::optional<std::string> all_with_details(const Json& points, std::size_t most_bytes)
{
    std::string list = "[";
    for (const Json& point : points) {
        add_to_list(list, with_details(point));
        if (list.size() > most_bytes) {
            return std::nullopt;
        }
    }
    return list + "]";
}

} // namespace

std::string page_data(const Json& report, std::size_t most_bytes)
{
    const Json& points = report.at("points");
    if (const auto all = all_with_details(points, most_bytes)) {
        std::string text = with_points(report, *all, Json::object());
        if (text.size() <= most_bytes) {
            return text;
        }
    }
    const std::set<std::size_t> named = named_points(report);
    std::string list = "[";
    for (std::size_t i = 0; i < points.size(); ++i) {
        const Json& point = points.at(i);
        add_to_list(list, named.count(i) != 0
                              ? with_details(point)
                              : without_details(point, points.at(i == 0 ? 0 : i - 1)));
    }
    return with_points(report, list + "]", {{"details_left_out", points.size() - named.size()}});
}

} // namespace alxsim::report
