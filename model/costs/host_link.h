// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/units.h"
#include "model/costs/input_times.h"
#include "topologies/machine.h"

#include <algorithm>
#include <array>
#include <vector>

namespace alxsim::model {

/// The host's side of one device: it dispatches steps, and reads, parses and sends batches over the
/// device's share of PCIe. Dispatch and each stage of the input run at most `prefetch_depth` steps
/// ahead of who takes what they make. Its times follow from the device's past alone; simulator and
/// estimate keep it alike.
class HostLink {
public:
    explicit HostLink(const topologies::Machine& machine)
        : dispatch_(to_picoseconds(machine.device.step_dispatch)),
          depth_(static_cast<std::size_t>(machine.host.prefetch_depth))
    {
    }

    /// Equal steps after which the host is as far ahead as it gets.
    static std::int64_t steps_until_steady(const topologies::Machine& machine)
    {
        return 2 * machine.host.prefetch_depth + 2;
    }

    /// Whether the host is as far ahead as it gets after `steps` steps of `on_device` each, and
    /// none but the first waits for it, if no batch takes longer than `longest_batch`, and none of
    /// its stages longer than `longest_stage`.
    bool catches_up_within(std::int64_t steps, Picoseconds on_device, Picoseconds longest_stage,
                           Picoseconds longest_batch) const
    {
        const auto batches = static_cast<std::int64_t>(stages * depth_) + steps;
        const Picoseconds longest = std::max(dispatch_, longest_stage);
        return batches * longest <= steps * on_device && longest_batch * 2 <= on_device;
    }

    /// The device is free for its next step at `now`; the time at which the host has dispatched it.
    Picoseconds dispatched(Picoseconds now)
    {
        dispatched_ = std::max(dispatched_, oldest(started_)) + dispatch_;
        remember(started_, std::max(now, dispatched_));
        return dispatched_;
    }

    /// The device asks for its next batch at `now`; the time at which it has it.
    Picoseconds delivered(Picoseconds now, const InputTimes& batch)
    {
        Picoseconds ready{0};
        const std::array<Picoseconds, stages> times{batch.read, batch.parse, batch.transfer};
        for (std::size_t i = 0; i < stages; ++i) {
            ready = worked_on(i, ready, times[i]);
        }
        const Picoseconds at = std::max(now, ready);
        remember(consumed_, at);
        return at;
    }

    /// Lets `time` pass in which everything went on as before; without `infeed`, nothing was fed.
    void skip(Picoseconds time, bool infeed = true)
    {
        dispatched_ += time;
        shift(started_, time);
        if (infeed) {
            for (Stage& stage : input_) {
                stage.done += time;
                shift(stage.begun, time);
            }
            shift(consumed_, time);
        }
    }

    /// All that the times of steps to come depend on, with an `infeed` or without, after `now`.
    std::vector<Picoseconds> state(Picoseconds now, bool infeed) const
    {
        std::vector<Picoseconds> result;
        result.reserve(1 + started_.size() + stages * (1 + depth_) + consumed_.size());
        result.push_back(dispatched_ - now);
        append(result, started_, now);
        if (infeed) {
            for (const Stage& stage : input_) {
                result.push_back(stage.done - now);
                append(result, stage.begun, now);
            }
            append(result, consumed_, now);
        }
        return result;
    }

private:
    static constexpr std::size_t stages = 3;

    /// Reading, parsing, or PCIe.
    struct Stage {
        Picoseconds done{0};            ///< with the last batch
        std::vector<Picoseconds> begun; ///< the last batches
    };

    /// A stage takes its next batch when it has done the one before, the stage before has done this
    /// one, and whoever follows has taken the one `depth` before.
    Picoseconds worked_on(std::size_t index, Picoseconds ready, Picoseconds time)
    {
        Stage& stage = input_[index];
        const std::vector<Picoseconds>& taken =
            index + 1 < stages ? input_[index + 1].begun : consumed_;
        const Picoseconds begun = std::max({stage.done, ready, oldest(taken)});
        remember(stage.begun, begun);
        stage.done = begun + time;
        return stage.done;
    }

    /// The moment from which the host may work on the next item: when the one `depth` before was
    /// taken.
    Picoseconds oldest(const std::vector<Picoseconds>& taken) const
    {
        return taken.size() < depth_ ? Picoseconds(0) : taken.front();
    }

    void remember(std::vector<Picoseconds>& taken, Picoseconds at) const
    {
        if (taken.size() == depth_) {
            taken.erase(taken.begin());
        }
        taken.push_back(at);
    }

    static void shift(std::vector<Picoseconds>& times, Picoseconds by)
    {
        for (Picoseconds& at : times) {
            at += by;
        }
    }

    static void append(std::vector<Picoseconds>& to, const std::vector<Picoseconds>& times,
                       Picoseconds now)
    {
        for (const Picoseconds at : times) {
            to.push_back(at - now);
        }
    }

    Picoseconds dispatch_;
    std::size_t depth_;
    Picoseconds dispatched_{0};
    std::vector<Picoseconds> started_;
    std::array<Stage, stages> input_;
    std::vector<Picoseconds> consumed_; ///< by the device
};

} // namespace alxsim::model
