// SPDX-License-Identifier: Apache-2.0
#include "experiments/advise/beam_search.h"

#include "base/host_pool.h"

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
        evaluate({space_.starts.begin(), space_.starts.end()});
        add_best_probes();
        std::vector<Selection> before;
        while (complete_ && beam_ != before) {
            before = beam_;
            for (const std::vector<int>& block : space_.blocks) {
                evaluate(around_beam(block));
                choose_beam();
            }
        }
        return {ranked_selections(), known_.size(), complete_};
    }

private:
    void add_best_probes()
    {
        evaluate({space_.probes.begin(), space_.probes.end()});
        std::size_t added = 0;
        for (const RankedSelection& one : ranked_selections()) {
            const bool probe = std::find(space_.probes.begin(), space_.probes.end(),
                                         one.selection) != space_.probes.end();
            if (probe && added++ < options_.beam) {
                beam_.push_back(one.selection);
            }
        }
    }

    /// All combinations of a block's options at each selection of the beam.
    std::set<Selection> around_beam(const std::vector<int>& block) const
    {
        std::set<Selection> selections(beam_.begin(), beam_.end());
        for (const int axis : block) {
            std::set<Selection> more;
            for (Selection selection : selections) {
                const auto i = static_cast<std::size_t>(axis);
                for (int option = space_.first.empty() ? 0 : space_.first.at(i);
                     option < space_.options.at(i); ++option) {
                    selection.at(i) = option;
                    more.insert(selection);
                }
            }
            selections = std::move(more);
        }
        return selections;
    }

    void evaluate(const std::set<Selection>& selections)
    {
        std::vector<Selection> fresh;
        std::copy_if(selections.begin(), selections.end(), std::back_inserter(fresh),
                     [&](const Selection& selection) { return known_.count(selection) == 0; });
        std::vector<Outcome> outcomes(fresh.size());
        pool_.for_chunks(static_cast<std::int64_t>(fresh.size()), 1,
                         [&](std::int64_t begin, std::int64_t /*end*/) {
                             const auto i = static_cast<std::size_t>(begin);
                             if (!options_.stop || !options_.stop()) {
                                 outcomes[i] = {true, cost_(fresh[i])};
                             }
                         });
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
