// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_document.h"

#include <cstdint>
#include <vector>

namespace alxsim::tensor_network {

/// A tensor train in the host's memory, in f64: what a study gives and what results are held
/// against.
struct HostTrain {
    std::vector<std::int64_t> sizes;        ///< of the legs
    std::vector<std::int64_t> ranks;        ///< [legs + 1], the outer ones 1
    std::vector<std::vector<double>> cores; ///< [leg][ranks[k] x sizes[k] x ranks[k + 1]]

    std::size_t legs() const { return sizes.size(); }
};

/// sizes[0] sizes[1] ..., the numbers of a tensor; as a double, since it may be beyond integers.
double numbers_of_tensor(const std::vector<std::int64_t>& sizes);
/// A count as JSON has it: an integer as long as a double tells them apart.
Json count_json(double count);
/// The sum of ranks[k] sizes[k] ranks[k + 1].
std::int64_t numbers_of_train(const std::vector<std::int64_t>& sizes,
                              const std::vector<std::int64_t>& ranks);

/// All numbers, the last leg the fastest.
std::vector<double> full_tensor(const HostTrain& train);
/// A tensor, its last leg the fastest, as a train: |tensor - train| <= tolerance |tensor|.
HostTrain train_of(const std::vector<double>& tensor, const std::vector<std::int64_t>& sizes,
                   double tolerance);
/// a - b: ranks add up. Throws std::logic_error for other legs.
HostTrain difference(const HostTrain& a, const HostTrain& b);
/// |train| by QR decompositions from the right: also that of a difference has all its digits beside
/// the parts.
double norm(const HostTrain& train);
/// The singular values of each cut between two legs, descending.
std::vector<std::vector<double>> cut_values(HostTrain train);
/// |a - b| / |a|, 0 where both are 0.
double relative_difference(const HostTrain& a, const HostTrain& b);
double relative_difference(const std::vector<double>& a, const std::vector<double>& b);
/// A train with each core's leg multiplied by factors[k] [longer leg x leg].
HostTrain with_factors(const HostTrain& core, const std::vector<std::int64_t>& sizes,
                       const std::vector<std::vector<double>>& factors);
/// The largest entry of |V^T V - I|, V [rows x columns].
double distance_from_orthonormal(const std::vector<double>& v, std::int64_t rows,
                                 std::int64_t columns);

} // namespace alxsim::tensor_network
