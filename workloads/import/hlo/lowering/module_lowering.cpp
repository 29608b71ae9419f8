// SPDX-License-Identifier: Apache-2.0
#include "workloads/import/hlo/lowering/module_lowering.h"

#include "workloads/import/hlo/attention.h"
#include "workloads/import/hlo/running.h"

#include <algorithm>

namespace alxsim::hlo {
namespace {

using topologies::Tier;

/// Where a collective's result lies: what is begun has (operand, result, ..).
const Shape& result_shape(const Instruction& instruction, bool async)
{
    const Shape& shape = *instruction.shape;
    const Shape& result = async && shape.elements.size() >= 2 ? shape.elements[1] : shape;
    return result.is_tuple() && !result.elements.empty() ? result.elements.front() : result;
}

constexpr const char* not_attention =
    "found other operands than those of attention; allowed: queries, keys and values [.., "
    "positions, size] as the first three of floating point, backward also the gradient of the "
    "output, with 1 to 3 gradients as results; else NAME=SECONDS";

} // namespace

ModuleLowering::ModuleLowering(const Module& module, const topologies::Machine& machine,
                               std::vector<int> devices, const XlaCosts& costs,
                               const LoweringOptions& options)
    : module_(module),
      machine_(machine),
      costs_(costs),
      options_(options),
      collectives_(module, machine, std::move(devices)),
      traffic_(module),
      works_(module),
      phases_(module)
{
}

model::OpGraph ModuleLowering::run()
{
    Body body;
    body.phase = phases_.first();
    Scope scope{module_.entry_computation(), {}, {}};
    lower(body, scope);
    body.graph.name = std::string(module_.name);
    return std::move(body.graph);
}

void ModuleLowering::lower(Body& body, Scope& scope)
{
    scope.awaited = awaited_in(scope.computation, works_);
    for (const Instruction& instruction : scope.computation.instructions) {
        lower_instruction(body, scope, instruction);
    }
}

void ModuleLowering::lower_called(Body& body, int computation)
{
    Scope scope{module_.computations[static_cast<std::size_t>(computation)], {}, {}};
    lower(body, scope);
}

void ModuleLowering::lower_instruction(Body& body, const Scope& scope,
                                       const Instruction& instruction)
{
    lower_end(body, scope, instruction);
    const Judgement judgement = judged(module_, scope.computation, instruction);
    if (judgement.fate == Fate::free) {
        return;
    }
    if (judgement.fate == Fate::unmapped) {
        lower_assumed(body, scope, instruction, judgement.name);
    } else if (instruction.is("while")) {
        lower_loop(body, scope, instruction);
    } else if (instruction.is("conditional")) {
        wait_for_strays(body, scope);
        lower_called(body, instruction.called[costs_.branch_of(instruction)].computation);
    } else if (instruction.is("call")) {
        lower_called(body, instruction.called.front().computation);
    } else if (instruction.is("call-start") || instruction.is("async-start")) {
        lower_started_call(body, instruction);
    } else if (const HostTransfer transfer = host_transfer_of(scope.computation, instruction);
               transfer != HostTransfer::none) {
        lower_host_transfer(body, scope, instruction, transfer);
    } else {
        lower_compute(body, scope, instruction);
    }
}

/// What an instruction waits for is waited for by all that stand behind it.
void ModuleLowering::lower_end(Body& body, const Scope& scope, const Instruction& instruction)
{
    bool carried = false;
    for (const Instruction* start : awaited_by(scope.computation, instruction, works_, &carried)) {
        const auto begun = body.begun.find(start);
        if (begun != body.begun.end()) {
            body.waits.push_back(begun->second);
            body.begun.erase(begun);
        } else if (start->is("recv")) {
            const auto transfer = body.transfers.find(rendezvous_of(*start));
            if (transfer != body.transfers.end()) {
                body.waits.push_back(transfer->second);
            }
        }
    }
    counts.carried += carried ? 1 : 0;
}

/// That of the first instruction in its body which has one: a loop's own name says less.
std::string ModuleLowering::phase_of_loop(const Instruction& loop,
                                          const std::string& otherwise) const
{
    const auto body = static_cast<std::size_t>(loop.called_as("body"));
    for (const Instruction& instruction : module_.computations[body].instructions) {
        const std::string_view op_name = origin_of(module_, instruction).op_name;
        if (!op_name.empty()) {
            return phases_.of(op_name, otherwise);
        }
    }
    return phases_.of(origin_of(module_, loop).op_name, otherwise);
}

/// Iterations follow each other, and what begins in one ends in it.
void ModuleLowering::lower_loop(Body& body, const Scope& scope, const Instruction& loop)
{
    const int called = loop.called_as("body");
    const std::int64_t trips = costs_.trips_of(loop);
    if (called < 0 || trips <= 0) {
        return;
    }
    const std::string phase = phase_of_loop(loop, body.phase);
    Body inner;
    inner.phase = phase;
    inner.copies_around = copies_under_way(body);
    Scope inside{
        module_.computations[static_cast<std::size_t>(called)], arguments_of_loop(scope, loop), {}};
    lower(inner, inside);
    counts.carried += static_cast<std::int64_t>(inner.begun.size());
    if (inner.graph.ops.empty()) {
        return;
    }
    wait_for_strays(body, scope);
    inner.graph.name = std::string(inside.computation.name);
    model::Repeat repeat;
    repeat.times = trips;
    repeat.body = std::make_shared<const model::OpGraph>(std::move(inner.graph));
    model::Op op = op_of(body, loop, repeat);
    op.phase = body.phase = phase;
    add_synchronous(body, std::move(op));
}

void ModuleLowering::lower_started_call(Body& body, const Instruction& call)
{
    const int last = body.last;
    const std::vector<int> waits = body.waits;
    const bool beside = std::exchange(body.other_engine, true);
    lower_called(body, call.called.front().computation);
    body.other_engine = beside;
    if (body.last != last) {
        body.begun[&call] = body.last;
    }
    body.last = last;
    body.waits = waits;
}

bool ModuleLowering::copies_under_way(const Body& body)
{
    return body.copies_around ||
           std::any_of(body.begun.begin(), body.begun.end(), [&body](const auto& begun) {
               const model::Op& op = body.graph.ops[static_cast<std::size_t>(begun.second)];
               return std::holds_alternative<model::Copy>(op.work);
           });
}

/// A synchronous collective of a graph keeps every unit of the device to itself. XLA's keeps the
/// TensorCore waiting, which the chain of ops does here, and lets copies go on that are under way:
/// with such it is asynchronous.
void ModuleLowering::lower_collective(Body& body, const Scope& scope,
                                      const Instruction& instruction, const Collective& collective,
                                      bool async)
{
    const bool copies = !async && copies_under_way(body);
    counts.beside_copies += copies ? 1 : 0;
    const bool overlaps = async || body.other_engine || copies;
    const std::optional<model::Collective> work =
        collectives_.lowered(collective, overlaps ? model::Overlap::async : model::Overlap::sync);
    if (!work) {
        return;
    }
    model::Op op = op_of(body, instruction, *work);
    if (!instruction.operands.empty() &&
        is_on_chip(*scope.computation.operand(instruction, 0).shape)) {
        op.reads.push_back({buffers::vmem, work->bytes});
        ++counts.on_chip;
    }
    if (is_on_chip(result_shape(instruction, async))) {
        op.writes.push_back({buffers::vmem, work->bytes});
        ++counts.on_chip;
    }
    if (!async) {
        add_synchronous(body, std::move(op));
        return;
    }
    const int added = add_asynchronous(body, std::move(op), instruction);
    if (collective.between_slices) {
        body.transfers[rendezvous_of(instruction)] = added;
        body.begun.erase(&instruction);
    }
}

void ModuleLowering::lower_host_transfer(Body& body, const Scope& scope,
                                         const Instruction& instruction, HostTransfer transfer)
{
    const bool out = transfer == HostTransfer::to_host;
    model::Copy copy;
    copy.from = out ? Tier::hbm : Tier::host;
    copy.to = out ? Tier::host : Tier::hbm;
    copy.bytes = Bytes(host_transfer_bytes(scope.computation, instruction));
    model::Op op = op_of(body, instruction, copy);
    const bool callback = instruction.is("send") || instruction.is("recv");
    counts.callbacks += callback ? 1 : 0;
    ++counts.host_copies;
    op.reads.push_back({out ? buffers::temporaries : buffers::host, copy.bytes});
    op.writes.push_back({out ? buffers::host : buffers::temporaries, copy.bytes});
    if (begins_work(instruction)) {
        add_asynchronous(body, std::move(op), instruction);
    } else {
        add_synchronous(body, std::move(op));
    }
}

const Assumption* ModuleLowering::assumption(const Instruction& instruction,
                                             const std::string& name) const
{
    const std::string_view op_name = origin_of(module_, instruction).op_name;
    const Assumption* found = nullptr;
    std::size_t longest = 0;
    for (const auto& [words, assumed] : options_.assumed) {
        const bool exact = words == name || words == instruction.name;
        const bool part = !words.empty() && op_name.find(words) != std::string_view::npos;
        if ((exact || part) && words.size() >= longest) {
            found = &assumed;
            longest = words.size();
        }
    }
    return found;
}

void ModuleLowering::lower_assumed(Body& body, const Scope& scope, const Instruction& instruction,
                                   const std::string& name)
{
    const Assumption* const assumed = assumption(instruction, name);
    if (assumed == nullptr) {
        return; // refused before (require_no_problems)
    }
    if (assumed->kind != Assumption::Kind::seconds) {
        const std::optional<AttentionKernel> kernel =
            attention_kernel(scope.computation, instruction);
        if (!kernel) {
            module_.refuse(instruction, not_attention);
        }
        const bool causal = assumed->kind == Assumption::Kind::attention;
        lower_kernel(body, scope, instruction, instruction, cost_of(*kernel, causal), true);
        ++counts.attention_kernels;
        return;
    }
    model::Op op = op_of(body, instruction, model::Fixed{Seconds(assumed->seconds)});
    origins[op.name.text()].assumed = true;
    ++counts.assumed;
    add_synchronous(body, std::move(op));
}

model::Op ModuleLowering::op_of(Body& body, const Instruction& instruction, model::Work work)
{
    Origin origin = origin_of(module_, instruction);
    if (origin.op_name.empty() && instruction.is("fusion")) {
        origin = origin_of(module_, module_.called(instruction).root_instruction());
    }
    body.phase = phases_.of(origin.op_name, body.phase);
    if (std::find(phases.begin(), phases.end(), body.phase) == phases.end()) {
        phases.push_back(body.phase);
    }
    std::string name(instruction.name);
    for (int number = 2; origins.count(name) > 0 && number < 10; ++number) {
        name = std::string(instruction.name) + "." + std::to_string(number);
    }
    origins[name] = {std::string(instruction.name), std::string(origin.op_name),
                     source_of(module_, instruction), false};
    model::Op op;
    op.name = name;
    op.phase = body.phase;
    op.work = std::move(work);
    return op;
}

int ModuleLowering::add_synchronous(Body& body, model::Op op)
{
    op.after = std::exchange(body.waits, {});
    if (body.last >= 0) {
        op.after.push_back(body.last);
    }
    std::sort(op.after.begin(), op.after.end());
    op.after.erase(std::unique(op.after.begin(), op.after.end()), op.after.end());
    return body.last = body.graph.add(std::move(op));
}

int ModuleLowering::add_asynchronous(Body& body, model::Op op, const Instruction& start)
{
    op.after = body.waits;
    if (body.last >= 0) {
        op.after.push_back(body.last);
    }
    std::sort(op.after.begin(), op.after.end());
    op.after.erase(std::unique(op.after.begin(), op.after.end()), op.after.end());
    return body.begun[&start] = body.graph.add(std::move(op));
}

/// At the border of a loop: for what has begun and is not awaited in this computation.
void ModuleLowering::wait_for_strays(Body& body, const Scope& scope)
{
    for (auto begun = body.begun.begin(); begun != body.begun.end();) {
        if (scope.awaited.count(begun->first) > 0) {
            ++begun;
            continue;
        }
        body.waits.push_back(begun->second);
        ++counts.carried;
        begun = body.begun.erase(begun);
    }
}

} // namespace alxsim::hlo
