// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/units.h"
#include "topologies/machine.h"

#include <algorithm>
#include <vector>

namespace alxsim::model {

/// The host's side of one device: it dispatches steps and feeds batches over the device's share of
/// PCIe, both at most `prefetch_depth` steps ahead of the device. Its times follow from the
/// device's past alone; simulator and estimate keep it alike.
class HostLink {
public:
    explicit HostLink(const topologies::Machine& machine)
        : dispatch_(to_picoseconds(machine.device.step_dispatch)),
          depth_(static_cast<std::size_t>(machine.host.prefetch_depth))
    {
    }

    /// The device is free for its next step at `now`; the time at which the host has dispatched it.
    Picoseconds dispatched(Picoseconds now)
    {
        dispatched_ = std::max(dispatched_, oldest(started_)) + dispatch_;
        remember(started_, std::max(now, dispatched_));
        return dispatched_;
    }

    /// The device asks for its next batch at `now`, which takes `transfer` on the wire; the time at
    /// which it has it.
    Picoseconds delivered(Picoseconds now, Picoseconds transfer)
    {
        sent_ = std::max(sent_, oldest(consumed_)) + transfer;
        const Picoseconds at = std::max(now, sent_);
        remember(consumed_, at);
        return at;
    }

    /// Lets `time` pass in which everything went on as before; without `infeed`, nothing was fed.
    void skip(Picoseconds time, bool infeed = true)
    {
        dispatched_ += time;
        for (Picoseconds& at : started_) {
            at += time;
        }
        if (infeed) {
            sent_ += time;
            for (Picoseconds& at : consumed_) {
                at += time;
            }
        }
    }

    /// All that the times of steps to come depend on, with an `infeed` or without, after `now`.
    std::vector<Picoseconds> state(Picoseconds now, bool infeed) const
    {
        std::vector<Picoseconds> result{dispatched_ - now};
        for (const Picoseconds at : started_) {
            result.push_back(at - now);
        }
        if (infeed) {
            result.push_back(sent_ - now);
            for (const Picoseconds at : consumed_) {
                result.push_back(at - now);
            }
        }
        return result;
    }

private:
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

    Picoseconds dispatch_;
    std::size_t depth_;
    Picoseconds dispatched_{0};
    Picoseconds sent_{0};
    std::vector<Picoseconds> started_;
    std::vector<Picoseconds> consumed_;
};

} // namespace alxsim::model
