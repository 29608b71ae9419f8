// SPDX-License-Identifier: Apache-2.0
#include "model/costs/breakdown.h"

#include "model/costs/numbered_breakdown.h"

#include <algorithm>
#include <vector>

namespace alxsim::model {
namespace {

/// Both factors may be as long as an epoch in picoseconds.
__extension__ using Wide = __int128;

struct Quotient {
    std::int64_t whole = 0;
    std::int64_t remainder = 0;
};

Quotient scaled(Picoseconds part, std::int64_t numerator, std::int64_t denominator)
{
    const Wide product = static_cast<Wide>(part.count()) * numerator;
    return {static_cast<std::int64_t>(product / denominator),
            static_cast<std::int64_t>(product % denominator)};
}

} // namespace

void scale_exactly(const std::vector<Picoseconds*>& parts, std::int64_t numerator,
                   std::int64_t denominator, Picoseconds target)
{
    std::int64_t sum = 0;
    std::vector<std::pair<std::int64_t, Picoseconds*>> remainders;
    for (Picoseconds* part : parts) {
        const Quotient quotient = scaled(*part, numerator, denominator);
        remainders.emplace_back(quotient.remainder, part);
        *part = Picoseconds(quotient.whole);
        sum += quotient.whole;
    }
    std::stable_sort(remainders.begin(), remainders.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    for (auto& [remainder, part] : remainders) {
        if (sum == target.count()) {
            break;
        }
        *part += Picoseconds(1);
        ++sum;
    }
}

void Breakdown::add(const std::string& phase, Share which, Picoseconds time)
{
    if (time == Picoseconds(0)) {
        return;
    }
    total += time;
    phases[phase] += time;
    shares[static_cast<std::size_t>(which)] += time;
}

Breakdown& Breakdown::operator+=(const Breakdown& other)
{
    total += other.total;
    for (const auto& [phase, time] : other.phases) {
        phases[phase] += time;
    }
    for (std::size_t i = 0; i < share_count; ++i) {
        shares[i] += other.shares[i];
    }
    return *this;
}

Breakdown Breakdown::scaled(std::int64_t times) const
{
    Breakdown result = *this;
    result.total = repeated(total, times);
    for (auto& [phase, time] : result.phases) {
        time = time * times;
    }
    for (Picoseconds& time : result.shares) {
        time = time * times;
    }
    return result;
}

Breakdown with_waiting(Breakdown breakdown, double straggling)
{
    if (straggling == 1) {
        return breakdown;
    }
    const Picoseconds slowest = breakdown.share(Share::compute);
    const Picoseconds median = to_picoseconds(Seconds(to_seconds(slowest).count() / straggling));
    breakdown.share(Share::compute) = median;
    breakdown.share(Share::waiting) += slowest - median;
    return breakdown;
}

Breakdown fraction_of(const Breakdown& whole, std::int64_t numerator, std::int64_t denominator)
{
    Breakdown fraction = whole;
    fraction.total = Picoseconds(scaled(whole.total, numerator, denominator).whole);
    std::vector<Picoseconds*> phases;
    for (auto& [phase, time] : fraction.phases) {
        phases.push_back(&time);
    }
    std::vector<Picoseconds*> shares;
    for (Picoseconds& time : fraction.shares) {
        shares.push_back(&time);
    }
    scale_exactly(phases, numerator, denominator, fraction.total);
    scale_exactly(shares, numerator, denominator, fraction.total);
    return fraction;
}

NumberedBreakdown NumberedBreakdown::stretched_to(Picoseconds total) const
{
    NumberedBreakdown result = *this;
    result.total_ = total;
    std::vector<Picoseconds*> phases;
    for (Picoseconds& time : result.phases_) {
        if (time != unmet) {
            phases.push_back(&time);
        }
    }
    std::vector<Picoseconds*> shares;
    for (Picoseconds& time : result.shares_) {
        shares.push_back(&time);
    }
    scale_exactly(phases, total.count(), total_.count(), total);
    scale_exactly(shares, total.count(), total_.count(), total);
    return result;
}

} // namespace alxsim::model
