// SPDX-License-Identifier: Apache-2.0
#include "experiments/answers/advise/machine_table.h"

#include "base/work/stop.h"
#include "experiments/answers/advise/plan.h"

#include <algorithm>
#include <map>
#include <utility>

namespace alxsim::experiments {
namespace {

using ChipAndCount = std::pair<std::string, int>; ///< cores

/// A machine's slices by their numbers among the options.
struct MachineSlices {
    ChipAndCount machine;
    std::vector<int> slices;
};

/// What a slice's option sets, or else the studied machine.
ChipAndCount machine_of_slice(const PlanSpace& space, const Option& slice)
{
    const PointStudy study = changed(space.studied, slice.set);
    return {*study.machine.chip, study.machine.cores.value_or(space.studied_job->machine.cores)};
}

std::vector<MachineSlices> machines_to_choose(const PlanSpace& space)
{
    const std::vector<Option>& slices =
        space.choices.list.at(static_cast<std::size_t>(space.slice_axis())).options;
    std::vector<MachineSlices> machines;
    for (std::size_t i = space.studied_is_allowed ? 0 : 1; i < slices.size(); ++i) {
        const ChipAndCount machine = machine_of_slice(space, slices[i]);
        auto known = std::find_if(machines.begin(), machines.end(),
                                  [&](const auto& one) { return one.machine == machine; });
        if (known == machines.end()) {
            known = machines.insert(machines.end(), {machine, {}});
        }
        known->slices.push_back(static_cast<int>(i));
    }
    return machines;
}

class MachineSearch {
public:
    MachineSearch(const PlanSpace& space, Evaluator& evaluator, const AdviseOptions& options,
                  const std::function<bool()>& stop)
        : space_(space),
          evaluator_(evaluator),
          slice_(static_cast<std::size_t>(space.slice_axis()))
    {
        search_.threads = options.jobs;
        search_.stop = stop;
        search_.beam = 2;
        search_.pairs = 0;
    }

    /// The best selection of all that were tried on these slices.
    std::optional<RankedSelection> best_on(const std::vector<int>& slices,
                                           const std::vector<RankedSelection>& ranked) const
    {
        std::optional<RankedSelection> best;
        const auto take = [&](const RankedSelection& one) {
            if (!best || one.cost < best->cost) {
                best = one;
            }
        };
        for (const RankedSelection& one : ranked) {
            if (std::count(slices.begin(), slices.end(), one.selection.at(slice_)) > 0) {
                take(one);
                break; // they are ranked
            }
        }
        const SearchResult further = beam_search(
            space_on(slices, best, ranked),
            [&](const Selection& selection) { return evaluator_.cost_of(selection); }, search_);
        if (!further.ranked.empty()) {
            take(further.ranked.front());
        }
        return best;
    }

private:
    /// One slice, on which what was best there, what was best of all and what the study has begin.
    SearchSpace space_on(const std::vector<int>& slices, const std::optional<RankedSelection>& best,
                         const std::vector<RankedSelection>& ranked) const
    {
        SearchSpace space = space_.search_space();
        const int slice = best ? best->selection.at(slice_) : slices.front();
        space.first.at(slice_) = slice;
        space.options.at(slice_) = slice + 1;
        space.probes.clear();
        space.starts.clear();
        const auto start_from = [&](Selection selection) {
            selection.at(slice_) = slice;
            space.starts.push_back(std::move(selection));
        };
        if (best) {
            start_from(best->selection);
        }
        for (const RankedSelection& one : best_of_families(ranked, space.family, search_.beam)) {
            start_from(one.selection);
        }
        start_from(Selection(space.options.size(), 0));
        return space;
    }

    const PlanSpace& space_;
    Evaluator& evaluator_;
    std::size_t slice_;
    SearchOptions search_;
};

} // namespace

std::vector<MachineBest> machine_table(const PlanSpace& space, Evaluator& evaluator,
                                       const std::vector<RankedSelection>& ranked,
                                       const AdviseOptions& options,
                                       const std::function<bool()>& stop)
{
    const StopScope scope(stop);
    const MachineSearch search(space, evaluator, options, stop);
    std::vector<MachineBest> table;
    for (const auto& [machine, slices] : machines_to_choose(space)) {
        MachineBest row{machine.first, machine.second, {}};
        if (const auto best = search.best_on(slices, ranked)) {
            if (const PlanEstimate* const estimate = evaluator.found(best->selection)) {
                row.plan = plan_of(space, best->selection, "best by the model", *estimate, {});
                row.plan->beyond_limits =
                    use_of_limits(estimate->times.epoch.seconds, *estimate, options.limits) > 1;
            }
        }
        table.push_back(std::move(row));
    }
    return table;
}

} // namespace alxsim::experiments
