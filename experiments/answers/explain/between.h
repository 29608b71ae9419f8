// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/text/document.h"
#include "experiments/answers/explain/explanation.h"
#include "experiments/answers/explain/work.h"
#include "report/series.h"

#include <cstddef>
#include <string>
#include <vector>

namespace alxsim::experiments {

/// Two points of a series by what the sweep sets there: "microbatches=4", several where one does
/// not tell points apart. A field is named by its last name or its JSON pointer.
struct Ends {
    std::vector<std::string> from;
    std::vector<std::string> to;

    bool none() const { return from.empty() && to.empty(); }
};

/// Indices of two points.
struct EndPair {
    std::size_t from = 0;
    std::size_t to = 0;
};

/// Finds both. Throws InputError, naming what is found and allowed, where the series sweeps no such
/// field or value, several points are meant or twice the same, one has no time (it does not fit, or
/// failed), or they are times of different intervals.
EndPair ends_of(const Ends& ends, const report::Series& series,
                const std::vector<report::Point>& points);

/// From the first point to the fastest one, and from there to the last, as far as they differ.
std::vector<EndPair> ends_of(std::size_t fastest, const std::vector<std::size_t>& fitting);

/// From the preset's point to the fastest one, or, where it is that itself, to the slowest.
std::vector<EndPair> ends_from(std::size_t preset, std::size_t fastest,
                               const std::vector<std::size_t>& fitting,
                               const std::vector<report::Point>& points);

PointsBetween changes_between(const report::Point& from, const report::Point& to);

/// Adds what a device does for each phase at both.
void count_work(PointsBetween& between, const RebuiltPoint& from, const RebuiltPoint& to);

/// Says what grew, what shrank, and by how much of what work.
void tell(Document& document, const PointsBetween& between);

} // namespace alxsim::experiments
