// SPDX-License-Identifier: Apache-2.0
#include "workloads/import/hlo/lowering/traffic.h"

#include "workloads/import/hlo/lowering/demand.h"
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

/// Whether it is what an update is written into.
bool is_updated(const Instruction& user, std::size_t operand)
{
    return operand == 0 && (user.is("dynamic-update-slice") || user.is("scatter"));
}

/// Bytes of as many elements of another shape.
std::int64_t scaled_bytes(std::int64_t bytes, const Shape& from, const Shape& to)
{
    const int bits = bits_of(from.dtype);
    return bits == 0 ? unpadded_bytes(to)
                     : std::min(product(bytes / bits, bits_of(to.dtype)) +
                                    bytes % bits * bits_of(to.dtype) / bits,
                                unpadded_bytes(to));
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
    if (operand == 0 && (user.is("slice") || user.is("dynamic-slice") || user.is("gather"))) {
        return {unpadded_bytes(*user.shape), false};
    }
    if (is_updated(user, operand)) {
        return {};
    }
    return {unpadded_bytes(*computation.operand(user, operand).shape), true};
}

std::vector<Traffic::Taken> Traffic::taken_in(const Computation& fused)
{
    std::vector<Taken> taken(fused.instructions.size());
    std::vector<bool> goes_out(fused.instructions.size());
    goes_out[static_cast<std::size_t>(fused.root)] = true;
    for (std::size_t i = fused.instructions.size(); i-- > 0;) {
        const Instruction& user = fused.instructions[i];
        const bool hands_on = passes_on(user) || user.is("tuple");
        taken[i].whole = taken[i].whole || (goes_out[i] && !hands_on && !user.is("parameter"));
        for (std::size_t o = 0; o < user.operands.size(); ++o) {
            const auto operand = static_cast<std::size_t>(user.operands[o]);
            const Instruction& value = fused.instructions[operand];
            goes_out[operand] = goes_out[operand] || (goes_out[i] && hands_on);
            Taken one = taken_by(fused, user, o);
            if (passes_on(user) || (keeps_elements(user) && !taken[i].whole)) {
                one = {scaled_bytes(taken[i].parts, *user.shape, *value.shape), taken[i].whole};
            }
            one.whole = one.whole || (is_updated(user, o) && !value.is("parameter") &&
                                      !passes_on(value)); // a target that is computed first
            taken[operand] = {sum(taken[operand].parts, one.parts),
                              taken[operand].whole || one.whole};
        }
    }
    return taken;
}

const std::vector<std::int64_t>& Traffic::reads(int computation)
{
    const auto known = reads_.find(computation);
    if (known != reads_.end()) {
        return known->second;
    }
    const Computation& fused = module_.computations[static_cast<std::size_t>(computation)];
    const std::vector<Taken> taken = taken_in(fused);
    std::vector<std::int64_t> all;
    for (const int parameter : fused.parameters) {
        const std::int64_t whole =
            unpadded_bytes(*fused.instructions[static_cast<std::size_t>(parameter)].shape);
        const Taken& one = taken[static_cast<std::size_t>(parameter)];
        all.push_back(one.whole ? whole : std::min(one.parts, whole));
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
