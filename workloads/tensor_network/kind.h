// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/registry.h"

namespace alxsim::tensor_network {

/// "tensor_network": steps of tensor trains, Tucker decompositions and MERAs.
workloads::Kind tensor_network_kind();

} // namespace alxsim::tensor_network
