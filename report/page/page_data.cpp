// SPDX-License-Identifier: Apache-2.0
#include "report/page/page_data.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace alxsim::report {
namespace {

const std::set<std::string> details{
    "drawn",     "geometry",        "confidence",   "uncertainty", "hbm",
    "schedules", "traffic",         "skew",         "counters",    "critical_path",
    "time_by",   "device_counters", "tables_digest"};

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

/// All but the single draws.
std::string with_details(const Json& point)
{
    ObjectText text;
    for (const auto& [name, value] : point.items()) {
        if (name != "drawn") {
            text.add(name, value.dump());
        }
    }
    return std::move(text).whole();
}

/// A report with these texts for its points, and what `more` has behind all.
std::string with_points(const Json& rest, const std::string& points,
                        const std::map<std::string, std::string>& more = {})
{
    ObjectText text;
    for (const auto& [name, value] : rest.items()) {
        text.add(name, name == "points" ? points : value.dump());
    }
    for (const auto& [name, value] : more) {
        text.add(name, value);
    }
    return std::move(text).whole();
}

} // namespace

PageData::PageData(const Json& rest, const CompactPoints& compact, std::size_t most_bytes)
    : rest_(rest),
      compact_(compact),
      most_bytes_(most_bytes)
{
    for (const Json& series : rest.at("series")) {
        for (const char* const which : {"fastest", "cheapest"}) {
            if (series.contains(which)) {
                named_.insert(series.at(which).get<std::size_t>());
            }
        }
        const Json& points = series.at("points");
        if (!points.empty()) {
            named_.insert(points.front().get<std::size_t>());
            named_.insert(points.back().get<std::size_t>());
        }
        if (series.contains("sweet_spot")) {
            sweet_spots_[series.at("name")] = series.at("sweet_spot").at("cores");
        }
    }
}

bool PageData::is_named(const Json& point) const
{
    const auto sweet = sweet_spots_.find(point.at("series"));
    return named_.count(points_) != 0 ||
           (sweet != sweet_spots_.end() && point.at("machine").at("cores") == sweet->second);
}

void PageData::add(const Json& point)
{
    const bool named = is_named(point);
    const std::string text = named || all_ ? with_details(point) : "";
    if (all_) {
        all_->append(all_->size() > 1 ? "," : "").append(text);
        if (all_->size() > most_bytes_) {
            all_.reset();
        }
    }
    if (named) {
        detailed_[points_] = text;
    }
    ++points_;
}

std::string PageData::text() const
{
    if (all_) {
        std::string text = with_points(rest_, *all_ + "]");
        if (text.size() <= most_bytes_) {
            return text;
        }
    }
    std::string text = with_points(rest_, compact_.text({"drawn"}));
    if (text.size() <= most_bytes_) {
        return text;
    }
    ObjectText detailed;
    for (const auto& [number, point] : detailed_) {
        detailed.add(std::to_string(number), point);
    }
    return with_points(rest_, compact_.text(details),
                       {{"detailed_points", std::move(detailed).whole()},
                        {"details_left_out", std::to_string(points_ - detailed_.size())}});
}

std::string page_data(const Json& report, std::size_t most_bytes)
{
    CompactPoints compact;
    PageData page(report, compact, most_bytes);
    for (const Json& point : report.at("points")) {
        compact.add(point);
        page.add(point);
    }
    return page.text();
}

} // namespace alxsim::report
