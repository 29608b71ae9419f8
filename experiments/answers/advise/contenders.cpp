// SPDX-License-Identifier: Apache-2.0
#include "experiments/answers/advise/contenders.h"

#include <algorithm>
#include <optional>
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

/// The same without changes that bring less than `trifle` of the cost: nobody should change a job
/// for what no model can tell. What it decides on the axis `kept` stays.
Selection without_trifles(const std::vector<RankedSelection>& ranked, Selection selection,
                          std::optional<std::size_t> kept)
{
    constexpr double trifle = 1e-3;
    const auto found = [&](const Selection& wanted) {
        return std::find_if(ranked.begin(), ranked.end(),
                            [&](const RankedSelection& one) { return one.selection == wanted; });
    };
    const auto own = found(selection);
    for (std::size_t axis = 0; own != ranked.end() && axis < selection.size(); ++axis) {
        Selection plainer = selection;
        plainer[axis] = 0;
        const auto other = found(plainer);
        if (axis != kept && other != ranked.end() && other->cost <= (1 + trifle) * own->cost) {
            selection = std::move(plainer);
        }
    }
    return selection;
}

/// The best plan with each option of the choices that are compared, and the choice's axis.
std::vector<std::pair<Selection, std::size_t>>
best_of_compared(const PlanSpace& space, const std::vector<RankedSelection>& ranked)
{
    std::vector<std::pair<Selection, std::size_t>> best;
    const std::vector<std::string>& compared = space.choices.compared;
    for (std::size_t axis = 0; axis < space.choices.list.size(); ++axis) {
        const Choice& choice = space.choices.list[axis];
        if (std::find(compared.begin(), compared.end(), choice.name) == compared.end()) {
            continue;
        }
        for (int option = 0; option < static_cast<int>(choice.options.size()); ++option) {
            const auto found = best_with(ranked, axis, option);
            if (found != ranked.end()) {
                best.emplace_back(found->selection, axis);
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
    const auto add = [&](const Selection& found, const std::string& role,
                         std::optional<std::size_t> decided = {}) {
        const Selection selection = without_trifles(ranked, found, decided);
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
            const auto decided = static_cast<std::size_t>(axis);
            const auto other = best_otherwise(ranked, decided);
            if (other != ranked.end()) {
                add(other->selection,
                    "best by the model with another " + space.choices.list.at(decided).name,
                    decided);
            }
        }
        for (const auto& [selection, axis] : best_of_compared(space, ranked)) {
            add(selection, "best by the model of its " + space.choices.list.at(axis).name, axis);
        }
    }
    return contenders;
}

} // namespace alxsim::experiments
