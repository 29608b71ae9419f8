// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spmd/step_builder.h"
#include "workloads/transformer/blocks/sharding.h"
#include "workloads/transformer/experts/expert_math.h"
#include "workloads/transformer/math/activation.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace alxsim::transformer {

/// A mixture of experts in the place of an MLP, as a device has it.
struct ExpertBlock {
    Experts experts; ///< of all devices
    Activation activation = Activation::silu;
    bool gated = true;
    std::int64_t hidden = 0;
    std::int64_t length = 0; ///< tokens of a sequence
    std::int64_t tokens = 0; ///< of the device: other ones along `expert_axis`
    std::int64_t width = 0;  ///< of an expert's MLP here: its part where `tensor_axis` cuts it
    model::DType dtype = model::DType::bf16;
    std::string expert_axis; ///< to whose devices experts are dealt in their order; "": all here
    std::string tensor_axis; ///< along which `width` is cut; "": it is whole
    /// Loads of the devices along `expert_axis`, for the time; of no meaning with capacity.
    ExpertLoads loads;

    std::int64_t fc1_width() const { return gated ? 2 * width : width; }
};

struct ExpertWeights {
    Weight router; ///< [hidden x experts]
    Weight fc1;    ///< of the experts here, one below the other: [experts hidden x fc1_width]
    Weight fc2;    ///< likewise [experts width x hidden]
};

/// Experts that any of so many rows can go to: the others' weights are not read.
std::int64_t experts_with_rows(std::int64_t rows, std::int64_t experts);
/// Rows that a grouped product's blocks have: megablox gives each block of up to 512 rows to one
/// expert, so that a block in which experts meet is computed once for each (JAX,
/// pallas/ops/tpu/megablox, make_group_metadata; MaxText's tile_batch_seq). Of few rows blocks are
/// as large as an expert's rows, 8 at least: assumed.
std::int64_t rows_in_blocks(std::int64_t rows, std::int64_t experts);

/// Appends the ops of a mixture of experts, each with what it does to numbers: router, choice,
/// dispatch, all-to-all, products, all-to-all back, combination; and their gradients.
///
/// With capacity, as MaxText's dense_matmul: tokens go to places and back by products with masks of
/// ones, made where they are used. Without, as its sparse_matmul: pairs of token and choice are
/// sorted by experts, their rows gathered, sent in parts as unequal as the routing is, sorted again
/// where several experts stand on a device, and multiplied block by block; gradients of gathers
/// are gathers (its use_custom_sort_vjp). Where loads of devices are known, parts are sent as
/// messages of their sizes; where the largest alone is, as equal parts of its size, which is up to
/// a tenth more than the busiest link of a ring needs (at 1.3 times the mean).
///
/// Along `tensor_axis`, y and dx are each device's part of sums that its caller has to make; the
/// router's gradient is summed here.
class ExpertLayer {
public:
    /// The array of that name of a layer, kept for the backward or made again for it.
    using KeptArray =
        std::function<Array(const std::string& name, Shape shape, model::DType dtype)>;
    /// What a forward computes; for the backward, what that does not find.
    struct Computes {
        bool rows = true;       ///< from the router to the experts' first product, and their result
        bool activation = true; ///< what stands between their products
        bool result = true;     ///< y, which no backward needs
    };

    /// `builder` outlives it. Throws std::logic_error for experts or sequences that do not divide.
    ExpertLayer(ExpertBlock block, StepBuilder& builder);

    const Routing& routing() const { return routing_; }
    /// Counts those of each device to its group along `expert_axis`, in the mean, and the way back.
    std::int64_t sent_elements() const { return routing_.buffer_rows() * block_.hidden; }

    /// y = experts(x), both [tokens x hidden].
    void forward(const ExpertWeights& weights, const KeptArray& kept, Array x, Array y,
                 Computes computes);
    /// dx, and sets the weights' gradients.
    void backward(const ExpertWeights& weights, const KeptArray& kept, Array x, Array dy, Array dx);

private:
    struct Kept;
    struct Panels;

    Kept kept_arrays(const KeptArray& kept);
    void rows_of_experts_here(const ExpertWeights& weights, const Kept& kept, Array x);
    void results_of_experts_here(const ExpertWeights& weights, const Kept& kept);
    void route(const ExpertWeights& weights, const Kept& kept, Array x);
    void dispatch(const Kept& kept, Array x, Array buffer);
    void combine(const Kept& kept, Array y);
    void combine_backward(const Kept& kept, Array dy, Array dbuffer, Array dweights);
    void dispatch_backward(const Kept& kept, Array dbuffer, Array dx);
    void route_backward(const ExpertWeights& weights, const Kept& kept, Array x, Array dweights,
                        Array dx);
    /// From places of a device's tokens to rows of a device's experts, and back.
    void to_experts(const std::string& name, const Kept& kept, Array buffer, Array rows);
    void from_experts(const std::string& name, const Kept& kept, Array rows, Array buffer);
    void sort_rows(const std::string& name, const Kept& kept, Array from, Array to, bool by_expert);
    void multiply(const std::string& name, const Kept& kept, Array rows, const Weight& factor,
                  bool transposed, Array result);
    std::pair<Array, Array> quantized_rows(const std::string& name, const Kept& kept, Array rows,
                                           model::DType type);
    void multiply_in_eight_bits(const std::string& name, const Kept& kept, Array rows,
                                const Weight& weight, Array result);
    void weight_gradient(const std::string& name, const Kept& kept, Array rows, Array gradient,
                         Array result);
    void activate(const Kept& kept, Array before, Array after);
    void activate_backward(const Kept& kept, Array before, Array dafter, Array dbefore);

    Array scratch(const std::string& name, Shape shape, model::DType dtype);
    Array rows_like(const std::string& name, std::int64_t columns);
    Touch used(Array rows) const;
    std::string phase(const std::string& part) const;
    Panels panels(const Kept& kept) const;
    ReceivedRows received(int device) const;
    model::DType sum_type() const;
    bool drops() const { return routing_.capacity > 0; }
    std::int64_t experts_here() const { return routing_.experts / members_; }
    spmd::RaggedTraffic traffic(bool back) const;

    ExpertBlock block_;
    StepBuilder& builder_;
    int members_ = 1; ///< of a group along `expert_axis`
    Routing routing_;
    std::int64_t rows_ = 0; ///< that come to a device's experts, of the one that gets most
    std::int64_t room_ = 0; ///< rows of the arrays in which they stand
    std::shared_ptr<const std::vector<model::PairMessage>> there_, back_; ///< null: equal parts
};

} // namespace alxsim::transformer
