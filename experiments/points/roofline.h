// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "topologies/preset.h"

#include <string>

namespace alxsim::experiments {

/// What one chip of a generation reaches in simulation, mechanism by mechanism, next to its
/// datasheet: a table for people. All devices of the chip work at once; rates are of the chip.
std::string roofline_table(const topologies::Preset& preset);

} // namespace alxsim::experiments
