// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/point.h"
#include "experiments/study.h"

#include <optional>
#include <string>

namespace alxsim::experiments {

/// Finished points on disk, so that an interrupted run loses nothing (run --resume).
class KeptPoints {
public:
    /// `folder` "" keeps nothing.
    explicit KeptPoints(std::string folder) : folder_(std::move(folder)) {}

    struct Found {
        std::optional<PointResult> result; ///< of this very point, made by this very program
        bool damaged = false;              ///< there is a file, but not as it was written
    };
    Found find(std::size_t index, const PointSpec& point) const;
    void keep(std::size_t index, const PointSpec& point, const PointResult& result) const;
    /// The same of a result that is JSON already, as json_of() has it: written as it is.
    void keep_text(std::size_t index, const PointSpec& point, const std::string& result) const;
    /// Where a point that is not finished keeps its last complete epoch; "" for nowhere. Makes the
    /// folder.
    std::string checkpoint_of(std::size_t index) const;
    /// Where the points' processes tell one another rates of the HBM; "" for nowhere. Makes the
    /// folder.
    std::string hbm_rates_file() const;
    /// Removes what a killed process had begun to write.
    void remove_parts() const;
    /// Removes what was kept: the report has it all.
    void discard() const;

private:
    std::string file_of(std::size_t index) const;

    std::string folder_;
};

} // namespace alxsim::experiments
