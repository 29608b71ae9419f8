// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "report/pictures/svg.h"

#include <string>
#include <vector>

namespace alxsim::report {

/// A label of an axis, and where on it.
struct AxisLabel {
    double at = 0;
    std::string words;
};

/// How wide words are at most, in pixels: by the widest of the usual sans-serif fonts.
double width_of(const std::string& words, double size);

/// The words, cut with an ellipsis where they are wider than that.
std::string cut_to(const std::string& words, double size, double width);

/// Those that do not touch, of labels in ascending order: the first and the last, and in between
/// what has room.
std::vector<AxisLabel> with_room(const std::vector<AxisLabel>& labels, double size);

/// Labels centred at `y`, those that have room.
void draw_labels(Svg& svg, const std::vector<AxisLabel>& labels, double y, double size);

/// Labels below the plot: side by side where all have room, else slanted, and thinned where that
/// does not do.
void draw_labels_below(Svg& svg, const std::vector<AxisLabel>& labels);

} // namespace alxsim::report
