// SPDX-License-Identifier: Apache-2.0
#include "spmd/step_builder.h"

#include "base/input_error.h"
#include "spmd/linear/product.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <stdexcept>

namespace alxsim::spmd {
namespace {

const std::string copy_word = " copy ";

const char* word_of(model::CollectiveKind kind)
{
    switch (kind) {
    case model::CollectiveKind::all_gather:
        return "all_gather";
    case model::CollectiveKind::reduce_scatter:
        return "reduce_scatter";
    case model::CollectiveKind::all_reduce:
        return "all_reduce";
    case model::CollectiveKind::broadcast:
        return "broadcast";
    case model::CollectiveKind::reduce:
        return "reduce";
    case model::CollectiveKind::all_to_all:
        return "all_to_all";
    case model::CollectiveKind::permute:
        return "permute";
    }
    throw std::logic_error("a step does no such collective");
}

/// Those between members of groups.
std::shared_ptr<const std::vector<model::PairMessage>>
messages_in(const std::vector<model::PairMessage>& messages,
            const std::vector<std::vector<int>>& groups)
{
    std::set<int> members;
    for (const std::vector<int>& group : groups) {
        members.insert(group.begin(), group.end());
    }
    auto found = std::make_shared<std::vector<model::PairMessage>>();
    for (const model::PairMessage& message : messages) {
        if (members.count(message.source) > 0) {
            found->push_back(message);
        }
    }
    return found;
}

} // namespace

model::Matmul matmul_of(std::int64_t batch, const ProductShape& shape, model::DType dtype,
                        int f32_passes)
{
    model::Matmul work{batch, shape.m, shape.k, shape.n, dtype};
    work.passes = dtype == model::DType::bf16 ? 1 : f32_passes;
    return work;
}

std::string CollectiveUse::name() const
{
    return section.pass + "." + section.part + " " + word_of(kind) + " " + axis;
}

std::string TransferUse::name() const
{
    return section.pass + "." + section.part + copy_word + (to_host ? "to host" : "from host");
}

Json counts_json(const MovedCounts& counts)
{
    Json collectives = Json::object();
    Json copies = Json::object();
    for (const auto& [name, count] : counts) {
        const bool is_copy = name.find(copy_word) != std::string::npos;
        (is_copy ? copies : collectives)[name] = {{"calls", count.calls},
                                                  {"elements", count.elements}};
    }
    Json json = {{"collectives", collectives}};
    if (!copies.empty()) {
        json["copies"] = copies;
    }
    return json;
}

void StepBuilder::add_once(std::vector<int>& list, int value)
{
    if (std::find(list.begin(), list.end(), value) == list.end()) {
        list.push_back(value);
    }
}

StepBuilder::StepBuilder(DeviceMesh mesh, Numbers* numbers, MovedCounts* moved)
    : mesh_(std::move(mesh)),
      numbers_(numbers),
      moved_(moved),
      buffers_(1),
      scopes_(1)
{
    scopes_.front().graph.mesh = mesh_.mesh();
}

Array StepBuilder::array(const std::string& name, Shape shape, model::DType dtype, Storage storage)
{
    // Layers of a repeat share an array.
    const std::int64_t copy = has_numbers()     ? storage.copy
                              : storage.in_turn ? (storage.copy + turned_) % 2
                                                : 0;
    const std::string buffer = chunk_ == 0 ? name : name + ".chunk" + std::to_string(chunk_);
    const auto [known_array, is_new] = by_name_.try_emplace({role_, chunk_, buffer, copy});
    const Bytes bytes = model::size_of(dtype) * (shape.elements() * storage.copies);
    if (is_new) {
        known_array->second = {static_cast<int>(infos_.size())};
        infos_.push_back({buffer, shape, dtype, storage.residency, bytes});
        if (has_numbers()) {
            numbers_->add(shape.elements(),
                          has_roles() ? devices_of_role(role_) : std::vector<int>());
        }
    }
    declare(buffer, bytes, storage.residency);
    const Info& known = info(known_array->second);
    if (known.shape.rows != shape.rows || known.shape.columns != shape.columns) {
        throw std::logic_error("the array " + buffer + " has two shapes");
    }
    return known_array->second;
}

void StepBuilder::declare(const std::string& buffer, Bytes bytes, model::Residency residency)
{
    if (declared_.emplace(role_, buffer).second) {
        buffers_[static_cast<std::size_t>(role_)].push_back({buffer, bytes, residency});
    }
}

/// As it was first asked for.
void StepBuilder::declare(Array array)
{
    if (has_roles()) {
        const Info& used = info(array);
        declare(used.buffer, used.bytes, used.residency);
    }
}

std::vector<StepBuilder::Scope*> StepBuilder::all_scopes()
{
    std::vector<Scope*> all;
    for (std::vector<Scope>* scopes : {&scopes_, &other_roles_}) {
        for (Scope& scope : *scopes) {
            all.push_back(&scope);
        }
    }
    return all;
}

Array StepBuilder::part(const std::string& name, Array whole, std::int64_t first, Shape shape)
{
    const auto [place, is_new] = parts_by_name_.try_emplace({name, whole.id});
    if (is_new) {
        place->second = {static_cast<int>(infos_.size())};
        for (Scope* const scope : all_scopes()) { // what was done to the whole was done to it
            for (const int id : with_parts({whole})) {
                if (const auto writer = scope->writer.find(id); writer != scope->writer.end()) {
                    int& last = scope->writer.try_emplace(place->second.id, -1).first->second;
                    last = std::max(last, writer->second);
                }
                for (const int reader : std::vector<int>(scope->readers[id])) {
                    add_once(scope->readers[place->second.id], reader);
                }
            }
        }
        const Info of = info(whole);
        infos_.push_back({of.buffer, shape, of.dtype, of.residency, of.bytes});
        infos_[static_cast<std::size_t>(whole.id)].parts.push_back(place->second.id);
        if (has_numbers()) {
            numbers_->add_part(whole, first, shape.elements());
        }
    }
    const Shape& known = info(place->second).shape;
    if (known.rows != shape.rows || known.columns != shape.columns) {
        throw std::logic_error("the part " + name + " has two shapes");
    }
    return place->second;
}

/// The arrays that are touched: of one that has parts, these.
std::vector<int> StepBuilder::with_parts(const std::vector<Touch>& touches) const
{
    std::vector<int> ids;
    for (const Touch& touch : touches) {
        const std::vector<int>& parts = info(touch.array).parts;
        if (parts.empty()) {
            ids.push_back(touch.array.id);
        }
        for (const int part : parts) {
            const std::vector<int> inner = with_parts({Touch(Array{part})});
            ids.insert(ids.end(), inner.begin(), inner.end());
        }
    }
    return ids;
}

model::BufferUse StepBuilder::use_of(const Touch& touch) const
{
    const Info& used = info(touch.array);
    const auto elements = static_cast<double>(used.shape.elements()) * touch.share;
    return {used.buffer, model::size_of(used.dtype) * static_cast<std::int64_t>(elements)};
}

std::vector<Array> StepBuilder::stored_in_bf16(const std::vector<Touch>& writes) const
{
    std::vector<Array> stored;
    for (const Touch& touch : writes) {
        if (!numbers_->in_f64() && dtype(touch.array) == model::DType::bf16) {
            stored.push_back(touch.array);
        }
    }
    return stored;
}

void StepBuilder::append(model::Op op, const std::vector<Touch>& reads,
                         const std::vector<Touch>& writes, Waits waits)
{
    for (const Touch& touch : reads) {
        declare(touch.array);
        op.reads.push_back(use_of(touch));
    }
    for (const Touch& touch : writes) {
        declare(touch.array);
        op.writes.push_back(use_of(touch));
    }
    place({std::move(op), with_parts(reads), with_parts(writes), waits});
}

void StepBuilder::place(Unordered unordered)
{
    Scope& scope = scopes_.back();
    std::vector<int> after;
    const bool computes = unordered.waits == Waits::for_the_device;
    if (computes && scope.last_compute >= 0) {
        after.push_back(scope.last_compute);
    }
    for (const int id : unordered.read) {
        if (const auto writer = scope.writer.find(id); writer != scope.writer.end()) {
            add_once(after, writer->second);
        }
    }
    for (const int id : unordered.written) {
        if (const auto writer = scope.writer.find(id); writer != scope.writer.end()) {
            add_once(after, writer->second);
        }
        for (const int reader : scope.readers[id]) {
            add_once(after, reader);
        }
    }
    std::sort(after.begin(), after.end());
    model::Op& op = unordered.op;
    op.after = std::move(after);
    compute_now(op);
    const int index = scope.graph.add(std::move(op));
    scope.last_compute = computes ? index : scope.last_compute;
    for (const int id : unordered.read) {
        scope.readers[id].push_back(index);
    }
    for (const int id : unordered.written) {
        scope.writer[id] = index;
        scope.readers[id].clear();
    }
    if (scopes_.size() > 1) { // for the repeat that it becomes
        for (const int id : unordered.read) {
            add_once(scope.all, id);
        }
        for (const int id : unordered.written) {
            add_once(scope.written, id);
        }
    }
}

/// Of one of its panels, as it stands.
Shape StepBuilder::panel_of(const Operand& operand) const
{
    const Shape& whole = shape(operand.array);
    return {whole.rows / operand.panels, whole.columns};
}

ProductShape StepBuilder::product_of(const std::string& name, const Operand& left,
                                     const Operand& right, const Operand& result) const
{
    const Shape a = panel_of(left);
    const Shape b = panel_of(right);
    const Shape c = panel_of(result);
    const ProductShape product{left.transposed ? a.columns : a.rows,
                               left.transposed ? a.rows : a.columns,
                               right.transposed ? b.rows : b.columns};
    if (product.k != (right.transposed ? b.columns : b.rows) || product.m != c.rows ||
        product.n != c.columns) {
        throw std::logic_error("matrices of " + name + " do not fit together");
    }
    return product;
}

void StepBuilder::multiply(const std::string& name, const std::string& phase, Operand left,
                           Operand right, Operand result, Fused fused)
{
    if (fused.quantized) {
        multiply_quantized(name, phase, left, right, result, fused);
        return;
    }
    const Shape a = panel_of(left);
    const Shape b = panel_of(right);
    const Shape c = panel_of(result);
    const ProductShape product = product_of(name, left, right, result);
    const int panels = std::max({left.panels, right.panels, result.panels});
    const model::Matmul work = matmul_of(1,
                                         {product.m * std::min(left.panels, result.panels),
                                          product.k * std::min(left.panels, right.panels),
                                          product.n * std::min(right.panels, result.panels)},
                                         dtype(left.array), f32_passes_);
    std::vector<Touch> reads{left.array, right.array};
    std::vector<Touch> writes{result.array};
    if (fused.accumulate) {
        reads.emplace_back(result.array);
    }
    if (fused.bias.exists()) {
        reads.emplace_back(fused.bias);
    }
    if (fused.column_sums.exists()) {
        writes.emplace_back(fused.column_sums);
    }
    compute(name, phase, work, reads, writes, [=](const auto& on) {
        using Real = typename std::decay_t<decltype(on)>::Number;
        const auto at = [&](const Operand& operand, const Shape& panel, int index) {
            return on(operand.array) + (operand.panels > 1 ? index * panel.elements() : 0);
        };
        for (int i = 0; i < panels; ++i) {
            const Factors<Real> factors{{at(left, a, i), a.columns, left.transposed},
                                        {at(right, b, i), b.columns, right.transposed},
                                        {at(result, c, i), c.columns}};
            if (fused.accumulate || (result.panels == 1 && i > 0)) {
                add_product(factors, product);
            } else {
                set_product(factors, product);
            }
        }
        if (fused.bias.exists()) {
            add_bias(on(fused.bias), c.rows, c.columns, on(result.array));
        }
        if (fused.column_sums.exists()) {
            column_sums(on(right.array), b.rows, b.columns, on(fused.column_sums));
        }
    });
}

void StepBuilder::multiply_mode(const std::string& name, const std::string& phase, Array matrix,
                                Array from, const ModeShape& mode, Array to, SumOrder order)
{
    const std::int64_t m = shape(matrix).rows;
    if (shape(matrix).columns != mode.length || shape(from).elements() != mode.elements() ||
        shape(to).elements() != mode.outer * m * mode.inner) {
        throw std::logic_error("the matrix and mode of " + name + " do not fit together");
    }
    compute(name, phase,
            matmul_of(1, {mode.outer * mode.inner, mode.length, m}, dtype(from), f32_passes_),
            {matrix, from}, {to},
            [=](const auto& on) { mode_product(on(matrix), m, on(from), mode, on(to), order); });
}

std::shared_ptr<const model::Effect> StepBuilder::moving_effect(const MovingCollective& collective,
                                                                const std::string& name, Array from,
                                                                Array to)
{
    return model::group_effect([=, numbers = numbers_, moved = moved_] {
        numbers->move(collective, from, to);
        count_moved(moved, name, collective.elements);
    });
}

void StepBuilder::count_moved(MovedCounts* moved, const std::string& name, std::int64_t elements)
{
    if (moved != nullptr) {
        MovedCount& count = (*moved)[name];
        ++count.calls;
        count.elements += elements;
    }
}

model::Op StepBuilder::ragged_op(const std::string& name, const std::string& axis, Array from,
                                 const RaggedTraffic& traffic)
{
    MovingCollective collective;
    collective.kind = model::CollectiveKind::all_to_all;
    collective.axes = {axis};
    collective.mesh = mesh_.mesh();
    collective.elements = traffic.rows * shape(from).columns;
    collective.dtype = dtype(from);
    if (has_roles()) {
        collective.groups = groups_in_role(collective.axes);
    }
    model::Op op = op_of(name, collective);
    count(collective);
    auto& work = std::get<model::Collective>(op.work);
    if (traffic.messages) {
        work.messages = collective.groups ? messages_in(*traffic.messages, *collective.groups)
                                          : traffic.messages;
    } else {
        work.bytes = Bytes(
            static_cast<std::int64_t>(static_cast<double>(work.bytes.count()) * traffic.largest));
    }
    return op;
}

std::shared_ptr<const StepBuilder::Groups> StepBuilder::groups_along(const std::string& axis)
{
    return has_roles()
               ? groups_in_role({axis})
               : std::make_shared<const Groups>(model::groups_of_mesh(*mesh_.mesh(), {axis}));
}

void StepBuilder::collective(const std::string& name, model::CollectiveKind kind,
                             const std::vector<std::string>& axes, Array from, Array to, int root,
                             Combine combine)
{
    int members = 1;
    for (const std::string& axis : axes) {
        members *= mesh_.length(axis);
    }
    if (members == 1) {
        if (from.id != to.id) {
            throw std::logic_error("a collective of one device between two arrays: " + name);
        }
        return;
    }
    MovingCollective collective;
    collective.kind = kind;
    collective.axes.assign(axes.begin(), axes.end());
    collective.root = root;
    collective.combine = combine;
    append_collective(name, std::move(collective), from, to);
}

void StepBuilder::permute(const std::string& name, const std::string& axis, Array from, Array to,
                          int shift, bool cyclic)
{
    const int members = mesh_.length(axis);
    if (shape(from).elements() != shape(to).elements() || (members > 1 && shift % members == 0)) {
        throw std::logic_error("a permute of other arrays, or to nobody else: " + name);
    }
    if (members == 1) {
        collective(name, model::CollectiveKind::permute, axis, from, to);
        return;
    }
    MovingCollective collective;
    collective.kind = model::CollectiveKind::permute;
    collective.axes = {axis};
    collective.shift = shift;
    collective.cyclic = cyclic;
    append_collective(name, std::move(collective), from, to);
}

void StepBuilder::permute_both_ways(const std::string& name, const std::string& axis, Passed onward,
                                    Passed back)
{
    const std::int64_t elements = shape(onward.from).elements();
    for (const Array array : {onward.to, back.from, back.to}) {
        if (shape(array).elements() != elements || mesh_.length(axis) < 3) {
            throw std::logic_error("permutes of other arrays, or between too few: " + name);
        }
    }
    MovingCollective next;
    next.kind = model::CollectiveKind::permute;
    next.axes = {axis};
    next.mesh = mesh_.mesh();
    next.elements = elements;
    next.dtype = dtype(onward.from);
    next.groups = has_roles() ? groups_in_role(next.axes) : nullptr;
    MovingCollective previous = next;
    previous.shift = -1;
    MovingCollective both = next; // as it is counted
    both.elements = 2 * elements;
    count(both);
    model::Op op;
    op.name = name;
    op.phase = phase_of(next);
    op.work = work_both_ways(next);
    if (has_numbers()) {
        op.effect = model::group_effect(
            [=, numbers = numbers_, moved = moved_, counted = collectives_.back().name()] {
                numbers->move(next, onward.from, onward.to);
                numbers->move(previous, back.from, back.to);
                count_moved(moved, counted, both.elements);
            });
    }
    append(std::move(op), {onward.from, back.from}, {onward.to, back.to}, Waits::for_arrays);
}

/// What the arrays say of it is set here.
void StepBuilder::append_collective(const std::string& name, MovingCollective collective,
                                    Array from, Array to)
{
    collective.mesh = mesh_.mesh();
    collective.elements = std::max(shape(from).elements(), shape(to).elements());
    collective.dtype = dtype(from);
    model::Op op = op_of(name, collective);
    count(collective);
    if (has_roles()) {
        collective.groups = groups_in_role(collective.axes);
        if (std::get<model::Collective>(op.work).messages) { // of this role's devices alone
            op = op_of(name, collective);
        }
    }
    if (has_numbers()) {
        op.effect = moving_effect(collective, collectives_.back().name(), from, to);
    }
    append(std::move(op), {from}, {to}, Waits::for_arrays);
}

model::Op StepBuilder::op_of(const std::string& name, const MovingCollective& collective) const
{
    model::Op op;
    op.name = name;
    op.phase = phase_of(collective);
    op.work = work_of(collective);
    return op;
}

std::string StepBuilder::phase_of(const MovingCollective& collective) const
{
    return (section_.pass.empty() ? "" : section_.pass + ".") + join(collective.axes, "+");
}

void StepBuilder::count(const MovingCollective& collective)
{
    collectives_.push_back({section_, collective.kind, join(collective.axes, "+"),
                            collective.elements,
                            model::size_of(collective.dtype) * collective.elements, times_});
}

void StepBuilder::transfer(const std::string& name, const std::string& phase, Array from, Array to)
{
    const bool to_host = info(to).residency == model::Residency::host;
    const std::int64_t elements = shape(from).elements();
    if (to_host == (info(from).residency == model::Residency::host) ||
        elements != shape(to).elements() || dtype(from) != dtype(to)) {
        throw std::logic_error("a copy that does not fit, or not between HBM and host: " + name);
    }
    const Bytes bytes = model::size_of(dtype(from)) * elements;
    const auto hbm = topologies::Tier::hbm;
    const auto host = topologies::Tier::host;
    transfers_.push_back({section_, to_host, elements, bytes, times_});
    model::Op op;
    op.name = name;
    op.phase = phase;
    op.work = model::Copy{to_host ? hbm : host, to_host ? host : hbm, bytes};
    if (has_numbers()) {
        std::vector<int> devices(static_cast<std::size_t>(numbers_->devices()));
        std::iota(devices.begin(), devices.end(), 0);
        if (has_roles()) {
            devices = devices_of_role(role_);
        }
        op.effect = model::group_effect(
            [=, numbers = numbers_, moved = moved_, counted = transfers_.back().name()] {
                for (const int device : devices) {
                    numbers->write(to, device, numbers->read(from, device));
                }
                if (moved != nullptr) {
                    MovedCount& count = (*moved)[counted];
                    ++count.calls;
                    count.elements += elements;
                }
            });
    }
    append(std::move(op), {from}, {to}, Waits::for_arrays);
}

void StepBuilder::compute_now(model::Op& op)
{
    if (pool_ != nullptr && op.effect) {
        model::run_effect(*op.effect, numbers_->devices(), *pool_);
        if (scopes_.size() == 1) { // a loop computes it again
            op.effect = nullptr;
        }
    }
}

void StepBuilder::repeat(const std::string& name, const std::string& phase, std::int64_t times,
                         const std::function<void(std::int64_t)>& body, std::int64_t place)
{
    scopes_.emplace_back();
    const std::int64_t times_outside = std::exchange(times_, times_ * times);
    body(place);
    times_ = times_outside;
    Scope inner = std::move(scopes_.back());
    scopes_.pop_back();
    append_repeat(std::move(inner), name, phase, times);
}

std::int64_t StepBuilder::loop(const std::string& name, const std::string& phase,
                               std::int64_t times, const std::function<void()>& body,
                               const std::function<bool(std::int64_t)>& done)
{
    if (has_numbers() && (pool_ == nullptr || scopes_.size() > 1)) {
        throw std::logic_error("the numbers of a loop are computed at once, in no other loop: " +
                               name);
    }
    const std::size_t first_collective = collectives_.size();
    const std::size_t first_transfer = transfers_.size();
    scopes_.emplace_back();
    body();
    Scope inner = std::move(scopes_.back());
    scopes_.pop_back();
    if (has_numbers()) {
        std::int64_t computed = 1;
        // Asked even where the times are given: done() may keep what it sees.
        while (times > 0 ? (done(computed), computed < times) : !done(computed)) {
            model::run_effects(inner.graph, numbers_->devices(), *pool_);
            ++computed;
        }
        times = computed;
        for (model::Op& op : inner.graph.ops) {
            op.effect = nullptr;
        }
    }
    for (std::size_t i = first_collective; i < collectives_.size(); ++i) {
        collectives_[i].times *= times;
    }
    for (std::size_t i = first_transfer; i < transfers_.size(); ++i) {
        transfers_[i].times *= times;
    }
    append_repeat(std::move(inner), name, phase, times);
    return times;
}

void StepBuilder::append_repeat(Scope inner, const std::string& name, const std::string& phase,
                                std::int64_t times)
{
    place(repeat_of(std::move(inner), name, phase, times));
}

/// It waits for what its ops use; the uses themselves are theirs.
StepBuilder::Unordered StepBuilder::repeat_of(Scope inner, const std::string& name,
                                              const std::string& phase, std::int64_t times) const
{
    inner.graph.name = name;
    model::Op op;
    op.name = name;
    op.phase = phase;
    op.work =
        model::Repeat{times, "", std::make_shared<const model::OpGraph>(std::move(inner.graph))};
    const auto leaves = [this](const std::vector<int>& ids) {
        std::vector<Touch> touches;
        for (const int id : ids) {
            touches.emplace_back(Array{id});
        }
        return with_parts(touches);
    };
    return {std::move(op), leaves(inner.all), leaves(inner.written)};
}

void StepBuilder::layers(const std::string& name, const std::string& phase, std::int64_t times,
                         Order order, const std::function<void(std::int64_t)>& body)
{
    if (!has_numbers() && times > 1) {
        repeat(name, phase, times, body);
        return;
    }
    for (std::int64_t i = 0; i < times; ++i) {
        body(order == Order::up ? i : times - 1 - i);
    }
}

model::OpGraph StepBuilder::take(const std::string& name)
{
    if (has_roles()) {
        return take_roles(name);
    }
    model::OpGraph graph = std::move(scopes_.front().graph);
    graph.name = name;
    graph.buffers = std::move(buffers_.front());
    return graph;
}

TimedStep StepBuilder::take_step(const std::string& name)
{
    return {std::make_shared<const model::OpGraph>(take(name)), collectives_, transfers_};
}

} // namespace alxsim::spmd
