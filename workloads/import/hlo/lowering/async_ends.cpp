// SPDX-License-Identifier: Apache-2.0
#include "workloads/import/hlo/lowering/async_ends.h"

#include "workloads/import/hlo/text/attributes.h"
#include "workloads/import/hlo/text/operation_names.h"

namespace alxsim::hlo {
namespace {

/// Reads from output_to_operand_aliasing={{1}: (0, {}), ..} the operand that element `element` of
/// the result is; -1: none.
std::int64_t aliased_operand(const Instruction& fusion, std::int64_t element)
{
    const std::vector<std::int64_t> numbers =
        numbers_in(fusion.attribute("output_to_operand_aliasing"));
    for (std::size_t i = 0; i + 1 < numbers.size(); i += 2) {
        if (numbers[i] == element) {
            return numbers[i + 1];
        }
    }
    return -1;
}

std::int64_t element_of(const Instruction& get_tuple_element)
{
    return whole_number(get_tuple_element.attribute("index")).value_or(-1);
}

/// The fusion that has begun the collective which a value belongs to; null: none is seen.
const Instruction* beginning_of(const Computation& computation, int value, FusedWorks& works)
{
    std::int64_t element = -1;
    while (value >= 0) {
        const Instruction& at = computation.instructions[static_cast<std::size_t>(value)];
        if (at.is("get-tuple-element")) {
            element = element_of(at);
            value = at.operands.front();
        } else if (at.is("bitcast") && !at.operands.empty()) {
            value = at.operands.front();
        } else if (at.is("fusion")) {
            if (works.of_computation(at.called.front().computation).begins_collective) {
                return &at;
            }
            const std::int64_t operand = aliased_operand(at, element);
            const bool known =
                operand >= 0 && operand < static_cast<std::int64_t>(at.operands.size());
            value = known ? at.operands[static_cast<std::size_t>(operand)] : -1;
        } else {
            return nullptr;
        }
    }
    return nullptr;
}

bool is_start_of_done(const Instruction& start)
{
    return begins_work(start) || start.is("recv") || start.is("async-update");
}

} // namespace

bool begins_work(const Instruction& instruction)
{
    return ends_with(instruction.opcode, "-start") || instruction.is("send") ||
           instruction.is("recv");
}

std::string_view rendezvous_of(const Instruction& instruction)
{
    const std::string_view all = instruction.attribute("frontend_attributes");
    for (const Attribute& field : fields_of(all)) {
        if (field.name == "_xla_host_transfer_rendezvous") {
            return without_quotes(field.value);
        }
    }
    return {};
}

std::vector<const Instruction*> awaited_by(const Computation& computation,
                                           const Instruction& instruction, FusedWorks& works,
                                           bool* carried)
{
    std::vector<const Instruction*> begun;
    if (ends_with(instruction.opcode, "-done") && !instruction.operands.empty()) {
        const Instruction* start = &computation.operand(instruction, 0);
        while (start->is("async-update") && !start->operands.empty()) {
            start = &computation.operand(*start, 0);
        }
        if (is_start_of_done(*start)) {
            begun.push_back(start);
        } else if (carried != nullptr) {
            *carried = true;
        }
        return begun;
    }
    if (!instruction.is("fusion") ||
        !works.of_computation(instruction.called.front().computation).ends_collective) {
        return begun;
    }
    std::set<const Instruction*> seen;
    for (const int operand : instruction.operands) {
        const Instruction* const start = beginning_of(computation, operand, works);
        if (start != nullptr && seen.insert(start).second) {
            begun.push_back(start);
        }
    }
    if (begun.empty() && carried != nullptr) {
        *carried = true;
    }
    return begun;
}

std::set<const Instruction*> awaited_in(const Computation& computation, FusedWorks& works)
{
    std::set<const Instruction*> all;
    for (const Instruction& instruction : computation.instructions) {
        for (const Instruction* start : awaited_by(computation, instruction, works)) {
            all.insert(start);
        }
    }
    return all;
}

} // namespace alxsim::hlo
