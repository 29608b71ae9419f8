// SPDX-License-Identifier: Apache-2.0
#include "report/pictures/swept_axis.h"

#include "base/text/printed.h"
#include "report/words.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>

namespace alxsim::report {
namespace {

/// Absent: null.
Json swept_value(const Point& point, const std::string& pointer)
{
    if (pointer.empty()) {
        return point.machine.cores;
    }
    const Json* const value = point.sweep.find(pointer);
    return value == nullptr ? Json() : *value;
}

/// The number of "x0.25", by which an override multiplies a value.
std::optional<double> factor_in(const Json& value)
{
    const std::string words = value.is_string() ? value.get<std::string>() : "";
    double factor = 0;
    if (words.size() < 2 || words.front() != 'x') {
        return std::nullopt;
    }
    const char* const end = words.data() + words.size();
    const auto [rest, error] = std::from_chars(words.data() + 1, end, factor);
    return error == std::errc() && rest == end ? std::optional(factor) : std::nullopt;
}

/// How many points differ from each other there.
std::size_t told_apart(const std::vector<const Point*>& points,
                       const std::vector<std::string>& pointers)
{
    std::set<std::string> different;
    for (const Point* point : points) {
        std::string all;
        for (const std::string& pointer : pointers) {
            all += swept_value(*point, pointer).dump() + "\n";
        }
        different.insert(all);
    }
    return different.size();
}

/// In the order of the sweep.
std::vector<std::string> varied_pointers(const std::vector<const Point*>& points)
{
    std::vector<std::string> varied;
    for (const auto& [pointer, value] : points.front()->sweep) {
        if (told_apart(points, {pointer}) > 1) {
            varied.push_back(pointer);
        }
    }
    return varied;
}

} // namespace

std::vector<std::string> pointers_apart(const std::vector<const Point*>& points)
{
    if (told_apart(points, {""}) == points.size()) {
        return {""};
    }
    const std::vector<std::string> varied = varied_pointers(points);
    for (const std::string& pointer : varied) {
        if (told_apart(points, {pointer}) == points.size()) {
            return {pointer};
        }
    }
    std::vector<std::string> chosen;
    for (const std::string& pointer : varied) {
        const std::size_t before = told_apart(points, chosen);
        chosen.push_back(pointer);
        if (told_apart(points, chosen) == before) {
            chosen.pop_back();
        }
    }
    return chosen;
}

std::string axis_words(const std::string& pointer)
{
    std::string words = pointer.empty() ? "cores" : pointer.substr(pointer.rfind('/') + 1);
    std::replace(words.begin(), words.end(), '_', ' ');
    return words;
}

std::string value_words(const Point& point, const std::string& pointer)
{
    const Json value = swept_value(point, pointer);
    if (value.is_string()) {
        return value.get<std::string>();
    }
    if (value.is_number() && std::abs(value.get<double>()) >= 1e6) {
        return printed("%.3g", value.get<double>());
    }
    return value.is_number_float() ? in_words(value.get<double>()) : value.dump();
}

bool is_numeric(const std::vector<const Point*>& points, const std::string& pointer)
{
    const auto all_are = [&](const auto& wanted) {
        return std::all_of(points.begin(), points.end(), [&](const Point* point) {
            return wanted(swept_value(*point, pointer));
        });
    };
    return all_are([](const Json& value) { return value.is_number(); }) ||
           all_are([](const Json& value) { return factor_in(value).has_value(); });
}

double value_at(const Point& point, const std::string& pointer)
{
    const Json value = swept_value(point, pointer);
    const std::optional<double> factor = factor_in(value);
    return factor ? *factor : value.get<double>();
}

} // namespace alxsim::report
