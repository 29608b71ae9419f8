// SPDX-License-Identifier: Apache-2.0
#include "report/pictures/frame.h"

#include "base/input_error.h"
#include "report/pictures/labels.h"

#include <algorithm>

namespace alxsim::report {
namespace {

constexpr double name_width = picture_width - plot_right - 52; // beside the plot, in a legend
constexpr double line_height = 18;

/// How much of a name goes on its first line: all that fits up to the end of a word.
std::size_t end_of_first_line(const std::string& words)
{
    if (width_of(words, text_size) <= name_width) {
        return words.size();
    }
    std::size_t end = words.size();
    for (std::size_t at = 1; at < words.size(); ++at) {
        if (width_of(words.substr(0, at), text_size) > name_width) {
            break;
        }
        const bool ends_a_word =
            words[at - 1] == ' ' || words[at - 1] == '.' || words[at - 1] == '_';
        end = ends_a_word ? at : end;
    }
    return end;
}

} // namespace

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

LegendRows legend_rows(const std::vector<std::string>& names, double room)
{
    constexpr LegendRows high{entry_height + line_height, true};
    const bool any_wide = std::any_of(names.begin(), names.end(), [](const std::string& name) {
        return width_of(name, text_size) > name_width;
    });
    return any_wide && static_cast<double>(names.size()) * high.height <= room ? high
                                                                               : LegendRows{};
}

void legend_entry(Svg& svg, double y, const std::string& colour, const std::string& words,
                  const LegendRows& rows)
{
    svg.rectangle({plot_right + 25, y - 13}, 14, 14, colour);
    const std::size_t end =
        rows.two_lines ? end_of_first_line(words) : static_cast<std::size_t>(words.size());
    svg.text({plot_right + 47, y}, cut_to(words.substr(0, end), text_size, name_width), text_size);
    if (end < words.size()) {
        svg.text({plot_right + 47, y + line_height},
                 cut_to(words.substr(end), text_size, name_width), text_size);
    }
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
