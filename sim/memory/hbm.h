// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/units.h"
#include "model/hbm/hbm_rates.h"
#include "sim/observe/statistics.h"

#include <functional>

namespace alxsim::sim {

/// The HBM of one chip, as its devices see it. Two kinds stand behind it: HbmFluid (rates, the fast
/// path) and HbmBanks (every burst, through channels and banks).
class Hbm : public StatisticsSource {
public:
    /// Starts moving what `access` says now; calls `done` when the last byte has moved. `cost` is
    /// hbm_cost(access).
    virtual void transfer(const model::HbmAccess& access, const model::HbmCost& cost,
                          std::function<void()> done) = 0;
    /// Notes bytes of transfers that are not simulated one by one.
    virtual void add_moved(Bytes bytes) = 0;
    virtual Bytes bytes_moved() const = 0;

    /// Beyond what the devices count themselves.
    void declare_statistics(Statistics& /*statistics*/) const override {}
};

} // namespace alxsim::sim
