// SPDX-License-Identifier: Apache-2.0
#include "workloads/import/hlo/lowering/lowering.h"

#include "base/input_error.h"
#include "workloads/import/hlo/lowering/module_lowering.h"
#include "workloads/import/hlo/lowering/placement.h"
#include "workloads/import/hlo/text/counting.h"

#include <algorithm>

namespace alxsim::hlo {
namespace {

/// What of a program lies in host memory: its arguments there, and what is copied to it besides.
Bytes host_bytes(const Module& module, const Accounts& accounts, const Sidecar* sidecar)
{
    if (sidecar != nullptr && sidecar->memory) {
        return Bytes(sidecar->memory->host_arguments + sidecar->memory->host_temporary);
    }
    std::int64_t bytes = accounts.host.to_host_bytes;
    for (const int parameter : module.entry_computation().parameters) {
        for (const Shape* leaf : leaves_of(*module.entry_computation()
                                                .instructions[static_cast<std::size_t>(parameter)]
                                                .shape)) {
            bytes = sum(bytes, leaf->memory_space == space::host ? padded_bytes(*leaf) : 0);
        }
    }
    return Bytes(bytes);
}

void add_buffers(const Accounts& accounts, Bytes in_host, const LoweringCounts& counts,
                 model::OpGraph& graph)
{
    const LiveMemory& memory = accounts.memory;
    const std::int64_t beside =
        std::max<std::int64_t>(0, memory.peak_bytes - memory.arguments_bytes);
    graph.buffers.push_back(
        {buffers::arguments, Bytes(memory.arguments_bytes), model::Residency::hbm});
    graph.buffers.push_back({buffers::temporaries, Bytes(beside), model::Residency::hbm});
    if (counts.on_chip > 0) {
        graph.buffers.push_back({buffers::vmem, Bytes(0), model::Residency::vmem});
    }
    if (counts.host_copies > 0) {
        graph.buffers.push_back({buffers::host, in_host, model::Residency::host});
    }
}

std::string counted(std::int64_t number, const char* one, const char* several)
{
    return std::to_string(number) + " " + (number == 1 ? one : several);
}

std::vector<std::string> notes_of(const LoweringCounts& counts, const Accounts& accounts,
                                  bool placed)
{
    std::vector<std::string> notes;
    const auto note = [&notes](bool holds, const std::string& words) {
        if (holds) {
            notes.push_back(words);
        }
    };
    note(!placed, "no placement of partitions is known: partition i is taken to be device i, which "
                  "are numbered with the last axis fastest");
    note(counts.estimated_kernels > 0,
         counted(counts.estimated_kernels, "kernel is", "kernels are") +
             " taken as its author's cost_estimate says: products at the arrays' full rate, of "
             "attention at the share of it that compiled kernels reach "
             "(attention_kernel_mxu_frac)");
    note(counts.assumed > 0, counted(counts.assumed, "instruction takes", "instructions take") +
                                 " the seconds that were given");
    note(counts.attention_kernels > 0,
         counted(counts.attention_kernels, "kernel of attention is", "kernels of attention are") +
             " priced by the shapes of their operands, as you said: 2 products forward, 3 to the "
             "gradient of queries, 4 to those of keys and values, 5 to all, causal ones half; at "
             "the share of the arrays' rate that such kernels reach (attention_kernel_mxu_frac)");
    note(counts.carried > 0, counted(counts.carried, "asynchronous operation crosses",
                                     "asynchronous operations cross") +
                                 " the border of a loop, where it is waited for");
    note(counts.beside_copies > 0,
         counted(counts.beside_copies, "synchronous collective has",
                 "synchronous collectives have") +
             " copies beside: \"overlap\" is async, while the ops behind wait for it");
    note(counts.scalars > 0,
         counted(counts.scalars, "instruction computes", "instructions compute") +
             " single whole numbers, which the scalar core does meanwhile");
    note(counts.chip_copies > 0,
         counted(counts.chip_copies, "asynchronous copy", "asynchronous copies") +
             " within VMEM cost nothing");
    note(counts.callbacks > 0,
         counted(counts.callbacks, "transfer of a callback has", "transfers of callbacks have") +
             " its bytes' time; what the host does meanwhile is not known");
    for (const TakenBranch& branch : accounts.branches) {
        note(!branch.given, "of '" + branch.conditional + "' branch " +
                                std::to_string(branch.branch) + " is taken, the dearest of " +
                                std::to_string(branch.branches) + "; --branch says otherwise");
    }
    return notes;
}

} // namespace

Lowered lowered(const Module& module, const Sidecar* sidecar, const topologies::Machine& machine,
                const LoweringOptions& options)
{
    Lowered result;
    AccountOptions account{options.trips, options.branches, {}};
    for (const auto& [name, assumption] : options.assumed) {
        account.assumed.insert(name);
    }
    result.accounts = accounts_of(module, account, sidecar);
    require_no_problems(result.accounts, module.file);
    if (sidecar != nullptr && participants(module) != 0) {
        check_partitions(*sidecar, module.file, participants(module));
    }
    const XlaCosts costs(module, result.accounts.trip_counts, options.branches);
    ModuleLowering lowering(
        module, machine, devices_of_partitions(sidecar, machine, participants(module), module.file),
        costs, options);
    model::OpGraph graph = lowering.run();
    add_buffers(result.accounts, host_bytes(module, result.accounts, sidecar), lowering.counts,
                graph);
    result.graph = std::make_shared<const model::OpGraph>(std::move(graph));
    result.phases = std::move(lowering.phases);
    result.origins = std::move(lowering.origins);
    result.notes = notes_of(lowering.counts, result.accounts,
                            sidecar != nullptr && !sidecar->assignment.empty());
    if (!module.is_scheduled()) {
        result.notes.push_back("the text is not scheduled: instructions run in the order in which "
                               "they stand, each by itself where nothing is fused");
    }
    if (sidecar != nullptr && !sidecar->wrap) {
        result.notes.push_back("which axes of the slice are rings is not said: all are lines, for "
                               "which the program was compiled");
    }
    const std::int64_t assumed = lowering.counts.assumed + lowering.counts.attention_kernels +
                                 lowering.counts.estimated_kernels;
    result.assumed_share = static_cast<double>(assumed) /
                           static_cast<double>(std::max<std::int64_t>(1, result.accounts.mapped));
    return result;
}

} // namespace alxsim::hlo
