// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_document.h"
#include "model/graph/dtype.h"
#include "workloads/transformer/layer_math.h"

#include <cstdint>
#include <string>
#include <vector>

namespace alxsim::transformer {

/// A decoder-only transformer of GPT-2's form.
struct ModelSize {
    std::int64_t layers = 0, hidden = 0, heads = 0;
    std::int64_t vocabulary = 0; ///< tokens, padded
    std::int64_t sequence = 0;   ///< tokens of one

    /// layers (12 h^2 + 13 h) + V h + s h, and the last normalization's 2 h.
    std::int64_t parameters() const
    {
        return layers * (12 * hidden * hidden + 13 * hidden) + (vocabulary + sequence) * hidden +
               2 * hidden;
    }
};

/// How weights and activations are dealt to the devices of a replica (facts: Megatron-LM, Shoeybi
/// et al. 2019; sequence parallelism, Korthikanti et al. 2022; SUMMA as in Optimus, Xu et al.
/// 2021).
enum class ShardingKind {
    one_dimensional,          ///< "1d": qkv and fc1 by columns, proj and fc2 by rows
    one_dimensional_sequence, ///< "1d_sequence": the same, the rest by tokens
    two_dimensional,          ///< "2d": blocks of both, panel after panel
    two_dimensional_gathered  ///< "2d_gathered": all panels at once
};

/// What the backward computes again in place of keeping it.
enum class Recomputation {
    none,
    selective, ///< attention's scores and probabilities
    full       ///< all of a layer but its input
};

/// Whether replicas sum up their gradients while the backward still runs.
enum class GradientOverlap { none, backward };

struct TransformerConfig {
    ModelSize size;
    std::int64_t batch = 8; ///< sequences of a step, of all replicas
    ShardingKind sharding = ShardingKind::one_dimensional;
    int replicas = 1; ///< that the batch is dealt to: data parallelism
    /// Of a two-dimensional sharding: devices of a column lie next to each other, not those of a
    /// row.
    bool columns_first = false;
    Recomputation recomputation = Recomputation::none;
    model::DType dtype = model::DType::bf16; ///< of weights and activations
    GradientOverlap gradient_overlap = GradientOverlap::none;
    double input_bytes_per_second = 0; ///< that a host reads; 0: the step has no input pipeline
    AdamOptions adam;
    int steps = 1;
    double initial_stddev = 0.02;
    std::string text; ///< path; "": what comes with the program
    std::uint64_t seed = 1;

    bool is_two_dimensional() const
    {
        return sharding == ShardingKind::two_dimensional ||
               sharding == ShardingKind::two_dimensional_gathered;
    }
};

const std::vector<std::string>& sharding_names();
std::string name_of(ShardingKind sharding);
ShardingKind sharding_named(const std::string& name); ///< one of sharding_names()
std::string name_of(Recomputation recomputation);
const std::vector<std::string>& recomputation_names();
std::vector<std::string> preset_names();

/// Of a study's /workload/transformer, defaults filled in, on so many devices. Throws InputError
/// with the JSON pointer for what does not divide as its sharding needs.
TransformerConfig config_of(const Json& job, const std::string& file, int devices);

/// Throws InputError unless sizes divide as the sharding needs on so many devices.
void check_sizes(const TransformerConfig& config, const std::string& file, int devices);

} // namespace alxsim::transformer
