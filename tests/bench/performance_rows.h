// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

namespace alxsim {

/// What a benchmark came to: the median of its repetitions, by benchmark and then by counter. The
/// counters "seconds" and "cpu_seconds" (of its first thread) are the time of an iteration.
using Measured = std::map<std::string, std::map<std::string, double>>;

/// A row of the table. All values are rates or speeds: more is better.
struct PerformanceRow {
    std::string statement;
    std::string measured;
    std::string compared_with;
    double ratio = 0; ///< times as fast as that
};

/// The benchmarks that the rows need, as a regular expression.
std::string needed_benchmarks();
/// Those rows of which everything was measured.
std::vector<PerformanceRow> performance_rows(const Measured& measured);
/// What the host can do at most, in a line.
std::string host_line(const Measured& measured);

} // namespace alxsim
