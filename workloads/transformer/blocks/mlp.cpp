// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/blocks/activation_work.h"
#include "workloads/transformer/blocks/step_parts.h"

namespace alxsim::transformer {
namespace {

class Mlp : public FeedForward {
public:
    explicit Mlp(StepParts& parts)
        : parts_(parts),
          builder_(parts.builder()),
          before_(parts.sharding().inner(parts.size().fc1_width())),
          after_(parts.sharding().inner(parts.size().inner_width()))
    {
        shape_ = {parts.size().activation, parts.size().gated, after_.rows, after_.columns};
    }

    void forward(std::int64_t layer, Array middle, bool again) override
    {
        Sharding& sharding = parts_.sharding();
        const Array normal = normalized(layer);
        if (parts_.computes(Activations::norm2, again)) {
            parts_.norm("ln2", "mlp", layer, middle, normal);
        }
        if (parts_.computes(Activations::fc1, again)) {
            sharding.into(parts_.linear("fc1", "mlp", layer), normal, fc1(layer));
        }
        if (parts_.computes(Activations::activation, again)) {
            activate(layer);
        }
        if (!again) {
            const Array branch = parts_.scratch("branch", sharding.stream());
            sharding.out_of(parts_.linear("fc2", "mlp", layer), activation(layer), branch);
            parts_.add_residual("mlp", "fc2.b", layer, middle, branch, parts_.stream(layer + 1));
        }
    }

    void backward(std::int64_t layer, Array middle, Array dx) override
    {
        Sharding& sharding = parts_.sharding();
        const Array dbranch = parts_.scratch("dbranch", sharding.stream());
        const Array dafter = parts_.scratch("dwide", after_);
        const Array dbefore = shape_.gated ? parts_.scratch("dgated", before_) : dafter;
        sharding.out_of_backward(parts_.linear("fc2", "mlp", layer), dx, activation(layer), dafter);
        activate_backward(layer, dafter, dbefore);
        sharding.into_backward(parts_.linear("fc1", "mlp", layer), dbefore, normalized(layer),
                               dbranch);
        parts_.parameters().scatter("fc2.w", layer);
        parts_.parameters().scatter("fc1.w", layer);
        parts_.norm_backward("ln2", "mlp", layer, middle, dbranch, dx);
    }

private:
    Array normalized(std::int64_t layer)
    {
        return parts_.activation(Activations::norm2, "ln2", parts_.sharding().stream(), layer);
    }
    Array fc1(std::int64_t layer)
    {
        return parts_.activation(Activations::fc1, "fc1", before_, layer);
    }
    Array activation(std::int64_t layer)
    {
        return parts_.activation(Activations::activation, "activation", after_, layer);
    }

    void activate(std::int64_t layer)
    {
        const Array before = fc1(layer);
        const Array after = activation(layer);
        builder_.compute(name_of_value(shape_.activation), parts_.phase("mlp"), work_of(false),
                         {before}, {after}, [shape = shape_, before, after](const auto& on) {
                             transformer::activate(shape, on(before), on(after));
                         });
    }

    void activate_backward(std::int64_t layer, Array dafter, Array dbefore)
    {
        const Array before = fc1(layer);
        builder_.compute(std::string(name_of_value(shape_.activation)) + " gradient",
                         parts_.phase("mlp"), work_of(true), {before, dafter}, {dbefore},
                         [shape = shape_, before, dafter, dbefore](const auto& on) {
                             transformer::activate_backward(shape, on(before), on(dafter),
                                                            on(dbefore));
                         });
    }

    model::Vector work_of(bool backward) const
    {
        return activation_work(shape_, parts_.config().dtype, backward);
    }

    StepParts& parts_;
    StepBuilder& builder_;
    Shape before_, after_; ///< of a device's part of fc1's result, and of the activation's
    ActivationShape shape_{};
};

} // namespace

std::unique_ptr<FeedForward> make_mlp(StepParts& parts)
{
    return std::make_unique<Mlp>(parts);
}

} // namespace alxsim::transformer
