// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_document.h"

#include <string>
#include <vector>

namespace alxsim::model {

/// What carries a collective out: programs of the TensorCore, those of the SparseCores beside it,
/// or DMA engines alone.
enum class CollectiveEngine { tensor_core, sparse_core, dma };

/// How a collective is run, in the words of the TPU compiler's own programs: docs/op_graph.md says
/// what each name means.
struct CollectiveAlgorithm {
    std::string name;   ///< ring, nd_rings, one_ring, short, gather_and_add, ...
    int colours = 0;    ///< parts of the payload, each with rings of its own; 0: not said
    int directions = 0; ///< in which each colour uses its rings, 1 or 2; 0: not said
    int phases = 0;     ///< rings one after the other, of a reduction or of a gather; 0: not said
    std::vector<std::vector<int>> rings; ///< [colour][phase]: members
    CollectiveEngine engine = CollectiveEngine::tensor_core;
};

/// {"name", "colours", "directions", "phases", "rings", "engine"}; what is not said is left out.
Json to_json(const CollectiveAlgorithm& algorithm);

} // namespace alxsim::model
