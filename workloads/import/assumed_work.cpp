// SPDX-License-Identifier: Apache-2.0
#include "workloads/import/assumed_work.h"

#include <set>
#include <string>

namespace alxsim::hlo {

workloads::AssumedWork assumed_work(const Lowered& program)
{
    workloads::AssumedWork assumed;
    std::set<std::string> instructions;
    for (const auto& [op, origin] : program.origins) {
        if (origin.assumed) {
            assumed.ops.insert(op);
            instructions.insert(origin.instruction);
        }
    }
    if (!instructions.empty()) {
        assumed.words =
            std::to_string(instructions.size()) +
            (instructions.size() == 1 ? " instruction whose" : " instructions whose") +
            " cost is assumed: given, or that of a kernel by its author's estimate or its shapes";
    }
    return assumed;
}

} // namespace alxsim::hlo
