// SPDX-License-Identifier: Apache-2.0
#include "workloads/import/hlo/lowering/demand.h"

#include "workloads/import/hlo/text/operation_names.h"

#include <algorithm>

namespace alxsim::hlo {
namespace {

bool takes_a_slice(const Instruction& user)
{
    return user.is("slice") || user.is("dynamic-slice");
}

} // namespace

bool keeps_elements(const Instruction& instruction)
{
    return is_elementwise(instruction.opcode) || instruction.is("bitcast") ||
           instruction.is("reshape") || instruction.is("copy") || instruction.is("transpose") ||
           instruction.is("reverse") || instruction.is("pad");
}

std::vector<std::int64_t> demanded_elements(const Computation& fused)
{
    std::vector<std::int64_t> demand(fused.instructions.size());
    demand[static_cast<std::size_t>(fused.root)] = elements_of(*fused.root_instruction().shape);
    for (std::size_t i = fused.instructions.size(); i-- > 0;) {
        const Instruction& user = fused.instructions[i];
        for (std::size_t o = 0; o < user.operands.size(); ++o) {
            const auto operand = static_cast<std::size_t>(user.operands[o]);
            const std::int64_t all = elements_of(*fused.instructions[operand].shape);
            const bool in_part = keeps_elements(user) || (o == 0 && takes_a_slice(user));
            demand[operand] = std::max(demand[operand], in_part ? std::min(all, demand[i]) : all);
        }
    }
    return demand;
}

} // namespace alxsim::hlo
