// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "topologies/machine.h"
#include "workloads/unknown.h"

#include <functional>
#include <vector>

namespace alxsim::experiments {

using workloads::Unknown;
using workloads::UnknownOf;

/// How much longer work of a kind may take than the model says, whatever the machine's values are.
struct ModelError {
    double products = 1;    ///< of the arrays; never below 1, which is the arrays' own time
    double vector_work = 1; ///< arithmetic of the vector units
    double collectives = 1; ///< what their bytes take on the links, which are never faster than new
};

/// What unknowns set: the inputs of a machine.
struct MachineInputs {
    topologies::Preset preset;
    topologies::Slice slice;
    topologies::FaultPlan faults;
    double hbm_clock = 1;              ///< what the memory's clock is multiplied with
    Bytes edge_interleave{0};          ///< see topologies::HbmSpec; 0: the preset's
    topologies::InputRates input = {}; ///< see topologies::HostSpec
    topologies::ScheduleChoice schedule = topologies::ScheduleChoice::xla;
    topologies::CompilerFlags compiler_flags = topologies::CompilerFlags::usual;
    ModelError error = {};
    bool wrap_is_given = false; ///< then it is not uncertain
    bool uses_storage = true;   ///< else what that does is no question
};

struct MachineUnknown {
    Unknown unknown;
    std::function<void(MachineInputs&, double)> set;
};

/// Throws InputError for values that no machine has.
topologies::Machine machine_of(const MachineInputs& inputs);

/// Every value of the preset that has a band (but not one that the study overrides), and whether
/// axes that do not wrap here wrap after all, where nobody says it. Timing of the DRAM banks is
/// left at its central values, but for the interleave of channels: a draw would cost as much as a
/// simulation.
std::vector<MachineUnknown> machine_unknowns(const MachineInputs& inputs);

} // namespace alxsim::experiments
