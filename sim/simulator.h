// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/graph/program.h"
#include "sim/epoch_timing.h"
#include "sim/hbm_model.h"
#include "sim/network_use.h"
#include "sim/observe/observer.h"
#include "sim/observe/statistics.h"
#include "topologies/machine.h"

#include <memory>
#include <vector>

namespace alxsim::sim {

struct SimulationResult {
    std::vector<EpochTiming> epochs;
    NetworkUse network;
    Statistics statistics; ///< what the modules have declared
    /// Busy share of all directed ICI links over the whole run.
    double link_utilisation = 0;
};

struct SimulatorOptions {
    /// What repeats itself from the same state is not simulated again. No time depends on it, only
    /// how long the host takes and how many activities are recorded.
    bool remember = true;
    /// Iterations of a loop are not skipped with banks: refreshes do not come once an iteration.
    HbmModel hbm = HbmModel::rates;
    /// Simulates the first chip alone where all do the same at the same time, or one of each kind
    /// (sim/one_chip.h): no time depends on it, but what is counted is of those, and nothing of
    /// links. With the two above as they are, and no observer that looks closely. See
    /// Simulator::run().
    bool one_chip = false;
};

/// Runs op graphs on a slice of SystemC modules. Owns its simulation context, so that several may
/// live one after another in a process; one at a time.
class Simulator {
public:
    /// Throws InputError while another one simulates.
    explicit Simulator(const topologies::Machine& machine, SimulatorOptions options = {});
    ~Simulator();

    /// `observer` is told what happens; it outlives the run. Before the run.
    void attach(Observer& observer) { attached_.push_back(&observer); }

    /// Elaborates the slice, runs `source` to its end and says where the time went.
    /// Throws InputError for a second call, while another simulates, and where one that was made
    /// later is still there. Throws what `source` throws, InputError for work that the machine
    /// cannot do, ChipsDiffer if one chip does not tell what all do, and std::runtime_error when
    /// the devices wait for each other for ever.
    SimulationResult run(model::StepSource& source);

private:
    struct Context;
    std::unique_ptr<Context> context_;
    const topologies::Machine machine_;
    const SimulatorOptions options_;
    std::vector<Observer*> attached_;
};

} // namespace alxsim::sim
