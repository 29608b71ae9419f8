// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/experts/expert_layer.h"

#include "model/collectives/mesh.h"
#include "spmd/linear/product.h"
#include "spmd/linear/quantized_product.h"
#include "workloads/transformer/blocks/activation_work.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace alxsim::transformer {
namespace {

using model::CollectiveKind;
using model::DType;
using model::RowOperation;

model::Vector vector_work(std::int64_t elements, double operations, DType dtype)
{
    model::Vector work;
    work.elements = elements;
    work.ops_per_element = operations;
    work.dtype = dtype;
    return work;
}

model::AlongRows along_rows(RowOperation operation, std::int64_t rows, std::int64_t length,
                            DType dtype)
{
    model::AlongRows work;
    work.operation = operation;
    work.rows = rows;
    work.length = length;
    work.dtype = dtype;
    return work;
}

model::RowGather gather_work(std::int64_t rows, std::int64_t table_rows, std::int64_t columns,
                             DType dtype)
{
    model::RowGather work;
    work.rows = rows;
    work.row_bytes = model::size_of(dtype) * columns;
    work.table_rows = table_rows;
    return work;
}

/// [batch] products of that shape, as their numbers take passes.
model::Matmul products(std::int64_t batch, const spmd::ProductShape& shape, DType dtype)
{
    return spmd::matmul_of(batch, shape, dtype);
}

/// Lists what `bytes` of each place of a mesh go to a group's members by their loads: as many bytes
/// in all, parts rounded. `back`: from there to where they came from.
std::shared_ptr<const std::vector<model::PairMessage>>
messages_by_load(const model::Mesh& mesh, const std::string& axis, Bytes bytes,
                 const std::vector<double>& loads, bool back)
{
    const double all = std::accumulate(loads.begin(), loads.end(), 0.0);
    auto messages = std::make_shared<std::vector<model::PairMessage>>();
    for (const std::vector<int>& group : model::groups_of_mesh(mesh, {axis})) {
        for (const int source : group) {
            double sum = 0;
            std::int64_t sent = 0;
            for (std::size_t member = 0; member < group.size(); ++member) {
                sum += loads[member];
                const auto until = static_cast<std::int64_t>(
                    std::llround(static_cast<double>(bytes.count()) * (sum / all)));
                if (group[member] != source && until > sent) {
                    messages->push_back({back ? group[member] : source,
                                         back ? source : group[member], Bytes(until - sent)});
                }
                sent = until;
            }
        }
    }
    return messages;
}

} // namespace

std::int64_t experts_with_rows(std::int64_t rows, std::int64_t experts)
{
    return std::clamp<std::int64_t>(rows, 1, experts);
}

std::int64_t rows_in_blocks(std::int64_t rows, std::int64_t experts)
{
    const std::int64_t with_rows = experts_with_rows(rows, experts);
    std::int64_t block = 8; // rows of a register
    while (block < 512 && block * with_rows < rows) {
        block *= 2;
    }
    return (ceil_divide(rows, block) + with_rows - 1) * block;
}

/// What the forward keeps for the backward.
struct ExpertLayer::Kept {
    Array chosen, weights, places; ///< [tokens x per_token]
    Array counts;                  ///< [1 x experts]: of this device's tokens
    Array all_counts;              ///< [members x experts]; without capacity
    Array rows;                    ///< [room x hidden]: what the experts here work on
    Array before, after;           ///< [room x fc1_width], [room x width]: of the activation
    Array returned;                ///< [buffer_rows x hidden]: what all experts made of them
};

/// Where rows of each expert stand in the arrays of a device's experts.
struct ExpertLayer::Panels {
    std::int64_t members, experts, capacity_rows; ///< of an expert and member; 0: as counted
    Array all_counts;
    std::function<ReceivedRows(int device)> received;

    /// Calls body(expert, first row, rows), where an expert may have several panels.
    template <class On, class Body>
    void for_each(const On& on, const Body& body) const
    {
        if (capacity_rows > 0) {
            for (std::int64_t expert = 0; expert < experts; ++expert) {
                for (std::int64_t member = 0; member < members; ++member) {
                    body(expert, (member * experts + expert) * capacity_rows, capacity_rows);
                }
            }
            return;
        }
        std::int64_t first = 0;
        const auto rows = rows_of_experts(received(on.device()), on(all_counts));
        for (std::int64_t expert = 0; expert < experts; ++expert) {
            body(expert, first, rows[static_cast<std::size_t>(expert)]);
            first += rows[static_cast<std::size_t>(expert)];
        }
    }
    /// How many there are.
    template <class On>
    std::int64_t rows(const On& on) const
    {
        std::int64_t all = 0;
        for_each(on,
                 [&all](std::int64_t, std::int64_t, std::int64_t of_panel) { all += of_panel; });
        return all;
    }
};

ExpertLayer::ExpertLayer(ExpertBlock block, StepBuilder& builder)
    : block_(std::move(block)),
      builder_(builder)
{
    const Experts& experts = block_.experts;
    members_ = block_.expert_axis.empty() ? 1 : builder.mesh().length(block_.expert_axis);
    if (experts.count % members_ != 0 || block_.tokens % block_.length != 0) {
        throw std::logic_error("experts or sequences do not divide");
    }
    routing_ = {block_.tokens, experts.count, experts.per_token, block_.length,
                capacity_of(experts.capacity, block_.length, experts.per_token, experts.count)};
    rows_ = room_ = routing_.buffer_rows();
    if (drops() || members_ == 1) {
        return;
    }
    // Where numbers are, all may come to one device; else room is for those that do.
    const std::int64_t all = routing_.pairs() * members_;
    const ExpertLoads& loads = block_.loads;
    rows_ = std::min(all, static_cast<std::int64_t>(
                              std::ceil(static_cast<double>(routing_.pairs()) * loads.largest)));
    room_ = builder.has_numbers() ? all : rows_;
    if (!loads.of_devices.empty()) {
        const Bytes bytes = model::size_of(block_.dtype) * sent_elements();
        const model::Mesh& mesh = *builder.mesh().mesh();
        there_ = messages_by_load(mesh, block_.expert_axis, bytes, loads.of_devices, false);
        back_ = messages_by_load(mesh, block_.expert_axis, bytes, loads.of_devices, true);
    }
}

void ExpertLayer::forward(const ExpertWeights& weights, const KeptArray& kept_as, Array x, Array y,
                          Computes computes)
{
    const Kept kept = kept_arrays(kept_as);
    if (computes.rows) {
        rows_of_experts_here(weights, kept, x);
    }
    if (computes.activation) {
        activate(kept, kept.before, kept.after);
    }
    if (computes.rows) {
        results_of_experts_here(weights, kept);
    }
    if (computes.result) {
        combine(kept, y);
    }
}

/// From tokens to the experts' first product.
void ExpertLayer::rows_of_experts_here(const ExpertWeights& weights, const Kept& kept, Array x)
{
    route(weights, kept, x);
    if (members_ == 1) {
        dispatch(kept, x, kept.rows);
    } else {
        const Array buffer =
            scratch("buffer", {routing_.buffer_rows(), block_.hidden}, block_.dtype);
        dispatch(kept, x, buffer);
        to_experts("dispatch", kept, buffer, kept.rows);
    }
    multiply("fc1", kept, kept.rows, weights.fc1, false, kept.before);
}

/// From their second product to where the tokens are.
void ExpertLayer::results_of_experts_here(const ExpertWeights& weights, const Kept& kept)
{
    const Array made = members_ == 1 ? kept.returned : rows_like("made", block_.hidden);
    multiply("fc2", kept, kept.after, weights.fc2, false, made);
    if (members_ > 1) {
        from_experts("combine", kept, made, kept.returned);
    }
}

void ExpertLayer::backward(const ExpertWeights& weights, const KeptArray& kept_as, Array x,
                           Array dy, Array dx)
{
    const Kept kept = kept_arrays(kept_as);
    const Array dbuffer = scratch("buffer", {routing_.buffer_rows(), block_.hidden}, block_.dtype);
    const Array dweights = scratch("dweights", {block_.tokens, routing_.per_token}, sum_type());
    combine_backward(kept, dy, dbuffer, dweights);
    Array drows = dbuffer;
    if (members_ > 1) {
        drows = rows_like("made", block_.hidden);
        to_experts("combine gradient", kept, dbuffer, drows);
    }
    // Gradients take the places of what they are of, as compilers let them.
    const Array dafter = kept.after;
    const Array dbefore = kept.before;
    weight_gradient("fc2 weight gradient", kept, kept.after, drows, weights.fc2.gradient);
    multiply("fc2 input gradient", kept, drows, weights.fc2, true, dafter);
    activate_backward(kept, kept.before, dafter, dbefore);
    weight_gradient("fc1 weight gradient", kept, kept.rows, dbefore, weights.fc1.gradient);
    multiply("fc1 input gradient", kept, dbefore, weights.fc1, true, drows);
    if (members_ > 1) {
        from_experts("dispatch gradient", kept, drows, dbuffer);
    }
    dispatch_backward(kept, dbuffer, dx);
    route_backward(weights, kept, x, dweights, dx);
}

ExpertLayer::Kept ExpertLayer::kept_arrays(const KeptArray& kept)
{
    const Shape of_pairs{block_.tokens, routing_.per_token};
    Kept arrays;
    arrays.chosen = kept("experts.chosen", of_pairs, DType::i32);
    arrays.weights = kept("experts.weights", of_pairs, sum_type());
    arrays.places = kept("experts.places", of_pairs, DType::i32);
    arrays.counts = kept("experts.counts", {1, routing_.experts}, DType::i32);
    arrays.all_counts = arrays.counts;
    if (members_ > 1 && !drops()) {
        arrays.all_counts = kept("experts.all_counts", {members_, routing_.experts}, DType::i32);
    }
    arrays.rows = kept("experts.rows", {room_, block_.hidden}, block_.dtype);
    arrays.before = kept("experts.fc1", {room_, block_.fc1_width()}, block_.dtype);
    arrays.after = kept("experts.act", {room_, block_.width}, block_.dtype);
    arrays.returned = kept("experts.out", {routing_.buffer_rows(), block_.hidden}, block_.dtype);
    return arrays;
}

/// Logits, the largest of them (XLA sorts rows as short as these), their weights, and where each
/// pair of token and choice goes: as compiled, a cumulative sum over rows of ones where there is
/// capacity, a sort and counts where there is none.
void ExpertLayer::route(const ExpertWeights& weights, const Kept& kept, Array x)
{
    const Routing routing = routing_;
    const Array logits = scratch("logits", {block_.tokens, routing.experts}, sum_type());
    const std::string part = phase("routing");
    builder_.multiply("router", part, {x}, {weights.router.value}, {logits});
    builder_.compute("choice", part,
                     along_rows(RowOperation::sort, routing.tokens, routing.experts, sum_type()),
                     {logits}, {kept.chosen},
                     [=](const auto& on) { choose_experts(routing, on(logits), on(kept.chosen)); });
    model::Vector softmax = vector_work(routing.pairs(), 5, sum_type());
    softmax.medium_per_element = 1;
    softmax.division_per_element = 1;
    builder_.compute("weights of experts", part, softmax, {logits, kept.chosen}, {kept.weights},
                     [=](const auto& on) {
                         choice_weights(routing, on(logits), on(kept.chosen), on(kept.weights));
                     });
    const auto ones = vector_work(routing.pairs() * routing.experts, drops() ? 7 : 2, DType::i32);
    builder_.compute("rows of ones", part, ones, {kept.chosen}, {kept.counts},
                     [](const auto& /*on*/) {});
    const model::AlongRows order =
        drops() ? along_rows(RowOperation::cumsum, routing.experts * routing.sequences(),
                             routing.length * routing.per_token, DType::i32)
                : along_rows(RowOperation::sort, 1, routing.pairs(), DType::i32);
    builder_.compute("places", part, order, {kept.chosen}, {kept.places, kept.counts},
                     [=](const auto& on) {
                         places_of(routing, on(kept.chosen), on(kept.places), on(kept.counts));
                     });
    if (kept.all_counts.id != kept.counts.id) {
        builder_.collective("counts", CollectiveKind::all_gather, block_.expert_axis, kept.counts,
                            kept.all_counts);
    }
}

void ExpertLayer::dispatch(const Kept& kept, Array x, Array buffer)
{
    const Routing routing = routing_;
    const std::int64_t columns = block_.hidden;
    const model::Work masks =
        products(routing.sequences(), {routing.experts * routing.capacity, routing.length, columns},
                 block_.dtype);
    const model::Work rows = gather_work(routing.pairs(), routing.tokens, columns, block_.dtype);
    builder_.compute("dispatch", phase("routing"), drops() ? masks : rows, {x, kept.places},
                     {{buffer, used(buffer).share}}, [=](const auto& on) {
                         dispatch_rows(routing, on(kept.places), on(x), columns, on(buffer));
                     });
}

void ExpertLayer::combine(const Kept& kept, Array y)
{
    const Routing routing = routing_;
    const std::int64_t columns = block_.hidden;
    const std::string part = phase("routing");
    if (drops()) {
        builder_.compute("combine", part,
                         products(routing.sequences(),
                                  {routing.length, routing.experts * routing.capacity, columns},
                                  block_.dtype),
                         {kept.returned, kept.places, kept.weights}, {y}, [=](const auto& on) {
                             combine_rows(routing, on(kept.places), on(kept.weights),
                                          on(kept.returned), columns, on(y));
                         });
        return;
    }
    const Array of_pairs = scratch("of_pairs", {routing.pairs(), columns}, block_.dtype);
    builder_.compute("rows of tokens", part,
                     gather_work(routing.pairs(), routing.pairs(), columns, block_.dtype),
                     {kept.returned, kept.places}, {of_pairs}, [=](const auto& on) {
                         take_rows(routing, on(kept.places), on(kept.returned), columns,
                                   on(of_pairs));
                     });
    builder_.compute("combine", part, vector_work(routing.pairs() * columns, 2, block_.dtype),
                     {of_pairs, kept.weights}, {y}, [=](const auto& on) {
                         weighted_sums(routing, on(kept.weights), on(of_pairs), columns, on(y));
                     });
}

/// Gradients of the rows and of their weights: products with masks of both, or a gather and sums.
void ExpertLayer::combine_backward(const Kept& kept, Array dy, Array dbuffer, Array dweights)
{
    const Routing routing = routing_;
    const std::int64_t columns = block_.hidden;
    const std::string part = phase("routing");
    model::Work sums = vector_work(routing.pairs() * columns, 3, block_.dtype);
    std::get<model::Vector>(sums).reduction = model::Reduction::lanes;
    std::get<model::Vector>(sums).minor = columns;
    if (drops()) {
        sums =
            products(routing.sequences(),
                     {routing.length, columns, routing.experts * routing.capacity}, block_.dtype);
    }
    dispatch(kept, dy, dbuffer);
    builder_.compute("combine gradient", part, sums, {kept.returned, dbuffer, kept.weights},
                     {dbuffer, dweights}, [=](const auto& on) {
                         transformer::combine_backward(routing, on(kept.places), on(kept.weights),
                                                       on(kept.returned), columns, on(dbuffer),
                                                       on(dweights));
                     });
}

void ExpertLayer::dispatch_backward(const Kept& kept, Array dbuffer, Array dx)
{
    const Routing routing = routing_;
    const std::int64_t columns = block_.hidden;
    const std::string part = phase("routing");
    if (drops()) {
        builder_.compute("dispatch gradient", part,
                         products(routing.sequences(),
                                  {routing.length, routing.experts * routing.capacity, columns},
                                  block_.dtype),
                         {dbuffer, kept.places}, {dx}, [=](const auto& on) {
                             transformer::dispatch_backward(routing, on(kept.places), on(dbuffer),
                                                            columns, on(dx));
                         });
        return;
    }
    const Array of_pairs = scratch("of_pairs", {routing.pairs(), columns}, block_.dtype);
    builder_.compute("rows of tokens' gradient", part,
                     gather_work(routing.pairs(), routing.pairs(), columns, block_.dtype),
                     {dbuffer, kept.places}, {of_pairs}, [=](const auto& on) {
                         take_rows(routing, on(kept.places), on(dbuffer), columns, on(of_pairs));
                     });
    builder_.compute("dispatch gradient", part,
                     vector_work(routing.pairs() * columns, 1, block_.dtype), {of_pairs}, {dx},
                     [=](const auto& on) {
                         using Real = spmd::NumberOf<decltype(on)>;
                         weighted_sums<Real>(routing, nullptr, on(of_pairs), columns, on(dx));
                     });
}

/// dx += of the router; its weights' gradient, summed over what each device's part of the experts'
/// width says of it.
void ExpertLayer::route_backward(const ExpertWeights& weights, const Kept& kept, Array x,
                                 Array dweights, Array dx)
{
    const Routing routing = routing_;
    const Array dlogits = scratch("dlogits", {block_.tokens, routing.experts}, block_.dtype);
    const std::string part = phase("routing");
    builder_.compute("weights of experts' gradient", part,
                     vector_work(routing.tokens * routing.experts, 4, sum_type()),
                     {kept.chosen, kept.weights, dweights}, {dlogits}, [=](const auto& on) {
                         choice_weights_backward(routing, on(kept.chosen), on(kept.weights),
                                                 on(dweights), on(dlogits));
                     });
    StepBuilder::Fused added;
    added.accumulate = true;
    builder_.multiply("router input gradient", part, {dlogits}, {weights.router.value, true}, {dx},
                      added);
    builder_.multiply("router weight gradient", part, {x, true}, {dlogits},
                      {weights.router.gradient});
    if (!block_.tensor_axis.empty()) {
        builder_.collective("router weight gradient", CollectiveKind::all_reduce,
                            block_.tensor_axis, weights.router.gradient, weights.router.gradient);
    }
}

spmd::RaggedTraffic ExpertLayer::traffic(bool back) const
{
    return {routing_.pairs(), back ? back_ : there_, block_.loads.largest};
}

void ExpertLayer::to_experts(const std::string& name, const Kept& kept, Array buffer, Array rows)
{
    if (drops()) {
        builder_.collective(name, CollectiveKind::all_to_all, block_.expert_axis, buffer, rows);
        return;
    }
    const bool sorts = experts_here() > 1;
    const Array arrived = sorts ? rows_like("arrived", block_.hidden) : rows;
    builder_.ragged_all_to_all(
        name, block_.expert_axis, buffer, arrived, kept.counts, traffic(false),
        [experts = routing_.experts, members = members_, counts = kept.counts](const auto& on) {
            return rows_for_members(on(counts), experts, members);
        });
    if (sorts) {
        sort_rows(name, kept, arrived, rows, true);
    }
}

void ExpertLayer::from_experts(const std::string& name, const Kept& kept, Array rows, Array buffer)
{
    if (drops()) {
        builder_.collective(name, CollectiveKind::all_to_all, block_.expert_axis, rows, buffer);
        return;
    }
    Array leaving = rows;
    if (experts_here() > 1) {
        leaving = rows_like("arrived", block_.hidden);
        sort_rows(name, kept, rows, leaving, false);
    }
    builder_.ragged_all_to_all(
        name, block_.expert_axis, leaving, buffer, kept.all_counts, traffic(true),
        [received = panels(kept).received, counts = kept.all_counts](const auto& on) {
            return rows_of_members(received(on.device()), on(counts));
        });
}

/// From the order in which rows came to that of the experts here, or back.
void ExpertLayer::sort_rows(const std::string& name, const Kept& kept, Array from, Array to,
                            bool by_expert)
{
    const std::int64_t columns = block_.hidden;
    const std::string part = phase("routing");
    builder_.compute(
        name + ", rows by expert", part, gather_work(rows_, rows_, columns, block_.dtype),
        {used(from), kept.all_counts}, {used(to)},
        [=, received = panels(kept).received](const auto& on) {
            const auto places = grouped_places(received(on.device()), on(kept.all_counts));
            if (by_expert) {
                scatter_rows(places, on(from), columns, on(to));
            } else {
                gather_rows(places, on(from), columns, on(to));
            }
        });
}

/// Each expert's rows times its matrix; in blocks of one expert where there is no capacity.
void ExpertLayer::multiply(const std::string& name, const Kept& kept, Array rows,
                           const Weight& factor, bool transposed, Array result)
{
    const Array weight = factor.value;
    if (factor.scales.exists()) {
        multiply_in_eight_bits(name, kept, rows, factor, result);
        return;
    }
    const Panels all = panels(kept);
    const Shape whole = builder_.shape(weight);
    const Shape one{whole.rows / all.experts, whole.columns};
    const std::int64_t inner = transposed ? one.columns : one.rows;
    const std::int64_t outer = transposed ? one.rows : one.columns;
    const std::int64_t blocks = drops() ? rows_ : rows_in_blocks(rows_, all.experts);
    const std::int64_t read = drops() ? all.experts : experts_with_rows(rows_, all.experts);
    const double share = static_cast<double>(read) / static_cast<double>(all.experts);
    builder_.compute(
        name, phase("experts"),
        products(read, {ceil_divide(blocks, read), inner, outer}, block_.dtype),
        {used(rows), {weight, share}}, {used(result)}, [=](const auto& on) {
            using Real = spmd::NumberOf<decltype(on)>;
            all.for_each(on, [&](std::int64_t expert, std::int64_t first, std::int64_t count) {
                const spmd::Factors<Real> factors{
                    {on(rows) + first * inner, inner, false},
                    {on(weight) + expert * one.elements(), one.columns, transposed},
                    {on(result) + first * outer, outer}};
                spmd::set_product(factors, {count, inner, outer});
            });
        });
}

/// Rows and their scales in 8 bits, of those in use.
std::pair<Array, Array> ExpertLayer::quantized_rows(const std::string& name, const Kept& kept,
                                                    Array rows, DType type)
{
    const Panels all = panels(kept);
    const Shape shape = builder_.shape(rows);
    const auto of = spmd::scale_of_left(type, false);
    const Array numbers = scratch(name + ".quantized", shape, type);
    const Array scales =
        scratch(name + ".quantized.scales", {1, spmd::scales_of(of, shape.rows, 1)}, sum_type());
    model::Vector work = vector_work(rows_ * shape.columns, 5, block_.dtype); // as of one product
    work.reduction = model::Reduction::lanes;
    work.minor = shape.columns;
    builder_.compute(name + " rows quantized", phase("experts"), work, {used(rows)},
                     {used(numbers), scales}, [=](const auto& on) {
                         spmd::quantize(type, of, on(rows), all.rows(on), shape.columns,
                                        on(numbers), on(scales));
                     });
    return {numbers, scales};
}

/// The same with experts' matrices that stand in 8 bits.
void ExpertLayer::multiply_in_eight_bits(const std::string& name, const Kept& kept, Array rows,
                                         const Weight& weight, Array result)
{
    const Panels all = panels(kept);
    const DType type = builder_.dtype(weight.value);
    const Shape whole = builder_.shape(weight.value);
    const Shape one{whole.rows / all.experts, whole.columns};
    const std::int64_t scales_of_one = builder_.shape(weight.scales).columns;
    const bool by_row = type == DType::i8;
    const std::pair<Array, Array> quantized = quantized_rows(name, kept, rows, type);
    const Array numbers = quantized.first; // a lambda of C++17 captures no structured binding
    const Array scales = quantized.second;
    const std::int64_t read = experts_with_rows(rows_, all.experts);
    const std::int64_t blocks = rows_in_blocks(rows_, all.experts);
    const double share = static_cast<double>(read) / static_cast<double>(all.experts);
    model::Matmul work = products(read, {ceil_divide(blocks, read), one.rows, one.columns}, type);
    work.epilogue = vector_work(rows_ * one.columns, 3, block_.dtype); // converted, times scales
    builder_.compute(
        name, phase("experts"), work,
        {used(numbers), scales, {weight.value, share}, {weight.scales, share}}, {used(result)},
        [=](const auto& on) {
            using Real = spmd::NumberOf<decltype(on)>;
            all.for_each(on, [&](std::int64_t expert, std::int64_t first, std::int64_t count) {
                spmd::set_quantized_product<Real>(
                    {type,
                     {on(numbers) + first * one.rows, one.rows, false},
                     on(scales) + (by_row ? first : 0)},
                    {type,
                     {on(weight.value) + expert * one.elements(), one.columns, false},
                     on(weight.scales) + expert * scales_of_one},
                    {on(result) + first * one.columns, one.columns},
                    {count, one.rows, one.columns});
            });
        });
}

/// result [experts m x n] = of each expert its rows [.. x m], transposed, times gradients [.. x n].
void ExpertLayer::weight_gradient(const std::string& name, const Kept& kept, Array rows,
                                  Array gradient, Array result)
{
    const Panels all = panels(kept);
    const std::int64_t m = builder_.shape(rows).columns;
    const std::int64_t n = builder_.shape(gradient).columns;
    const std::int64_t blocks = drops() ? rows_ : rows_in_blocks(rows_, all.experts);
    builder_.compute(
        name, phase("experts"),
        products(all.experts, {m, ceil_divide(blocks, all.experts), n}, block_.dtype),
        {used(rows), used(gradient)}, {result}, [=](const auto& on) {
            using Real = spmd::NumberOf<decltype(on)>;
            std::fill_n(on(result), all.experts * m * n, Real(0));
            all.for_each(on, [&](std::int64_t expert, std::int64_t first, std::int64_t count) {
                const spmd::Factors<Real> factors{{on(rows) + first * m, m, true},
                                                  {on(gradient) + first * n, n, false},
                                                  {on(result) + expert * m * n, n}};
                spmd::add_product(factors, {m, count, n});
            });
        });
}

void ExpertLayer::activate(const Kept& kept, Array before, Array after)
{
    const ActivationShape shape{block_.activation, block_.gated, 0, block_.width};
    builder_.compute("activation", phase("experts"),
                     activation_work({block_.activation, block_.gated, rows_, block_.width},
                                     block_.dtype, false),
                     {used(before)}, {used(after)}, [=, all = panels(kept)](const auto& on) {
                         ActivationShape here = shape;
                         here.rows = all.rows(on);
                         transformer::activate(here, on(before), on(after));
                     });
}

void ExpertLayer::activate_backward(const Kept& kept, Array before, Array dafter, Array dbefore)
{
    const ActivationShape shape{block_.activation, block_.gated, 0, block_.width};
    builder_.compute(
        "activation gradient", phase("experts"),
        activation_work({block_.activation, block_.gated, rows_, block_.width}, block_.dtype, true),
        {used(before), used(dafter)}, {used(dbefore)}, [=, all = panels(kept)](const auto& on) {
            ActivationShape here = shape;
            here.rows = all.rows(on);
            transformer::activate_backward(here, on(before), on(dafter), on(dbefore));
        });
}

Array ExpertLayer::scratch(const std::string& name, Shape shape, model::DType dtype)
{
    return builder_.array("workspace.experts." + name, shape, dtype);
}

Array ExpertLayer::rows_like(const std::string& name, std::int64_t columns)
{
    return scratch(name, {room_, columns}, block_.dtype);
}

/// Touches, in an array with room for more rows, those that come.
Touch ExpertLayer::used(Array rows) const
{
    const std::int64_t all = builder_.shape(rows).rows;
    return {rows, static_cast<double>(std::min(rows_, all)) / static_cast<double>(all)};
}

std::string ExpertLayer::phase(const std::string& part) const
{
    return builder_.section().pass + "." + part;
}

ExpertLayer::Panels ExpertLayer::panels(const Kept& kept) const
{
    const auto received = [mesh = builder_.mesh(), axis = block_.expert_axis,
                           here = experts_here()](int device) {
        const int members = axis.empty() ? 1 : mesh.length(axis);
        const int member = axis.empty() ? 0 : mesh.position(device, axis);
        return ReceivedRows{members, here * members, member * here, here};
    };
    return {members_, experts_here(), drops() ? routing_.sequences() * routing_.capacity : 0,
            kept.all_counts, received};
}

model::DType ExpertLayer::sum_type() const
{
    return block_.dtype == DType::f64 ? DType::f64 : DType::f32;
}

} // namespace alxsim::transformer
