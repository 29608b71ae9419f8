// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/answers/explain/explanation.h"

#include <string>

namespace alxsim::experiments {

/// The terms of a fit: "123 s/N + 4.5 s + 2 ms x N".
std::string terms_of_fit(const report::Fit& fit);

/// The paragraphs on the phases that keep their time, and why, of a series.
std::string terms_in_words(const SeriesExplanation& series);

} // namespace alxsim::experiments
