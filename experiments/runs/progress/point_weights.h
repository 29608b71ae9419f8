// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/points/study/study.h"
#include "report/report.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace alxsim::experiments {

/// Kinds of work and how fast this host was at them.
class HostSpeed {
public:
    HostSpeed() = default;
    explicit HostSpeed(const std::vector<report::HostUse>& uses);

    void learn(const report::HostUse& use);
    /// What work that was predicted at our rates takes here, as far as is known.
    double seconds(const std::string& kind, double predicted_seconds) const;
    /// Returns the use of each kind that was met, in the order in which they were.
    const std::vector<report::HostUse>& uses() const { return uses_; }

private:
    std::vector<report::HostUse> uses_;
};

/// How much of a run's work each point is, in CPU seconds. Points that have not begun, whose data
/// nobody has read yet, are taken to be as large as those of their kind that have.
class PointWeights {
public:
    explicit PointWeights(const std::vector<PointSpec>& points);

    void predict(std::size_t point, Seconds time) { points_[point].predicted = time.count(); }
    /// `use`: absent if it was not run, or not from its beginning. Says whether weights are others
    /// now: points of moments change none.
    bool finish(std::size_t point, const std::optional<report::HostUse>& use);
    /// One that an earlier run finished weighs nothing in this one.
    void take_over(std::size_t point, const std::optional<report::HostUse>& use);

    std::vector<double> weights() const;
    const HostSpeed& speed() const { return speed_; }

private:
    struct Point {
        std::string kind;
        std::optional<double> predicted; ///< seconds at our rates
        std::optional<double> took;      ///< seconds
    };
    std::vector<Point> points_;
    HostSpeed speed_;
};

} // namespace alxsim::experiments
