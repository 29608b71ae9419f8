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

Picoseconds scaled_down(Picoseconds part, std::int64_t numerator, std::int64_t denominator)
{
    return Picoseconds(scaled(part, numerator, denominator).whole);
}

Picoseconds scaled_up(Picoseconds part, std::int64_t numerator, std::int64_t denominator)
{
    const Quotient quotient = scaled(part, numerator, denominator);
    return Picoseconds(quotient.whole + (quotient.remainder > 0 ? 1 : 0));
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
    for (const auto& [name, times] : other.axes) {
        AxisTimes& sum = axes[name];
        sum.total += times.total;
        sum.exposed += times.exposed;
        sum.alone += times.alone;
    }
    bubble += other.bubble;
    late_peer += other.late_peer;
    return *this;
}

void Breakdown::set_use(const DeviceUse& use, const std::vector<std::string>& names)
{
    for (std::size_t i = 0; i < use.axes.size(); ++i) {
        if (use.axes[i].total > Picoseconds(0)) {
            AxisTimes& times = axes[names[i]];
            times.total = use.axes[i].total;
            times.alone = use.axes[i].alone;
        }
    }
    bubble = use.bubble;
    late_peer = use.late_peer;
}

void Breakdown::fit_exposed()
{
    Picoseconds sum(0);
    std::vector<Picoseconds*> parts;
    for (auto& [name, times] : axes) {
        sum += times.exposed;
        parts.push_back(&times.exposed);
    }
    if (sum > Picoseconds(0)) {
        scale_exactly(parts, share(Share::communication).count(), sum.count(),
                      share(Share::communication));
    }
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
    for (auto& [name, time] : result.axes) {
        time = {time.total * times, time.exposed * times, time.alone * times};
    }
    result.bubble = bubble * times;
    result.late_peer = late_peer * times;
    return result;
}

Breakdown with_waiting(Breakdown breakdown, double straggling)
{
    const Picoseconds for_peers = breakdown.bubble + breakdown.late_peer;
    if (for_peers > Picoseconds(0)) {
        std::vector<Picoseconds*> shares;
        for (Picoseconds& time : breakdown.shares) {
            shares.push_back(&time);
        }
        const Picoseconds rest = breakdown.total - for_peers;
        scale_exactly(shares, rest.count(), breakdown.total.count(), rest);
        breakdown.share(Share::waiting) += for_peers;
        breakdown.fit_exposed();
    }
    for (auto& [name, times] : breakdown.axes) {
        if (times.total > Picoseconds(0)) { // the path goes from device to device, the last of each
            times.total = std::max(times.total, times.exposed);
        }
    }
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
    for (auto& [name, times] : fraction.axes) {
        times.total = scaled_up(times.total, numerator, denominator);
        times.alone = scaled_down(times.alone, numerator, denominator);
    }
    fraction.fit_exposed();
    Picoseconds straggler = whole.share(Share::waiting) - whole.bubble - whole.late_peer;
    scale_exactly({&fraction.bubble, &fraction.late_peer, &straggler}, numerator, denominator,
                  fraction.share(Share::waiting));
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
    for (AxisUse& use : result.use_.axes) {
        use.total = scaled_up(use.total, total.count(), total_.count());
        use.alone = scaled_down(use.alone, total.count(), total_.count());
    }
    return result;
}

Breakdown NumberedBreakdown::named(const PhaseNames& phases) const
{
    Breakdown result;
    result.total = total_;
    result.shares = shares_;
    for (std::size_t i = 0; i < phases_.size(); ++i) {
        if (phases_[i] == unmet) {
            continue;
        }
        result.phases[phases.names()[i]] += phases_[i];
        const std::string& axes = phases.names_of_axes()[i];
        if (!axes.empty()) {
            result.axes[axes].exposed += phases_[i];
        }
    }
    result.set_use(use_, phases.axes().names());
    result.fit_exposed();
    return result;
}

} // namespace alxsim::model
