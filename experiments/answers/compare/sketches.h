// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/answers/compare/comparison.h"

#include <vector>

namespace alxsim::experiments {

/// What a point's results keep of what was trained; nothing of a point that was timed alone, or by
/// a program that kept none.
std::vector<workloads::MatrixSketch> sketches_of(const report::Point& point);

/// Writes how far apart what was trained is, where pairs tell it, and what the error bars rest on.
void tell_sketches(Document& document, const std::vector<ComparedPair>& pairs);

} // namespace alxsim::experiments
