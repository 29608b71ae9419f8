// SPDX-License-Identifier: Apache-2.0
#include "spmd/step_builder.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace alxsim::spmd {

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

void StepBuilder::compute_now(model::Op& op)
{
    if (pool_ != nullptr && op.effect) {
        model::run_effect(*op.effect, numbers_->devices(), *pool_);
        if (scopes_.size() == 1) { // a loop computes it again
            op.effect = nullptr;
        }
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
