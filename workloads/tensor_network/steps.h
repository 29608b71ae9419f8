// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/tensor_network/train.h"

namespace alxsim::tensor_network {

// The steps, a file each. All append their ops with their numbers.

/// A tensor as a train, |A - train| <= tolerance |A|, by cuts from the first leg to the last
/// (TT-SVD: Oseledets 2011, doi 10.1137/090752286). `tensor` has the last leg slowest, which is
/// dealt, and the first fastest: [share of sizes[d - 1] x ... x sizes[0]].
Train add_train_svd(Building& building, const std::vector<std::int64_t>& sizes, spmd::Array tensor,
                    double tolerance);

/// A train with lower ranks, |A - train| <= tolerance |A|, whose cores but the last are orthonormal
/// from the left. By SVD: orthonormal from the right by QRs, then cuts from left to right. By
/// Gramians: those of all cores to the right of a cut, then of each core's left part, of which the
/// product's eigenvectors cut (Al Daas, Ballard, Manning 2022, doi 10.1137/21M1465998).
Train add_rounding(Building& building, const std::string& name, const Train& train,
                   double tolerance);

/// Factors with orthonormal columns on the legs, and a core that stays a train.
struct Tucker {
    std::vector<std::int64_t> sizes;
    std::vector<spmd::Array> factors;   ///< [leg][share of sizes[k] x core.sizes[k]]
    Train core;                         ///< all on all devices
    std::vector<SingularValues> values; ///< [leg] of the tensor's unfolding by it

    std::int64_t numbers() const;
};

/// In one sweep, each core in turn being the centre of orthogonality, |A - result| <= tolerance |A|
/// but for the core's own rounding (MERACLE: Batselier, Cichocki, Wong 2021, doi
/// 10.1007/s42967-020-00090-6).
Tucker add_tucker(Building& building, const std::string& name, const Train& train, double tolerance,
                  double core_tolerance);

/// A search for a matrix that lowers a bond's rank, as it went.
struct Disentangler {
    std::int64_t bond = 0; ///< legs to the left of it
    std::int64_t before = 0, target = 0;
    spmd::Array matrix; ///< [a b x a b], orthogonal, on all devices
    /// Whether a start's numbers came down to what was asked for; without numbers as assumed.
    bool found = false;
    bool kept_matrix = false; ///< else `matrix` is the identity, and the rank stays
    /// For each start, how many iterations, and what is dropped in the end, over the norm.
    std::vector<std::int64_t> iterations;
    std::vector<double> dropped;
};

/// A layer: what acts on pairs of legs (1, 2), (3, 4), .. counted from 0, and what takes legs
/// (0, 1), (2, 3), .. to one each.
struct MeraLayer {
    std::vector<std::int64_t> sizes; ///< of the legs below
    std::vector<Disentangler> disentanglers;
    std::vector<spmd::Array> isometries; ///< [sizes[2 i] sizes[2 i + 1] x kept]
};

struct Mera {
    std::vector<MeraLayer> layers;
    Train top;

    /// Counts those of disentanglers, isometries and the top tensor, which is full; beyond integers
    /// where legs are many.
    double numbers() const;
};

/// The rank that the bond between legs k and k + 1 (k odd) is to get, where `rank` is what a layer
/// keeps of two legs: the product of what is kept on its shorter side, at most what it is before.
std::int64_t disentangled_rank(std::int64_t rank, std::size_t k, std::size_t legs,
                               std::int64_t before);

/// A train as a MERA (MERACLE, as above). `ranks`: what each layer's isometries are to keep, from
/// below. A disentangler is searched by a Procrustes problem after the other, from up to 8 starts:
/// the identity, the legs exchanged, random orthogonal matrices. All devices have the train; those
/// of a mesh share the left bond of a pair of cores while its disentangler is searched.
Mera add_mera(Building& building, const Train& train, const std::vector<std::int64_t>& ranks,
              double tolerance, double dropped_at_most);

} // namespace alxsim::tensor_network
