// SPDX-License-Identifier: Apache-2.0
#include "workloads/import/hlo/lowering/traffic.h"

#include "workloads/import/hlo/text/attributes.h"
#include "workloads/import/hlo/text/counting.h"
#include "workloads/import/hlo/text/operation_names.h"

#include <algorithm>

namespace alxsim::hlo {
namespace {

bool passes_on(const Instruction& instruction)
{
    return instruction.is("bitcast") || instruction.is("reshape") || instruction.is("opt-barrier");
}

bool is_collective_opcode(std::string_view opcode)
{
    return begins_with(opcode, "all-") || begins_with(opcode, "collective-permute") ||
           begins_with(opcode, "reduce-scatter");
}

/// Marks of asynchronous collectives, which move what they move by themselves.
bool is_of_a_collective(const Instruction& instruction)
{
    return is_collective_opcode(instruction.opcode) ||
           (instruction.is("custom-call") &&
            begins_with(without_quotes(instruction.attribute("custom_call_target")),
                        "AsyncCollective"));
}

const Shape& leading_array(const Shape& shape)
{
    return shape.is_tuple() && !shape.elements.empty() ? leading_array(shape.elements.front())
                                                       : shape;
}

std::int64_t update_bytes(const Computation& computation, const Instruction& instruction)
{
    const std::size_t update =
        instruction.is("scatter") ? instruction.operands.size() - 1 : std::size_t{1};
    return unpadded_bytes(*computation.operand(instruction, update).shape);
}

std::size_t number_of_parameter(const Computation& computation, int value)
{
    const auto found =
        std::find(computation.parameters.begin(), computation.parameters.end(), value);
    return static_cast<std::size_t>(found - computation.parameters.begin());
}

} // namespace

bool is_in_hbm(const Shape& shape)
{
    const Shape& array = leading_array(shape);
    return array.is_array() && array.memory_space == space::hbm;
}

bool is_on_chip(const Shape& shape)
{
    const int where = leading_array(shape).memory_space;
    return where == space::vmem || where == space::cmem;
}

int parameter_behind(const Computation& computation, int value)
{
    for (;;) {
        const Instruction& at = computation.instructions[static_cast<std::size_t>(value)];
        if (at.is("parameter")) {
            return static_cast<int>(number_of_parameter(computation, value));
        }
        if (!passes_on(at) || at.operands.empty()) {
            return -1;
        }
        value = at.operands.front();
    }
}

Traffic::Taken Traffic::taken_by(const Computation& computation, const Instruction& user,
                                 std::size_t operand)
{
    if (user.is("tuple") || is_of_a_collective(user)) {
        return {};
    }
    if (user.is("fusion")) {
        const std::vector<std::int64_t>& nested = reads(user.called.front().computation);
        return {operand < nested.size() ? nested[operand] : 0, false};
    }
    if (operand == 0) {
        if (user.is("slice") || user.is("dynamic-slice") || user.is("gather")) {
            return {unpadded_bytes(*user.shape), false};
        }
        if (user.is("dynamic-update-slice") || user.is("scatter")) {
            return {};
        }
    }
    return {unpadded_bytes(*computation.operand(user, operand).shape), true};
}

Traffic::Taken Traffic::taken_of(const Computation& fused, const Users& users, int value)
{
    Taken all;
    for (const auto& [number, operand] : users[static_cast<std::size_t>(value)]) {
        const Instruction& user = fused.instructions[static_cast<std::size_t>(number)];
        const Taken one =
            passes_on(user) ? taken_of(fused, users, number) : taken_by(fused, user, operand);
        if (one.whole) {
            return one;
        }
        all.parts = sum(all.parts, one.parts);
    }
    return all;
}

const std::vector<std::int64_t>& Traffic::reads(int computation)
{
    const auto known = reads_.find(computation);
    if (known != reads_.end()) {
        return known->second;
    }
    const Computation& fused = module_.computations[static_cast<std::size_t>(computation)];
    Users users(fused.instructions.size());
    for (std::size_t i = 0; i < fused.instructions.size(); ++i) {
        const std::vector<int>& operands = fused.instructions[i].operands;
        for (std::size_t o = 0; o < operands.size(); ++o) {
            users[static_cast<std::size_t>(operands[o])].emplace_back(static_cast<int>(i), o);
        }
    }
    std::vector<std::int64_t> all;
    for (const int parameter : fused.parameters) {
        const Shape& shape = *fused.instructions[static_cast<std::size_t>(parameter)].shape;
        all.push_back(std::min(taken_of(fused, users, parameter).parts, unpadded_bytes(shape)));
    }
    return reads_[computation] = std::move(all);
}

std::vector<std::int64_t> Traffic::written_by(const Computation& computation, int value)
{
    const Instruction& at = computation.instructions[static_cast<std::size_t>(value)];
    std::vector<std::int64_t> bytes;
    if (at.is("tuple")) {
        for (const int operand : at.operands) {
            const std::vector<std::int64_t> one = written_by(computation, operand);
            bytes.insert(bytes.end(), one.begin(), one.end());
        }
        return bytes;
    }
    if (at.is("fusion")) {
        return writes(at.called.front().computation);
    }
    if (passes_on(at) && !at.operands.empty()) {
        return written_by(computation, at.operands.front());
    }
    if (at.is("get-tuple-element")) { // which leaf it is is not looked for: few are nested so
        for (const Shape* leaf : leaves_of(*at.shape)) {
            bytes.push_back(unpadded_bytes(*leaf));
        }
        return bytes;
    }
    const bool moves_nothing = at.is("parameter") || is_of_a_collective(at);
    for (const Shape* leaf : leaves_of(*at.shape)) {
        const bool updates = at.is("dynamic-update-slice") || at.is("scatter");
        bytes.push_back(moves_nothing ? 0
                        : updates     ? update_bytes(computation, at)
                                      : unpadded_bytes(*leaf));
    }
    return bytes;
}

const std::vector<std::int64_t>& Traffic::writes(int computation)
{
    const auto known = writes_.find(computation);
    if (known != writes_.end()) {
        return known->second;
    }
    const Computation& fused = module_.computations[static_cast<std::size_t>(computation)];
    return writes_[computation] = written_by(fused, fused.root);
}

HbmTraffic Traffic::of(const Computation& computation, const Instruction& instruction)
{
    HbmTraffic traffic;
    const bool fusion = instruction.is("fusion");
    for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
        const bool moves = is_in_hbm(*computation.operand(instruction, i).shape);
        traffic.read.push_back(moves ? taken_by(computation, instruction, i).parts : 0);
    }
    const auto value = static_cast<int>(&instruction - computation.instructions.data());
    const std::vector<std::int64_t> written =
        fusion ? writes(instruction.called.front().computation) : written_by(computation, value);
    const std::vector<const Shape*> leaves = leaves_of(*instruction.shape);
    for (std::size_t i = 0; i < std::min(leaves.size(), written.size()); ++i) {
        traffic.written = sum(traffic.written, is_in_hbm(*leaves[i]) ? written[i] : 0);
    }
    return traffic;
}

} // namespace alxsim::hlo
