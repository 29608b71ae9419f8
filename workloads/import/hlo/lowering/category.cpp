// SPDX-License-Identifier: Apache-2.0
#include "workloads/import/hlo/lowering/category.h"

#include "workloads/import/hlo/text/operation_names.h"

#include <algorithm>

namespace alxsim::hlo {
namespace {

/// Whether a computation, or one that it calls, has an instruction of this opcode.
bool holds(const Module& module, const Computation& computation, std::string_view opcode)
{
    return std::any_of(computation.instructions.begin(), computation.instructions.end(),
                       [&](const Instruction& inner) {
                           return inner.is(opcode) ||
                                  (inner.is("fusion") && !inner.called.empty() &&
                                   holds(module, module.called(inner), opcode));
                       });
}

std::string category_of_fusion(const Module& module, const Instruction& fusion)
{
    const Computation& inside = module.called(fusion);
    if (holds(module, inside, "convolution") || holds(module, inside, "dot")) {
        return "convolution fusion";
    }
    if (holds(module, inside, "all-reduce")) {
        return "all-reduce-scatter fusion";
    }
    for (const char* const opcode : {"all-gather", "gather", "scatter"}) {
        if (holds(module, inside, opcode)) {
            return std::string(opcode) + " fusion";
        }
    }
    const std::string_view kind = fusion.attribute("kind");
    return kind == "kLoop"     ? "loop fusion"
           : kind == "kInput"  ? "input fusion"
           : kind == "kOutput" ? "output fusion"
                               : "custom fusion";
}

} // namespace

std::string category_of(const Module& module, const Instruction& instruction)
{
    if (instruction.is("fusion") && !instruction.called.empty()) {
        return category_of_fusion(module, instruction);
    }
    if (instruction.is("reshape") || instruction.is("transpose") || instruction.is("copy")) {
        return "data formatting";
    }
    return is_elementwise(instruction.opcode) ? "non-fusion elementwise"
                                              : std::string(instruction.opcode);
}

} // namespace alxsim::hlo
