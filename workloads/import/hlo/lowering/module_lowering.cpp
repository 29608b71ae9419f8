// SPDX-License-Identifier: Apache-2.0
#include "workloads/import/hlo/lowering/module_lowering.h"

#include "workloads/import/hlo/lowering/kernel_work.h"
#include "workloads/import/hlo/lowering/works.h"
#include "workloads/import/hlo/running.h"
#include "workloads/import/hlo/text/attributes.h"
#include "workloads/import/hlo/text/counting.h"
#include "workloads/import/hlo/text/operation_names.h"

#include <algorithm>

namespace alxsim::hlo {
namespace {

using topologies::Tier;

std::int64_t index_attribute(const Instruction& instruction)
{
    return whole_number(instruction.attribute("index")).value_or(-1);
}

bool is_floating(DType dtype)
{
    const std::string_view name = name_of(dtype);
    return name.front() == 'f' || name.front() == 'b' || name.front() == 'c';
}

bool is_of_scalar_memory(const Shape& shape)
{
    return shape.memory_space == space::semaphores || shape.memory_space == 4 ||
           shape.memory_space == 6 || shape.memory_space == 7;
}

/// Counters, addresses and indices: single whole numbers out of next to nothing, which the scalar
/// core computes between the ops.
bool is_scalar_work(const Computation& computation, const Instruction& instruction)
{
    constexpr std::int64_t most_bytes = 4096;
    for (const Shape* leaf : leaves_of(*instruction.shape)) {
        const bool one_number = elements_of(*leaf) <= 1 && !is_floating(leaf->dtype);
        if (!one_number && !is_of_scalar_memory(*leaf)) {
            return false;
        }
    }
    std::int64_t bytes = 0;
    for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
        bytes = sum(bytes, unpadded_bytes(*computation.operand(instruction, i).shape));
    }
    return bytes <= most_bytes;
}

/// Source, destination and bytes of a copy that a -start begins, each opcode by its own rule.
struct StartedCopy {
    const Shape* from;
    const Shape* to;
    std::int64_t bytes;
};

StartedCopy started_copy(const Computation& computation, const Instruction& start)
{
    const bool updates = begins_with(start.opcode, "dynamic-update-slice");
    const Shape& source = *computation.operand(start, updates ? 1 : 0).shape;
    const std::size_t element = start.is("copy-start") ? 0 : 1;
    const Shape& target =
        element < start.shape->elements.size() ? start.shape->elements[element] : *start.shape;
    const bool takes_a_part = start.is("slice-start") || start.is("dynamic-slice-start");
    return {&source, &target, unpadded_bytes(takes_a_part ? target : source)};
}

/// The operand that a gather's table is; -1: none.
int table_of(const Instruction& instruction, const LoweredWork& work)
{
    return instruction.is("fusion") ? work.table : 0;
}

/// Where a collective's result lies: what is begun has (operand, result, ..).
const Shape& result_shape(const Instruction& instruction, bool async)
{
    const Shape& shape = *instruction.shape;
    const Shape& result = async && shape.elements.size() >= 2 ? shape.elements[1] : shape;
    return result.is_tuple() && !result.elements.empty() ? result.elements.front() : result;
}

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
        lower_assumed(body, instruction, judgement.name);
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

void ModuleLowering::lower_started_copy(Body& body, const Scope& scope,
                                        const Instruction& instruction)
{
    const StartedCopy started = started_copy(scope.computation, instruction);
    if (is_of_scalar_memory(*started.from) || is_of_scalar_memory(*started.to)) {
        ++counts.scalars;
        return;
    }
    if (!is_in_hbm(*started.from) && !is_in_hbm(*started.to)) {
        ++counts.chip_copies;
        return;
    }
    model::Copy copy;
    copy.from = is_in_hbm(*started.from) ? Tier::hbm : Tier::vmem;
    copy.to = is_in_hbm(*started.to) ? Tier::hbm : Tier::vmem;
    copy.bytes = Bytes(started.bytes);
    add_asynchronous(body, op_of(body, instruction, copy), instruction);
}

void ModuleLowering::lower_compute(Body& body, const Scope& scope, const Instruction& instruction)
{
    const std::optional<Collective> collective =
        collective_of(module_, scope.computation, instruction);
    if (collective && !instruction.is("fusion")) {
        lower_collective(body, scope, instruction, *collective, begins_work(instruction));
        return;
    }
    if (ends_with(instruction.opcode, "-start")) {
        lower_started_copy(body, scope, instruction);
        return;
    }
    if (instruction.is("send") || instruction.is("recv")) {
        return; // the other half of a transfer between slices
    }
    const FusedWork fused = works_.of(scope.computation, instruction);
    if (collective) {
        lower_collective(body, scope, instruction, *collective, fused.begins_collective);
        if (fused.products.empty()) {
            return;
        }
    }
    const bool only_waits = fused.ends_collective && works_of(fused).empty();
    if (only_waits || is_scalar_work(scope.computation, instruction)) {
        counts.scalars += only_waits ? 0 : 1;
    } else if (!fused.kernels.empty()) {
        lower_kernels(body, scope, instruction, fused.kernels);
    } else {
        lower_works(body, scope, instruction, fused);
    }
}

/// Bytes by the estimate, of which those count that lie in HBM.
void ModuleLowering::lower_kernels(Body& body, const Scope& scope, const Instruction& instruction,
                                   const std::vector<const Instruction*>& kernels)
{
    const HbmTraffic traffic = traffic_.of(scope.computation, instruction);
    std::int64_t all = unpadded_bytes(*instruction.shape);
    std::int64_t in_hbm = traffic.written;
    for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
        all = sum(all, unpadded_bytes(*scope.computation.operand(instruction, i).shape));
        in_hbm = sum(in_hbm, traffic.read[i]);
    }
    for (const Instruction* kernel : kernels) {
        const std::optional<KernelCost> cost = cost_estimate(module_, *kernel);
        if (!cost) {
            continue; // judged before
        }
        const double share =
            all > 0 ? std::min(1.0, static_cast<double>(in_hbm) / static_cast<double>(all)) : 0;
        const auto bytes =
            static_cast<std::int64_t>(static_cast<double>(cost->bytes_accessed) * share);
        const std::int64_t written = std::min(bytes, traffic.written);
        model::Op op = op_of(body, instruction, work_of_kernel(*cost));
        op.reads.push_back({buffers::temporaries, Bytes(bytes - written)});
        op.writes.push_back({buffers::temporaries, Bytes(written)});
        origins[op.name.text()].assumed = true;
        ++counts.estimated_kernels;
        add_synchronous(body, std::move(op));
    }
}

void ModuleLowering::lower_works(Body& body, const Scope& scope, const Instruction& instruction,
                                 const FusedWork& fused)
{
    const HbmTraffic traffic = traffic_.of(scope.computation, instruction);
    const std::vector<LoweredWork> works = works_of(fused);
    if (works.empty()) {
        lower_moves(body, scope, instruction, traffic);
        return;
    }
    std::set<int> tables; ///< counted by their rows
    for (const LoweredWork& work : works) {
        if (std::holds_alternative<model::RowGather>(work.work)) {
            tables.insert(table_of(instruction, work));
        }
    }
    for (std::size_t i = 0; i < works.size(); ++i) {
        model::Op op = op_of(body, instruction, works[i].work);
        add_table(scope, instruction, works[i], op);
        if (i == 0) {
            add_reads(scope, instruction, traffic, tables, op);
            const bool scatters = std::holds_alternative<model::RowScatter>(op.work);
            if (traffic.written > 0 && !scatters) {
                op.writes.push_back({buffers::temporaries, Bytes(traffic.written)});
            }
        }
        add_synchronous(body, std::move(op));
    }
}

/// Where the table of a gather or scatter stands: a scatter's is its result. What a fusion computes
/// before it gathers from it is in VMEM.
void ModuleLowering::add_table(const Scope& scope, const Instruction& instruction,
                               const LoweredWork& work, model::Op& op)
{
    const bool gathers = std::holds_alternative<model::RowGather>(work.work);
    if (!gathers && !std::holds_alternative<model::RowScatter>(work.work)) {
        return;
    }
    const int table = table_of(instruction, work);
    const bool in_hbm =
        gathers
            ? table >= 0 &&
                  is_in_hbm(*scope.computation.operand(instruction, static_cast<std::size_t>(table))
                                 .shape)
            : is_in_hbm(*instruction.shape);
    (gathers ? op.reads : op.writes)
        .push_back({in_hbm ? buffers::temporaries : buffers::vmem, Bytes(0)});
    counts.on_chip += in_hbm ? 0 : 1;
}

/// What computes nothing: a stream of what it moves in HBM, else a pass through VMEM.
void ModuleLowering::lower_moves(Body& body, const Scope& scope, const Instruction& instruction,
                                 const HbmTraffic& traffic)
{
    std::int64_t read = 0;
    for (const std::int64_t bytes : traffic.read) {
        read = sum(read, bytes);
    }
    if (read == 0 && traffic.written == 0) {
        std::int64_t elements = 0;
        for (const Shape* leaf : leaves_of(*instruction.shape)) {
            elements = sum(elements, is_on_chip(*leaf) ? elements_of(*leaf) : 0);
        }
        if (elements == 0) {
            return; // passes on what it gets
        }
        model::Vector vector;
        vector.elements = elements;
        add_synchronous(body, op_of(body, instruction, vector));
        return;
    }
    model::Op op = op_of(body, instruction, model::stream_of(Bytes(read), Bytes(traffic.written)));
    add_reads(scope, instruction, traffic, {}, op);
    if (traffic.written > 0) {
        op.writes.push_back({buffers::temporaries, Bytes(traffic.written)});
    }
    add_synchronous(body, std::move(op));
}

const double* ModuleLowering::assumed_seconds(const Instruction& instruction,
                                              const std::string& name) const
{
    const std::string_view op_name = origin_of(module_, instruction).op_name;
    const double* found = nullptr;
    std::size_t longest = 0;
    for (const auto& [words, seconds] : options_.assumed_seconds) {
        const bool exact = words == name || words == instruction.name;
        const bool part = !words.empty() && op_name.find(words) != std::string_view::npos;
        if ((exact || part) && words.size() >= longest) {
            found = &seconds;
            longest = words.size();
        }
    }
    return found;
}

void ModuleLowering::lower_assumed(Body& body, const Instruction& instruction,
                                   const std::string& name)
{
    const double* const seconds = assumed_seconds(instruction, name);
    if (seconds == nullptr) {
        return; // refused before (require_no_problems)
    }
    model::Op op = op_of(body, instruction, work_of_seconds(*seconds, machine_.device));
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

void ModuleLowering::add_reads(const Scope& scope, const Instruction& instruction,
                               const HbmTraffic& traffic, const std::set<int>& except,
                               model::Op& op) const
{
    std::int64_t arguments = 0, temporaries = 0;
    for (std::size_t i = 0; i < traffic.read.size(); ++i) {
        if (except.count(static_cast<int>(i)) == 0) {
            std::int64_t& bytes =
                is_argument(scope, instruction.operands[i]) ? arguments : temporaries;
            bytes = sum(bytes, traffic.read[i]);
        }
    }
    if (arguments > 0) {
        op.reads.push_back({buffers::arguments, Bytes(arguments)});
    }
    if (temporaries > 0) {
        op.reads.push_back({buffers::temporaries, Bytes(temporaries)});
    }
}

bool ModuleLowering::is_argument(const Scope& scope, int value) const
{
    for (;;) {
        const Instruction& at = scope.computation.instructions[static_cast<std::size_t>(value)];
        if (at.is("parameter")) {
            return scope.computation.is_entry;
        }
        if (at.operands.empty()) {
            return false;
        }
        const Instruction& operand = scope.computation.operand(at, 0);
        if (at.is("get-tuple-element") && operand.is("parameter")) {
            const auto element = static_cast<std::size_t>(index_attribute(at));
            return scope.computation.is_entry ||
                   (element < scope.arguments.size() && scope.arguments[element]);
        }
        if (!at.is("bitcast")) {
            return false;
        }
        value = at.operands.front();
    }
}

/// What enters as an argument and is handed on unchanged.
std::vector<bool> ModuleLowering::arguments_of_loop(const Scope& scope,
                                                    const Instruction& loop) const
{
    const Instruction& state = scope.computation.operand(loop, 0);
    const Computation& body =
        module_.computations[static_cast<std::size_t>(loop.called_as("body"))];
    const Instruction& root = body.root_instruction();
    std::vector<bool> arguments;
    if (!state.is("tuple") || !root.is("tuple")) {
        return arguments;
    }
    for (std::size_t i = 0; i < std::min(state.operands.size(), root.operands.size()); ++i) {
        const Instruction& next = body.operand(root, i);
        const bool stays = next.is("get-tuple-element") &&
                           index_attribute(next) == static_cast<std::int64_t>(i) &&
                           body.operand(next, 0).is("parameter");
        arguments.push_back(stays && is_argument(scope, state.operands[i]));
    }
    return arguments;
}

} // namespace alxsim::hlo
