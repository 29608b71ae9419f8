// SPDX-License-Identifier: Apache-2.0
#include "workloads/import/hlo/kernels.h"

#include "workloads/import/hlo/text/attributes.h"

namespace alxsim::hlo {

std::optional<KernelCost> cost_estimate(const Module& module, const Instruction& instruction)
{
    const std::string_view estimate =
        json_member(instruction.attribute("backend_config"), "cost_estimate");
    if (estimate.empty()) {
        return std::nullopt;
    }
    const auto number = [&](std::string_view name) {
        const std::string_view text = without_quotes(json_member(estimate, name));
        const std::optional<std::int64_t> found = text.empty() ? 0 : whole_number(text);
        if (!found || *found < 0) {
            module.refuse(instruction, "found cost_estimate " + std::string(name) + " '" +
                                           std::string(text) +
                                           "'; allowed: a whole number of 0 or more");
        }
        return *found;
    };
    return KernelCost{number("flops"), number("transcendentals"), number("bytes_accessed"),
                      number("remote_bytes_transferred")};
}

} // namespace alxsim::hlo
