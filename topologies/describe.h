// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "topologies/machine.h"

#include <string>

namespace alxsim::topologies {

/// All embedded presets side by side, one line each: what `alxsim chips` prints.
std::string describe_chips();

/// "tpu_v4, 4 chips, 8 cores, 4 devices, slice 2x2x1": a machine on a line, for people, and whether
/// its slice is assumed.
std::string machine_in_words(const Machine& machine);

/// The same, and which of its axes are rings: what `alxsim chips v4-8` prints above the chip.
std::string describe_machine(const Machine& machine);

/// Every value of one preset with its band, kind and source, then its slices and which axes of them
/// wrap: what `alxsim chips NAME` prints. Numbers are in the units that overrides take.
std::string describe_chip(const Preset& preset);

/// Its values that rest on nothing but an assumption: neither published, nor measured, nor counted
/// in compiled code, nor carried over from a chip of which they are. Each with its band and reason.
std::string describe_unsourced(const Preset& preset);

} // namespace alxsim::topologies
