// SPDX-License-Identifier: Apache-2.0
#include "experiments/runs/kept/shard.h"

#include "base/input_error.h"

#include <algorithm>
#include <numeric>
#include <regex>

namespace alxsim::experiments {

Shard shard_of(const std::string& text, const std::string& option)
{
    std::smatch parts;
    if (std::regex_match(text, parts, std::regex("([0-9]{1,9})/([0-9]{1,9})"))) {
        const Shard shard{std::stoi(parts[1]), std::stoi(parts[2])};
        if (1 <= shard.index && shard.index <= shard.of) {
            return shard;
        }
    }
    throw InputError(option, text,
                     "is no shard; allowed: I/N, I from 1 to N, like 3/16: the third of sixteen");
}

std::vector<std::size_t> points_of(const Shard& shard, const std::vector<double>& costs)
{
    std::vector<std::size_t> costliest_first(costs.size());
    std::iota(costliest_first.begin(), costliest_first.end(), std::size_t{0});
    std::stable_sort(costliest_first.begin(), costliest_first.end(),
                     [&](std::size_t a, std::size_t b) { return costs[a] > costs[b]; });
    // No shard beyond the number of points gets any.
    const std::size_t shards = std::min(static_cast<std::size_t>(shard.of), costs.size());
    const auto own = static_cast<std::size_t>(shard.index - 1);
    std::vector<double> loads(shards);
    std::vector<std::size_t> points;
    for (const std::size_t point : costliest_first) {
        const auto least = std::min_element(loads.begin(), loads.end());
        *least += costs[point];
        if (static_cast<std::size_t>(least - loads.begin()) == own) {
            points.push_back(point);
        }
    }
    std::sort(points.begin(), points.end());
    return points;
}

} // namespace alxsim::experiments
