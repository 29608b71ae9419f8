// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/training/training.h"

#include <array>
#include <cstdint>
#include <optional>

namespace alxsim::alx {

/// CG iterations of the slowest system of a step, which all devices wait for: the mean over the
/// steps of all epochs, of the row half and of the column half; nothing without CG.
using SlowestIterations = std::array<std::optional<double>, 2>;

SlowestIterations slowest_iterations(const TrainingRun& run);

/// As many as a step of a run without numbers is taken to need.
std::int64_t whole_iterations(double mean);

/// The name of such a mean among a half's counters in a report.
inline constexpr const char* slowest_iterations_field = "cg_iterations_mean_of_slowest";

} // namespace alxsim::alx
