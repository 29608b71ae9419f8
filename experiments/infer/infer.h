// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_document.h"
#include "experiments/infer/statements.h"

#include <functional>
#include <string>

namespace alxsim::experiments {

struct InferOptions {
    int draws = 20000;
    std::uint64_t seed = 1;
    double discrepancy = 0.1; ///< the model's own relative error
    std::string run;          ///< of the study's own points; "": that of most statements' points
    int jobs = 1;             ///< host threads; the result is the same for any number
    std::function<void(double)> progress = {};
};

/// So many effective survivors are asked for; a KS distance from which an unknown is constrained.
constexpr double enough_survivors = 200;
constexpr double constrained_distance = 0.15;

/// Which worlds agree with what has been published? Draws worlds (one value for each unknown of
/// machine, code and runs), and keeps those in which all statements hold; where fewer than
/// enough_survivors do, draws as many again round them in quantile space, on the unknowns that they
/// constrain, and weights these by how much likelier they were to be drawn (importance resampling).
/// Fits nothing, writes no preset. The result follows experiments/schema/inferred.schema.json.
/// Throws InputError.
Json infer(const Study& study, const Statements& statements, const InferOptions& options);

/// The same, to be read.
std::string inferred_in_words(const Json& result);

} // namespace alxsim::experiments
