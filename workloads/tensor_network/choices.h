// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/choices.h"
#include "workloads/tensor_network/request.h"
#include "workloads/unknown.h"

#include <optional>
#include <string>
#include <vector>

namespace alxsim::tensor_network {

/// How cuts are made, the tree's levels, passes of an f32 product; with data, the tolerance.
workloads::Choices choices_of(const Request& request);
/// The same of any step; no tolerance: without data.
workloads::Choices choices_with(std::optional<double> tolerance);
std::vector<std::string> choice_names();

/// What nobody measured of it: products that eigenvectors take, iterations of a search.
std::vector<workloads::Unknown> unknowns_of(const Request& request);
/// With each of these at a value, or as it is.
Request drawn_request(const Request& request, const workloads::DrawnValues& values);

} // namespace alxsim::tensor_network
