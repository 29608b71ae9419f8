// SPDX-License-Identifier: Apache-2.0
#include "alx/steps/host_moves.h"
#include "alx/steps/step_graph.h"
#include "alx/strategies/exchange_ops.h"
#include "spmd/linear/op_parts.h"

#include <algorithm>
#include <utility>

namespace alxsim::alx {

using model::CollectiveKind;
using model::DType;
using model::OpGraph;

namespace {

model::Matmul gramian_product(const AlxConfig& config, std::int64_t rows)
{
    const bool narrow = config.table_dtype == DType::bf16;
    return {1,
            config.dim,
            rows,
            config.dim,
            narrow ? DType::bf16 : DType::f32,
            narrow ? 1 : config.hardware_passes(),
            true};
}

/// Gramians of shards that pass chunk by chunk.
class ChunkedGramian {
public:
    /// `rows`: of the shard, that the device sums up.
    ChunkedGramian(const AlxConfig& config, std::string name, std::int64_t rows,
                   const DeviceMesh& mesh)
        : config_(config),
          mesh_(mesh),
          name_(std::move(name)),
          rows_(rows),
          chunk_(std::min(rows, chunk_rows))
    {
    }

    /// Adds the Gramian of a shard in HBM.
    int add_in_hbm(OpGraph& graph, std::vector<int> after) const
    {
        auto body = make_body();
        add_product(*body, chunk_, "tables." + name_);
        return add_loop(graph, chunks(), std::move(body), std::move(after));
    }

    /// Adds the Gramian of a shard below HBM: a chunk is summed up while the next one comes. The
    /// first is what the others leave.
    int add_from_below(OpGraph& graph) const
    {
        graph.buffers.push_back(table_buffer_below(config_, name_, bytes_of(rows_)));
        const TableChunks in(config_, mesh_, name_, "table.in", chunk_);
        const std::int64_t first = rows_ - (chunks() - 1) * chunk_;
        int last = in.add_first(graph, first, {});
        if (chunks() > 1) {
            auto body = make_body();
            in.add_next(*body);
            add_product(*body, chunk_, in_hbm);
            last = add_loop(graph, chunks() - 1, std::move(body), {last});
        }
        return add_product(graph, first, in_hbm, {last});
    }

private:
    static constexpr const char* in_hbm = TableChunks::in_hbm;

    std::int64_t chunks() const { return ceil_divide(rows_, chunk_); }
    Bytes bytes_of(std::int64_t rows) const
    {
        return model::size_of(config_.table_dtype) *
               (rows * (config_.dim / mesh_.embedding_shards));
    }
    model::BufferUse partial() const { return {"gramian.partial", config_.gramian_bytes()}; }

    std::shared_ptr<OpGraph> make_body() const
    {
        auto body = std::make_shared<OpGraph>();
        body->name = "Gramian of a chunk of the " + name_;
        return body;
    }

    int add_loop(OpGraph& graph, std::int64_t times, std::shared_ptr<OpGraph> body,
                 std::vector<int> after) const
    {
        return graph.add({"Gramian of the shard",
                          "gramian",
                          model::Repeat{times, "", std::move(body)},
                          {},
                          {partial()},
                          std::move(after),
                          nullptr});
    }

    /// A chunk's columns become whole rows by an all-to-all, each member's share of the rows.
    int add_product(OpGraph& graph, std::int64_t rows, const model::Name& table,
                    std::vector<int> after = {}) const
    {
        const Bytes bytes = bytes_of(rows);
        model::BufferUse whole{table, bytes};
        if (mesh_.embedding_shards > 1) {
            const model::BufferUse joined{"gramian.joined", bytes};
            after = {graph.add({"join embedding columns of the shard",
                                "gramian",
                                over_embedding(CollectiveKind::all_to_all, bytes, mesh_),
                                {whole},
                                {joined},
                                std::move(after),
                                nullptr})};
            whole = joined;
        }
        return graph.add({"Gramian of the rows",
                          "gramian",
                          gramian_product(config_, ceil_divide(rows, mesh_.embedding_shards)),
                          {whole, partial()},
                          {partial()},
                          std::move(after),
                          nullptr});
    }

    const AlxConfig& config_;
    const DeviceMesh& mesh_;
    std::string name_;
    std::int64_t rows_;
    std::int64_t chunk_;
};

/// Adds the Gramian of the whole shard at once, which stands in HBM or comes there first.
int add_whole_gramian(OpGraph& graph, const AlxConfig& config, const std::string& name,
                      std::int64_t rows, std::vector<int> after)
{
    return graph.add(
        {"Gramian of the shard",
         "gramian",
         gramian_product(config, rows),
         {{"tables." + name, model::size_of(config.table_dtype) * (rows * config.dim)}},
         {{"gramian.partial", config.gramian_bytes()}},
         std::move(after),
         nullptr});
}

/// Two tables change places between HBM and host memory, chunk by chunk, both ways at once: the one
/// that was solved for comes in, the other one leaves. Returns the op that brings the first.
int add_exchange(OpGraph& graph, const AlxConfig& config, const std::string& name,
                 std::int64_t shard_rows, std::int64_t other_shard_rows, const DeviceMesh& mesh)
{
    using topologies::Tier;
    const Bytes row = model::size_of(config.table_dtype) * (config.dim / mesh.embedding_shards);
    const Bytes in = row * shard_rows;
    const Bytes out = row * other_shard_rows;
    const Bytes both = std::max(in, out); // each takes the other's place
    graph.buffers.push_back(table_buffer_below(config, name, both));
    graph.buffers.push_back({"tables." + name, both, model::Residency::hbm});
    graph.buffers.push_back({"window.exchanged", row * chunk_rows, model::Residency::hbm});
    graph.add({"the other table to the host",
               "table.out",
               model::Copy{Tier::hbm, Tier::host, out},
               {{"tables." + name, out}},
               {{table_below(config, name), out}},
               {},
               nullptr});
    return graph.add({"table from the host",
                      "table.in",
                      model::Copy{Tier::host, Tier::hbm, in},
                      {{table_below(config, name), in}},
                      {{"tables." + name, in}},
                      {},
                      nullptr});
}

/// The partial Gramian of a device. Returns the op that has all of it.
int add_partial_gramian(OpGraph& graph, const AlxConfig& config, const std::string& name,
                        std::int64_t shard_rows, std::int64_t other_shard_rows,
                        const DeviceMesh& mesh)
{
    const std::int64_t rows = ceil_divide(shard_rows, mesh.replicas);
    const ChunkedGramian chunked(config, name, rows, mesh);
    if (!config.table_tier.fixed_in_hbm()) {
        return chunked.add_from_below(graph);
    }
    std::vector<int> ready;
    if (!config.table_tier.updated_in_hbm()) {
        ready = {add_exchange(graph, config, name, shard_rows, other_shard_rows, mesh)};
    }
    return mesh.embedding_shards > 1
               ? chunked.add_in_hbm(graph, std::move(ready))
               : add_whole_gramian(graph, config, name, rows, std::move(ready));
}

} // namespace

model::Collective gramian_all_reduce(const AlxConfig& config)
{
    return {CollectiveKind::all_reduce, config.gramian_bytes()};
}

OpGraph gramian_step_graph(const AlxConfig& config, const std::string& name,
                           std::int64_t shard_rows, std::int64_t other_shard_rows,
                           const DeviceMesh& mesh, std::shared_ptr<const model::Effect> effect)
{
    const std::int64_t dim = config.dim;
    const Bytes square = config.gramian_bytes();
    OpGraph graph;
    graph.name = "Gramian of the " + name;
    int last = add_partial_gramian(graph, config, name, shard_rows, other_shard_rows, mesh);
    if (mesh.devices > 1) {
        last = graph.add({"sum over devices",
                          "gramian",
                          gramian_all_reduce(config),
                          {{"gramian.partial", square}},
                          {{"gramian.sum", square}},
                          {last},
                          nullptr});
    }
    const std::string sum = mesh.devices > 1 ? "gramian.sum" : "gramian.partial";
    last = graph.add(spmd::vector_op("keep Gramian", "gramian", dim * dim, 1, {{sum, square}},
                                     {{"gramian." + name, square}}, {last}));
    graph.ops[static_cast<std::size_t>(last)].effect = std::move(effect);
    return graph;
}

} // namespace alxsim::alx
