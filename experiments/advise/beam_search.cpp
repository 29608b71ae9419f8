// SPDX-License-Identifier: Apache-2.0
#include "experiments/advise/beam_search.h"

#include "base/host_pool.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace alxsim::experiments {
namespace {

/// Whether a place was looked at at all, when time may be up before.
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
        std::vector<Place> before;
        while (complete_ && beam_ != before) {
            before = beam_;
            for (const std::vector<int>& block : space_.blocks) {
                evaluate(around_beam(block));
                choose_beam();
            }
        }
        return {ranked_places(), known_.size(), complete_};
    }

private:
    /// All combinations of a block's options at each place of the beam.
    std::set<Place> around_beam(const std::vector<int>& block) const
    {
        std::set<Place> places(beam_.begin(), beam_.end());
        for (const int axis : block) {
            std::set<Place> more;
            for (Place place : places) {
                const auto i = static_cast<std::size_t>(axis);
                for (int option = space_.first.empty() ? 0 : space_.first.at(i);
                     option < space_.options.at(i); ++option) {
                    place.at(i) = option;
                    more.insert(place);
                }
            }
            places = std::move(more);
        }
        return places;
    }

    void evaluate(const std::set<Place>& places)
    {
        std::vector<Place> fresh;
        std::copy_if(places.begin(), places.end(), std::back_inserter(fresh),
                     [&](const Place& place) { return known_.count(place) == 0; });
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

    /// Stays where it is while no place is possible.
    void choose_beam()
    {
        std::vector<Place> best;
        for (const RankedPlace& one :
             best_of_families(ranked_places(), space_.family, options_.beam)) {
            best.push_back(one.place);
        }
        if (!best.empty()) {
            beam_ = std::move(best);
        }
    }

    std::vector<RankedPlace> ranked_places() const
    {
        std::vector<RankedPlace> ranked;
        for (const auto& [place, cost] : known_) {
            if (cost) {
                ranked.push_back({place, *cost});
            }
        }
        std::sort(ranked.begin(), ranked.end(), [](const RankedPlace& a, const RankedPlace& b) {
            return std::tie(a.cost, a.place) < std::tie(b.cost, b.place);
        });
        return ranked;
    }

    const SearchSpace& space_;
    const Cost& cost_;
    const SearchOptions& options_;
    HostPool pool_;
    std::vector<Place> beam_;
    std::map<Place, std::optional<double>> known_;
    bool complete_ = true;
};

} // namespace

SearchResult beam_search(const SearchSpace& space, const Cost& cost, const SearchOptions& options)
{
    return BeamSearch(space, cost, options).run();
}

std::vector<RankedPlace> best_of_families(const std::vector<RankedPlace>& ranked,
                                          const std::vector<int>& family, std::size_t count)
{
    std::vector<RankedPlace> best;
    std::set<Place> seen;
    for (const RankedPlace& one : ranked) {
        Place name;
        for (const int axis : family) {
            name.push_back(one.place.at(static_cast<std::size_t>(axis)));
        }
        if (best.size() < count && seen.insert(name).second) {
            best.push_back(one);
        }
    }
    return best;
}

} // namespace alxsim::experiments
