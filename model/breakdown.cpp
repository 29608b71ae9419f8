// SPDX-License-Identifier: Apache-2.0
#include "model/breakdown.h"

#include <algorithm>
#include <stdexcept>
#include <vector>

namespace alxsim::model {
namespace {

/// Divides each part by `by`, rounding so that the results add up to `target`.
void divide_exactly(std::vector<Picoseconds*> parts, std::int64_t by, Picoseconds target)
{
    std::int64_t sum = 0;
    std::vector<std::pair<std::int64_t, Picoseconds*>> remainders;
    for (Picoseconds* part : parts) {
        remainders.emplace_back(part->count() % by, part);
        *part = Picoseconds(part->count() / by);
        sum += part->count();
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

} // namespace

const char* name_of(Share share)
{
    switch (share) {
    case Share::compute:
        return "compute";
    case Share::hbm:
        return "hbm";
    case Share::communication:
        return "communication";
    case Share::host:
        return "host";
    case Share::idle:
        return "idle";
    }
    throw std::logic_error("unknown share");
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

Breakdown mean_of(const Breakdown& total, std::int64_t parts)
{
    Breakdown mean = total;
    mean.total = total.total / parts;
    std::vector<Picoseconds*> phases;
    for (auto& [phase, time] : mean.phases) {
        phases.push_back(&time);
    }
    std::vector<Picoseconds*> shares;
    for (Picoseconds& time : mean.shares) {
        shares.push_back(&time);
    }
    divide_exactly(phases, parts, mean.total);
    divide_exactly(shares, parts, mean.total);
    return mean;
}

} // namespace alxsim::model
