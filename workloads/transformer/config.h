// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/schema/value_names.h"
#include "model/graph/dtype.h"
#include "workloads/transformer/layer_math.h"
#include "workloads/transformer/model_size.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace alxsim::transformer {

/// How weights and activations are dealt to the devices of a replica (facts: Megatron-LM, Shoeybi
/// et al. 2019; sequence parallelism, Korthikanti et al. 2022; SUMMA as in Optimus, Xu et al.
/// 2021).
enum class ShardingKind {
    one_dimensional,          ///< "1d": qkv and fc1 by columns, proj and fc2 by rows
    one_dimensional_sequence, ///< "1d_sequence": the same, the rest by tokens
    two_dimensional,          ///< "2d": blocks of both, panel after panel
    two_dimensional_gathered  ///< "2d_gathered": all panels at once
};
constexpr std::array<ValueName<ShardingKind>, 4> value_names(ShardingKind /*any*/)
{
    return {{{"1d", ShardingKind::one_dimensional},
             {"1d_sequence", ShardingKind::one_dimensional_sequence},
             {"2d", ShardingKind::two_dimensional},
             {"2d_gathered", ShardingKind::two_dimensional_gathered}}};
}

/// What the backward computes again in place of keeping it.
enum class Recomputation {
    none,
    selective, ///< attention's scores and probabilities
    full       ///< all of a layer but its input
};
constexpr std::array<ValueName<Recomputation>, 3> value_names(Recomputation /*any*/)
{
    return {{{"none", Recomputation::none},
             {"selective", Recomputation::selective},
             {"full", Recomputation::full}}};
}

/// Whether replicas sum up their gradients while the backward still runs.
enum class GradientOverlap { none, backward };
constexpr std::array<ValueName<GradientOverlap>, 2> value_names(GradientOverlap /*any*/)
{
    return {{{"none", GradientOverlap::none}, {"backward", GradientOverlap::backward}}};
}

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

std::vector<std::string> preset_names();

struct TransformerRequest;

/// Of what a study says, on so many devices. Throws InputError with the JSON pointer for what does
/// not divide as its sharding needs.
TransformerConfig config_of(const TransformerRequest& request, const std::string& file,
                            int devices);

/// Throws InputError unless sizes divide as the sharding needs on so many devices.
void check_sizes(const TransformerConfig& config, const std::string& file, int devices);

} // namespace alxsim::transformer
