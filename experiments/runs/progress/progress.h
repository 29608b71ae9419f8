// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/runs/progress/terminal_line.h"

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace alxsim::experiments {

/// Progress on stderr: one line that is rewritten, with the time left, on a terminal; else a plain
/// line per finished point. Nothing if quiet.
class Progress {
public:
    /// `weights`: how much of the whole work each point is about.
    Progress(std::vector<double> weights, bool quiet);

    /// Other weights from now on: more is known.
    void set_weights(std::vector<double> weights);
    void update(std::size_t point, double fraction);
    /// What takes long just now, "" when it is over: behind the rest of the line.
    void doing(const std::string& what);
    void finished(std::size_t point, const std::string& what);
    /// A line of its own, which finishes nothing.
    void tell(const std::string& what);
    double elapsed_seconds() const;
    /// Share of the work that is done, 0 to 1: of the points' weights, not of their number.
    double done() const;

private:
    void show_at_times();
    void show();
    std::string time_left(double share) const;

    std::vector<double> weights_;
    std::vector<double> fractions_;
    double total_weight_ = 0;
    std::size_t finished_ = 0;
    bool quiet_;
    TerminalLine line_;
    std::string doing_;
    std::chrono::steady_clock::time_point start_;
    std::chrono::steady_clock::time_point shown_;
};

} // namespace alxsim::experiments
