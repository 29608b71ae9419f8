// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/alarms.h"
#include "sim/hbm_model.h"
#include "sim/memo/loop_memo.h"
#include "sim/memory/hbm_banks.h"
#include "sim/memory/hbm_fluid.h"
#include "sim/memory/host_drives.h"
#include "sim/network.h"
#include "sim/observe/statistics.h"
#include "sim/program_order.h"
#include "sim/simulator.h"
#include "sim/tensor_core.h"

#include <memory>
#include <systemc>
#include <vector>

namespace alxsim::sim {

/// The last one first: SystemC looks for a process from the newest on when it forgets it, so that
/// the time of any other order grows with the square of their number.
template <class Module>
void destroy_backwards(std::vector<std::unique_ptr<Module>>& modules)
{
    while (!modules.empty()) {
        modules.pop_back();
    }
}

/// A chip: its HBM and the devices that share it. Only contains.
class Chip : public sc_core::sc_module, public StatisticsSource {
public:
    Chip(const sc_core::sc_module_name& name, int chip, const topologies::Machine& machine,
         StepFeed& feed, Observers& observers, Alarms& alarms, HostDrives& drives, Network& network,
         ProgramOrder& order, LoopMemo* loops, HbmModel hbm)
        : sc_core::sc_module(name)
    {
        if (hbm == HbmModel::banks) {
            hbm_ =
                std::make_unique<HbmBanks>("hbm", machine.hbm, machine.device.dma_bytes_per_second);
        } else {
            hbm_ = std::make_unique<HbmFluid>("hbm", alarms);
        }
        for (int local = 0; local < machine.devices_per_chip; ++local) {
            cores_.push_back(std::make_unique<TensorCore>(
                ("core" + std::to_string(local)).c_str(), chip * machine.devices_per_chip + local,
                machine,
                DeviceLinks{feed, observers, alarms, *hbm_, drives, network, order, loops}));
        }
    }

    ~Chip() override { destroy_backwards(cores_); }

    const std::vector<std::unique_ptr<TensorCore>>& cores() const { return cores_; }
    void declare_statistics(Statistics& statistics) const override
    {
        for (const auto& core : cores_) {
            core->declare_statistics(statistics);
        }
        hbm_->declare_statistics(statistics);
    }

private:
    std::unique_ptr<Hbm> hbm_;
    std::vector<std::unique_ptr<TensorCore>> cores_;
};

/// The chips of a job, the network between them, and what they remember of loops if they are to and
/// HBM goes by rates. Only contains.
class Slice : public sc_core::sc_module, public StatisticsSource {
public:
    Slice(const sc_core::sc_module_name& name, const topologies::Machine& machine, StepFeed& feed,
          Observers& observers, const SimulatorOptions& options)
        : sc_core::sc_module(name),
          alarms_("alarms"),
          drives_("drives", alarms_),
          network_("network", machine, options.remember, observers.looking_closely(),
                   options.one_chip),
          order_(machine.slice.chips() * machine.devices_per_chip),
          loops_(machine, network_)
    {
        const HbmModel hbm = options.hbm;
        const bool skip = options.remember && hbm == HbmModel::rates;
        LoopMemo* const loops = skip ? &loops_ : nullptr;
        for (int chip = 0; chip < machine.slice.chips(); ++chip) {
            chips_.push_back(std::make_unique<Chip>(("chip" + std::to_string(chip)).c_str(), chip,
                                                    machine, feed, observers, alarms_, drives_,
                                                    network_, order_, loops, hbm));
        }
    }

    ~Slice() override { destroy_backwards(chips_); }

    const Network& network() const { return network_; }
    const LoopMemo& loops() const { return loops_; }
    void declare_statistics(Statistics& statistics) const override
    {
        for (const auto& chip : chips_) {
            chip->declare_statistics(statistics);
        }
        drives_.declare_statistics(statistics);
        network_.declare_statistics(statistics);
        loops_.declare_statistics(statistics);
    }
    const std::vector<std::unique_ptr<Chip>>& chips() const { return chips_; }
    /// What its modules may yet tell to have been waited for. Between two moments.
    std::vector<ActivityRef> live_activities() const
    {
        std::vector<ActivityRef> live;
        network_.add_live_activities(live);
        for (const auto& chip : chips_) {
            for (const auto& core : chip->cores()) {
                core->add_live_activities(live);
            }
        }
        return live;
    }

private:
    Alarms alarms_;
    HostDrives drives_;
    Network network_;
    ProgramOrder order_;
    LoopMemo loops_;
    std::vector<std::unique_ptr<Chip>> chips_;
};

} // namespace alxsim::sim
