// SPDX-License-Identifier: Apache-2.0
#include "experiments/points/trace/path_spans.h"

#include "model/costs/breakdown.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace alxsim::experiments {
namespace {

struct Span {
    Picoseconds begin{0};
    Picoseconds end{0};
    std::string name;
    std::string phase;
    Share share = Share::idle;
    model::Unit unit = model::Unit::control;
    int device = 0;
    std::int64_t merged = 1; ///< so many are in it

    Picoseconds length() const { return end - begin; }
};

double in_seconds(Picoseconds time)
{
    return to_seconds(time).count();
}

const char* unit_words(model::Unit unit)
{
    constexpr std::array names{"MXU",           "VPU",          "DMA",           "network",
                               "SparseCore",    "host to chip", "chip to host",  "storage read",
                               "storage write", "host cores",   "host dispatch", "loop control"};
    static_assert(names.size() == static_cast<std::size_t>(model::Unit::control) + 1);
    return names[static_cast<std::size_t>(unit)];
}

/// Iterations that were left out, phase after phase: in which order they went is not known.
void add_repeated(std::vector<Span>& spans, const sim::CriticalSpan& told, Span span)
{
    const model::Breakdown& spent = *told.repeated;
    const auto longest = std::max_element(spent.shares.begin(), spent.shares.end());
    span.share = static_cast<Share>(longest - spent.shares.begin());
    span.name += " repeated " + std::to_string(told.activity->iterations) + " times";
    for (const auto& [phase, time] : spent.phases) {
        span.phase = phase;
        span.end = std::min(span.begin + time, told.end);
        spans.push_back(span);
        span.begin = span.end;
    }
    spans.back().end = told.end;
}

std::vector<Span> spans_of(const sim::Timeline& timeline)
{
    std::vector<Span> spans;
    for (const sim::CriticalSpan& told : sim::critical_path(timeline)) {
        const sim::TimelineActivity& activity = *told.activity;
        Span span{told.begin, told.end,      activity.name.text(), told.phase.text(),
                  told.share, activity.unit, activity.device,      1};
        const auto kind = [](const Span& one) { return std::tie(one.name, one.phase, one.share); };
        if (told.repeated && !told.repeated->phases.empty()) {
            add_repeated(spans, told, std::move(span));
        } else if (!spans.empty() && spans.back().end == span.begin &&
                   spans.back().unit == span.unit && kind(spans.back()) == kind(span)) {
            spans.back().end = span.end; // a fill and what follows it
        } else {
            spans.push_back(std::move(span));
        }
    }
    return spans;
}

/// The length that a span needs to be told by itself.
Picoseconds least_length(const std::vector<Span>& spans, std::size_t longest)
{
    if (spans.size() <= 2 * longest) {
        return Picoseconds(0);
    }
    std::vector<Picoseconds> lengths;
    for (const Span& span : spans) {
        lengths.push_back(span.length());
    }
    const auto nth = lengths.begin() + static_cast<std::ptrdiff_t>(longest - 1);
    std::nth_element(lengths.begin(), nth, lengths.end(), std::greater<>());
    return *nth;
}

/// Spans in a row as one: by the phase that takes most of it, and the longest span of that.
Span merged(const std::vector<Span>& row)
{
    if (row.size() == 1) {
        return row.front();
    }
    std::map<std::string, Picoseconds> phases;
    for (const Span& span : row) {
        phases[span.phase] += span.length();
    }
    const std::string& most =
        std::max_element(phases.begin(), phases.end(), [](const auto& a, const auto& b) {
            return a.second < b.second;
        })->first;
    Span sum = *std::max_element(row.begin(), row.end(), [&](const Span& a, const Span& b) {
        return std::pair(a.phase == most, a.length()) < std::pair(b.phase == most, b.length());
    });
    sum.begin = row.front().begin;
    sum.end = row.back().end;
    sum.merged = static_cast<std::int64_t>(row.size());
    sum.name = std::to_string(row.size()) + " short ops, among them " + sum.name;
    return sum;
}

std::vector<Span> shortened(const std::vector<Span>& spans, std::size_t longest)
{
    const Picoseconds least = least_length(spans, longest);
    std::vector<Span> told;
    std::vector<Span> row;
    std::size_t alone = 0; // of equal spans, not all may be
    const auto close_row = [&] {
        if (!row.empty()) {
            told.push_back(merged(row));
            row.clear();
        }
    };
    for (const Span& span : spans) {
        if (least == Picoseconds(0) || (span.length() >= least && alone < longest)) {
            ++alone;
            close_row();
            told.push_back(span);
        } else {
            row.push_back(span);
        }
    }
    close_row();
    return told;
}

} // namespace

report::CriticalPath path_spans_of(const sim::Timeline& timeline, std::size_t longest)
{
    report::CriticalPath path;
    path.step = timeline.steps.front().number;
    path.steps = static_cast<std::int64_t>(timeline.steps.size());
    path.seconds = in_seconds(timeline.end() - timeline.begin());
    for (const Span& span : shortened(spans_of(timeline), longest)) {
        report::PathSpan told;
        told.begin_seconds = in_seconds(span.begin - timeline.begin());
        told.seconds = in_seconds(span.length());
        told.name = span.name;
        told.phase = span.phase;
        told.share = name_of(span.share);
        told.unit = unit_words(span.unit);
        told.device = span.device;
        if (span.merged > 1) {
            told.merged = span.merged;
            path.merged += span.merged;
        }
        path.spans.push_back(std::move(told));
    }
    return path;
}

} // namespace alxsim::experiments
