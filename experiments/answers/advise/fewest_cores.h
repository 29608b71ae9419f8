// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/points/study/point_study.h"

#include <optional>
#include <string>
#include <vector>

namespace alxsim::experiments {

/// The fewest cores of a study's chip whose memory holds its job.
struct FewestCores {
    std::string with; ///< what the job does to be smaller in HBM, in words; "": as in the study
    std::optional<int> cores; ///< nothing: no slice of the chip holds it
    std::string refusal;      ///< where the study is refused on all of them: the first reason
};

/// As the study says, then with each of what its workload has for those with too little HBM
/// (Choices::if_too_large, and choices that save memory). Of 1, 2, 4 .. cores, each slice as it is
/// usually laid, up to the chip's largest; a count that does not go with the study is passed over.
/// Nothing is told of a job that is refused on every count but one, as an offloaded step is. Throws
/// InputError.
std::vector<FewestCores> fewest_cores(const PointStudy& study);

/// "fewest cores of tpu_v3 that hold it as it is: 32; with its tables in host memory: 16". Ways
/// that come to as many cores stand together.
std::string in_words(const std::vector<FewestCores>& found, const std::string& chip);

} // namespace alxsim::experiments
