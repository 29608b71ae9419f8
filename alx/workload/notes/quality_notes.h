// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/config.h"
#include "alx/data/split.h"
#include "alx/training/training.h"

#include <optional>
#include <string>
#include <vector>

namespace alxsim::alx {

/// What readers of a finished run's metrics should know: that it diverged, that its tables are
/// zeros, and why, that an earlier epoch was better, that there are few test rows.
std::vector<std::string> quality_notes(const AlxConfig& config, const Dataset& data,
                                       const TrainingRun& run);

/// What is known before anything is run: metrics that say nothing of so few columns.
std::vector<std::string> metric_notes(const AlxConfig& config, const Dataset& data);

/// The first epoch from which on, to the end, the tables are zeros.
std::optional<int> collapsed_since(const std::vector<EpochQuality>& quality);

/// For the results of a run that keeps its best epoch or stops early: epoch, metric, value, how
/// many epochs were run, and whether its tables are kept.
Json best_epoch_json(const AlxConfig& config, const std::vector<EpochQuality>& quality);

} // namespace alxsim::alx
