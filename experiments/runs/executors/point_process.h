// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/runs/executors/executor.h"
#include "experiments/runs/processes/child_process.h"

#include <chrono>
#include <deque>
#include <optional>
#include <string>

namespace alxsim::experiments {

/// Our side of a process that runs points (point_server.h): one, or small ones in a row.
class PointProcess {
public:
    explicit PointProcess(const Program& program) : child_(program, {"point"}) {}

    /// Has answered all that it was given.
    bool idle() const { return given_.empty(); }
    /// Takes a small point at once.
    bool takes() const { return open_ && idle(); }
    /// Takes one more behind those that it has, so that it need not wait for us between two: a
    /// process whose points take moments.
    bool takes_next(const PointOrder& order) const;
    /// Another point. One that is not small is its last.
    void give(const PointOrder& order);
    /// No more points: it ends with the last of those that it has.
    void dismiss();

    ChildProcess& child() { return child_; }
    /// Tells `listener` what came.
    void take_answers(PointListener& listener);
    /// Its output is closed: tells what became of the points that it had not answered.
    void end(PointListener& listener);

private:
    using Clock = std::chrono::steady_clock;

    void take_answer(const std::string& word, const std::string& rest, PointListener& listener);
    /// The point that is answered now.
    std::size_t take_point();

    ChildProcess child_;
    std::deque<std::size_t> given_; ///< and not answered; the first is running
    bool open_ = true;              ///< takes points
    bool left_ = false;             ///< ends by itself: what it has not answered it has not begun
    Clock::time_point answered_ = Clock::now();
    std::optional<Clock::duration> last_took_; ///< the point that was answered last
};

} // namespace alxsim::experiments
