// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/tensor_network/steps.h"

namespace alxsim::tensor_network {

/// Two neighbouring cores: a bond of rank `left`, legs a and b, a bond of rank `right`.
struct Pair {
    std::int64_t left, a, b, right;
    std::int64_t legs() const { return a * b; }
};

/// What disentangling leaves of a pair.
struct Disentangled {
    Disentangler disentangler;
    spmd::Array first;  ///< [a x left x kept], on all devices, orthonormal from the left
    spmd::Array second; ///< [b x kept x right], the centre of orthogonality
    std::int64_t kept = 0;
};

/// `pair` [left x a x b x right] on all devices, the centre of orthogonality; the devices of
/// `building` share its left bond.
Disentangled add_disentangler(Building& building, const std::string& name, const Pair& shape,
                              spmd::Array pair, std::int64_t bond, std::int64_t target,
                              std::int64_t before, double dropped_at_most);

} // namespace alxsim::tensor_network
