// SPDX-License-Identifier: Apache-2.0
#include "report/files.h"

#include "base/host_pool.h"
#include "base/input_error.h"
#include "report/compact/compact_points.h"
#include "report/csv.h"
#include "report/html.h"
#include "report/page/page_data.h"
#include "report/report_fields.h"
#include "report/schema/report_schema.h"

#include <algorithm>
#include <array>
#include <functional>
#include <stdexcept>

namespace alxsim::report {
namespace {

void require(const std::function<void()>& checked)
{
    try {
        checked();
    } catch (const InputError& error) {
        throw std::logic_error(error.what());
    }
}

/// With blanks before each of its lines but the first.
std::string indented(const std::string& text, const char* blanks)
{
    std::string result;
    for (std::size_t at = 0;;) {
        const std::size_t end = text.find('\n', at);
        result.append(text, at, end - at);
        if (end == std::string::npos) {
            return result;
        }
        result.append("\n").append(blanks);
        at = end + 1;
    }
}

/// The text of a report without points, with these in their place.
std::string with_points(const Json& rest, const std::string& points)
{
    std::string text = rest.dump(2) + "\n";
    const std::string none = "\n  \"points\": []"; // deeper ones have more blanks
    text.replace(text.find(none), none.size(), "\n  \"points\": " + points);
    return text;
}

void add_in_full(const std::string& point, std::string& list)
{
    list.append(list.empty() ? "[\n    " : ",\n    ").append(point);
}

std::string ended(const std::string& list)
{
    return list.empty() ? "[]" : list + "\n  ]";
}

/// Who gets the points, each with its text in the full form.
class Sinks {
public:
    Sinks(Form form, const Json& rest) : form_(form), page_(rest, compact_) {}

    /// Each by itself, so that they can be at work side by side.
    std::array<std::function<void(const Json& point, const std::string& text)>, 3> all()
    {
        return {[this](const Json& point, const std::string& text) {
                    compact_.add(point);
                    if (form_ == Form::full) {
                        add_in_full(text, full_);
                    }
                },
                [this](const Json& point, const std::string&) { table_.add(point); },
                [this](const Json& point, const std::string&) { page_.add(point); }};
    }

    std::string csv() const { return table_.csv(); }
    std::string page() const { return page_.text(); }
    std::string points() const { return form_ == Form::compact ? compact_.text() : ended(full_); }

private:
    Form form_;
    CompactPoints compact_;
    std::string full_;
    PointsTable table_;
    PageData page_;
};

/// So many points at a time are JSON: all of them would take a thousand times as much.
constexpr std::size_t points_at_a_time = 256;

void pass_on(const Report& report, HostPool& pool, Sinks& sinks, Form form)
{
    auto all = sinks.all();
    for (std::size_t begin = 0; begin < report.points.size(); begin += points_at_a_time) {
        const std::size_t end = std::min(report.points.size(), begin + points_at_a_time);
        std::vector<Json> points(end - begin);
        std::vector<std::string> texts(end - begin);
        pool.for_chunks(static_cast<std::int64_t>(points.size()), 8,
                        [&](std::int64_t first, std::int64_t last) {
                            for (auto i = static_cast<std::size_t>(first);
                                 i < static_cast<std::size_t>(last); ++i) {
                                points[i] = json_of(report.points[begin + i]);
                                require([&] { validate_point(points[i], begin + i, "report"); });
                                if (form == Form::full) {
                                    texts[i] = indented(points[i].dump(2), "    ");
                                }
                            }
                        });
        pool.for_chunks(static_cast<std::int64_t>(all.size()), 1,
                        [&](std::int64_t sink, std::int64_t) {
                            for (std::size_t i = 0; i < points.size(); ++i) {
                                all[static_cast<std::size_t>(sink)](points[i], texts[i]);
                            }
                        });
    }
}

} // namespace

ReportFiles files_of(const Report& report, Form form, int threads)
{
    const Json rest = to_json_without_points(report);
    require([&] { validate_report(rest, "report"); });
    HostPool pool(threads);
    Sinks sinks(form, rest);
    pass_on(report, pool, sinks, form);
    return {with_points(rest, sinks.points()), sinks.csv(),
            html_page_of(report.name(), sinks.page())};
}

std::string json_text(const Report& report, Form form)
{
    CompactPoints compact;
    std::string full;
    for (const Point& point : report.points) {
        const Json json = json_of(point);
        if (form == Form::compact) {
            compact.add(json);
        } else {
            add_in_full(indented(json.dump(2), "    "), full);
        }
    }
    return with_points(to_json_without_points(report),
                       form == Form::compact ? compact.text() : ended(full));
}

} // namespace alxsim::report
