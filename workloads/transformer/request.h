// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_fields.h"
#include "workloads/transformer/config.h"

#include <optional>
#include <string>
#include <vector>

namespace alxsim::transformer {

/// Axes of a grid of all devices with their lengths, in the order in which a study has them.
struct MeshRequest {
    Named<int> lengths;

    bool empty() const { return lengths.empty(); }
    std::optional<int> length_of(const std::string& axis) const;
    int place_of(const std::string& axis) const; ///< from 0; -1: the study does not name it
};

/// What is asked of experts: what stands beside the preset's, or all of it.
struct ExpertsRequest {
    std::optional<std::int64_t> count, per_token, width;
    std::optional<double> capacity;
    std::optional<RoutingKind> routing;
};

/// What is asked of a model: what stands beside a preset, or all of it.
struct SizesRequest {
    std::optional<std::int64_t> layers, hidden, heads, vocabulary, sequence;
    std::optional<std::int64_t> kv_heads, head_size, mlp_width, window;
    std::optional<bool> gated, qk_norm, tied;
    std::optional<Activation> activation;
    std::optional<NormKind> norm;
    std::optional<Positions> positions;
    std::optional<double> rope_theta;
    std::optional<Biases> biases;
    std::optional<ExpertsRequest> experts;
};

/// Its name, or {NAME: options}.
struct OptimizerRequest {
    OptimizerConfig config;
    AdamOptions adam;
};

struct InputRequest {
    double bytes_per_second = 0;
};

/// What a study's /workload/transformer says, defaults filled in.
struct TransformerRequest {
    std::optional<std::string> preset;
    SizesRequest sizes;
    MeshRequest mesh;
    std::optional<AttentionKind> attention;
    std::optional<std::int64_t> context;
    Recomputation recomputation;
    std::optional<InputRequest> input;
    OptimizerRequest optimizer;
    std::optional<std::string> text; ///< a path, relative to the study's
    TransformerConfig config;        ///< what it says as it is: batch, sharding, ...
    /// Fields of training alone that do not have their defaults.
    std::vector<std::string> of_training;
};

/// Reads a /workload/transformer that obeys the schema.
TransformerRequest transformer_request(const Json& transformer);

/// The JSON Schema of /workload/transformer.
Json transformer_schema();

} // namespace alxsim::transformer
