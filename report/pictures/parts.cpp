// SPDX-License-Identifier: Apache-2.0
#include "base/input_error.h"
#include "report/page/colours.h"
#include "report/pictures/frame.h"
#include "report/pictures/labels.h"
#include "report/pictures/pictures.h"
#include "report/pictures/round_values.h"
#include "report/pictures/swept_axis.h"
#include "report/words.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>

namespace alxsim::report {
namespace {

/// What the bars are parted into: a name, a colour, and its seconds in each bar.
struct Part {
    std::string name;
    std::string colour;
    std::vector<double> seconds;
};

Named<double> seconds_of(const Point& point, Parts parts)
{
    const Breakdown& epoch = point.result.value().epoch;
    return parts == Parts::phases ? epoch.phases : resources_of(epoch);
}

std::string resource_colour(const std::string& name)
{
    return name == "bubble"      ? colour_of_resource("waiting")
           : name == "straggler" ? "#8f4a70"
           : name == "late peer" ? "#e8bcd4"
                                 : colour_of_resource(name);
}

std::string part_colour(const std::string& name, const std::vector<Part>& others, Parts by)
{
    if (by == Parts::resources) {
        return resource_colour(name);
    }
    std::vector<std::string> taken;
    for (const Part& other : others) {
        taken.push_back(other.colour);
    }
    return colour_of_phase(name, taken);
}

std::string legend_words(const std::string& name)
{
    return name == name_of(Share::hbm) ? "HBM bandwidth" : name;
}

/// All of them, in the order in which they appear.
std::vector<Part> parts_of(const std::vector<const Point*>& points, Parts by)
{
    std::vector<Part> parts;
    for (std::size_t bar = 0; bar < points.size(); ++bar) {
        for (const auto& [name, seconds] : seconds_of(*points[bar], by)) {
            auto at = std::find_if(parts.begin(), parts.end(), [&wanted = name](const Part& part) {
                return part.name == wanted;
            });
            if (at == parts.end()) {
                at = parts.insert(parts.end(), {name, part_colour(name, parts, by),
                                                std::vector<double>(points.size())});
            }
            at->seconds[bar] = seconds;
        }
    }
    return parts;
}

/// The largest share of a bar.
double largest_share(const Part& part, const std::vector<const Point*>& points)
{
    double largest = 0;
    for (std::size_t bar = 0; bar < points.size(); ++bar) {
        largest = std::max(largest, part.seconds[bar] / points[bar]->seconds());
    }
    return largest;
}

/// Whether a part is told however small it is: what is waited for, and how little.
bool is_always_told(const Part& part)
{
    static const std::array<const char*, 4> waiting{"waiting", "bubble", "straggler", "late peer"};
    return std::find(waiting.begin(), waiting.end(), part.name) != waiting.end() &&
           *std::max_element(part.seconds.begin(), part.seconds.end()) > 0;
}

/// With those that no bar has 2 % of, and those that the legend has no room for, as one, "other",
/// on top.
std::vector<Part> with_small_ones_together(const std::vector<Part>& parts,
                                           const std::vector<const Point*>& points, Parts by)
{
    double visible = 0.02;
    std::vector<double> shares;
    for (const Part& part : parts) {
        shares.push_back(largest_share(part, points));
    }
    if (shares.size() >= most_entries) {
        std::vector<double> sorted = shares;
        std::sort(sorted.rbegin(), sorted.rend());
        visible = std::max(visible, sorted[most_entries - 2]);
    }
    std::vector<Part> shown;
    Part other{"other", "#bbbbbb", std::vector<double>(points.size())};
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const bool told = by == Parts::resources && is_always_told(parts[i]);
        if (told || (shares[i] >= visible && shown.size() + 1 < most_entries)) {
            shown.push_back(parts[i]);
            continue;
        }
        std::transform(parts[i].seconds.begin(), parts[i].seconds.end(), other.seconds.begin(),
                       other.seconds.begin(), std::plus<>());
    }
    if (*std::max_element(other.seconds.begin(), other.seconds.end()) > 0) {
        shown.push_back(std::move(other));
    }
    return shown;
}

/// "16", "8, bf16": what sets a point apart.
std::string label_of(const Point& point, const std::vector<std::string>& pointers)
{
    std::vector<std::string> words;
    for (const std::string& pointer : pointers) {
        words.push_back(value_words(point, pointer));
    }
    return join(words);
}

std::string words_of(const std::vector<std::string>& pointers)
{
    std::vector<std::string> words;
    for (const std::string& pointer : pointers) {
        words.push_back(axis_words(pointer));
    }
    return join(words);
}

void draw_grid_line(Svg& svg, double y, const std::string& words)
{
    svg.line({{plot_left, y}, {plot_right, y}}, {grid_colour});
    svg.text({plot_left - 8, y + 5}, words, text_size, Anchor::end);
}

/// What a bar as high as the plot stands for: nothing, where each bar is a whole.
void draw_scale(Svg& svg, double seconds)
{
    if (seconds == 0) {
        for (const int percent : {0, 25, 50, 75, 100}) {
            draw_grid_line(svg, plot_bottom - (plot_bottom - plot_top) * percent / 100,
                           std::to_string(percent) + " %");
        }
        return;
    }
    for (const double value : even_values(seconds)) {
        draw_grid_line(svg, plot_bottom - (plot_bottom - plot_top) * value / seconds,
                       value == 0 ? "0" : seconds_in_words(value));
    }
}

/// From the top down, as the bars are stacked.
void draw_legend(Svg& svg, const std::vector<Part>& parts)
{
    std::vector<std::string> names;
    for (const Part& part : parts) {
        names.push_back(legend_words(part.name));
    }
    const LegendRows rows = legend_rows(names, picture_height - plot_top);
    double y = plot_top + 12;
    for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
        legend_entry(svg, y, part->colour, legend_words(part->name), rows);
        y += rows.height;
    }
}

} // namespace

std::string parts_picture(const Report& report, const std::string& name, Parts by, Bars bars)
{
    const Series& series = series_named(report, name);
    std::vector<const Point*> points;
    double longest = 0;
    for (const std::size_t index : fitting_points(series.points, report.points)) {
        points.push_back(&report.points.at(index));
        longest = std::max(longest, points.back()->seconds());
    }
    if (points.empty()) {
        throw InputError("--series", name, "has no point that fits and was timed");
    }
    const std::vector<std::string> apart = pointers_apart(points);
    const std::vector<Part> parts = with_small_ones_together(parts_of(points, by), points, by);

    Svg svg = titled_slide("Where the time of " +
                           interval_words(*points[0]->result).with_article() + " goes: " + name);
    draw_scale(svg, bars == Bars::seconds ? longest : 0);
    svg.text({(plot_left + plot_right) / 2, axis_words_y}, words_of(apart), text_size,
             Anchor::middle);
    const double step = (plot_right - plot_left) / static_cast<double>(points.size());
    const double width = 0.7 * step;
    std::vector<AxisLabel> above;
    std::map<double, double> tops; // of the bars, by where their totals stand
    std::vector<AxisLabel> below;
    for (std::size_t bar = 0; bar < points.size(); ++bar) {
        const double left = plot_left + step * (static_cast<double>(bar) + 0.15);
        const double whole = bars == Bars::seconds ? longest : points[bar]->seconds();
        double bottom = plot_bottom;
        for (const Part& part : parts) {
            const double height = part.seconds[bar] / whole * (plot_bottom - plot_top);
            svg.rectangle({left, bottom - height}, width, height, part.colour);
            bottom -= height;
        }
        const std::string total = seconds_in_words(points[bar]->seconds());
        const double right_of_axis = plot_left + width_of(total, text_size) / 2 + 4;
        above.push_back({std::max(left + width / 2, right_of_axis), total});
        tops.emplace(above.back().at, bottom);
        below.push_back({left + width / 2, label_of(*points[bar], apart)});
    }
    for (const AxisLabel& label : with_room(above, text_size)) {
        svg.text({label.at, tops.at(label.at) - 8}, label.words, text_size, Anchor::middle);
    }
    draw_labels_below(svg, below);
    draw_legend(svg, parts);
    return svg.document();
}

} // namespace alxsim::report
