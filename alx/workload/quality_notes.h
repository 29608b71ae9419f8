// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/config.h"
#include "alx/data/split.h"
#include "alx/training/table_quality.h"

#include <string>
#include <vector>

namespace alxsim::alx {

/// What readers of a finished run's metrics should know: that it diverged, that all is 0, that an
/// earlier epoch was better, that a metric says nothing of so few columns or test rows. `quality`
/// is of all evaluated epochs, and not empty.
std::vector<std::string> quality_notes(const AlxConfig& config, const Dataset& data,
                                       const std::vector<EpochQuality>& quality);

/// For the results of a run that keeps its best epoch or stops early: epoch, metric, value, how
/// many epochs were run, and whether its tables are kept.
Json best_epoch_json(const AlxConfig& config, const std::vector<EpochQuality>& quality);

} // namespace alxsim::alx
