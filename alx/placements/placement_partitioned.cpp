// SPDX-License-Identifier: Apache-2.0
#include "alx/placements/placement.h"
#include "alx/placements/placement_parts.h"
#include "base/input_error.h"
#include "base/portable_math.h"
#include "base/work/stop.h"

#include <metis.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>

namespace alxsim::alx {
namespace {

/// For either constraint, the most that a shard's weight may lie above the mean. METIS tries.
constexpr real_t tolerated_imbalance = 1.05F;

/// A row's weight, 1 + links / 16 lines of a batch, in slots: by links alone, measured on cnr-2000
/// at 256 shards, links balance better (1.5 against 3.0 times the mean), but the shards of columns
/// need room for 10.7 times their rows.
constexpr std::int64_t line_length = 16;

/// The linked rows and columns, and the links between them, each from both ends (CSR). A vertex
/// weighs in the constraint of its own table, so that both halves stay balanced.
struct BipartiteGraph {
    std::vector<std::int32_t> rows;    ///< vertices [0, rows.size())
    std::vector<std::int32_t> columns; ///< the rest
    std::vector<idx_t> offsets{0};     ///< [vertices + 1]
    std::vector<idx_t> neighbours;     ///< [2 x links]
    std::vector<idx_t> weights;        ///< [vertices x 2]
};

/// Vertices of ids, the first of which is `first`.
std::vector<idx_t> vertices_of(const std::vector<std::int32_t>& ids, std::int32_t count,
                               std::size_t first)
{
    std::vector<idx_t> vertices(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < ids.size(); ++i) {
        vertices[static_cast<std::size_t>(ids[i])] = static_cast<idx_t>(first + i);
    }
    return vertices;
}

void add_vertices(BipartiteGraph& graph, const std::vector<std::int32_t>& ids,
                  const SparseMatrix& links, const std::vector<idx_t>& others, bool are_rows)
{
    for (const std::int32_t id : ids) {
        for (const std::int32_t other : links.ids(id)) {
            graph.neighbours.push_back(others[static_cast<std::size_t>(other)]);
        }
        graph.offsets.push_back(static_cast<idx_t>(graph.neighbours.size()));
        const auto weight = static_cast<idx_t>(line_length + links.length(id));
        graph.weights.push_back(are_rows ? weight : 0);
        graph.weights.push_back(are_rows ? 0 : weight);
    }
}

/// METIS counts in idx_t, 32 bits in Debian's package: both ends of the links, and a table's
/// weight.
void check_size(const SparseMatrix& rows, const SparseMatrix& columns)
{
    const std::int64_t longer_table = std::max(rows.rows, columns.rows);
    const std::int64_t most = std::max(2 * rows.links(), rows.links() + line_length * longer_table);
    if (most > std::numeric_limits<idx_t>::max()) {
        throw InputError("", "/workload/alx/placement",
                         "found 'partitioned' for " + std::to_string(rows.links()) +
                             " links, allowed are matrices for which neither 2 links nor links + "
                             "16 rows exceed " +
                             std::to_string(std::numeric_limits<idx_t>::max()));
    }
}

BipartiteGraph bipartite_graph(const SparseMatrix& rows, const SparseMatrix& columns)
{
    check_size(rows, columns);
    BipartiteGraph graph;
    graph.rows = linked_rows(rows);
    graph.columns = linked_rows(columns);
    graph.neighbours.reserve(2 * static_cast<std::size_t>(rows.links()));
    add_vertices(graph, graph.rows, rows,
                 vertices_of(graph.columns, columns.rows, graph.rows.size()), true);
    add_vertices(graph, graph.columns, columns, vertices_of(graph.rows, rows.rows, 0), false);
    return graph;
}

/// METIS takes its random numbers from rand(), which is one for all threads.
std::mutex& metis_mutex()
{
    static std::mutex mutex;
    return mutex;
}

/// Recursive bisection: measured on cnr-2000, as local as METIS's k-way refinement (0.613 against
/// 0.616 of the links at 256 shards), better balanced, twice as fast.
void run_metis(BipartiteGraph& graph, idx_t parts, std::uint64_t seed, std::vector<idx_t>& part_of)
{
    auto vertices = static_cast<idx_t>(part_of.size());
    std::array<idx_t, METIS_NOPTIONS> options{};
    METIS_SetDefaultOptions(options.data());
    options[METIS_OPTION_SEED] =
        static_cast<idx_t>(seed % std::uint64_t{std::numeric_limits<idx_t>::max()});
    std::array<real_t, 2> tolerance{tolerated_imbalance, tolerated_imbalance};
    auto constraints = static_cast<idx_t>(tolerance.size());
    idx_t cut = 0;
    const std::lock_guard<std::mutex> lock(metis_mutex());
    const int status = METIS_PartGraphRecursive(&vertices, &constraints, graph.offsets.data(),
                                                graph.neighbours.data(), graph.weights.data(),
                                                nullptr, nullptr, &parts, nullptr, tolerance.data(),
                                                options.data(), &cut, part_of.data());
    if (status != METIS_OK) {
        throw std::runtime_error("METIS_PartGraphRecursive returned " + std::to_string(status));
    }
}

/// The shard of each vertex.
std::vector<idx_t> partition(const std::shared_ptr<BipartiteGraph>& graph, int shards,
                             std::uint64_t seed)
{
    const std::size_t vertices = graph->offsets.size() - 1;
    const idx_t parts = std::min(static_cast<idx_t>(shards), static_cast<idx_t>(vertices));
    const auto part_of = std::make_shared<std::vector<idx_t>>(vertices, 0);
    if (parts > 1) {
        run_stoppable([=] { run_metis(*graph, parts, seed, *part_of); });
    }
    return std::move(*part_of);
}

ShardMap placed(const std::vector<std::int32_t>& ids, const idx_t* shard_of, std::int32_t count,
                int shards)
{
    std::vector<std::int32_t> owners(static_cast<std::size_t>(count), unplaced);
    for (std::size_t i = 0; i < ids.size(); ++i) {
        owners[static_cast<std::size_t>(ids[i])] = shard_of[i];
    }
    place_rest(owners, shards);
    return ShardMap(std::move(owners), shards);
}

/// Rows and columns that link to each other stand together as far as both tables' work stays
/// balanced: METIS (Karypis and Kumar 1998) on the bipartite graph, with two constraints.
class PartitionedPlacement : public RowPlacement {
public:
    TablePlacement place(const SparseMatrix& rows, const SparseMatrix& columns, int shards,
                         std::uint64_t seed) const override
    {
        const auto graph = std::make_shared<BipartiteGraph>(bipartite_graph(rows, columns));
        const std::vector<idx_t> shard_of = partition(graph, shards, seed);
        return {placed(graph->rows, shard_of.data(), rows.rows, shards),
                placed(graph->columns, shard_of.data() + graph->rows.size(), columns.rows, shards)};
    }

    /// Local share: central as on debian-deps, shards^-0.10 to 0.07; low as on wiki-vote, a social
    /// network; high as on cnr-2000, whose sites hardly link to each other.
    PlacementAssumption assumption(const PlacedLengths& lengths, int shards) const override
    {
        const auto imbalance = [&](const LengthMoments& moments) -> model::UnknownNumber {
            const double least = least_imbalance(moments, shards);
            return shards == 1 ? model::UnknownNumber{1, 1, 1}
                               : model::UnknownNumber{
                                     least, std::max(least, portable::pow(shards, 0.15)),
                                     std::max(1.2 * least, 2 * portable::pow(shards, 0.2))};
        };
        return {{portable::pow(shards, -0.43), portable::pow(shards, -0.10),
                 std::min(1.0, portable::pow(shards / 8.0, -0.13))},
                imbalance(lengths.rows),
                imbalance(lengths.columns),
                "measured with METIS on five graphs, 2 to 256 shards: local share as debian-deps "
                "(low wiki-vote, high cnr-2000)"};
    }
};

} // namespace

std::unique_ptr<const RowPlacement> make_partitioned_placement()
{
    return std::make_unique<PartitionedPlacement>();
}

} // namespace alxsim::alx
