// SPDX-License-Identifier: Apache-2.0
#include "report/page/page_data.h"

#include <set>
#include <string>

namespace alxsim::report {
namespace {

constexpr const char* details[] = {
    "geometry", "confidence", "uncertainty",     "hbm",      "schedules",     "traffic",
    "skew",     "quality",    "device_counters", "counters", "critical_path", "tables_digest"};

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

/// Of metrics, those after the last interval stay.
void drop_details(Json& point)
{
    Json last = point.contains("quality") && !point.at("quality").empty()
                    ? Json::array({point.at("quality").back()})
                    : Json();
    for (const char* const name : details) {
        point.erase(name);
    }
    if (!last.is_null()) {
        point["quality"] = std::move(last);
    }
    if (point.contains("ici")) {
        point.at("ici").erase("axes");
    }
    if (point.contains("memory")) {
        point.at("memory").erase("parts");
    }
}

} // namespace

std::string page_data(Json report, std::size_t most_bytes)
{
    for (Json& point : report.at("points")) {
        point.erase("drawn");
    }
    std::string text = report.dump();
    if (text.size() <= most_bytes) {
        return text;
    }
    const std::set<std::size_t> named = named_points(report);
    std::size_t left_out = 0;
    for (std::size_t i = 0; i < report.at("points").size(); ++i) {
        if (named.count(i) == 0) {
            drop_details(report.at("points").at(i));
            ++left_out;
        }
    }
    report["details_left_out"] = left_out;
    return report.dump();
}

} // namespace alxsim::report
