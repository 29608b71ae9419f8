// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/steps/serving_step.h"

#include "workloads/transformer/math/ring_attention.h"

#include <algorithm>

namespace alxsim::transformer {

ServingStep::ServingStep(const TransformerConfig& config, Numbers* numbers, MovedCounts* moved)
    : parts_(config, numbers, moved),
      builder_(parts_.builder()),
      attention_(parts_),
      feed_forward_(parts_.size().experts.exist() ? make_experts(parts_) : make_mlp(parts_)),
      ends_(parts_)
{
    ends_.embed();
    builder_.begin({"forward", "layers"});
    StepBuilder::LayerParts parts = parts_.parameters().gathers_of_layers("qkv.w");
    parts.body = [this](std::int64_t number) { layer(number); };
    builder_.layers_ahead("layers", "forward.layers", parts_.layers(), StepBuilder::Order::up,
                          parts);
    last_logits();
    choose();
    timed_ = builder_.take_step(name_of_value(config.mode));
}

std::int64_t ServingStep::places() const
{
    return parts_.config().cache_places();
}

Array ServingStep::cache(std::int64_t layer)
{
    const AttentionShape& shape = attention_.shape();
    return builder_.array("cache.keys_and_values",
                          {shape.sequences * places(), 2 * shape.key_width()},
                          parts_.config().dtype, {parts_.layers(), layer, model::Residency::hbm});
}

void ServingStep::layer(std::int64_t number)
{
    if (parts_.config().mode == Mode::prefill) {
        attention_.forward(number, false);
        keep_keys(number);
    } else {
        attention_.project(number, false);
        decode_attention(number);
        attention_.finish(number, false);
    }
    feed_forward_->forward(number, attention_.output(number), false);
}

/// What attention has made of a prompt goes into the cache.
void ServingStep::keep_keys(std::int64_t layer)
{
    const AttentionShape shape = attention_.shape();
    const Array qkv = attention_.qkv(layer);
    const Array kept = cache(layer);
    const double share =
        2.0 * static_cast<double>(shape.key_width()) / static_cast<double>(shape.row());
    builder_.compute("keys and values", parts_.phase("cache"),
                     parts_.vector(shape.tokens() * 2 * shape.key_width(), 1), {{qkv, share}},
                     {kept}, [=](const auto& on) { take_keys(shape, on(qkv), on(kept)); });
}

// A row of scores for each head, whatever form of attention trains the model: the products read the
// cache once, and that takes their time.
void ServingStep::decode_attention(std::int64_t layer)
{
    const CacheShape shape{attention_.shape(), places()};
    const AttentionShape& of = shape.attention;
    const Array qkv = attention_.qkv(layer);
    const Array kept = cache(layer);
    const Array context = attention_.context_of(layer);
    const std::int64_t rows = of.sequences * of.heads;
    const Array scores = parts_.scratch("scores", {rows, shape.seen()});
    const auto part = [](std::int64_t of_row, std::int64_t row) {
        return static_cast<double>(of_row) / static_cast<double>(row);
    };
    const double new_rows = 1.0 / static_cast<double>(shape.places);
    const double half = 0.5 * part(shape.seen(), shape.places); // keys, or values
    const auto product = [&](std::int64_t k, std::int64_t n) {
        return spmd::matmul_of(of.sequences * of.kv_heads, {of.queries_per_key(), k, n},
                               parts_.config().dtype);
    };
    builder_.compute("new keys and values", parts_.phase("cache"),
                     parts_.vector(of.sequences * shape.row(), 1),
                     {{qkv, part(shape.row(), of.row())}}, {{kept, new_rows}},
                     [=](const auto& on) { append_keys(shape, on(qkv), on(kept)); });
    builder_.compute("scores", parts_.phase("attention"), product(of.width, shape.seen()),
                     {{qkv, part(of.query_width(), of.row())}, {kept, half}}, {scores},
                     [=](const auto& on) { cached_scores(shape, on(qkv), on(kept), on(scores)); });
    model::Vector softmax = parts_.vector(rows * shape.seen(), 7, shape.seen());
    softmax.medium_per_element = 2; // as in training
    softmax.division_per_element = 1;
    builder_.compute("softmax", parts_.phase("attention"), softmax, {scores}, {scores},
                     [=](const auto& on) { cached_softmax(shape, on(scores)); });
    builder_.compute("context", parts_.phase("attention"), product(shape.seen(), of.width),
                     {scores, {kept, half}}, {context}, [=](const auto& on) {
                         cached_context(shape, on(scores), on(kept), on(context));
                     });
}

Array ServingStep::logits()
{
    return builder_.array(
        "logits",
        {parts_.config().sequences(), parts_.sharding().inner(parts_.size().vocabulary).columns},
        parts_.config().dtype);
}

/// Computes those of the last token of each sequence.
void ServingStep::last_logits()
{
    builder_.begin({"forward", "head"});
    const Array all = parts_.stream(parts_.layers());
    const std::int64_t sequences = parts_.config().sequences();
    const Shape shape{sequences, builder_.shape(all).columns};
    const std::int64_t length = builder_.shape(all).rows / sequences;
    Array last = all;
    if (length > 1) {
        last = parts_.scratch("last", shape);
        builder_.compute("last tokens", parts_.phase("head"), parts_.vector(shape.elements(), 1),
                         {{all, 1.0 / static_cast<double>(length)}}, {last}, [=](const auto& on) {
                             for (std::int64_t i = 0; i < sequences; ++i) {
                                 std::copy_n(on(all) + ((i + 1) * length - 1) * shape.columns,
                                             shape.columns, on(last) + i * shape.columns);
                             }
                         });
    }
    const Array final = parts_.scratch("final", shape);
    parts_.norm("lnf", "head", -1, last, final);
    ends_.gather_head();
    parts_.sharding().head(parts_.weight(ends_.table()), final, logits());
}

Array ServingStep::next_tokens()
{
    return builder_.array("workspace.next_tokens", {parts_.config().sequences(), 1},
                          parts_.sum_type());
}

/// The largest logit of each device's part of the vocabulary, and of these the largest: the first,
/// if some are equal.
void ServingStep::choose()
{
    const Array scores = logits();
    const Shape shape = builder_.shape(scores);
    const int parts = parts_.layout().parts();
    const Array own =
        builder_.array("workspace.candidates", {1, shape.rows * 2}, parts_.sum_type());
    const Array all = parts > 1 ? builder_.array("workspace.all_candidates",
                                                 {parts, shape.rows * 2}, parts_.sum_type())
                                : own;
    builder_.compute("most likely token", parts_.phase("head"),
                     model::AlongRows{model::RowOperation::argmax, shape.rows, shape.columns, 0,
                                      parts_.config().dtype},
                     {scores}, {own}, [=, layout = parts_.layout()](const auto& on) {
                         using Real = spmd::NumberOf<decltype(on)>;
                         const std::int64_t first =
                             layout.place_of(on.device()).part * shape.columns;
                         for (std::int64_t row = 0; row < shape.rows; ++row) {
                             const Real* const begin = on(scores) + row * shape.columns;
                             const Real* const best =
                                 std::max_element(begin, begin + shape.columns);
                             on(own)[2 * row] = *best;
                             on(own)[2 * row + 1] = static_cast<Real>(first + (best - begin));
                         }
                     });
    if (parts > 1) {
        builder_.collective("most likely token", model::CollectiveKind::all_gather, axis::tensor,
                            own, all);
    }
    const Array next = next_tokens();
    builder_.compute("next token", parts_.phase("head"), parts_.vector(shape.rows * parts, 1),
                     {all}, {next}, [=](const auto& on) {
                         for (std::int64_t row = 0; row < shape.rows; ++row) {
                             auto best = on(all)[2 * row];
                             on(next)[row] = on(all)[2 * row + 1];
                             for (int part = 1; part < parts; ++part) {
                                 const auto* const other = on(all) + (part * shape.rows + row) * 2;
                                 if (other[0] > best) {
                                     best = other[0];
                                     on(next)[row] = other[1];
                                 }
                             }
                         }
                     });
}

} // namespace alxsim::transformer
