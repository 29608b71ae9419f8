// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/answers/compare/comparison.h"

#include <string>
#include <vector>

namespace alxsim::experiments {

/// What a point's results keep of what was trained; nothing of a point that was timed alone, or by
/// a program that kept none.
std::vector<workloads::MatrixSketch> sketches_of(const report::Point& point);

/// How far apart what was trained is, and what the error bars rest on; "" where no pair tells it.
std::string sketches_in_words(const std::vector<ComparedPair>& pairs);

} // namespace alxsim::experiments
