// SPDX-License-Identifier: Apache-2.0
#include "base/input_error.h"
#include "report/page/colours.h"
#include "report/pictures/frame.h"
#include "report/pictures/pictures.h"
#include "report/words.h"

#include <algorithm>
#include <functional>

namespace alxsim::report {
namespace {

/// What the bars are parted into: a name, a colour, and its share of each bar's time.
struct Part {
    std::string name;
    std::string colour;
    std::vector<double> shares;
};

Named<double> seconds_of(const Point& point, Parts parts)
{
    const Breakdown& epoch = point.result.value().epoch;
    if (parts == Parts::phases) {
        return epoch.phases;
    }
    Named<double> seconds;
    for (const Share share : all_shares) {
        seconds.emplace_back(name_of(share), epoch.share(share));
    }
    return seconds;
}

std::string part_colour(const std::string& name, const std::vector<Part>& others, Parts by)
{
    if (by == Parts::resources) {
        return colour_of_resource(name);
    }
    std::vector<std::string> taken;
    for (const Part& other : others) {
        taken.push_back(other.colour);
    }
    return colour_of_phase(name, taken);
}

/// All of them, in the order in which they appear.
std::vector<Part> parts_of(const std::vector<const Point*>& points, Parts by)
{
    std::vector<Part> parts;
    for (std::size_t bar = 0; bar < points.size(); ++bar) {
        for (const auto& [name, seconds] : seconds_of(*points[bar], by)) {
            auto at = std::find_if(parts.begin(), parts.end(),
                                   [&name = name](const Part& part) { return part.name == name; });
            if (at == parts.end()) {
                at = parts.insert(parts.end(), {name, part_colour(name, parts, by),
                                                std::vector<double>(points.size())});
            }
            at->shares[bar] = seconds / points[bar]->seconds();
        }
    }
    return parts;
}

/// With those that no bar has 2 % of as one, "other", on top.
std::vector<Part> with_small_ones_together(const std::vector<Part>& parts, std::size_t bars)
{
    constexpr double visible = 0.02;
    std::vector<Part> shown;
    Part other{"other", "#bbbbbb", std::vector<double>(bars)};
    for (const Part& part : parts) {
        if (*std::max_element(part.shares.begin(), part.shares.end()) >= visible) {
            shown.push_back(part);
            continue;
        }
        std::transform(part.shares.begin(), part.shares.end(), other.shares.begin(),
                       other.shares.begin(), std::plus<>());
    }
    if (*std::max_element(other.shares.begin(), other.shares.end()) > 0) {
        shown.push_back(std::move(other));
    }
    return shown;
}

std::string label_of(const Point& point, bool by_cores)
{
    if (by_cores || point.sweep.empty()) {
        return std::to_string(point.machine.cores);
    }
    std::vector<std::string> words;
    for (const auto& [pointer, value] : point.sweep) {
        words.push_back(value.is_string() ? value.get<std::string>() : value.dump());
    }
    return join(words);
}

void draw_axis(Svg& svg, const std::string& below)
{
    for (const int percent : {0, 25, 50, 75, 100}) {
        const double y = plot_bottom - (plot_bottom - plot_top) * percent / 100;
        svg.line({{plot_left, y}, {plot_right, y}}, {grid_colour});
        svg.text({plot_left - 8, y + 5}, std::to_string(percent) + " %", text_size, Anchor::end);
    }
    svg.text({(plot_left + plot_right) / 2, plot_bottom + 56}, below, text_size, Anchor::middle);
}

} // namespace

std::string parts_picture(const Report& report, const std::string& name, Parts by)
{
    const Series& series = series_named(report, name);
    std::vector<const Point*> points;
    for (const std::size_t index : fitting_points(series.points, report.points)) {
        points.push_back(&report.points.at(index));
    }
    if (points.empty()) {
        throw InputError("--series", name, "has no point that fits and was timed");
    }
    const bool by_cores = is_core_series(series.points, report.points);
    const std::vector<Part> parts = with_small_ones_together(parts_of(points, by), points.size());

    Svg svg = titled_slide("Where the time of " +
                           interval_words(*points[0]->result).with_article() + " goes: " + name);
    draw_axis(svg, by_cores ? "cores" : "");
    const double step = (plot_right - plot_left) / static_cast<double>(points.size());
    const double width = 0.7 * step;
    for (std::size_t bar = 0; bar < points.size(); ++bar) {
        const double left = plot_left + step * (static_cast<double>(bar) + 0.15);
        double bottom = plot_bottom;
        for (const Part& part : parts) {
            const double height = part.shares[bar] * (plot_bottom - plot_top);
            svg.rectangle({left, bottom - height}, width, height, part.colour);
            bottom -= height;
        }
        svg.text({left + width / 2, plot_top - 8}, seconds_in_words(points[bar]->seconds()), 14,
                 Anchor::middle);
        svg.text({left + width / 2, plot_bottom + 26}, label_of(*points[bar], by_cores), text_size,
                 Anchor::middle);
    }
    for (std::size_t part = 0; part < parts.size(); ++part) {
        const std::size_t from_top = parts.size() - 1 - part; // as the bars are stacked
        legend_entry(svg, from_top, parts[part].colour, parts[part].name);
    }
    return svg.document();
}

} // namespace alxsim::report
