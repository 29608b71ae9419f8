// SPDX-License-Identifier: Apache-2.0
#include "alx/steps/prepared_links.h"

#include "alx/steps/half_batches.h"

#include <utility>

namespace alxsim::alx {

PreparedLinks::PreparedLinks(const AlxConfig& config, const SparseMatrix& training,
                             const DeviceMesh& mesh)
    : PreparedLinks(config, training, std::make_shared<const SparseMatrix>(transpose(training)),
                    mesh)
{
}

PreparedLinks::PreparedLinks(const AlxConfig& config, const SparseMatrix& training,
                             std::shared_ptr<const SparseMatrix> of_training,
                             const DeviceMesh& mesh)
    : by_row(training),
      transposed(std::move(of_training)),
      by_column(*transposed),
      placement(place_tables(config, by_row, by_column, mesh))
{
}

PreparedHalves::PreparedHalves(const AlxConfig& config, std::shared_ptr<const PreparedLinks> of,
                               const DeviceMesh& mesh)
    : prepared(std::move(of)),
      links(config, prepared->by_row, prepared->by_column),
      rows(batch_rows(config, links.rows(), mesh, prepared->placement.rows)),
      columns(batch_columns(config, links.columns(), mesh, prepared->placement.columns))
{
}

} // namespace alxsim::alx
