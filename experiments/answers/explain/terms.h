// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/text/document.h"
#include "experiments/answers/explain/explanation.h"

#include <string>

namespace alxsim::experiments {

/// The terms of a fit: "123 s/N + 4.5 s + 2 ms x N".
std::string terms_of_fit(const report::Fit& fit);

/// Writes of a series' phases that keep their time, and why.
void tell_terms(Document& document, const SeriesExplanation& series);

} // namespace alxsim::experiments
