// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/point.h"
#include "experiments/processes/child_process.h"
#include "experiments/processes/point_task.h"

#include <chrono>
#include <deque>
#include <functional>
#include <optional>
#include <string>

namespace alxsim::experiments {

/// The runner's side of a process that runs points (point_server.h): one, or small ones in a row.
class PointProcess {
public:
    struct Listener {
        std::function<void(std::size_t point, double share)> progress;
        /// `text`: the same as JSON.
        std::function<void(std::size_t point, PointResult result, const std::string& text)> result;
    };

    explicit PointProcess(const std::string& executable) : child_(executable, {"point"}) {}

    /// Nothing to do.
    bool idle() const { return open_ && given_.empty(); }
    /// Takes one more behind the point that it runs, so that it need not wait for us between two:
    /// a process whose points take moments.
    bool takes_next(const std::string& task) const;
    /// Another point, a line of JSON.
    void give(std::size_t point, const std::string& task);
    /// No more points: it ends with the last of those that it has.
    void dismiss();

    ChildProcess& child() { return child_; }
    /// Tells `listener` what came. Throws InputError for a point that was refused.
    void take_answers(const Listener& listener);

    /// How a process ended whose output is closed.
    struct End {
        std::optional<std::size_t>
            failed; ///< the point that it ran, if its end is why that is lost
        std::string why;
        std::deque<std::size_t> not_run; ///< points for others
    };
    End end();

private:
    using Clock = std::chrono::steady_clock;

    void take_result(const std::string& text, const Listener& listener);

    ChildProcess child_;
    std::deque<std::size_t> given_; ///< and not answered; the first is running
    bool open_ = true;              ///< takes points
    bool left_ = false;             ///< ends by itself: what it has not answered it has not begun
    bool quick_ = false;
    Clock::time_point answered_ = Clock::now();
};

} // namespace alxsim::experiments
