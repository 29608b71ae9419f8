// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/batches/dense_batches.h"
#include "alx/batches/half_links.h"
#include "alx/config.h"
#include "alx/device_mesh.h"
#include "alx/placements/placement.h"
#include "alx/sparse_matrix.h"

#include <memory>

namespace alxsim::alx {

/// What a job with real links makes of them whatever its batches are: timing and training share it.
struct PreparedLinks {
    /// `training` outlives this. Throws InputError for an unknown placement.
    PreparedLinks(const AlxConfig& config, const SparseMatrix& training, const DeviceMesh& mesh);
    /// The same with what `training` is known to be transposed.
    PreparedLinks(const AlxConfig& config, const SparseMatrix& training,
                  std::shared_ptr<const SparseMatrix> transposed, const DeviceMesh& mesh);

    const SparseMatrix& by_row;
    const std::shared_ptr<const SparseMatrix> transposed;
    const SparseMatrix& by_column; ///< the transposed one
    TablePlacement placement;
};

/// The batches of both halves, with config.batch and config.column_batch.
struct PreparedHalves {
    /// Throws InputError for a row that does not fit a batch.
    PreparedHalves(const AlxConfig& config, std::shared_ptr<const PreparedLinks> links,
                   const DeviceMesh& mesh);

    std::shared_ptr<const PreparedLinks> prepared;
    HalfLinks links; ///< as each half sees them
    DenseBatches rows;
    DenseBatches columns;
};

} // namespace alxsim::alx
