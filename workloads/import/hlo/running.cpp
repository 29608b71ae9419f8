// SPDX-License-Identifier: Apache-2.0
#include "workloads/import/hlo/running.h"

#include "workloads/import/hlo/attention.h"
#include "workloads/import/hlo/collectives.h"
#include "workloads/import/hlo/kernels.h"
#include "workloads/import/hlo/text/attributes.h"
#include "workloads/import/hlo/text/counting.h"
#include "workloads/import/hlo/text/operation_names.h"

#include <set>

namespace alxsim::hlo {
namespace {

bool calls_what_runs(const Instruction& instruction)
{
    return instruction.is("while") || instruction.is("call") || instruction.is("call-start") ||
           instruction.is("async-start") || instruction.is("conditional");
}

Judgement judged_custom_call(const Module& module, const Computation& computation,
                             const Instruction& instruction)
{
    const std::string target(without_quotes(instruction.attribute("custom_call_target")));
    if (is_free_custom_call(target)) {
        return {Fate::free, {}, {}};
    }
    if (target == "TopK" || target == "PartialReduce") {
        return {};
    }
    if (target != "tpu_custom_call") {
        return {Fate::unmapped, target, "a custom call whose cost nobody knows"};
    }
    if (cost_estimate(module, instruction)) {
        return {};
    }
    const std::string_view op_name = origin_of(module, instruction).op_name;
    return {Fate::unmapped, target,
            "a kernel without cost_estimate, " +
                std::string(op_name.empty() ? instruction.name : op_name) +
                (attention_kernel(computation, instruction)
                     ? " (its shapes are those of attention: NAME=attention prices it by them)"
                     : "")};
}

/// What of a fusion is unmapped; else the fusion is mapped. Computations of `seen` are not looked
/// into again, however often they are called.
Judgement judged_fused(const Module& module, const Computation& fused,
                       std::set<const Computation*>& seen)
{
    if (!seen.insert(&fused).second) {
        return {};
    }
    for (const Instruction& instruction : fused.instructions) {
        const Judgement one = instruction.is("fusion")
                                  ? judged_fused(module, module.called(instruction), seen)
                                  : judged(module, fused, instruction);
        if (one.fate == Fate::unmapped) {
            return one;
        }
    }
    return {};
}

} // namespace

Runs runs_of(const Module& module, const XlaCosts& costs)
{
    Runs runs;
    runs.times.resize(module.computations.size());
    runs.stands.resize(module.computations.size());
    runs.times[static_cast<std::size_t>(module.entry)] = 1;
    runs.stands[static_cast<std::size_t>(module.entry)] = true;
    for (std::size_t c = module.computations.size(); c-- > 0;) { // each before what it calls
        if (!runs.stands[c]) {
            continue;
        }
        for (const Instruction& instruction : module.computations[c].instructions) {
            if (!calls_what_runs(instruction)) {
                continue;
            }
            const bool branches = instruction.is("conditional");
            const std::size_t taken = branches ? costs.branch_of(instruction) : 0;
            const std::int64_t trips = instruction.is("while") ? costs.trips_of(instruction) : 1;
            for (std::size_t i = 0; i < instruction.called.size(); ++i) {
                const auto called = static_cast<std::size_t>(instruction.called[i].computation);
                runs.stands[called] = true;
                if (!branches || i == taken) {
                    runs.times[called] = sum(runs.times[called], product(runs.times[c], trips));
                }
            }
        }
    }
    return runs;
}

Judgement judged(const Module& module, const Computation& computation,
                 const Instruction& instruction)
{
    if (instruction.is("fusion")) {
        std::set<const Computation*> seen;
        return judged_fused(module, module.called(instruction), seen);
    }
    if (instruction.is("custom-call")) {
        return judged_custom_call(module, computation, instruction);
    }
    if (is_free(instruction.opcode)) {
        return {Fate::free, {}, {}};
    }
    if (is_known_work(instruction.opcode) ||
        collective_of(module, computation, instruction).has_value()) {
        return {};
    }
    if (instruction.is("ragged-all-to-all")) {
        return {Fate::unmapped, "ragged-all-to-all",
                "how much it moves is data; its buffer is an upper bound"};
    }
    return {Fate::unmapped, std::string(instruction.opcode), "no op does this"};
}

} // namespace alxsim::hlo
