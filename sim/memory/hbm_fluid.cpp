// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/hbm_fluid.h"

#include "sim/kernel_time.h"

#include <utility>

namespace alxsim::sim {

HbmFluid::HbmFluid(const sc_core::sc_module_name& name, Alarms& alarms)
    : sc_core::sc_module(name),
      alarms_(alarms),
      alarm_(alarms.add(*this))
{
}

void HbmFluid::transfer(const model::HbmAccess& /*access*/, const model::HbmCost& cost,
                        std::function<void()> done)
{
    bytes_moved_ += cost.bytes;
    if (spare_.empty()) {
        spare_.push_back(static_cast<int>(done_.size()));
        done_.emplace_back();
    }
    const int place = spare_.back();
    spare_.pop_back();
    done_[static_cast<std::size_t>(place)] = std::move(done);
    rates_.start(place, cost, now());
    arm();
}

void HbmFluid::serve()
{
    rates_.finish(now(), over_);
    arm();
    for (const int place : over_) {
        const auto done = std::exchange(done_[static_cast<std::size_t>(place)], nullptr);
        spare_.push_back(place);
        done(); // may start the next one
    }
    over_.clear();
}

void HbmFluid::arm()
{
    if (const auto next = rates_.next()) {
        alarms_.set(alarm_, *next);
    } else {
        alarms_.clear(alarm_);
    }
}

} // namespace alxsim::sim
