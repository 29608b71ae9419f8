// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

namespace alxsim::experiments {

/// One option of each axis, by its number.
using Selection = std::vector<int>;

/// What is searched, and how.
struct SearchSpace {
    std::vector<int> options; ///< of each axis, how many
    /// Axes whose options are tried in all combinations, one block after another.
    std::vector<std::vector<int>> blocks;
    /// Selections that agree in these axes are a family; the search goes on from the best of each
    /// of the best families, so that one that starts slowly is not lost.
    std::vector<int> family;
    std::vector<Selection> starts;      ///< the first is what changes are told of
    std::vector<Selection> probes = {}; ///< tried first; the search goes on from the best, too
    std::vector<int> first = {};        ///< of each axis, the first option that is tried; empty: 0
};

/// What is to be as small as possible; nothing where a selection is not possible. Called from
/// several threads at once, once for each selection; one that throws Stopped (base/work/stop.h) was
/// not tried.
using Cost = std::function<std::optional<double>(const Selection&)>;

struct SearchOptions {
    std::size_t beam = 6;  ///< families that are carried on
    std::size_t pairs = 8; ///< of options of two axes, for each two axes
    int threads = 1;
    std::function<bool()> stop;                    ///< time is up; may be empty
    std::function<void(std::size_t tried)> report; ///< after each batch of selections; may be empty
};

struct RankedSelection {
    Selection selection;
    double cost = 0;
};

/// How many of a kind were tried, of how many there are.
struct TriedOf {
    std::size_t tried = 0;
    std::size_t all = 0;
};

struct SearchResult {
    std::vector<RankedSelection>
        ranked; ///< possible selections, the best first (ties: the lower numbers)
    std::size_t tried = 0;
    bool complete = true; ///< false: stopped
    TriedOf single;       ///< changes of the first start
    TriedOf pairs;        ///< of such changes
    /// The options of each axis that no selection had that was tried.
    std::vector<std::vector<int>> untried;
};

/// First each single change of the first start, and together what saves most by itself; then pairs
/// of changes, for each two axes those that save most by themselves; then block coordinate descent
/// from the best of each of the best families, which ends when no combination within a block
/// betters any of them. The same for any number of threads.
SearchResult beam_search(const SearchSpace& space, const Cost& cost, const SearchOptions& options);

/// The best selection of each of the best `count` families.
std::vector<RankedSelection> best_of_families(const std::vector<RankedSelection>& ranked,
                                              const std::vector<int>& family, std::size_t count);

} // namespace alxsim::experiments
