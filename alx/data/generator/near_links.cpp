// SPDX-License-Identifier: Apache-2.0
#include "alx/data/generator/near_links.h"

#include "base/work/stop.h"

#include <algorithm>
#include <cmath>

namespace alxsim::alx {

NearBounds near_bounds(std::vector<std::int64_t> lengths, const Neighbourhood& near)
{
    std::vector<std::int32_t> rooms(lengths.size());
    for (std::int32_t row = 0; row < near.rows; ++row) {
        rooms[static_cast<std::size_t>(row)] = near.end(row) - near.begin(row);
    }
    std::sort(lengths.begin(), lengths.end());
    std::sort(rooms.begin(), rooms.end());
    NearBounds bounds;
    for (std::size_t i = 0; i < lengths.size(); ++i) {
        const std::int64_t least = lengths[i] + rooms[rooms.size() - 1 - i] - near.columns;
        bounds.least += static_cast<double>(std::max<std::int64_t>(0, least));
        bounds.most += static_cast<double>(std::min<std::int64_t>(lengths[i], rooms[i]));
    }
    return bounds;
}

NearLinks::NearLinks(double wanted, const std::vector<std::int64_t>& lengths,
                     const Neighbourhood& near)
    : lengths_(lengths),
      near_(near)
{
    if (!holds(wanted)) {
        filled_ = 1;
        reach_it_ = holds(wanted);
    }
    double low = 0;
    double high = 1;
    for (int i = 0; i < 50; ++i) {
        const double middle = (low + high) / 2;
        (sum_at(middle) < wanted ? low : high) = middle;
    }
    share_ = high;
}

std::int64_t NearLinks::next(std::int32_t row)
{
    exact_ += exact(row, share_);
    const std::int64_t count =
        std::clamp(static_cast<std::int64_t>(std::llround(exact_)) - sum_, least(row), most(row));
    sum_ += count;
    return count;
}

std::int64_t NearLinks::most(std::int32_t row) const
{
    return std::min(length(row), room(row));
}

std::int64_t NearLinks::least(std::int32_t row) const
{
    return std::max<std::int64_t>(0, length(row) - (near_.columns - room(row)));
}

double NearLinks::exact(std::int32_t row, double share) const
{
    const double most_chosen = filled_ * static_cast<double>(room(row));
    return std::max(static_cast<double>(least(row)),
                    std::min(share * static_cast<double>(length(row)), most_chosen));
}

double NearLinks::sum_at(double share) const
{
    double sum = 0;
    StopLook stop;
    for (std::int32_t row = 0; row < near_.rows; ++row) {
        stop();
        sum += exact(row, share);
    }
    return sum;
}

} // namespace alxsim::alx
