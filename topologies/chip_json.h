// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "topologies/preset.h"

namespace alxsim::topologies {

/// All embedded presets, {"chips": [...]}: what describe_chips() tells, by the names of the
/// preset's keys and in their units.
Json json_of_chips();

/// {"name", "title", "values", "slices"}: what describe_chip() tells. A value has `value`, `unit`,
/// `kind` and `source`, and `low`, `high` and `derived_from` where there are some; the numbers are
/// those that are calculated with.
Json json_of_chip(const Preset& preset);

/// {"name", "of_values", "values"}: what describe_unsourced() tells.
Json json_of_unsourced(const Preset& preset);

/// Whether a value rests on an assumption alone.
bool is_unsourced(const PresetValue& value);

} // namespace alxsim::topologies
