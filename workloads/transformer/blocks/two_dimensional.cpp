// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/blocks/sharding.h"

namespace alxsim::transformer {
namespace {

using model::CollectiveKind;

/// SUMMA as in Optimus (Xu et al. 2021): device (i, j) of a q x q grid has block row i of the
/// batch, block column j of the hidden dimension, and block (i, j) of each weight. A product goes
/// in q steps, each with one panel of an operand broadcast along the row or down the column; or,
/// gathered, in one, with all panels. Vectors live on the first row of devices.
class TwoDimensional : public Sharding {
public:
    TwoDimensional(const TransformerConfig& config, StepBuilder& builder)
        : Sharding(config, builder),
          side_(layout_.side()),
          gathers_(config.sharding == ShardingKind::two_dimensional_gathered)
    {
        sizes_.parts = side_;
        sizes_.sequences = config.sequences();
        sizes_.tokens = sizes_.sequences * config.length();
        sizes_.stream_tokens = sizes_.tokens;
        sizes_.stream_width = config.size.hidden / side_;
    }

    void into(const Linear& linear, Array x, Array y) override
    {
        const Array bias = linear.bias.value;
        forward(linear, x, y, bias.exists() ? down(linear.name + " bias", bias) : bias);
    }
    void into_backward(const Linear& linear, Array dy, Array x, Array dx) override
    {
        backward(linear, dy, x, dx);
    }
    void out_of(const Linear& linear, Array x, Array y) override { forward(linear, x, y, {}); }
    void out_of_backward(const Linear& linear, Array dy, Array x, Array dx) override
    {
        backward(linear, dy, x, dx);
    }

    Array usable(const std::string& name, const Weight& vector,
                 const StepBuilder::Storage& storage) override
    {
        const Array copy = already_usable(name, vector, storage);
        builder_.collective(name, CollectiveKind::broadcast, axis::column, vector.value, copy);
        return copy;
    }

    Array already_usable(const std::string& name, const Weight& vector,
                         const StepBuilder::Storage& storage) override
    {
        return side_ == 1 ? vector.value
                          : builder_.array("activations.vectors." + name,
                                           builder_.shape(vector.value), config_.dtype, storage);
    }

    void norm(const std::string& phase, Array x, const NormKept& kept, Array beta, Array y) override
    {
        const Shape shape = builder_.shape(x);
        const std::int64_t whole = config_.size.hidden;
        builder_.compute(
            "normalization sums", phase,
            row_vector(shape.elements(), 1, config_.dtype, shape.columns), {x}, {kept.total},
            [=](const auto& on) { row_sums(on(x), shape.rows, shape.columns, on(kept.total)); });
        along_row("normalization sums", kept.total);
        builder_.compute("normalization squares", phase,
                         row_vector(shape.elements(), 3, config_.dtype, shape.columns),
                         {x, kept.total}, {kept.squares}, [=](const auto& on) {
                             row_squares(on(x), on(kept.total), shape.rows, shape.columns, whole,
                                         on(kept.squares));
                         });
        along_row("normalization squares", kept.squares);
        builder_.compute("normalization", phase, vector(shape.elements(), 4, config_.dtype),
                         {x, kept.total, kept.squares, kept.gamma, beta}, {y}, [=](const auto& on) {
                             normalize(on(x), statistics(on, kept), on(kept.gamma), on(beta),
                                       shape.rows, shape.columns, on(y));
                         });
    }

    void norm_backward(const std::string& phase, Array x, Array dy, const NormKept& kept,
                       const NormWeights& weights, Array dx) override
    {
        const Shape shape = builder_.shape(x);
        const Array total = sums("norm.sums", shape.rows);
        const Array with_x = sums("norm.sums_with_x", shape.rows);
        const Array dgamma = partial_vector("gamma", weights.gamma);
        const Array dbeta = partial_vector("beta", weights.beta);
        builder_.compute("normalization gradient sums", phase,
                         row_vector(shape.elements(), 8, config_.dtype, shape.columns),
                         {x, dy, kept.total, kept.squares, kept.gamma},
                         {total, with_x, dgamma, dbeta}, [=](const auto& on) {
                             norm_backward_sums(on(x), on(dy), statistics(on, kept), on(kept.gamma),
                                                shape.rows, shape.columns, on(total), on(with_x),
                                                on(dgamma), on(dbeta));
                         });
        along_row("normalization gradient sums", total);
        along_row("normalization gradient sums", with_x);
        up("gamma gradient", dgamma, weights.gamma.gradient);
        up("beta gradient", dbeta, weights.beta.gradient);
        builder_.compute(
            "normalization gradient", phase, vector(shape.elements(), 8, config_.dtype),
            {x, dy, kept.total, kept.squares, kept.gamma, total, with_x, dx}, {dx},
            [=](const auto& on) {
                add_norm_backward(on(x), on(dy), statistics(on, kept), on(kept.gamma), on(total),
                                  on(with_x), shape.rows, shape.columns, on(dx));
            });
    }

    void embed(const Weight& tokens, const Weight& positions, Array x) override
    {
        const std::int64_t rows = builder_.shape(tokens.value).rows;
        if (gathers_) {
            look_up(
                gathered("token table", axis::column, tokens.value),
                [](int) { return std::int64_t{0}; }, x, true);
        } else {
            for (int step = 0; step < side_; ++step) {
                const Array panel = down("token table", tokens.value, step);
                look_up(
                    panel, [first = step * rows](int) { return first; }, x, step == 0);
            }
        }
        if (positions.value.exists()) {
            add_positions(down("positions", positions.value), x,
                          [](int) { return std::int64_t{0}; });
        }
    }

    // The sum begins with what the head has left of the gradient, on the device whose part it is.
    void embed_backward(const Weight& tokens, const Weight& positions, Array dx) override
    {
        const Shape table = builder_.shape(tokens.value);
        if (side_ == 1) {
            gradient_of_table(dx, tokens.gradient, [](int) { return std::int64_t{0}; },
                              {{}, {}, !config_.size.tied});
        } else if (gathers_) {
            const Array parts = stacked("token table gradient", table);
            gradient_of_table(
                dx, parts, [](int) { return std::int64_t{0}; },
                {tokens.gradient, [size = table.elements(), layout = layout_](int device) {
                     return layout.place_of(device).row * size;
                 }});
            scattered("token table gradient", axis::column, parts, tokens.gradient);
        } else {
            embed_backward_stepwise(tokens, dx);
        }
        if (positions.value.exists()) {
            const Array part = partial_vector("positions", positions);
            gradient_of_positions(dx, part, [](int) { return std::int64_t{0}; });
            up("positions gradient", part, positions.gradient);
        }
    }

    void head(const Weight& tokens, Array x, Array logits) override
    {
        const Linear linear{"logits", phase("head"), tokens, {}};
        times_transposed(linear, x, logits);
    }

    void head_backward(const Weight& tokens, Array dlogits, Array x, Array dx) override
    {
        const Linear linear{"head", phase("head"), tokens, {}};
        forward(linear, dlogits, dx, {});
        weight_gradient(linear, dlogits, x, {});
    }

    const std::string& vocabulary_axis() const override { return axis::row; }
    std::vector<std::string> token_axes() const override { return {axis::column}; }

private:
    template <class On>
    auto statistics(const On& on, const NormKept& kept) const
    {
        return NormStatistics<typename On::Number>{on(kept.total), on(kept.squares),
                                                   config_.size.hidden};
    }

    void along_row(const std::string& name, Array sums)
    {
        builder_.collective(name, CollectiveKind::all_reduce, axis::row, sums, sums);
    }

    /// Room for a panel; two, so that one can come while the other is used.
    Array panel(const std::string& name, int step, Shape shape) const
    {
        return workspace(name + (step % 2 == 0 ? ".even" : ".odd"), shape);
    }

    /// What device `root` of a column has, on all of it.
    Array down(const std::string& name, Array from, int root = 0)
    {
        return spread(name, axis::column, from, root);
    }
    Array spread(const std::string& name, const std::string& axis, Array from, int root)
    {
        if (side_ == 1) {
            return from;
        }
        const Array to = panel(name, root, builder_.shape(from));
        builder_.collective(name, CollectiveKind::broadcast, axis, from, to, root);
        return to;
    }
    /// The sum over a column, on its device `root`.
    void up(const std::string& name, Array partial, Array sum, int root = 0)
    {
        builder_.collective(name, CollectiveKind::reduce, axis::column, partial, sum, root);
    }

    Array partial_vector(const std::string& name, const Weight& weight) const
    {
        return side_ == 1 ? weight.gradient
                          : workspace(name + " partial", builder_.shape(weight.gradient));
    }

    /// Room for the panels of all devices of a row or column.
    Array stacked(const std::string& name, Shape panel) const
    {
        return workspace(name + " panels", {side_ * panel.rows, panel.columns});
    }
    Array gathered(const std::string& name, const std::string& axis, Array from)
    {
        if (side_ == 1) {
            return from;
        }
        const Array all = stacked(name, builder_.shape(from));
        builder_.collective(name, CollectiveKind::all_gather, axis, from, all);
        return all;
    }
    void scattered(const std::string& name, const std::string& axis, Array parts, Array sum)
    {
        builder_.collective(name, CollectiveKind::reduce_scatter, axis, parts, sum);
    }

    void embed_backward_stepwise(const Weight& tokens, Array dx)
    {
        const Shape table = builder_.shape(tokens.value);
        for (int step = 0; step < side_; ++step) {
            const Array part = panel("token table gradient", step, table);
            gradient_of_table(dx, part, [first = step * table.rows](int) { return first; },
                              {tokens.gradient, [step, layout = layout_](int device) {
                                   return std::int64_t{layout.place_of(device).row == step ? 0
                                                                                           : -1};
                               }});
            up("token table gradient", part, tokens.gradient, step);
        }
    }

    /// y = x W (+ bias): for t, x_it along the row, W_tj down the column.
    void forward(const Linear& linear, Array x, Array y, Array bias)
    {
        if (gathers_) {
            const Array left = gathered(linear.name + " input", axis::row, x);
            const Array right =
                gathered(linear.name + " weight", axis::column, linear.weight.value);
            builder_.multiply(linear.name, linear.phase, {left, false, side_},
                              {right, false, side_}, {y}, {false, bias});
            return;
        }
        for (int step = 0; step < side_; ++step) {
            const Array left = spread(linear.name + " input", axis::row, x, step);
            const Array right = down(linear.name + " weight", linear.weight.value, step);
            builder_.multiply(linear.name, linear.phase, {left}, {right}, {y},
                              {step > 0, step + 1 == side_ ? bias : Array()});
        }
    }

    void backward(const Linear& linear, Array dy, Array x, Array dx)
    {
        times_transposed(linear, dy, dx);
        if (!linear.bias.value.exists()) {
            weight_gradient(linear, x, dy, {});
            return;
        }
        const Array sums = partial_vector(linear.name + " bias", linear.bias);
        weight_gradient(linear, x, dy, sums);
        up(linear.name + " bias gradient", sums, linear.bias.gradient);
    }

    /// dx = dy W^T: for t, W_tj down the column, the product reduced along the row to member t.
    void times_transposed(const Linear& linear, Array dy, Array dx)
    {
        const std::string name = linear.name + " input gradient";
        if (gathers_) {
            const Array right =
                gathered(linear.name + " weight", axis::column, linear.weight.value);
            const Array parts = side_ == 1 ? dx : stacked(name, builder_.shape(dx));
            builder_.multiply(name, linear.phase, {dy}, {right, true, side_},
                              {parts, false, side_});
            scattered(name, axis::row, parts, dx);
            return;
        }
        for (int step = 0; step < side_; ++step) {
            const Array right = down(linear.name + " weight", linear.weight.value, step);
            const Array part = side_ == 1 ? dx : panel(name, step, builder_.shape(dx));
            builder_.multiply(name, linear.phase, {dy}, {right, true}, {part});
            builder_.collective(name, CollectiveKind::reduce, axis::row, part, dx, step);
        }
    }

    /// dW = x^T dy: for t, x_it along the row, the product reduced up the column to member t.
    void weight_gradient(const Linear& linear, Array x, Array dy, Array column_sums)
    {
        const std::string name = linear.name + " weight gradient";
        const Array gradient = linear.weight.gradient;
        if (gathers_) {
            const Array left = gathered(linear.name + " input", axis::row, x);
            const Array parts = side_ == 1 ? gradient : stacked(name, builder_.shape(gradient));
            builder_.multiply(name, linear.phase, {left, true, side_}, {dy}, {parts, false, side_},
                              {false, {}, column_sums});
            scattered(name, axis::column, parts, gradient);
            return;
        }
        for (int step = 0; step < side_; ++step) {
            const Array left = spread(linear.name + " input", axis::row, x, step);
            const Array part = side_ == 1 ? gradient : panel(name, step, builder_.shape(gradient));
            builder_.multiply(name, linear.phase, {left, true}, {dy}, {part},
                              {false, {}, step == 0 ? column_sums : Array()});
            up(name, part, gradient, step);
        }
    }

    int side_;
    bool gathers_;
};

} // namespace

std::unique_ptr<Sharding> make_two_dimensional(const TransformerConfig& config,
                                               StepBuilder& builder)
{
    return std::make_unique<TwoDimensional>(config, builder);
}

} // namespace alxsim::transformer
