// SPDX-License-Identifier: Apache-2.0
#include "experiments/answers/explain/without_times.h"

#include "base/input_error.h"
#include "base/text/printed.h"
#include "report/words.h"

#include <algorithm>
#include <map>

namespace alxsim::experiments {
namespace {

using report::Point;
using Indices = std::vector<std::size_t>;

std::string gigabytes(std::int64_t bytes)
{
    return printed("%.2f GB", static_cast<double>(bytes) / 1e9);
}

/// What points that do not fit on as many cores need, and what they have.
std::string need_in_words(const std::vector<const Point*>& points)
{
    const auto needs_less = [](const Point* a, const Point* b) {
        return a->memory->needed_bytes() < b->memory->needed_bytes();
    };
    const auto [least, most] = std::minmax_element(points.begin(), points.end(), needs_less);
    const report::PointMemory& memory = *(*most)->memory;
    const std::string largest = memory.largest.value_or("");
    const std::string from = gigabytes((*least)->memory->needed_bytes());
    const std::string to = gigabytes(memory.needed_bytes());
    return ": a core needs " + (from == to ? to : from + " to " + to) + " of HBM (" +
           (memory.compiler_bytes_per_core ? "as its compiler allocates; alive at once, by our "
                                             "count, " +
                                                 gigabytes(memory.bytes_per_core) + "; "
                                           : "") +
           (largest.empty() ? "" : "most of it " + largest + "; ") + "it has " +
           gigabytes(memory.capacity_bytes) + ")";
}

} // namespace

std::vector<std::string> unfit_in_words(const Indices& indices, const std::vector<Point>& points)
{
    std::map<std::int64_t, std::vector<const Point*>> unfit; // by cores
    for (const std::size_t index : indices) {
        const Point& point = points.at(index);
        if (!point.fits && !point.error) {
            unfit[point.machine.cores].push_back(&point);
        }
    }
    std::vector<std::string> sentences;
    for (const auto& [cores, alike] : unfit) {
        const bool one = alike.size() == 1;
        std::string sentence = (one ? "the point" : std::to_string(alike.size()) + " points") +
                               " on " + report::counted(cores, "core") +
                               (one ? " does not fit" : " do not fit");
        if (std::all_of(alike.begin(), alike.end(),
                        [](const Point* point) { return point->memory.has_value(); })) {
            sentence += need_in_words(alike);
        }
        if (!one) {
            sentence += ", first " + settings_in_words(alike.front()->sweep);
        }
        sentences.push_back(std::move(sentence));
    }
    return sentences;
}

std::vector<std::string> failed_in_words(const Indices& indices, const std::vector<Point>& points)
{
    constexpr std::size_t most = 3;
    std::vector<std::string> sentences;
    std::size_t failed = 0;
    for (const std::size_t index : indices) {
        const Point& point = points.at(index);
        if (!point.error) {
            continue;
        }
        if (++failed <= most) {
            const bool refused = point.no_result && point.no_result->kind == "refused";
            sentences.push_back((point.sweep.empty()
                                     ? std::string("its point")
                                     : "the point with " + settings_in_words(point.sweep)) +
                                (refused ? " was refused: " : " failed: ") + *point.error);
        }
    }
    if (failed > most) {
        sentences.push_back("so did " + std::to_string(failed - most) +
                            " more: no_result of each, in the report, says why");
    }
    return sentences;
}

std::optional<WouldHold> would_hold(const Indices& indices, const std::vector<Point>& points,
                                    const std::vector<PointSpec>& specs)
{
    const auto first = std::find_if(indices.begin(), indices.end(), [&](std::size_t index) {
        return !points.at(index).fits && !points.at(index).error;
    });
    if (first == indices.end() || specs.empty()) {
        return std::nullopt;
    }
    try {
        return WouldHold{points.at(*first).machine.chip,
                         fewest_cores(whole_study(specs.at(*first)))};
    } catch (const InputError&) { // the series says why it is not built again
        return std::nullopt;
    }
}

} // namespace alxsim::experiments
