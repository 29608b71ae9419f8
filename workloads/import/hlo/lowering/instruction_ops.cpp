// SPDX-License-Identifier: Apache-2.0
#include "workloads/import/hlo/lowering/module_lowering.h"

#include "workloads/import/hlo/lowering/kernel_work.h"
#include "workloads/import/hlo/text/attributes.h"
#include "workloads/import/hlo/text/counting.h"
#include "workloads/import/hlo/text/operation_names.h"

#include <algorithm>

// What an instruction by itself is as ops: the part of ModuleLowering that knows no schedule.
namespace alxsim::hlo {
namespace {

using MemoryTier = topologies::Tier;

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

/// Rows that a call of the SparseCore's thread moves, where the chip has one.
void move_to_sparse_core(const topologies::Machine& machine, model::Work& work)
{
    const bool has_one = machine.device.sparsecore_row > Seconds(0);
    if (auto* gather = std::get_if<model::RowGather>(&work)) {
        gather->on_sparse_core = has_one;
    } else if (auto* scatter = std::get_if<model::RowScatter>(&work)) {
        scatter->on_sparse_core = has_one;
    }
}

} // namespace

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
    copy.from = is_in_hbm(*started.from) ? MemoryTier::hbm : MemoryTier::vmem;
    copy.to = is_in_hbm(*started.to) ? MemoryTier::hbm : MemoryTier::vmem;
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

/// Bytes by the cost, of which those count that lie in HBM.
void ModuleLowering::lower_kernel(Body& body, const Scope& scope, const Instruction& instruction,
                                  const Instruction& kernel, const KernelCost& cost, bool attention)
{
    const HbmTraffic traffic = traffic_.of(scope.computation, instruction);
    std::int64_t all = unpadded_bytes(*instruction.shape);
    std::int64_t in_hbm = traffic.written;
    for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
        all = sum(all, unpadded_bytes(*scope.computation.operand(instruction, i).shape));
        in_hbm = sum(in_hbm, traffic.read[i]);
    }
    const double share =
        all > 0 ? std::min(1.0, static_cast<double>(in_hbm) / static_cast<double>(all)) : 0;
    const auto bytes = static_cast<std::int64_t>(static_cast<double>(cost.bytes_accessed) * share);
    const std::int64_t written = std::min(bytes, traffic.written);
    model::Custom work = work_of_kernel(cost, origin_of(module_, kernel).op_name);
    work.attention = work.attention || attention;
    model::Op op = op_of(body, instruction, work);
    op.reads.push_back({buffers::temporaries, Bytes(bytes - written)});
    op.writes.push_back({buffers::temporaries, Bytes(written)});
    origins[op.name.text()].assumed = true;
    add_synchronous(body, std::move(op));
}

void ModuleLowering::lower_kernels(Body& body, const Scope& scope, const Instruction& instruction,
                                   const std::vector<const Instruction*>& kernels)
{
    for (const Instruction* kernel : kernels) {
        // Those without an estimate were judged before.
        if (const std::optional<KernelCost> cost = cost_estimate(module_, *kernel)) {
            lower_kernel(body, scope, instruction, *kernel, *cost, false);
            ++counts.estimated_kernels;
        }
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
        if (scope.computation.execution_thread == "sparsecore") {
            move_to_sparse_core(machine_, op.work);
        }
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
