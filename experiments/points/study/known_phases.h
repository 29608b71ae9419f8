// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/points/study/point_study.h"

#include <cstddef>
#include <string>
#include <vector>

namespace alxsim::experiments {

/// The phases that points can have: as their kind says, or else those of their programs' ops. Jobs
/// are built one by one, and only until what is asked for is found; one that cannot be built has
/// none, and is refused where it is run.
class KnownPhases {
public:
    explicit KnownPhases(std::vector<const PointStudy*> points) : points_(std::move(points)) {}

    bool has(const std::string& phase);
    /// All of them. Builds all jobs.
    const std::vector<std::string>& names();

private:
    void read_next();

    std::vector<const PointStudy*> points_;
    std::size_t read_ = 0; ///< of them
    std::vector<std::string> names_;
};

} // namespace alxsim::experiments
