// SPDX-License-Identifier: Apache-2.0
#include "workloads/workload.h"

#include <algorithm>

namespace alxsim::workloads {

std::vector<Alternative> Workload::alternatives() const
{
    std::vector<Alternative> all;
    const Choices offered = choices();
    const auto is_ladder = [&](const Choice& choice) {
        return std::find(offered.ladders.begin(), offered.ladders.end(), choice.name) !=
               offered.ladders.end();
    };
    for (const Choice& choice : offered.list) {
        for (const Option& option : choice.options) {
            if (!option.set.empty() && !option.is_default && !is_ladder(choice)) {
                all.push_back({option.words, option.set});
            }
        }
    }
    return all;
}

} // namespace alxsim::workloads
