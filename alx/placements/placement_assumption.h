// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/batches/workload_shape.h"
#include "alx/sparse_matrix.h"
#include "model/uncertainty.h"

#include <cstdint>
#include <string>

namespace alxsim::alx {

/// What is known of the lengths of one side's rows where its links are not.
struct LengthMoments {
    double links = 0;   ///< sum of the lengths
    double squares = 0; ///< sum of the squared lengths
    double longest = 0;
};

struct PlacedLengths {
    LengthMoments rows;
    LengthMoments columns;
};

/// Returns the moments of a matrix' rows, and of those that a side's assumed distribution gives:
/// squares from a sample, the longest at the distribution's cut-off. Throws InputError as
/// DegreeDistribution does.
LengthMoments length_moments(const SparseMatrix& links);
LengthMoments length_moments(const SideShape& side);
PlacedLengths placed_lengths(const WorkloadShape& shape);

/// What a placement does to a job whose links are not known: assumed, between limits.
struct PlacementAssumption {
    model::UnknownNumber local_share; ///< of the links: row and column on one shard
    /// Links of the shard that has most over the mean. In the half that solves a table's rows, this
    /// table's is the imbalance of the owners' work, the other table's how much more the busiest
    /// shard is looked up than the mean one.
    model::UnknownNumber row_imbalance;
    model::UnknownNumber column_imbalance;
    std::string source;
};

/// Most over mean of the links of shards on which rows fall independently, each shard alike. A
/// shard's links have the variance squares / shards; that the largest of n normal draws lies
/// sqrt(2 ln n) deviations up is asymptotic. No less than the longest row's alone.
double random_imbalance(const LengthMoments& lengths, int shards);

/// Where rows do not stand with what they link to: a local share of 1 / shards, low for the noise
/// of small matrices, high where links of a page to itself are local (2.7 % of cnr-2000's links);
/// links as random_imbalance(), its excess over 1 up to twice as large (measured on five graphs,
/// cyclic and hashed, 2 to 256 shards).
PlacementAssumption random_assumption(const PlacedLengths& lengths, int shards);

/// The least that any placement can reach: 1, or what the longest row gives alone.
double least_imbalance(const LengthMoments& lengths, int shards);

} // namespace alxsim::alx
