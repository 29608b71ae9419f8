// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/schema/value_names.h"
#include "model/graph/dtype.h"
#include "workloads/transformer/math/optimizers.h"
#include "workloads/transformer/model_size.h"
#include "workloads/transformer/steps/pipeline_schedule.h"

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

/// Results of a layer's forward that its backward wants, in the order in which they are computed.
enum class Activations {
    layer_input,
    norm1,
    qkv,           ///< queries, keys and values, as attention takes them
    probabilities, ///< of stored attention, with its scores
    context,       ///< attention's result, and of flash attention the logarithm of its sums
    out_proj,      ///< the residual stream between attention and MLP
    norm2,
    fc1,       ///< what comes before the MLP's activation
    activation ///< what comes after it
};
constexpr std::array<ValueName<Activations>, 9> value_names(Activations /*any*/)
{
    return {{{"layer_input", Activations::layer_input},
             {"norm1", Activations::norm1},
             {"qkv", Activations::qkv},
             {"probabilities", Activations::probabilities},
             {"context", Activations::context},
             {"out_proj", Activations::out_proj},
             {"norm2", Activations::norm2},
             {"fc1", Activations::fc1},
             {"activation", Activations::activation}}};
}

/// What the backward computes again in place of keeping it.
enum class RecomputationPolicy {
    none,
    selective, ///< attention's scores and probabilities
    dots,      ///< all but the results of products with weights
    full       ///< all of a layer but its input
};
constexpr std::array<ValueName<RecomputationPolicy>, 4> value_names(RecomputationPolicy /*any*/)
{
    return {{{"none", RecomputationPolicy::none},
             {"selective", RecomputationPolicy::selective},
             {"dots", RecomputationPolicy::dots},
             {"full", RecomputationPolicy::full}}};
}

/// What the backward finds of a layer's forward: in HBM, or in host memory. It computes the rest
/// again. A layer's input is saved unless it is offloaded.
class Recomputation {
public:
    Recomputation() : Recomputation(RecomputationPolicy::none) {}
    Recomputation(RecomputationPolicy policy); // NOLINT(google-explicit-constructor)
    Recomputation(const std::vector<Activations>& save, const std::vector<Activations>& offload);

    bool saves(Activations what) const { return has(saved_, what); }
    bool offloads(Activations what) const { return has(offloaded_, what); }
    bool offloads_any() const { return offloaded_ != 0; }
    bool finds(Activations what) const { return saves(what) || offloads(what); }
    /// Those that the backward computes again: what it wants and does not find, and what these are
    /// computed from. `stored`: attention's probabilities are there.
    bool computes_again(Activations what, bool stored) const;
    /// "full", or "saved qkv; in host memory layer_input".
    const std::string& words() const { return words_; }
    /// Equal for those that do the same.
    std::int64_t key() const { return std::int64_t{offloaded_} << 16 | saved_; }

private:
    static bool has(int set, Activations what) { return (set >> static_cast<int>(what) & 1) != 0; }
    static int set_of(const std::vector<Activations>& all);

    int saved_ = 0, offloaded_ = 0; ///< bit: an activation
    std::string words_;
};

/// In what the products with a layer's weights are computed: in numbers of dtype, or of 8 bits, in
/// which the weights of a model that serves stand, too.
/// int8: the forward and the inputs' gradients, not the weights' (as MaxText's int8 training by
/// AQT). fp8: all, gradients in e5m2 and the rest in e4m3 (Micikevicius et al. 2022).
enum class Precision { dtype, int8, fp8 };
constexpr std::array<ValueName<Precision>, 3> value_names(Precision /*any*/)
{
    return {{{"dtype", Precision::dtype}, {"int8", Precision::int8}, {"fp8", Precision::fp8}}};
}

/// stored: scores and probabilities of whole sequences stand in HBM. flash: in VMEM, block by
/// block, and the backward computes them again (Dao et al. 2022).
enum class AttentionKind { stored, flash };
constexpr std::array<ValueName<AttentionKind>, 2> value_names(AttentionKind /*any*/)
{
    return {{{"stored", AttentionKind::stored}, {"flash", AttentionKind::flash}}};
}

/// The backward of flash attention: one kernel of five products, or one for queries and one for
/// keys and values, seven.
enum class AttentionBackward { fused, split };
constexpr std::array<ValueName<AttentionBackward>, 2> value_names(AttentionBackward /*any*/)
{
    return {{{"fused", AttentionBackward::fused}, {"split", AttentionBackward::split}}};
}

/// Whether each replica keeps the optimizer's state of all its parameters, or, zero1, of its part
/// of them (Rajbhandari et al. 2020). The mesh's axis fsdp is their third stage.
enum class OptimizerSharding { none, zero1 };
constexpr std::array<ValueName<OptimizerSharding>, 2> value_names(OptimizerSharding /*any*/)
{
    return {{{"none", OptimizerSharding::none}, {"zero1", OptimizerSharding::zero1}}};
}

/// What is timed: a step of training; of serving, all tokens of new sequences at once, or one more
/// token of each sequence.
enum class Mode { train, prefill, decode };
constexpr std::array<ValueName<Mode>, 3> value_names(Mode /*any*/)
{
    return {{{"train", Mode::train}, {"prefill", Mode::prefill}, {"decode", Mode::decode}}};
}

/// adafactor: second moments of matrices by rows and columns, no first ones (Shazeer and Stern
/// 2018). sgd: no state.
enum class OptimizerKind { adam, adafactor, sgd };
constexpr std::array<ValueName<OptimizerKind>, 3> value_names(OptimizerKind /*any*/)
{
    return {{{"adam", OptimizerKind::adam},
             {"adafactor", OptimizerKind::adafactor},
             {"sgd", OptimizerKind::sgd}}};
}

/// In what the optimizer keeps its numbers beside bf16 weights.
enum class StateType { f32, bf16 };
constexpr std::array<ValueName<StateType>, 2> value_names(StateType /*any*/)
{
    return {{{"f32", StateType::f32}, {"bf16", StateType::bf16}}};
}

struct OptimizerConfig {
    OptimizerKind kind = OptimizerKind::adam;
    StateType moments = StateType::f32;
    StateType master = StateType::f32; ///< of the weights that it changes
    double sgd_learning_rate = 1e-2;
    AdafactorOptions adafactor;
};

/// How many devices stand along each axis of the mesh. data, fsdp and expert deal out sequences,
/// `sequence` the tokens of each, `pipeline` layers.
struct MeshLengths {
    int data = 1;     ///< replicas of the parameters
    int pipeline = 1; ///< stages
    int fsdp = 1;     ///< devices among which parameters are cut, and gathered where they are used
    int expert = 1;   ///< devices to which experts are dealt; others' parameters are cut as by fsdp
    int sequence = 1; ///< devices among which the tokens of a sequence are cut
    int tensor = 1;   ///< among which products are cut; the square of a two-dimensional sharding

    int devices() const { return data * pipeline * fsdp * expert * sequence * tensor; }
    int batch_parts() const { return data * fsdp * expert; }
};

/// Whether replicas sum up their gradients while the backward still runs.
enum class GradientOverlap { none, backward };
constexpr std::array<ValueName<GradientOverlap>, 2> value_names(GradientOverlap /*any*/)
{
    return {{{"none", GradientOverlap::none}, {"backward", GradientOverlap::backward}}};
}

/// For 1d_sequence, whether tokens are gathered, and sums of products scattered, beside the
/// products (spmd::RingProducts), or before and after them. compiled: beside them where
/// products_in_rings() says so.
enum class TensorOverlap { compiled, ring, none };
constexpr std::array<ValueName<TensorOverlap>, 3> value_names(TensorOverlap /*any*/)
{
    return {{{"compiled", TensorOverlap::compiled},
             {"ring", TensorOverlap::ring},
             {"none", TensorOverlap::none}}};
}

/// Products that are cut along tensor, by the names of their ops.
enum class CutProduct { qkv, proj, fc1, fc2, head };
constexpr std::array<ValueName<CutProduct>, 5> value_names(CutProduct /*any*/)
{
    return {{{"qkv", CutProduct::qkv},
             {"proj", CutProduct::proj},
             {"fc1", CutProduct::fc1},
             {"fc2", CutProduct::fc2},
             {"head", CutProduct::head}}};
}

/// Some of them.
class CutProducts {
public:
    bool has(CutProduct product) const
    {
        return (bits_ >> static_cast<unsigned>(product) & 1U) != 0;
    }
    void add(CutProduct product) { bits_ |= 1U << static_cast<unsigned>(product); }
    std::int64_t key() const { return bits_; }
    static CutProducts all()
    {
        CutProducts products;
        for (const auto& [name, product] : value_names(CutProduct())) {
            products.add(product);
        }
        return products;
    }

private:
    unsigned bits_ = 0;
};

struct TransformerConfig {
    ModelSize size;
    Mode mode = Mode::train;
    std::int64_t batch = 8;   ///< sequences of a step, of all devices
    std::int64_t context = 0; ///< of decode: tokens of each sequence that came before
    ShardingKind sharding = ShardingKind::one_dimensional;
    MeshLengths mesh;
    bool mesh_is_assumed = false; ///< the study names none
    /// For a two-dimensional sharding: devices of a column lie next to each other, not those of a
    /// row.
    bool columns_first = false;
    AttentionKind attention = AttentionKind::stored;
    AttentionBackward attention_backward = AttentionBackward::fused;
    Recomputation recomputation;
    model::DType dtype = model::DType::bf16; ///< of weights and activations
    Precision precision = Precision::dtype;
    GradientOverlap gradient_overlap = GradientOverlap::none;
    TensorOverlap tensor_overlap = TensorOverlap::compiled;
    CutProducts in_rings; ///< what tensor_overlap says on a machine
    OptimizerSharding optimizer_sharding = OptimizerSharding::none;
    std::int64_t microbatches = 1; ///< into which a device's sequences are parted
    PipelineSchedule pipeline_schedule = PipelineSchedule::one_forward_one_backward;
    int chunks = 1;                    ///< of a stage's layers, of an interleaved pipeline
    double input_bytes_per_second = 0; ///< that a host reads; 0: the step has no input pipeline
    OptimizerConfig optimizer;
    AdamOptions adam;
    int steps = 1;
    double initial_stddev = 0.02;
    std::string text; ///< path; "": what comes with the program
    std::uint64_t seed = 1;

    /// For the time of a step whose experts take all that come; numbers have their own.
    ExpertLoads expert_loads = {};

    int devices() const { return mesh.devices(); }
    bool is_two_dimensional() const
    {
        return sharding == ShardingKind::two_dimensional ||
               sharding == ShardingKind::two_dimensional_gathered;
    }
    bool stores_scores() const { return attention == AttentionKind::stored; }
    /// q of a q x q grid; 1 of a line.
    int side() const;
    /// Devices among which matrices of the layers, the tables and the head are cut in any case.
    int weight_parts() const { return mesh.fsdp * mesh.expert; }
    /// Sequences of a microbatch that one device works on.
    std::int64_t sequences() const
    {
        return batch / mesh.batch_parts() / microbatches / (is_two_dimensional() ? side() : 1);
    }
    bool trains() const { return mode == Mode::train; }
    /// Returns the type of a layer's matrices: what serves in 8 bits has been quantized before.
    model::DType layer_weight_type() const;
    /// Tokens of a sequence that go through the layers on one device.
    std::int64_t length() const { return mode == Mode::decode ? 1 : size.sequence / mesh.sequence; }
    /// Tokens that a step works through.
    std::int64_t tokens() const { return batch * (mode == Mode::decode ? 1 : size.sequence); }
    /// Counts those of each sequence, in the cache of keys and values.
    std::int64_t cache_places() const
    {
        return mode == Mode::decode ? context + 1 : mode == Mode::prefill ? size.sequence : 0;
    }
};

/// Equal for configurations whose steps take the same time.
std::vector<std::int64_t> timing_key(const TransformerConfig& config);

struct TransformerRequest;

/// Makes it from what a study says, on so many devices. Throws InputError with the JSON pointer for
/// what does not divide as its mesh needs.
TransformerConfig config_of(const TransformerRequest& request, const std::string& file,
                            int devices);

/// Throws InputError unless sizes divide as the mesh needs.
void check_sizes(const TransformerConfig& config, const std::string& file);

} // namespace alxsim::transformer
