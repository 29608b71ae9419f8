// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "topologies/machine.h"
#include "workloads/registry.h"

#include <memory>
#include <string>
#include <vector>

namespace alxsim::tensor_network {

/// The job of a study whose step is "integrate". Throws InputError.
std::unique_ptr<workloads::Workload> integration_workload(const Json& study,
                                                          const std::string& file,
                                                          const topologies::Machine& machine);
/// The metrics of its runs.
std::vector<workloads::MetricKind> integration_metrics();

} // namespace alxsim::tensor_network
