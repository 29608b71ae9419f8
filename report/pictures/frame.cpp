// SPDX-License-Identifier: Apache-2.0
#include "report/pictures/frame.h"

#include "base/input_error.h"
#include "report/pictures/labels.h"

#include <algorithm>

namespace alxsim::report {

Svg titled_slide(const std::string& title)
{
    Svg svg(picture_width, picture_height, title);
    constexpr double room = picture_width - plot_left - 10;
    constexpr double largest = 22;
    constexpr double smallest = 14;
    const double size = std::clamp(largest * room / width_of(title, largest), smallest, largest);
    svg.text({plot_left, 46}, cut_to(title, size, room), size);
    return svg;
}

void legend_entry(Svg& svg, std::size_t row, const std::string& colour, const std::string& words)
{
    const double y = plot_top + 10 + static_cast<double>(row) * 26;
    svg.rectangle({plot_right + 25, y - 11}, 14, 14, colour);
    constexpr double room = picture_width - plot_right - 52;
    const double size = width_of(words, text_size) > room ? 12 : text_size;
    svg.text({plot_right + 47, y + 2}, cut_to(words, size, room), size);
}

std::vector<std::string> series_names(const Report& report)
{
    std::vector<std::string> names;
    for (const Series& series : report.series) {
        names.push_back(series.name);
    }
    return names;
}

const Series& series_named(const Report& report, const std::string& name)
{
    const auto found = std::find_if(report.series.begin(), report.series.end(),
                                    [&](const Series& series) { return series.name == name; });
    if (found == report.series.end()) {
        const std::vector<std::string> names = series_names(report);
        throw InputError("--series", "",
                         "found '" + name + "'" + did_you_mean(name, names) +
                             "; allowed: " + join(names));
    }
    return *found;
}

} // namespace alxsim::report
