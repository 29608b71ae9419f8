// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "topologies/machine.h"

#include <string>
#include <vector>

namespace alxsim::topologies {

/// Of the preset values that are overridden, those that change no time, or not in full: a sentence
/// each, which names the value and what is in the way.
std::vector<std::string> override_notes(const Machine& machine);

/// Whether a preset's value can count on `slice`: those of the data center network do only where it
/// joins several slices.
bool concerns(const std::string& key, const Slice& slice);

} // namespace alxsim::topologies
