// SPDX-License-Identifier: Apache-2.0
#include "experiments/answers/advise/contenders.h"

#include <algorithm>

namespace alxsim::experiments {
namespace {

/// The best plan that decides otherwise on an axis than the best of all; end if there is none.
auto best_otherwise(const std::vector<RankedSelection>& ranked, std::size_t axis)
{
    return std::find_if(ranked.begin(), ranked.end(), [&](const RankedSelection& one) {
        return one.selection.at(axis) != ranked.front().selection.at(axis);
    });
}

} // namespace

Contender studied_contender(const PlanSpace& space)
{
    return {Selection(space.choices.list.size(), 0), "the study's own", true};
}

std::vector<Contender> contenders_of(const PlanSpace& space,
                                     const std::vector<RankedSelection>& ranked, int top)
{
    std::vector<Contender> contenders{studied_contender(space)};
    const std::size_t most = contenders.size() + static_cast<std::size_t>(top);
    const auto add = [&](const Selection& selection, const std::string& role) {
        const bool listed =
            std::any_of(contenders.begin(), contenders.end(), [&](const Contender& contender) {
                return contender.selection == selection;
            });
        if (contenders.size() < most && !listed && !space.is_studied(selection)) {
            contenders.push_back({selection, role, false});
        }
    };
    if (!ranked.empty()) {
        add(ranked.front().selection, "best by the model");
        for (const int axis : space.by_interest()) {
            const auto other = best_otherwise(ranked, static_cast<std::size_t>(axis));
            if (other != ranked.end()) {
                add(other->selection,
                    "best by the model with another " +
                        space.choices.list.at(static_cast<std::size_t>(axis)).name);
            }
        }
    }
    return contenders;
}

} // namespace alxsim::experiments
