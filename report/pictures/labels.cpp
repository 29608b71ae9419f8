// SPDX-License-Identifier: Apache-2.0
#include "report/pictures/labels.h"

#include "report/pictures/frame.h"

#include <algorithm>
#include <numeric>

namespace alxsim::report {
namespace {

constexpr double gap = 6; // between neighbours
constexpr double slanted_size = 13;
constexpr double slanted_gap = 20; // of neighbours that are slanted, along the axis
constexpr double slanted_width = 84;

/// Whether a character of UTF-8 begins: bytes that go on with one do not count.
bool begins_character(char byte)
{
    return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
}

bool touch(const AxisLabel& left, const AxisLabel& right, double size)
{
    return right.at - left.at <
           (width_of(left.words, size) + width_of(right.words, size)) / 2 + gap;
}

/// The first, then each that is so far from the one before, and the last in place of what is near.
std::vector<AxisLabel> thinned(const std::vector<AxisLabel>& labels, double distance)
{
    std::vector<AxisLabel> kept;
    for (const AxisLabel& label : labels) {
        const bool is_last = &label == &labels.back();
        while (is_last && kept.size() > 1 && label.at - kept.back().at < distance) {
            kept.pop_back();
        }
        if (kept.empty() || label.at - kept.back().at >= distance) {
            kept.push_back(label);
        }
    }
    return kept;
}

} // namespace

double width_of(const std::string& words, double size)
{
    constexpr double of_its_size = 0.62; // digits of DejaVu Sans; Arial's are narrower
    return of_its_size * size *
           static_cast<double>(std::count_if(words.begin(), words.end(), begins_character));
}

std::string cut_to(const std::string& words, double size, double width)
{
    if (width_of(words, size) <= width) {
        return words;
    }
    std::string cut = words;
    while (!cut.empty() && width_of(cut, size) > width - size) {
        while (!begins_character(cut.back())) {
            cut.pop_back();
        }
        cut.pop_back();
    }
    return cut + "…";
}

std::vector<AxisLabel> with_room(const std::vector<AxisLabel>& labels, double size)
{
    std::vector<AxisLabel> kept;
    for (const AxisLabel& label : labels) {
        const bool is_last = &label == &labels.back();
        while (is_last && kept.size() > 1 && touch(kept.back(), label, size)) {
            kept.pop_back();
        }
        if (kept.empty() || !touch(kept.back(), label, size)) {
            kept.push_back(label);
        }
    }
    return kept;
}

std::vector<double> spread_out(const std::vector<double>& wanted, double distance, double low,
                               double high)
{
    std::vector<std::size_t> order(wanted.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return wanted[a] < wanted[b]; });
    std::vector<double> places = wanted;
    double least = low;
    for (const std::size_t i : order) {
        places[i] = std::max(wanted[i], least);
        least = places[i] + distance;
    }
    double most = high; // back up from the end, where they went beyond it
    for (auto i = order.rbegin(); i != order.rend(); ++i) {
        places[*i] = std::min(places[*i], most);
        most = places[*i] - distance;
    }
    return places;
}

void draw_labels(Svg& svg, const std::vector<AxisLabel>& labels, double y, double size)
{
    for (const AxisLabel& label : with_room(labels, size)) {
        svg.text({label.at, y}, label.words, size, Anchor::middle);
    }
}

void draw_labels_below(Svg& svg, const std::vector<AxisLabel>& labels)
{
    if (with_room(labels, text_size).size() == labels.size()) {
        draw_labels(svg, labels, plot_bottom + 26, text_size);
        return;
    }
    for (const AxisLabel& label : thinned(labels, slanted_gap)) {
        svg.slanted_text({label.at + 4, plot_bottom + 16},
                         cut_to(label.words, slanted_size, slanted_width), slanted_size);
    }
}

} // namespace alxsim::report
