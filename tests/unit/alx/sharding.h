// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/config.h"
#include "alx/data/split.h"
#include "alx/device_mesh.h"
#include "alx/training/training.h"
#include "base/host_pool.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

/// What tests of sharding choices share.
namespace alxsim::alx {

/// Devices numbered row shard first, then embedding shard, then replica. Torus axes: x for row
/// shards, y for the others.
inline DeviceMesh mesh_of(int row_shards, int embedding_shards, int replicas)
{
    DeviceMesh mesh(row_shards * embedding_shards * replicas);
    mesh.row_shards = row_shards;
    mesh.embedding_shards = embedding_shards;
    mesh.replicas = replicas;
    mesh.row_axes = {"x"};
    mesh.embedding_axes = {"y"};
    mesh.replica_axes = {"y"};
    for (int device = 0; device < mesh.devices; ++device) {
        mesh.coordinates[static_cast<std::size_t>(device)] = {
            device % row_shards, device / row_shards % embedding_shards,
            device / row_shards / embedding_shards};
    }
    return mesh;
}

/// What a strategy is a change to.
inline AlxConfig clean_config()
{
    AlxConfig config;
    config.dim = 16;
    config.epochs = 3;
    config.reg = 1e-2;
    config.solver = "cholesky";
    config.table_dtype = model::DType::f32;
    config.semantics = Semantics{};
    config.batch = {256, 8, 64};
    config.column_batch = {2048, 8, 64};
    config.evaluation.every = 1000;
    config.gather = "all_reduce";
    return config;
}

/// [rows; columns] after training, in the order of ids, without phantom rows.
inline std::vector<float> trained(const AlxConfig& config, const Dataset& data,
                                  const DeviceMesh& mesh, int threads = 2)
{
    HostPool pool(threads);
    TrainingRun run(config, data, mesh, pool);
    while (run.next()) {
    }
    std::vector<float> all;
    for (const FactorTable* table : {&run.rows(), &run.columns()}) {
        const std::vector<float> values = table->to_floats();
        all.insert(all.end(), values.begin(),
                   values.begin() + static_cast<std::ptrdiff_t>(table->count()) * config.dim);
    }
    return all;
}

/// The largest difference over the largest number.
inline double relative_difference(const std::vector<float>& a, const std::vector<float>& b)
{
    double difference = 0;
    double largest = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        difference = std::max(difference, std::abs(static_cast<double>(a[i]) - b[i]));
        largest = std::max(largest, std::abs(static_cast<double>(b[i])));
    }
    return difference / largest;
}

} // namespace alxsim::alx
