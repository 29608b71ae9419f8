// SPDX-License-Identifier: Apache-2.0
#include "workloads/sketch.h"

#include <algorithm>
#include <cmath>

namespace alxsim::workloads {
namespace {

std::string shape_in_words(const MatrixSketch& sketch)
{
    return std::to_string(sketch.rows) + " x " + std::to_string(sketch.columns);
}

std::string kept_in_words(const MatrixSketch& sketch)
{
    std::string words;
    for (const std::int64_t kept : sketch.kept) {
        words += (words.empty() ? "" : " x ") + std::to_string(kept);
    }
    return words;
}

bool same_draws(const MatrixSketch& a, const MatrixSketch& b)
{
    return std::equal(a.draws.begin(), a.draws.end(), b.draws.begin(), b.draws.end(),
                      [](const SketchDraw& one, const SketchDraw& other) {
                          return one.stream == other.stream &&
                                 one.numbers.size() == other.numbers.size();
                      });
}

/// Nothing: they are.
std::optional<std::string> why_not_comparable(const MatrixSketch& a, const MatrixSketch& b)
{
    if (a.rows != b.rows || a.columns != b.columns) {
        return "A's has " + shape_in_words(a) + " numbers, B's " + shape_in_words(b);
    }
    if (!a.norm || !b.norm) {
        return std::string(a.norm ? "B's" : "A's") + " has numbers that are not finite";
    }
    if (a.kept != b.kept) {
        return "A's sketch keeps " + kept_in_words(a) + " numbers, B's " + kept_in_words(b);
    }
    if (a.kept.size() != 2 || a.draws.size() < 2 || !same_draws(a, b)) {
        return "their sketches were not drawn from the same seeds, two or more";
    }
    return std::nullopt;
}

/// |f(A) - f(B)|^2 = |f(A - B)|^2 of a draw.
double squared_distance(const SketchDraw& a, const SketchDraw& b)
{
    double sum = 0;
    for (std::size_t i = 0; i < a.numbers.size(); ++i) {
        const double difference = a.numbers[i] - b.numbers[i];
        sum += difference * difference;
    }
    return sum;
}

SketchDistance distance_of(const MatrixSketch& a, const MatrixSketch& b)
{
    SketchDistance found;
    found.matrix = a.matrix;
    found.not_comparable = why_not_comparable(a, b);
    if (found.not_comparable) {
        return found;
    }
    found.draws = static_cast<std::int64_t>(a.draws.size());
    const auto draws = static_cast<double>(found.draws);
    double sum = 0;
    double sum_of_squares = 0;
    for (std::size_t i = 0; i < a.draws.size(); ++i) {
        const double square = squared_distance(a.draws[i], b.draws[i]);
        sum += square;
        sum_of_squares += square * square;
    }
    const double mean = sum / draws;
    const double variance = std::max(0.0, sum_of_squares / draws - mean * mean) / (draws - 1);
    const double distance = std::sqrt(mean);
    const auto kept = [&](std::size_t mode) { return static_cast<double>(a.kept[mode]); };
    found.distance = distance;
    // The error of a root is that of its square over twice the root.
    found.standard_error = distance > 0 ? std::sqrt(variance) / (2 * distance) : 0;
    found.largest_standard_error =
        distance * std::sqrt(((1 + 2 / kept(0)) * (1 + 2 / kept(1)) - 1) / draws) / 2;
    if (*a.norm > 0) {
        found.relative = distance / *a.norm;
    }
    return found;
}

} // namespace

std::vector<SketchDistance> distances(const std::vector<MatrixSketch>& a,
                                      const std::vector<MatrixSketch>& b)
{
    std::vector<SketchDistance> all;
    for (const MatrixSketch& one : a) {
        const auto other = std::find_if(b.begin(), b.end(), [&](const MatrixSketch& sketch) {
            return sketch.matrix == one.matrix;
        });
        if (other != b.end()) {
            all.push_back(distance_of(one, *other));
        }
    }
    return all;
}

} // namespace alxsim::workloads
