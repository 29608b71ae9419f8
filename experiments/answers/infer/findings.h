// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/answers/infer/evidence.h"
#include "experiments/schema/inferred.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace alxsim::experiments {

// Parts of a result of infer.

/// Survivors whose worlds a result holds, and whose curves are worked out.
constexpr std::size_t most_worlds_told = 1000;
/// Fewer worlds say nothing of what goes together.
constexpr std::size_t least_to_correlate = 10;

double six_digits(double value);

/// None of no values.
std::optional<Band> band_of(const std::vector<double>& values, const std::vector<double>& weights);

/// Finds, among the worlds of a sample that agree with all statements of weight 1, those in which
/// others are false: the most frequent first.
std::vector<HeldInPart> held_in_part(const Evidence& evidence, const Sample& sample);

/// A quantile as the unknown's own value.
UnknownValue value_of(const WorldUnknown& unknown, double quantile);

/// Each statement: how often it holds in the prior, and what the others say of its figure.
std::vector<StatementFinding> statement_findings(const Evidence& evidence, const Draws& prior);

/// Each unknown before and after, that which moved furthest first.
std::vector<UnknownFinding> unknown_findings(const std::vector<WorldUnknown>& unknowns,
                                             const Sample& posterior);

/// A band that another seed moves by less is steady.
constexpr double steady_within = 0.15;

/// By which share of its mean another seed may move an end or the middle of an unknown's band.
struct Steadiness {
    std::string unknown; ///< the key of the constrained unknown that moves most; "" for none
    double within = 0;   ///< two standard errors of the sample's quantile
};

/// `effective`: so many independent worlds would tell as much as the sample. Of numbers alone.
Steadiness steadiness_of(const std::vector<WorldUnknown>& unknowns, const Sample& posterior,
                         double effective);

/// Pairs of unknowns that go together among the survivors.
std::vector<Correlation> correlations_of(const std::vector<WorldUnknown>& unknowns,
                                         const Sample& posterior);

/// The largest difference of a constrained unknown's median quantile from that of the few that
/// rejection leaves.
RejectionCheck check_of(const std::vector<WorldUnknown>& unknowns, const Sample& posterior,
                        const Sample& rejection);

/// The worlds that survive, for bands and rankings that are given them.
SurvivingWorlds surviving_worlds(const std::vector<WorldUnknown>& unknowns,
                                 const Sample& posterior);

} // namespace alxsim::experiments
