// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/text/document.h"
#include "experiments/answers/explain/between.h"
#include "experiments/answers/explain/explanation.h"
#include "report/report.h"

#include <string>

namespace alxsim::experiments {

/// What a report says about its curves, found from its numbers.
///
/// moments    where the time goes at the first point, the sweet spot and the last point, and which
///            batches are padding by more than a quarter. Of what a report files under HBM, the
///            time in which rows are issued is told apart, by the closed forms of the ops
/// terms      phases of which at least `least_floor` of the last interval stays however many cores
/// are
///            added, by the phase's fit; each with the work of a device in an interval at the first
///            and the last point, counted in the op graphs of the report's own study (of the
///            device with most in each step, if `work_of_largest`)
/// shrinking  the other phases
/// notes      what should be known of the points and of the what-ifs, where there is anything
/// what_ifs   what_ifs() of experiments/answers/explain/what_ifs.h; over the worlds of a result of
/// infer
///            where the study names one (`given`)
///
/// Where the study cannot be built again (a file is missing), `not_rebuilt` says why and what
/// needs it is left out. `file` stands for the study: paths in it are relative to its folder. A
/// series that does not compare core counts has its fastest point as its only moment, and tells
/// what changes from its first point to that one and on to the last; one that sweeps values of the
/// preset, the point with the preset's own, and what the others take against it; with `ends`, any
/// series tells what changes between these. Throws InputError if no series is named `only` ("": all
/// of them), or where a series does not have the ends.
Explanation explain(const report::Report& report, const std::string& file, const std::string& only,
                    const Ends& ends = {});

/// The same of all series from the report's numbers alone, in no time: without `work` and what-ifs,
/// and "hbm" is not told apart.
Explanation explain_numbers(const report::Report& report);

/// A phase that keeps less than this share of the last interval counts as shrinking.
constexpr double least_floor = 0.01;

/// The same, to be read aloud. Every sentence rests on a number in `explanation`.
Document document_of(const Explanation& explanation);

} // namespace alxsim::experiments
