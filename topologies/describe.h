// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "topologies/preset.h"

#include <string>

namespace alxsim::topologies {

/// All embedded presets side by side, one line each: what `alxsim chips` prints.
std::string describe_chips();

/// Every value of one preset with its band, kind and source, then its slices and which axes of them
/// wrap: what `alxsim chips NAME` prints. Numbers are in the units that overrides take.
std::string describe_chip(const Preset& preset);

} // namespace alxsim::topologies
