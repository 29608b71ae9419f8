// SPDX-License-Identifier: Apache-2.0
#include "workloads/import/hlo/text/module_checks.h"

#include "workloads/import/hlo/text/attributes.h"
#include "workloads/import/hlo/text/operation_names.h"

#include <unordered_map>

namespace alxsim::hlo {
namespace {

/// Operands that an opcode needs at least; others need none.
std::size_t fewest_operands(const Instruction& instruction)
{
    static const std::unordered_map<std::string_view, std::size_t> fewest{
        {"convolution", 2},
        {"dot", 2},
        {"while", 1},
        {"conditional", 2},
        {"reduce", 2},
        {"reduce-window", 2},
        {"select-and-scatter", 3},
        {"scatter", 3},
        {"gather", 2},
        {"dynamic-slice", 1},
        {"dynamic-update-slice", 2},
        {"sort", 1},
        {"copy", 1},
        {"copy-start", 1},
        {"copy-done", 1},
        {"slice", 1},
        {"slice-start", 1},
        {"slice-done", 1},
        {"dynamic-slice-start", 1},
        {"dynamic-slice-done", 1},
        {"dynamic-update-slice-start", 2},
        {"dynamic-update-slice-done", 1},
        {"all-gather", 1},
        {"all-gather-start", 1},
        {"all-gather-done", 1},
        {"all-reduce", 1},
        {"all-reduce-start", 1},
        {"all-reduce-done", 1},
        {"reduce-scatter", 1},
        {"all-to-all", 1},
        {"collective-permute", 1},
        {"collective-permute-start", 1},
        {"collective-permute-done", 1},
        {"send", 1},
        {"send-done", 1},
        {"recv-done", 1},
        {"call-done", 1},
        {"async-done", 1},
        {"async-update", 1},
        {"bitcast", 1},
        {"get-tuple-element", 1},
        {"compare", 2},
        {"add", 2},
        {"subtract", 2},
        {"ragged-all-to-all", 1},
        {"convert", 1},
        {"broadcast", 1},
        {"reshape", 1},
        {"opt-barrier", 1},
        {"transpose", 1},
        {"concatenate", 1},
        {"pad", 2},
        {"map", 1}};
    const auto found = fewest.find(instruction.opcode);
    return found == fewest.end() ? 0 : found->second;
}

void check_get_tuple_element(const Module& module, const Computation& computation,
                             const Instruction& instruction)
{
    const Shape& tuple = *computation.operand(instruction, 0).shape;
    const std::string_view value = instruction.attribute("index");
    const std::optional<std::int64_t> index = whole_number(value);
    const auto elements = static_cast<std::int64_t>(tuple.elements.size());
    if (!index || *index < 0 || *index >= elements) {
        module.refuse(instruction, "found index '" + std::string(value) + "'; allowed: 0 to " +
                                       std::to_string(elements - 1) +
                                       ", the elements of its operand");
    }
    if (tuple.elements[static_cast<std::size_t>(*index)].leaves != instruction.shape->leaves) {
        module.refuse(instruction, "found another shape than that element's");
    }
}

std::size_t operand_leaves(const Computation& computation, const Instruction& instruction)
{
    std::size_t leaves = 0;
    for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
        leaves += computation.operand(instruction, i).shape->leaves;
    }
    return leaves;
}

void expect_same_leaves(const Module& module, const Instruction& instruction, std::size_t found,
                        std::size_t allowed, const std::string& what)
{
    if (found != allowed) {
        module.refuse(instruction, "found " + what + " of " + std::to_string(found) +
                                       " arrays; allowed: " + std::to_string(allowed));
    }
}

/// Parameters take operands from `first` on, one each.
void check_parameters(const Module& module, const Computation& computation,
                      const Instruction& instruction, const Computation& called, std::size_t first)
{
    const std::size_t given = instruction.operands.size() - first;
    if (called.parameters.size() != given) {
        module.refuse(instruction, "found " + std::to_string(given) + " operands for '" +
                                       std::string(called.name) +
                                       "'; allowed: " + std::to_string(called.parameters.size()) +
                                       ", one for each of its parameters");
    }
    for (std::size_t i = 0; i < given; ++i) {
        const int parameter = called.parameters[i];
        expect_same_leaves(
            module, instruction, computation.operand(instruction, first + i).shape->leaves,
            called.instructions[static_cast<std::size_t>(parameter)].shape->leaves, "an operand");
    }
}

void check_result(const Module& module, const Instruction& instruction, const Computation& called)
{
    expect_same_leaves(module, instruction, called.root_instruction().shape->leaves,
                       instruction.shape->leaves, "a result of '" + std::string(called.name) + "'");
}

const Computation* role(const Module& module, const Instruction& instruction, const char* name)
{
    const int index = instruction.called_as(name);
    if (index < 0) {
        module.refuse(instruction, std::string("found no ") + name + "; allowed: " + name +
                                       "=%NAME of a computation above");
    }
    return &module.computations[static_cast<std::size_t>(index)];
}

void check_while(const Module& module, const Computation& computation,
                 const Instruction& instruction)
{
    if (instruction.operands.size() != 1) {
        module.refuse(instruction, "allowed: one operand");
    }
    const Computation& body = *role(module, instruction, "body");
    check_parameters(module, computation, instruction, body, 0);
    check_result(module, instruction, body);
    check_parameters(module, computation, instruction, *role(module, instruction, "condition"), 0);
}

void check_conditional(const Module& module, const Computation& computation,
                       const Instruction& instruction)
{
    if (instruction.called.size() + 1 != instruction.operands.size()) {
        module.refuse(instruction, "found " + std::to_string(instruction.called.size()) +
                                       " branches; allowed: one for each operand but the first");
    }
    for (std::size_t i = 0; i < instruction.called.size(); ++i) {
        const Computation& branch = module.called(instruction, i);
        if (branch.parameters.size() != 1) {
            module.refuse(instruction, "allowed: branches of one parameter");
        }
        expect_same_leaves(
            module, instruction, computation.operand(instruction, i + 1).shape->leaves,
            branch.instructions[static_cast<std::size_t>(branch.parameters[0])].shape->leaves,
            "an operand");
        check_result(module, instruction, branch);
    }
}

/// What has one operand or more must have a result whose first element holds them.
void check_started(const Module& module, const Instruction& instruction)
{
    if (instruction.shape->is_tuple() && instruction.shape->elements.empty()) {
        module.refuse(instruction, "found an empty tuple; allowed: what it begins with");
    }
}

void check_instruction(const Module& module, const Computation& computation,
                       const Instruction& instruction)
{
    const std::size_t fewest = fewest_operands(instruction);
    if (instruction.operands.size() < fewest) {
        module.refuse(instruction, "found " + std::to_string(instruction.operands.size()) +
                                       " operands; allowed: at least " + std::to_string(fewest));
    }
    if (instruction.is("get-tuple-element")) {
        check_get_tuple_element(module, computation, instruction);
    } else if (instruction.is("tuple") || instruction.is("bitcast") ||
               instruction.is("opt-barrier")) {
        expect_same_leaves(module, instruction, operand_leaves(computation, instruction),
                           instruction.shape->leaves, "operands");
    } else if (instruction.is("while")) {
        check_while(module, computation, instruction);
    } else if (instruction.is("conditional")) {
        check_conditional(module, computation, instruction);
    } else if (instruction.is("fusion")) {
        const Computation& called = *role(module, instruction, "calls");
        check_parameters(module, computation, instruction, called, 0);
        check_result(module, instruction, called);
    } else if (instruction.is("call")) {
        const Computation& called = *role(module, instruction, "to_apply");
        check_parameters(module, computation, instruction, called, 0);
        check_result(module, instruction, called);
    } else if (ends_with(instruction.opcode, "-start")) {
        check_started(module, instruction);
    }
}

} // namespace

void check_instructions(const Module& module, const Computation& computation)
{
    for (const Instruction& instruction : computation.instructions) {
        check_instruction(module, computation, instruction);
    }
}

} // namespace alxsim::hlo
