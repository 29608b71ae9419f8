// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_document.h"
#include "model/graph/work.h"
#include "topologies/machine.h"

#include <string>

namespace alxsim::workloads {

/// A mesh as a report tells it.
struct MeshWords {
    Json lengths;      ///< {"data": 32, "tensor": 4}
    Json axes;         ///< where they lie: {"data": "y, z", "tensor": "x"}
    std::string words; ///< "data 32 (y, z), tensor 4 (x)"; without axes of length 1
};

MeshWords mesh_words(const model::Mesh& mesh, const topologies::Machine& machine);

} // namespace alxsim::workloads
