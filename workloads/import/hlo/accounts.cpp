// SPDX-License-Identifier: Apache-2.0
#include "workloads/import/hlo/accounts.h"

#include "base/input_error.h"
#include "workloads/import/hlo/collectives.h"
#include "workloads/import/hlo/running.h"
#include "workloads/import/hlo/text/attributes.h"
#include "workloads/import/hlo/text/counting.h"

#include <algorithm>

namespace alxsim::hlo {
namespace {

/// Goes through what runs.
class Counting {
public:
    Counting(const Module& module, const AccountOptions& options, Accounts& accounts)
        : module_(module),
          options_(options),
          accounts_(accounts)
    {
    }
    void count(const XlaCosts& costs);

private:
    void count_instruction(const Computation& computation, const Instruction& instruction,
                           std::int64_t times);
    void count_unmapped(const Judgement& judgement);
    bool is_assumed(const Instruction& instruction, const std::string& name);
    void count_kernel(const Instruction& instruction, std::int64_t times);
    void count_traffic(const Computation& computation, const Instruction& instruction,
                       std::int64_t times);

    const Module& module_;
    const AccountOptions& options_;
    Accounts& accounts_;
    std::set<std::string> assumed_;
};

void Counting::count(const XlaCosts& costs)
{
    const Runs runs = runs_of(module_, costs);
    for (std::size_t c = 0; c < module_.computations.size(); ++c) {
        if (!runs.stands[c]) {
            continue;
        }
        for (const Instruction& instruction : module_.computations[c].instructions) {
            count_instruction(module_.computations[c], instruction, runs.times[c]);
            if (instruction.is("conditional")) {
                accounts_.branches.push_back(
                    {std::string(instruction.name),
                     static_cast<std::int64_t>(costs.branch_of(instruction)),
                     static_cast<std::int64_t>(instruction.called.size()),
                     costs.is_given(instruction)});
            }
        }
    }
    for (const std::string& name : options_.assumed) {
        if (assumed_.count(name) == 0) {
            throw InputError(module_.file, "",
                             "found '" + name +
                                 "' to be assumed; allowed: what is unmapped in this program");
        }
    }
    accounts_.assumed.assign(assumed_.begin(), assumed_.end());
}

void Counting::count_instruction(const Computation& computation, const Instruction& instruction,
                                 std::int64_t times)
{
    ++accounts_.instructions;
    const Judgement judgement = judged(module_, computation, instruction);
    if (judgement.fate == Fate::free) {
        ++accounts_.free;
    } else if (judgement.fate == Fate::mapped || is_assumed(instruction, judgement.name)) {
        ++accounts_.mapped;
    } else {
        count_unmapped(judgement);
    }
    count_kernel(instruction, times);
    count_traffic(computation, instruction, times);
}

bool Counting::is_assumed(const Instruction& instruction, const std::string& name)
{
    const std::string_view op_name = origin_of(module_, instruction).op_name;
    for (const std::string& assumed : options_.assumed) {
        if (assumed == name || assumed == instruction.name ||
            (!assumed.empty() && op_name.find(assumed) != std::string_view::npos)) {
            assumed_.insert(assumed);
            return true;
        }
    }
    return false;
}

void Counting::count_unmapped(const Judgement& judgement)
{
    auto& all = accounts_.unmapped;
    auto found = std::find_if(all.begin(), all.end(), [&](const Unmapped& one) {
        return one.name == judgement.name && one.reason == judgement.reason;
    });
    if (found == all.end()) {
        all.push_back({judgement.name, 0, judgement.reason});
        found = all.end() - 1;
    }
    ++found->count;
}

void Counting::count_kernel(const Instruction& instruction, std::int64_t times)
{
    if (instruction.is("fusion")) { // kernels stand in none that are nested
        for (const Instruction& fused : module_.called(instruction).instructions) {
            if (fused.is("custom-call")) {
                count_kernel(fused, times);
            }
        }
    }
    if (without_quotes(instruction.attribute("custom_call_target")) == "tpu_custom_call") {
        accounts_.kernels.push_back({std::string(instruction.name),
                                     std::string(origin_of(module_, instruction).op_name),
                                     cost_estimate(module_, instruction), times});
    }
}

void Counting::count_traffic(const Computation& computation, const Instruction& instruction,
                             std::int64_t times)
{
    if (const auto collective = collective_of(module_, computation, instruction)) {
        CollectiveCounts& counts =
            collective->between_slices ? accounts_.dcn : accounts_.collectives;
        const std::string kind(collective->kind);
        counts.bytes[kind] = sum(counts.bytes[kind], product(collective->bytes, times));
        counts.calls[kind] = sum(counts.calls[kind], times);
    }
    const HostTransfer transfer = host_transfer_of(computation, instruction);
    if (transfer == HostTransfer::none) {
        return;
    }
    const std::int64_t bytes = product(host_transfer_bytes(computation, instruction), times);
    std::int64_t& total = transfer == HostTransfer::to_host ? accounts_.host.to_host_bytes
                                                            : accounts_.host.from_host_bytes;
    total = sum(total, bytes);
    accounts_.host.copies = sum(accounts_.host.copies, times);
}

/// " (train.py:30)", or nothing.
std::string written_in(const Module& module, const TripCount& trip)
{
    const Computation& around = module.computations[static_cast<std::size_t>(trip.computation)];
    const std::string source =
        source_of(module, around.instructions[static_cast<std::size_t>(trip.instruction)]);
    return source.empty() ? "" : " (" + source + ")";
}

void list_problems(const Module& module, Accounts& accounts)
{
    for (const Unmapped& one : accounts.unmapped) {
        accounts.problems.push_back(one.name + " (" + std::to_string(one.count) +
                                    (one.count == 1 ? " time): " : " times): ") + one.reason);
    }
    for (const TripCount& trip : accounts.trip_counts) {
        if (!trip.count) {
            accounts.problems.push_back("loop '" + trip.loop + "'" + written_in(module, trip) +
                                        ": " + trip.problem);
        }
    }
}

} // namespace

Accounts accounts_of(const Module& module, const AccountOptions& options, const Sidecar* sidecar)
{
    Accounts accounts;
    accounts.trip_counts = trip_counts(module, options.trips);
    const XlaCosts costs(module, accounts.trip_counts, options.branches);
    accounts.total = costs.with_trips(module.entry);
    accounts.once = costs.once(module.entry);
    Counting(module, options, accounts).count(costs);
    accounts.memory = live_memory(module);
    if (sidecar != nullptr && sidecar->memory) {
        accounts.allocated_bytes = sidecar->memory->allocated();
    }
    list_problems(module, accounts);
    return accounts;
}

void require_no_problems(const Accounts& accounts, const std::string& file)
{
    if (accounts.problems.empty()) {
        return;
    }
    throw InputError(file, "",
                     "holds what nobody knows the time of:\n    " +
                         join(accounts.problems, "\n    ") +
                         "\nallowed: --assume for instructions, --trip NAME=N for loops");
}

} // namespace alxsim::hlo
