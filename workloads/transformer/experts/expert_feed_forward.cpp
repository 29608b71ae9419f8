// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/blocks/step_parts.h"
#include "workloads/transformer/experts/expert_layer.h"
#include "workloads/transformer/experts/expert_loads.h"

namespace alxsim::transformer {
namespace {

std::string axis_if_long(const Layout& layout, const std::string& name)
{
    return layout.among({name}).empty() ? "" : name;
}

ExpertBlock block_of(StepParts& parts)
{
    const ModelSize& size = parts.size();
    const TransformerConfig& config = parts.config();
    ExpertBlock block;
    block.experts = size.experts;
    block.activation = size.activation;
    block.gated = size.gated;
    block.hidden = size.hidden;
    block.length = config.length();
    block.tokens = parts.sharding().sizes().tokens;
    block.width = size.inner_width() / config.mesh.tensor;
    block.dtype = config.dtype;
    block.expert_axis = axis_if_long(parts.layout(), axis::expert);
    block.tensor_axis = axis_if_long(parts.layout(), axis::tensor);
    block.loads = config.expert_loads;
    return block;
}

/// Where one MLP would be. What the router decides, the rows that experts get, and what comes back
/// from them are kept, or computed again, with their first product.
class ExpertFeedForward : public FeedForward {
public:
    explicit ExpertFeedForward(StepParts& parts)
        : parts_(parts),
          layer_(block_of(parts), parts.builder())
    {
    }

    void forward(std::int64_t layer, Array middle, bool again) override
    {
        Sharding& sharding = parts_.sharding();
        const Array normal = normalized(layer);
        if (parts_.computes(Activations::norm2, again)) {
            parts_.norm("ln2", "mlp", layer, middle, normal);
        }
        ExpertLayer::Computes computes;
        computes.rows = parts_.computes(Activations::fc1, again);
        computes.activation = parts_.computes(Activations::activation, again);
        computes.result = !again;
        if (!computes.rows && !computes.activation) {
            return;
        }
        const Array x = computes.rows ? sharding.whole("experts.x", normal) : normal;
        const Array branch = parts_.scratch("branch", sharding.stream());
        layer_.forward(weights(layer), kept(layer), x, sharding.partial(branch), computes);
        if (!again) {
            sharding.sum_partial("experts", branch);
            parts_.add_residual("mlp", "fc2.b", layer, middle, branch, parts_.stream(layer + 1));
        }
    }

    void backward(std::int64_t layer, Array middle, Array dx) override
    {
        Sharding& sharding = parts_.sharding();
        const Array dbranch = parts_.scratch("dbranch", sharding.stream());
        const Array x = sharding.whole("experts.x", normalized(layer));
        const Array dy = sharding.whole("experts.dy", dx);
        layer_.backward(weights(layer), kept(layer), x, dy, sharding.partial(dbranch));
        for (const char* const matrix : {"experts.fc2.w", "experts.fc1.w", "router.w"}) {
            parts_.parameters().scatter(matrix, layer);
        }
        sharding.sum_partial("experts input gradient", dbranch);
        parts_.norm_backward("ln2", "mlp", layer, middle, dbranch, dx);
    }

private:
    Array normalized(std::int64_t layer)
    {
        return parts_.activation(Activations::norm2, "ln2", parts_.sharding().stream(), layer);
    }
    ExpertWeights weights(std::int64_t layer) const
    {
        return {parts_.weight("router.w", layer), parts_.weight("experts.fc1.w", layer),
                parts_.weight("experts.fc2.w", layer)};
    }
    ExpertLayer::KeptArray kept(std::int64_t layer)
    {
        return [this, layer](const std::string& name, Shape shape, model::DType dtype) {
            const Activations what =
                name == "experts.act" ? Activations::activation : Activations::fc1;
            return parts_.activation(what, name, shape, layer, dtype);
        };
    }

    StepParts& parts_;
    ExpertLayer layer_;
};

} // namespace

std::unique_ptr<FeedForward> make_experts(StepParts& parts)
{
    return std::make_unique<ExpertFeedForward>(parts);
}

} // namespace alxsim::transformer
