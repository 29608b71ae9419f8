// SPDX-License-Identifier: Apache-2.0
#include "program/registration/workloads.h"

#include "alx/workload/kind.h"
#include "workloads/import/kind.h"
#include "workloads/offload/kind.h"
#include "workloads/op_graph/op_graph.h"
#include "workloads/projection/kind.h"
#include "workloads/registry.h"
#include "workloads/tensor_network/kind.h"
#include "workloads/transformer/kind.h"

namespace alxsim::program {

void add_workloads()
{
    [[maybe_unused]] static const bool added = [] {
        workloads::registry().add(alx::alx_kind());
        workloads::registry().add(workloads::op_graph_kind());
        workloads::registry().add(hlo::program_kind());
        workloads::registry().add(transformer::transformer_kind());
        workloads::registry().add(projection::projection_kind());
        workloads::registry().add(tensor_network::tensor_network_kind());
        workloads::registry().add(offload::offload_kind());
        return true;
    }();
}

} // namespace alxsim::program
