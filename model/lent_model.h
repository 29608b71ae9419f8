// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/estimate.h"

#include <memory>
#include <string>
#include <vector>

namespace alxsim::model {

/// An analytic model for one job at a time: one that went by a machine with the same chip and slice
/// before, with the graphs and schedules that other jobs had, or a new one. On a machine with
/// faults it is always new. What it yields is the same.
class LentModel {
public:
    LentModel(const topologies::Machine& machine, ScheduleTimes times);
    ~LentModel(); ///< gives it back
    LentModel(const LentModel&) = delete;
    LentModel& operator=(const LentModel&) = delete;

    AnalyticModel& operator*() const { return *model_; }
    AnalyticModel* operator->() const { return model_.get(); }

private:
    /// What models have to have in common.
    struct Kind {
        ScheduleTimes times = ScheduleTimes::exact;
        bool has_faults = false;
        int devices = 1;
        std::string chip;
        std::vector<topologies::Axis> axes; ///< of the slice

        bool operator==(const Kind& other) const;
    };
    class Idle;
    static Idle& idle();

    Kind kind_;
    std::unique_ptr<AnalyticModel> model_;
};

} // namespace alxsim::model
