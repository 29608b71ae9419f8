// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "topologies/machine.h"

#include <functional>
#include <string>
#include <vector>

namespace alxsim::topologies {

/// What is done with a preset beside making a machine of it.
struct PresetUse {
    /// Reads what it reads; null: nothing.
    std::function<void(const Preset&)> also_read;
    /// What the values count in that `also_read` reads, for a note: "dollars and joules".
    std::string also_read_for;
    /// Whether a job takes as long on `without`, the machine with one override undone; null:
    /// nobody times a job.
    std::function<bool(const Machine& without)> same_time;
};

/// Tells which of the preset values that are overridden change no time, or not in full: a sentence
/// each, which names the value and what is in the way. What changes nothing is found out: no part
/// of the program reads the value, nor one that is derived from it, or the job takes as long
/// without.
std::vector<std::string> override_notes(const Machine& machine, const PresetUse& use = {});

/// Whether a preset's value can count on `slice`: those of the data center network do only where it
/// joins several slices.
bool concerns(const std::string& key, const Slice& slice);

} // namespace alxsim::topologies
