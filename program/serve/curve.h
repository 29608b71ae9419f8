// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/points/point.h"
#include "experiments/points/study/study.h"
#include "report/report.h"

#include <stdexcept>
#include <string>
#include <vector>

namespace alxsim::program {

using namespace experiments;

/// Nobody waits for the answer any more.
class Superseded : public std::runtime_error {
public:
    Superseded() : std::runtime_error("a later request took its place") {}
};

/// The study as the analytic model times it, without numbers: what is changed in it.
Settings analytic_settings(bool band);

/// Times curves by the analytic model, point by point on the host's threads. What collectives cost
/// is kept between curves.
class CurveModel {
public:
    explicit CurveModel(int threads) : threads_(threads) {}

    /// The points of a study, each as `run` reports it. A point that is refused has an `error`;
    /// where all are, or a machine cannot be made,
    /// throws what `check` says. Throws Stopped.
    std::vector<report::Point> points(const std::vector<PointSpec>& specs);

private:
    int threads_;
};

/// The report of one curve. `points`: in the order of the specs.
report::Report report_of_curve(const Study& study, const std::vector<PointSpec>& specs,
                               std::vector<report::Point> points);

/// What a page draws of a report: its points without the tables that only the report's page shows,
/// and its series.
Json drawn_of_report(const report::Report& report);

} // namespace alxsim::program
