// SPDX-License-Identifier: Apache-2.0
#include "sim/observe/load_curve.h"

#include <algorithm>
#include <cmath>

namespace alxsim::sim {
namespace {

/// `amount` of what is `part` of a `whole`, rounded down. The amounts of several parts are
/// differences of this, so that they add up.
std::int64_t share_of(std::int64_t amount, Picoseconds part, Picoseconds whole)
{
    // Only the rounding of a rate in a chart depends on the product being exact.
    return part == whole ? amount
                         : static_cast<std::int64_t>(
                               std::floor(static_cast<double>(amount) * (part / whole)));
}

} // namespace

void LoadCurve::add(Picoseconds begin, Picoseconds end, std::int64_t amount)
{
    if (amount == 0) {
        return;
    }
    while ((end - begin).count() / width_.count() > static_cast<std::int64_t>(most_parts) / 2) {
        widen();
    }
    const Picoseconds whole = end - begin;
    std::int64_t before = 0;
    Picoseconds from = begin;
    do {
        const std::int64_t part = from.count() / width_.count();
        const Picoseconds to = std::min(end, width_ * (part + 1));
        const std::int64_t until = share_of(amount, to - begin, whole);
        if (until > before) {
            parts_[part] += until - before;
        }
        before = until;
        from = to;
    } while (from < end);
    while (parts_.size() > most_parts) {
        widen();
    }
}

void LoadCurve::add(const LoadCurve& other)
{
    for (const auto& [part, amount] : other.parts_) {
        add(other.width_ * part, other.width_ * (part + 1), amount);
    }
}

void LoadCurve::widen()
{
    width_ = width_ * 2;
    std::map<std::int64_t, std::int64_t> wider;
    for (const auto& [part, amount] : parts_) {
        wider[part / 2] += amount;
    }
    parts_ = std::move(wider);
}

std::int64_t LoadCurve::total() const
{
    std::int64_t sum = 0;
    for (const auto& [part, amount] : parts_) {
        sum += amount;
    }
    return sum;
}

} // namespace alxsim::sim
