// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/text/document.h"
#include "experiments/answers/infer/statements.h"
#include "experiments/points/study/study.h"
#include "experiments/schema/inferred.h"

#include <functional>
#include <optional>
#include <string>

namespace alxsim::experiments {

struct InferOptions {
    int draws = 20000;
    std::uint64_t seed = 1;
    double discrepancy = 0.1; ///< the model's own relative error
    /// The run of the study's own points; "": for each series the run that most statements about
    /// its job are about, else that of most statements' points.
    std::string run;
    int jobs = 1; ///< host threads; the result is the same for any number
    /// Measurements that could be made, ranked by how much they would narrow the band of `point`.
    std::optional<std::string> measurements = {}; ///< their file, see read_measurements()
    std::string point; ///< "series@cores"; "": the last one of the first series
    /// Called with what is under way and how much of it is done, from many threads.
    std::function<void(const char* what, double share)> progress = {};
};

/// So many independent survivors are asked for.
constexpr double enough_survivors = 200;

/// Which worlds agree with what has been published? Draws worlds (one value for each unknown of
/// machine, code and runs), and keeps those in which all statements hold; where they tell less than
/// enough_survivors would, worlds that agree are drawn level by level
/// (experiments/answers/infer/sequential.h) and checked against these few.
/// Fits nothing, writes no preset. Throws InputError.
Inferred infer(const Study& study, const Statements& statements, const InferOptions& options);

/// The same, to be read.
Document document_of(const Inferred& result);

} // namespace alxsim::experiments
