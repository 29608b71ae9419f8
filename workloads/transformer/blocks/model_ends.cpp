// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/blocks/step_parts.h"

namespace alxsim::transformer {

ModelEnds::ModelEnds(StepParts& parts)
    : parts_(parts),
      builder_(parts.builder()),
      loss_(builder_.array("workspace.loss", {1, 1}, parts.sum_type()))
{
}

/// Names the table of the head's weights.
std::string ModelEnds::table() const
{
    return parts_.size().tied ? "wte" : "head.w";
}

void ModelEnds::embed()
{
    builder_.begin({"forward", "embedding"});
    const bool learned = parts_.size().positions == Positions::learned;
    parts_.parameters().gather("wte");
    if (learned) {
        parts_.parameters().gather("wpe");
    }
    parts_.sharding().embed(parts_.weight("wte"), parts_.weight("wpe"), parts_.stream(0));
}

Array ModelEnds::logits()
{
    return builder_.array("logits", parts_.sharding().inner(parts_.size().vocabulary),
                          parts_.config().dtype);
}

void ModelEnds::feed(int readers)
{
    constexpr std::int64_t id_bytes = 4;
    const TransformerConfig& config = parts_.config();
    const std::int64_t batch = config.batch * config.size.sequence;
    const std::int64_t tokens = parts_.sharding().sizes().tokens * config.microbatches;
    const Array ids = builder_.array("batch.tokens", {1, tokens}, model::DType::f32);
    builder_.begin({"infeed", "tokens"});
    builder_.compute(
        "tokens", "infeed",
        model::infeed_of(Bytes(tokens * id_bytes), Bytes(ceil_divide(batch, readers) * id_bytes)),
        {}, {ids}, [](const auto&) {});
}

void ModelEnds::head(std::int64_t microbatch, bool is_first)
{
    const Array last = parts_.scratch("final", parts_.sharding().stream());
    parts_.norm("lnf", "head", -1, parts_.stream(parts_.layers()), last);
    builder_.begin({"forward", "head"});
    gather_head();
    parts_.sharding().head(parts_.weight(table()), last, logits());
    cross_entropy(microbatch, is_first);
}

void ModelEnds::gather_head()
{
    if (has_table_alone()) {
        parts_.parameters().gather(table());
    }
}

model::Vector ModelEnds::over_logits(double operations, double exponentials)
{
    const Shape shape = builder_.shape(logits());
    model::Vector work = parts_.vector(shape.elements(), operations, shape.columns);
    work.medium_per_element = exponentials;
    return work;
}

/// The mean cross entropy of all tokens, and its gradient in the logits' place.
void ModelEnds::cross_entropy(std::int64_t microbatch, bool is_first)
{
    Sharding& sharding = parts_.sharding();
    const Array logits = this->logits();
    const Shape shape = builder_.shape(logits);
    const auto of_tokens = [&](const std::string& name) {
        return builder_.array("workspace." + name, {shape.rows, 1}, parts_.sum_type());
    };
    const Array maxima = of_tokens("maxima");
    const Array sums = of_tokens("exponential_sums");
    const Array targets = of_tokens("target_logits");
    const std::string axis = sharding.vocabulary_axis();
    const std::string phase = parts_.phase("head");
    const auto part = [=, tokens = &sharding.step_tokens(),
                       layout = parts_.layout()](const auto& on) {
        using Real = spmd::NumberOf<decltype(on)>;
        const Place place = layout.place_of(on.device());
        const int index = layout.is_grid() ? place.column : place.part;
        const auto& of_device = tokens->targets[static_cast<std::size_t>(on.device())];
        return VocabularyPart<Real>{on(logits), shape.rows, shape.columns, index * shape.columns,
                                    of_device.data() + microbatch * shape.rows};
    };
    const auto all = model::CollectiveKind::all_reduce;
    builder_.compute("largest logit", phase, over_logits(1, 0), {logits}, {maxima},
                     [=](const auto& on) { row_maxima(part(on), on(maxima)); });
    builder_.collective("largest logit", all, axis, maxima, maxima, 0, spmd::Combine::largest);
    builder_.compute("sum of exponentials", phase, over_logits(3, 1), {logits, maxima},
                     {sums, targets}, [=](const auto& on) {
                         exponential_sums(part(on), on(maxima), on(sums));
                         target_logits(part(on), on(targets));
                     });
    builder_.collective("sum of exponentials", all, axis, sums, sums);
    builder_.collective("target logit", all, axis, targets, targets);
    const std::int64_t tokens = parts_.config().batch * parts_.size().sequence;
    const Array loss = loss_;
    model::Vector loss_work;
    loss_work.elements = shape.rows;
    loss_work.ops_per_element = 2;
    loss_work.dtype = parts_.sum_type();
    loss_work.operation_class = model::OperationClass::medium;
    builder_.compute(
        "loss", phase, loss_work, {maxima, sums, targets}, {loss}, [=](const auto& on) {
            const auto mean =
                mean_cross_entropy(on(maxima), on(sums), on(targets), shape.rows, tokens);
            *on(loss) = is_first ? mean : *on(loss) + mean;
        });
    builder_.begin({"backward", "head"});
    model::Vector gradient_work = over_logits(4, 1);
    gradient_work.division_per_element = 1;
    gradient_work.reduction = model::Reduction::none;
    builder_.compute("logits gradient", parts_.phase("head"), gradient_work, {logits, maxima, sums},
                     {logits}, [=](const auto& on) {
                         cross_entropy_backward(part(on), on(maxima), on(sums), tokens, on(logits));
                     });
}

/// Over all devices that have other tokens.
void ModelEnds::sum_loss()
{
    builder_.begin({"forward", "head"});
    std::vector<std::string> axes = parts_.sharding().token_axes();
    axes.insert(axes.end(), {axis::data, axis::fsdp, axis::expert, axis::sequence});
    for (const std::string& one : parts_.layout().among(axes)) {
        builder_.collective("loss", model::CollectiveKind::all_reduce, one, loss_, loss_);
    }
}

void ModelEnds::head_backward(Array dx)
{
    builder_.begin({"backward", "head"});
    const Shape shape = parts_.sharding().stream();
    const Array dbranch = parts_.scratch("dbranch", shape);
    parts_.sharding().head_backward(parts_.weight(table()), logits(),
                                    parts_.scratch("final", shape), dbranch);
    if (has_table_alone()) {
        parts_.parameters().scatter(table());
    }
    // The gradient of the last norm's input is added to nothing.
    parts_.clear("no gradient yet", "head", dx);
    parts_.norm_backward("lnf", "head", -1, parts_.stream(parts_.layers()), dbranch, dx);
}

void ModelEnds::embed_backward(Array dx)
{
    builder_.begin({"backward", "embedding"});
    const Weight positions = parts_.weight("wpe");
    parts_.sharding().embed_backward(parts_.weight("wte"), positions, dx);
    parts_.parameters().scatter("wte");
    if (positions.value.exists()) {
        parts_.parameters().scatter("wpe");
    }
}

} // namespace alxsim::transformer
