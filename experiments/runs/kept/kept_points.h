// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/points/point.h"
#include "experiments/points/study/study.h"
#include "experiments/runs/files/append_log.h"

#include <chrono>
#include <ios>
#include <map>
#include <optional>
#include <string>

namespace alxsim::experiments {

/// Finished points on disk, so that an interrupted run loses nothing (run --resume): a log with a
/// line for each, whose last whole one counts.
class KeptPoints {
public:
    /// `folder` "" keeps nothing.
    explicit KeptPoints(std::string folder) : folder_(std::move(folder)) {}

    struct Found {
        std::optional<PointResult> result; ///< of this very point, made by this very program
        bool damaged = false;              ///< it is there, but not as it was written
    };
    Found find(std::size_t index, const PointSpec& point) const;
    /// `result`: as json_of() has it, a line of text, which is written as it is.
    void keep(std::size_t index, const PointSpec& point, const std::string& result);
    /// Returns when all that was kept is on the disk.
    void sync();
    /// The same, but now and then alone: about once a second, and a tenth of the time at most.
    void sync_now_and_then();
    /// Where a point that is not finished keeps its last complete epoch; "" for nowhere. Makes the
    /// folder.
    std::string checkpoint_of(std::size_t index) const;
    /// Where the points' processes tell one another rates of the HBM; "" for nowhere. Makes the
    /// folder.
    std::string hbm_rates_file() const;
    /// Removes what was kept: the report has it all.
    void discard() const;

private:
    using Clock = std::chrono::steady_clock;
    struct Line {
        std::streamoff begin = 0;
        std::size_t size = 0;
    };

    std::string log_file() const;
    const std::string& made_folder() const;
    /// Where each point's lines are, the last one last.
    const std::multimap<std::size_t, Line>& lines() const;

    std::string folder_;
    mutable bool made_ = false;                                     ///< the folder
    mutable std::optional<std::multimap<std::size_t, Line>> lines_; ///< read when asked for
    std::optional<AppendLog> log_;                                  ///< from the first point on
    bool synced_ = true;
    Clock::time_point next_sync_ = Clock::now();
};

} // namespace alxsim::experiments
