// SPDX-License-Identifier: Apache-2.0
#include "experiments/registration/workloads.h"

#include "alx/workload/kind.h"
#include "workloads/op_graph/op_graph.h"
#include "workloads/projection/kind.h"
#include "workloads/transformer/kind.h"

namespace alxsim::experiments {

const workloads::Registry& workload_kinds()
{
    static const workloads::Registry& all = []() -> const workloads::Registry& {
        workloads::registry().add(alx::alx_kind());
        workloads::registry().add(workloads::op_graph_kind());
        workloads::registry().add(transformer::transformer_kind());
        workloads::registry().add(projection::projection_kind());
        return workloads::registry();
    }();
    return all;
}

} // namespace alxsim::experiments
