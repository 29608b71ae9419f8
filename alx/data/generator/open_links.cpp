// SPDX-License-Identifier: Apache-2.0
#include "alx/data/generator/open_links.h"

#include "base/units.h"

#include <utility>

namespace alxsim::alx {

OpenLinks::OpenLinks(const std::vector<std::int64_t>& links)
{
    // One more than there are columns: below() may ask for all of them.
    const auto blocks = ceil_divide(static_cast<std::int64_t>(links.size()) + 1, fanout);
    columns_.resize(static_cast<std::size_t>(blocks) * fanout);
    std::vector<std::int64_t> sums(static_cast<std::size_t>(blocks), 0);
    for (std::size_t i = 0; i < links.size(); ++i) {
        columns_[i].open = static_cast<std::uint32_t>(links[i]);
        sums[i / fanout] += links[i];
    }
    do {
        spmd::Buffer<Node>& level = levels_.emplace_back((sums.size() + fanout - 1) / fanout);
        std::vector<std::int64_t> sums_above(level.size(), 0);
        for (std::size_t i = 0; i < level.size() * fanout; ++i) {
            level[i / fanout][i % fanout] = sums_above[i / fanout];
            sums_above[i / fanout] += i < sums.size() ? sums[i] : 0;
        }
        sums = std::move(sums_above);
    } while (sums.size() > 1);
}

std::int64_t OpenLinks::below(std::int32_t column) const
{
    auto child = static_cast<std::size_t>(column);
    std::int64_t sum = 0;
    for (std::size_t i = child / fanout * fanout; i < child; ++i) {
        sum += columns_[i].open;
    }
    for (const spmd::Buffer<Node>& level : levels_) {
        child /= fanout;
        sum += level[child / fanout][child % fanout];
    }
    return sum;
}

// Where it goes is as good as random: counting costs less than branches that are predicted wrongly.
OpenLinks::Place OpenLinks::at(std::int64_t position) const
{
    std::size_t child = 0;
    std::int64_t below = 0;
    for (auto level = levels_.rbegin(); level != levels_.rend(); ++level) {
        const Node& node = (*level)[child];
        std::size_t passed = 0;
        for (std::size_t c = 1; c < fanout; ++c) {
            passed += node[c] <= position ? 1 : 0;
        }
        position -= node[passed];
        below += node[passed];
        child = child * fanout + passed;
    }
    const Column* block = columns_.data() + child * fanout;
    std::int64_t sum = 0;
    std::size_t passed = 0;
    for (std::size_t c = 0; c + 1 < fanout; ++c) {
        sum += block[c].open;
        passed += sum <= position ? 1 : 0;
        below += sum <= position ? block[c].open : 0;
    }
    return {static_cast<std::int32_t>(child * fanout + passed), below};
}

bool OpenLinks::take(std::int32_t column, std::int32_t row)
{
    auto child = static_cast<std::size_t>(column);
    columns_[child].last_row = row;
    if (columns_[child].open == 0) {
        return false;
    }
    --columns_[child].open;
    for (spmd::Buffer<Node>& level : levels_) {
        child /= fanout;
        Node& node = level[child / fanout];
        for (std::size_t c = 1; c < fanout; ++c) {
            node[c] -= c > child % fanout ? 1 : 0;
        }
    }
    return true;
}

} // namespace alxsim::alx
