// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_document.h"

#include <string>

namespace alxsim::experiments {

/// What the simulator says where a reference has a figure.
struct Figure {
    double value = 0; ///< in the SI unit of the reference; infinite where the job does not fit
    std::string term; ///< what most of it comes from, in words
};

/// Simulates what a validation row asks for (`simulate` in validate/rows/rows.schema.json): one op
/// alone, through SystemC, or a study's point, by the analytic model. `reference` is the figure
/// that a band of epoch times is asked for. Throws InputError naming `file` for an op or a study
/// that is wrong.
Figure simulated_figure(const Json& simulate, double reference, const std::string& file);

} // namespace alxsim::experiments
