// SPDX-License-Identifier: Apache-2.0
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

/// Rows of the shard that are made whole at a time, so that they need little memory.
constexpr std::int64_t joined_rows = 65536;

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

/// The Gramian of a device's part of its shard, chunk by chunk: a chunk's columns become whole rows
/// by an all-to-all, each member's share of the rows.
model::Op joined_gramian(const AlxConfig& config, const std::string& name, std::int64_t rows,
                         const DeviceMesh& mesh)
{
    const std::int64_t number = model::size_of(config.table_dtype).count();
    const std::int64_t chunk = std::min(rows, joined_rows);
    const Bytes bytes(chunk * (config.dim / mesh.embedding_shards) * number);
    const model::BufferUse joined{"gramian.joined", bytes};
    const model::BufferUse partial{"gramian.partial", config.gramian_bytes()};
    auto body = std::make_shared<OpGraph>();
    body->name = "Gramian of a chunk of the " + name;
    const int joins = body->add({"join embedding columns of the shard",
                                 "gramian",
                                 over_embedding(CollectiveKind::all_to_all, bytes, mesh),
                                 {{"tables." + name, bytes}},
                                 {joined},
                                 {},
                                 nullptr});
    body->add({"Gramian of the rows",
               "gramian",
               gramian_product(config, ceil_divide(chunk, mesh.embedding_shards)),
               {joined, partial},
               {partial},
               {joins},
               nullptr});
    return {"Gramian of the shard",
            "gramian",
            model::Repeat{ceil_divide(rows, chunk), "", std::move(body)},
            {},
            {partial},
            {},
            nullptr};
}

} // namespace

model::Collective gramian_all_reduce(const AlxConfig& config)
{
    return {CollectiveKind::all_reduce, config.gramian_bytes()};
}

OpGraph gramian_step_graph(const AlxConfig& config, const std::string& name,
                           std::int64_t shard_rows, const DeviceMesh& mesh,
                           std::shared_ptr<const model::Effect> effect)
{
    const std::int64_t dim = config.dim;
    const Bytes square = config.gramian_bytes();
    const std::int64_t rows = ceil_divide(shard_rows, mesh.replicas);
    OpGraph graph;
    graph.name = "Gramian of the " + name;
    model::Op partial =
        mesh.embedding_shards > 1
            ? joined_gramian(config, name, rows, mesh)
            : model::Op{"Gramian of the shard",
                        "gramian",
                        gramian_product(config, rows),
                        {{"tables." + name, model::size_of(config.table_dtype) * (rows * dim)}},
                        {{"gramian.partial", square}},
                        {},
                        nullptr};
    int last = graph.add(std::move(partial));
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
