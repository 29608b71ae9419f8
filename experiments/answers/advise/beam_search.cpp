// SPDX-License-Identifier: Apache-2.0
#include "experiments/answers/advise/beam_search.h"

#include "base/host_pool.h"
#include "base/work/stop.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace alxsim::experiments {
namespace {

/// Whether a selection was looked at at all, when time may be up before.
struct Outcome {
    bool tried = false;
    std::optional<double> cost;
};

class BeamSearch {
public:
    BeamSearch(const SearchSpace& space, const Cost& cost, const SearchOptions& options)
        : space_(space),
          cost_(cost),
          options_(options),
          pool_(options.threads),
          beam_(space.starts)
    {
    }

    SearchResult run()
    {
        evaluate({space_.starts.front()});
        const std::vector<Change> changes = single_changes();
        std::vector<Selection> single;
        for (const Change& change : changes) {
            single.push_back(with({change}));
        }
        evaluate(single);
        const TriedOf of_single{tried_of(single), single.size()};
        try_together(best_changes(changes));
        const std::vector<Selection> pairs = promising_pairs(changes);
        evaluate(pairs);
        const TriedOf of_pairs{tried_of(pairs), all_pairs(changes)};
        evaluate(space_.starts);
        evaluate(space_.probes);
        choose_beam();
        descend();
        return {ranked_selections(), known_.size(), complete_, of_single, of_pairs, untried()};
    }

private:
    /// Another option of an axis than the first start has.
    struct Change {
        std::size_t axis = 0;
        int option = 0;
    };
    struct Pair {
        double promise = 1; ///< what both do to the cost, if each does as by itself
        Selection selection;
    };

    int first_option(std::size_t axis) const
    {
        return space_.first.empty() ? 0 : space_.first.at(axis);
    }

    Selection with(const std::vector<Change>& changes) const
    {
        Selection selection = space_.starts.front();
        for (const Change& change : changes) {
            selection.at(change.axis) = change.option;
        }
        return selection;
    }

    std::vector<Change> single_changes() const
    {
        std::vector<Change> changes;
        for (std::size_t axis = 0; axis < space_.options.size(); ++axis) {
            for (int option = first_option(axis); option < space_.options[axis]; ++option) {
                if (option != space_.starts.front().at(axis)) {
                    changes.push_back({axis, option});
                }
            }
        }
        return changes;
    }

    /// Nothing for one that is not possible, or was not tried.
    std::optional<double> cost_at(const Selection& selection) const
    {
        const auto found = known_.find(selection);
        return found == known_.end() ? std::nullopt : found->second;
    }

    /// What a change alone does to the cost; 1 where it is not possible alone, or nothing is.
    double promise_of(const Change& change) const
    {
        const std::optional<double> before = cost_at(space_.starts.front());
        const std::optional<double> after = cost_at(with({change}));
        return before && after ? *after / *before : 1;
    }

    /// The change of each axis that saves most by itself, if any does; what saves most first.
    std::vector<Change> best_changes(const std::vector<Change>& changes) const
    {
        std::map<std::size_t, std::pair<double, Change>> of_axis;
        for (const Change& change : changes) {
            const double promise = promise_of(change);
            const auto known = of_axis.find(change.axis);
            if (promise < (known == of_axis.end() ? 1 : known->second.first)) {
                of_axis[change.axis] = {promise, change};
            }
        }
        std::vector<std::pair<double, Change>> sorted;
        for (const auto& [axis, one] : of_axis) {
            sorted.push_back(one);
        }
        std::stable_sort(sorted.begin(), sorted.end(),
                         [](const auto& a, const auto& b) { return a.first < b.first; });
        std::vector<Change> best;
        for (const auto& [promise, change] : sorted) {
            best.push_back(change);
        }
        return best;
    }

    /// One change after another on top of those before; one that saves nothing there is left out.
    void try_together(const std::vector<Change>& changes)
    {
        std::vector<Change> kept;
        std::optional<double> least = cost_at(space_.starts.front());
        for (const Change& change : changes) {
            kept.push_back(change);
            evaluate({with(kept)});
            const std::optional<double> cost = cost_at(with(kept));
            if (cost && least && *cost < *least) {
                least = cost;
            } else {
                kept.pop_back();
            }
        }
    }

    /// The most promising of each two axes, and of these the most promising first.
    std::vector<Selection> promising_pairs(const std::vector<Change>& changes) const
    {
        std::map<std::pair<std::size_t, std::size_t>, std::vector<Pair>> of_axes;
        for (std::size_t i = 0; i < changes.size(); ++i) {
            for (std::size_t j = i + 1; j < changes.size(); ++j) {
                if (changes[i].axis != changes[j].axis) {
                    of_axes[{changes[i].axis, changes[j].axis}].push_back(
                        {promise_of(changes[i]) * promise_of(changes[j]),
                         with({changes[i], changes[j]})});
                }
            }
        }
        const auto before = [](const Pair& a, const Pair& b) {
            return std::tie(a.promise, a.selection) < std::tie(b.promise, b.selection);
        };
        std::vector<Pair> chosen;
        for (auto& [axes, pairs] : of_axes) {
            std::sort(pairs.begin(), pairs.end(), before);
            const auto count = static_cast<std::ptrdiff_t>(std::min(options_.pairs, pairs.size()));
            chosen.insert(chosen.end(), pairs.begin(), pairs.begin() + count);
        }
        std::sort(chosen.begin(), chosen.end(), before);
        std::vector<Selection> selections;
        for (const Pair& pair : chosen) {
            selections.push_back(pair.selection);
        }
        return selections;
    }

    static std::size_t all_pairs(const std::vector<Change>& changes)
    {
        std::map<std::size_t, std::size_t> of_axis;
        for (const Change& change : changes) {
            ++of_axis[change.axis];
        }
        std::size_t on_one_axis = 0;
        for (const auto& [axis, count] : of_axis) {
            on_one_axis += count * (count - 1) / 2;
        }
        return changes.empty() ? 0 : changes.size() * (changes.size() - 1) / 2 - on_one_axis;
    }

    std::size_t tried_of(const std::vector<Selection>& selections) const
    {
        return static_cast<std::size_t>(
            std::count_if(selections.begin(), selections.end(),
                          [&](const Selection& selection) { return known_.count(selection) > 0; }));
    }

    std::vector<std::vector<int>> untried() const
    {
        std::vector<std::set<int>> had(space_.options.size());
        for (const auto& [selection, cost] : known_) {
            for (std::size_t axis = 0; axis < selection.size(); ++axis) {
                had[axis].insert(selection[axis]);
            }
        }
        std::vector<std::vector<int>> untried(space_.options.size());
        for (std::size_t axis = 0; axis < had.size(); ++axis) {
            for (int option = first_option(axis); option < space_.options[axis]; ++option) {
                if (had[axis].count(option) == 0) {
                    untried[axis].push_back(option);
                }
            }
        }
        return untried;
    }

    void descend()
    {
        std::vector<Selection> before;
        while (complete_ && beam_ != before) {
            before = beam_;
            for (const std::vector<int>& block : space_.blocks) {
                evaluate(around_beam(block));
                choose_beam();
            }
        }
    }

    /// All combinations of a block's options at each selection of the beam.
    std::vector<Selection> around_beam(const std::vector<int>& block) const
    {
        std::set<Selection> selections(beam_.begin(), beam_.end());
        for (const int axis : block) {
            std::set<Selection> more;
            for (Selection selection : selections) {
                const auto i = static_cast<std::size_t>(axis);
                for (int option = first_option(i); option < space_.options.at(i); ++option) {
                    selection.at(i) = option;
                    more.insert(selection);
                }
            }
            selections = std::move(more);
        }
        return {selections.begin(), selections.end()};
    }

    /// In this order, a few at a time.
    void evaluate(const std::vector<Selection>& selections)
    {
        const auto at_once = static_cast<std::size_t>(4 * options_.threads);
        std::vector<Selection> fresh;
        for (const Selection& selection : selections) {
            const bool listed = std::find(fresh.begin(), fresh.end(), selection) != fresh.end();
            if (known_.count(selection) == 0 && !listed) {
                fresh.push_back(selection);
            }
            if (fresh.size() == at_once) {
                evaluate_at_once(fresh);
                fresh.clear();
            }
        }
        evaluate_at_once(fresh);
    }

    Outcome outcome_of(const Selection& selection) const
    {
        try {
            if (!options_.stop || !options_.stop()) {
                return {true, cost_(selection)};
            }
        } catch (const Stopped&) {
        }
        return {};
    }

    void evaluate_at_once(const std::vector<Selection>& fresh)
    {
        std::vector<Outcome> outcomes(fresh.size());
        try {
            pool_.for_chunks(static_cast<std::int64_t>(fresh.size()), 1,
                             [&](std::int64_t begin, std::int64_t /*end*/) {
                                 const auto i = static_cast<std::size_t>(begin);
                                 outcomes[i] = outcome_of(fresh[i]);
                             });
        } catch (const Stopped&) { // the rest is not tried
        }
        for (std::size_t i = 0; i < fresh.size(); ++i) {
            if (outcomes[i].tried) {
                known_.emplace(fresh[i], outcomes[i].cost);
            }
            complete_ = complete_ && outcomes[i].tried;
        }
        if (options_.report) {
            options_.report(known_.size());
        }
    }

    /// Stays where it is while no selection is possible.
    void choose_beam()
    {
        std::vector<Selection> best;
        for (const RankedSelection& one :
             best_of_families(ranked_selections(), space_.family, options_.beam)) {
            best.push_back(one.selection);
        }
        if (!best.empty()) {
            beam_ = std::move(best);
        }
    }

    std::vector<RankedSelection> ranked_selections() const
    {
        std::vector<RankedSelection> ranked;
        for (const auto& [selection, cost] : known_) {
            if (cost) {
                ranked.push_back({selection, *cost});
            }
        }
        std::sort(ranked.begin(), ranked.end(),
                  [](const RankedSelection& a, const RankedSelection& b) {
                      return std::tie(a.cost, a.selection) < std::tie(b.cost, b.selection);
                  });
        return ranked;
    }

    const SearchSpace& space_;
    const Cost& cost_;
    const SearchOptions& options_;
    HostPool pool_;
    std::vector<Selection> beam_;
    std::map<Selection, std::optional<double>> known_;
    bool complete_ = true;
};

} // namespace

SearchResult beam_search(const SearchSpace& space, const Cost& cost, const SearchOptions& options)
{
    return BeamSearch(space, cost, options).run();
}

std::vector<RankedSelection> best_of_families(const std::vector<RankedSelection>& ranked,
                                              const std::vector<int>& family, std::size_t count)
{
    std::vector<RankedSelection> best;
    std::set<Selection> seen;
    for (const RankedSelection& one : ranked) {
        Selection name;
        for (const int axis : family) {
            name.push_back(one.selection.at(static_cast<std::size_t>(axis)));
        }
        if (best.size() < count && seen.insert(name).second) {
            best.push_back(one);
        }
    }
    return best;
}

} // namespace alxsim::experiments
