// SPDX-License-Identifier: Apache-2.0
#include "experiments/answers/advise/contenders.h"

#include <algorithm>
#include <utility>

namespace alxsim::experiments {
namespace {

/// The best plan that decides otherwise on an axis than the best of all; end if there is none.
auto best_otherwise(const std::vector<RankedSelection>& ranked, std::size_t axis)
{
    return std::find_if(ranked.begin(), ranked.end(), [&](const RankedSelection& one) {
        return one.selection.at(axis) != ranked.front().selection.at(axis);
    });
}

/// The best plan with an option of a choice; end if none fits.
auto best_with(const std::vector<RankedSelection>& ranked, std::size_t axis, int option)
{
    return std::find_if(ranked.begin(), ranked.end(), [&](const RankedSelection& one) {
        return one.selection.at(axis) == option;
    });
}

/// The best plan with each option of the choices that are compared, and the choice's name.
std::vector<std::pair<Selection, std::string>>
best_of_compared(const PlanSpace& space, const std::vector<RankedSelection>& ranked)
{
    std::vector<std::pair<Selection, std::string>> best;
    const std::vector<std::string>& compared = space.choices.compared;
    for (std::size_t axis = 0; axis < space.choices.list.size(); ++axis) {
        const Choice& choice = space.choices.list[axis];
        if (std::find(compared.begin(), compared.end(), choice.name) == compared.end()) {
            continue;
        }
        for (int option = 0; option < static_cast<int>(choice.options.size()); ++option) {
            const auto found = best_with(ranked, axis, option);
            if (found != ranked.end()) {
                best.emplace_back(found->selection, choice.name);
            }
        }
    }
    return best;
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
        for (const auto& [selection, choice] : best_of_compared(space, ranked)) {
            add(selection, "best by the model of its " + choice);
        }
    }
    return contenders;
}

} // namespace alxsim::experiments
