// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/answers/explain/explanation.h"
#include "experiments/points/study/study.h"
#include "report/point.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace alxsim::experiments {

/// A sentence on the points that do not fit, those on as many cores together.
std::vector<std::string> unfit_in_words(const std::vector<std::size_t>& indices,
                                        const std::vector<report::Point>& points);

/// A sentence on each of the first points that were refused or failed, and on how many more did.
std::vector<std::string> failed_in_words(const std::vector<std::size_t>& indices,
                                         const std::vector<report::Point>& points);

/// What would hold the first point that does not fit; nothing where all fit, or where the study is
/// not there (`specs` empty) or cannot be built again.
std::optional<WouldHold> would_hold(const std::vector<std::size_t>& indices,
                                    const std::vector<report::Point>& points,
                                    const std::vector<PointSpec>& specs);

} // namespace alxsim::experiments
