// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "report/pictures/svg.h"
#include "report/report.h"

#include <array>
#include <string>
#include <vector>

namespace alxsim::report {

// What both pictures share: a slide's format, the plot's place on it, colours, the legend.

constexpr double picture_width = 960;
constexpr double picture_height = 540;
constexpr double plot_left = 100;
constexpr double plot_right = 700;
constexpr double plot_top = 90;
constexpr double plot_bottom = 460;
constexpr double text_size = 16;
constexpr const char* axis_colour = "#888888";
constexpr const char* grid_colour = "#dddddd";

/// Okabe and Ito's colours (told apart by colour-blind people) and further ones, in turn.
inline const std::string& colour_of(std::size_t index)
{
    static const std::array<std::string, 10> colours{"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                     "#e69f00", "#56b4e9", "#8a7fd0", "#8c8c8c",
                                                     "#b3a125", "#5d4037"};
    return colours.at(index % colours.size());
}

/// Where the words of the horizontal axis stand.
constexpr double axis_words_y = plot_bottom + 74;

/// As many entries as a legend has room for.
constexpr std::size_t most_entries = 14;

/// A blank slide with its title.
Svg titled_slide(const std::string& title);

/// How far entries of a legend stand from each other.
constexpr double entry_height = 26;

/// How the entries of a legend stand below each other.
struct LegendRows {
    double height = entry_height; ///< from one to the next
    bool two_lines = false;       ///< of a name that is too long for one
};

/// Places these names in a room so high.
LegendRows legend_rows(const std::vector<std::string>& names, double room);

/// An entry beside the plot, its first base line at `y`.
void legend_entry(Svg& svg, double y, const std::string& colour, const std::string& words,
                  const LegendRows& rows);

/// The names of the series, for messages.
std::vector<std::string> series_names(const Report& report);

/// Throws InputError that names the nearest one.
const Series& series_named(const Report& report, const std::string& name);

} // namespace alxsim::report
