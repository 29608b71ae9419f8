// SPDX-License-Identifier: Apache-2.0
#include "alx/workload/host_memory.h"

#include "alx/requests/config_request.h"
#include "alx/requests/dataset_request.h"
#include "alx/strategies/scatter.h"
#include "base/memory/growing_bytes.h"

#include <algorithm>

namespace alxsim::alx {
namespace {

/// Bytes of a link by row and by column, where it has a weight, and of a line while weights are
/// read.
constexpr Bytes bytes_of_weights(2 * sizeof(float));
constexpr Bytes bytes_of_weighted_line(16);

/// What IdLists measure on webs, of an id and of a list; more on random links.
constexpr Bytes bytes_of_link(2);
constexpr Bytes bytes_of_list(10);

Bytes kept(const SparseMatrix& matrix)
{
    return Bytes(static_cast<std::int64_t>(matrix.lists.bytes()));
}

/// With those of the best epoch, where that is kept.
Bytes of_tables(const AlxConfig& config, std::int64_t rows)
{
    const Bytes once = model::size_of(config.table_dtype) * config.dim * rows;
    return config.evaluation.keep_best ? once * 2 : once;
}

/// Solutions of the largest step, and who writes each.
Bytes of_step(const AlxConfig& config, const DenseBatches& batches, int devices)
{
    const auto all = static_cast<std::int64_t>(batches.examples.size());
    const std::int64_t rows = std::min(all, devices * batches.geometry.rows);
    const std::int64_t id = sizeof batches.examples[0];
    return (model::size_of(config.exchange_dtype()) * config.dim +
            Bytes(sizeof(SolvedRow) + sizeof(std::int64_t))) *
               rows +
           Bytes(id * all);
}

} // namespace

Bytes host_memory(const Job& job)
{
    if (!job.data) {
        return Bytes(0);
    }
    const PreparedHalves& halves = *job.program.halves;
    const TablePlacement& placement = halves.prepared->placement;
    const std::int64_t rows = placement.rows.padded_rows() + placement.columns.padded_rows();
    const Bytes weights =
        bytes_of_weights * (job.config.weighs_links ? job.data->training.links() : 0);
    return weights + kept(job.data->training) + kept(halves.prepared->by_column) +
           kept(job.data->history) + kept(job.data->ground_truth) + of_tables(job.config, rows) +
           of_step(job.config, halves.rows, job.mesh.devices) +
           of_step(job.config, halves.columns, job.mesh.devices);
}

Bytes host_memory_of(const MatrixSize& size, const AlxConfig& config)
{
    const std::int64_t lists = size.rows + size.columns;
    const Bytes links = bytes_of_link * size.links; // by row, and by column
    return (go_into_a_file(links) ? Bytes(0) : links * 2) + bytes_of_list * lists +
           bytes_of_weights * (config.weighs_links ? size.links : 0) + of_tables(config, lists);
}

Bytes predicted_host_memory(const PointRequest& point, const std::string& file)
{
    const DatasetRequest& dataset = point.workload.dataset;
    if (!point.numerics || !(dataset.generate || dataset.file)) {
        return Bytes(0);
    }
    if (dataset.generate) {
        const GenerateConfig config = generate_config_of(*dataset.generate);
        return host_memory_of({config.rows, config.columns, config.links}, config_of(point));
    }
    const MatrixSize size = predicted_size(dataset_file_of(dataset, file));
    const AlxConfig config = config_of(point);
    return host_memory_of(size, config) +
           bytes_of_weighted_line * (config.weighs_links ? size.links : 0);
}

} // namespace alxsim::alx
