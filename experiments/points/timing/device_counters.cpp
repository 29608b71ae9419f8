// SPDX-License-Identifier: Apache-2.0
#include "experiments/points/timing/device_counters.h"

#include "base/units.h"

#include <algorithm>

namespace alxsim::experiments {
namespace {

/// More would drown a report of many points.
constexpr std::size_t most_listed = 16;

Mean seconds_of(double picoseconds, std::int64_t intervals)
{
    return picoseconds * 1e-12 / static_cast<double>(intervals);
}

/// In a mean interval, whole where it is; times in seconds.
Mean per_interval(std::int64_t total, std::int64_t intervals, sim::StatisticUnit unit)
{
    if (unit == sim::StatisticUnit::picoseconds) {
        return seconds_of(static_cast<double>(total), intervals);
    }
    return total % intervals == 0
               ? Mean(total / intervals)
               : Mean(static_cast<double>(total) / static_cast<double>(intervals));
}

report::DeviceCounter counter_of(const sim::Statistic& statistic, std::int64_t intervals)
{
    const std::vector<std::int64_t>& each = statistic.of_each;
    const auto [least, most] = std::minmax_element(each.begin(), each.end());
    const bool is_time = statistic.unit == sim::StatisticUnit::picoseconds;
    const double mean = static_cast<double>(statistic.value) / static_cast<double>(each.size());
    report::DeviceCounter counter;
    counter.name = statistic.name;
    counter.per = name_of(statistic.owner);
    counter.unit = is_time ? "seconds" : name_of(statistic.unit);
    counter.least = per_interval(*least, intervals, statistic.unit);
    counter.mean =
        is_time ? as_double(seconds_of(mean, intervals)) : mean / static_cast<double>(intervals);
    counter.most = per_interval(*most, intervals, statistic.unit);
    counter.most_at = most - each.begin();
    if (*least < *most && each.size() <= most_listed) {
        for (const std::int64_t value : each) {
            counter.of_each.push_back(per_interval(value, intervals, statistic.unit));
        }
    }
    return counter;
}

} // namespace

std::vector<report::DeviceCounter> device_counters_of(const sim::Statistics& statistics,
                                                      std::int64_t intervals)
{
    std::vector<report::DeviceCounter> counters;
    for (const sim::Statistic& statistic : statistics.all()) {
        if (statistic.owner != sim::Owner::slice && statistic.value != 0) {
            counters.push_back(counter_of(statistic, intervals));
        }
    }
    return counters;
}

} // namespace alxsim::experiments
