// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/points/study/point_study.h"
#include "model/estimate.h"
#include "report/point.h"
#include "workloads/workload.h"

#include <optional>
#include <string>

namespace alxsim::experiments {

/// Expected seconds until a stretch of `work` seconds is done without a failure, where failures
/// come at random (exponentially, `between` seconds apart in the mean), lose all of the stretch,
/// and each takes `restart` seconds: M e^(R/M) (e^(w/M) - 1) (Daly, Future Generation Computer
/// Systems 22, 2006, equation 3). To first order w + (w / M) (w / 2 + R), as Young's formula has
/// it. Infinite where no stretch ever ends.
double expected_seconds(double work, double restart, double between);

/// What a job takes until its last interval or its target, part by part. Failures lose what was
/// done since the last checkpoint; after each the program is compiled and its state loaded anew.
struct BillParts {
    int intervals = 1;
    double interval_seconds = 0;
    double evaluation_seconds = 0; ///< of one
    int evaluation_every = 1;      ///< intervals
    double checkpoint_seconds = 0; ///< of one
    int checkpoint_every = 0;      ///< intervals; 0: none
    double compile_seconds = 0;
    double load_seconds = 0;
    std::optional<double> seconds_between_failures;
};
report::BillSeconds seconds_of(const BillParts& parts);

/// Returns the prices of a chip and hour: the study's, or else the preset's for on demand.
ChipPrices prices_of(const PointStudy& study, const topologies::Machine& machine);

/// The bill of a point's result, whose quality and times are there. Nothing if the study asks for
/// none, or its target is not reached. Throws InputError for a target that the run does not
/// measure, and for failures so frequent that the job never ends.
std::optional<report::Bill> bill_of(const PointStudy& study, const report::Result& result,
                                    int intervals_run, const workloads::Workload& workload,
                                    model::AnalyticModel& model);

/// What the workload has to say of evaluations that take half as long as training, or longer.
std::optional<std::string> bill_note(const report::Bill& bill, const workloads::Workload& workload);

/// Throws the InputError that needs no run: a target without numbers, a target beside epochs.
void check_bill(const PointStudy& study);

} // namespace alxsim::experiments
