// SPDX-License-Identifier: Apache-2.0
#include "report/network.h"

#include "report/words.h"

#include <algorithm>
#include <optional>

namespace alxsim::report {
namespace {

/// Returns the share of the time that the interval's collectives take by themselves.
std::optional<double> latency_share(const std::vector<CollectiveSchedule>& schedules)
{
    double latency = 0;
    double all = 0;
    for (const CollectiveSchedule& schedule : schedules) {
        const auto times = static_cast<double>(schedule.times);
        latency += times * schedule.latency_seconds;
        all += times * schedule.seconds;
    }
    return all > 0 ? std::optional(std::min(1.0, latency / all)) : std::nullopt;
}

std::string statement(double share, std::optional<double> latency, bool uses_links,
                      const std::string& interval)
{
    const std::string part = " take " + percent_in_words(share) + " of the " + interval;
    if (share <= 0) {
        return "Off the critical path: the " + interval + " never waits for a collective.";
    }
    if (!uses_links) {
        return "Off the critical path: links between chips carry nothing. Collectives on a chip" +
               part + ".";
    }
    if (share < off_the_critical_path) {
        return "Off the critical path: collectives" + part +
               "; a faster link cannot save more than that.";
    }
    if (!latency) {
        return "On the critical path: collectives" + part + ".";
    }
    return "On the critical path: collectives" + part + ". Undisturbed, " +
           percent_in_words(1 - *latency) + " of their time would be bandwidth, and " +
           percent_in_words(*latency) + " launch and hops, which no faster link shortens.";
}

} // namespace

Network network_of(const Result& result)
{
    const double share =
        std::min(1.0, result.epoch.share(Share::communication) / result.epoch.seconds);
    const std::optional<double> latency =
        latency_share(result.schedules.value_or(std::vector<CollectiveSchedule>{}));
    return {share, latency,
            statement(share, latency, as_double(result.ici.bytes) > 0, interval_words(result).one)};
}

} // namespace alxsim::report
