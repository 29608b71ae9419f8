// SPDX-License-Identifier: Apache-2.0
#include "report/network.h"

#include "report/words.h"

#include <algorithm>
#include <optional>

namespace alxsim::report {
namespace {

/// Of the time that the epoch's collectives take by themselves.
std::optional<double> latency_share(const Json& point)
{
    double latency = 0;
    double all = 0;
    for (const Json& schedule : point.value("schedules", Json::array())) {
        const double times = schedule.at("times").get<double>();
        latency += times * schedule.at("latency_seconds").get<double>();
        all += times * schedule.at("seconds").get<double>();
    }
    return all > 0 ? std::optional(std::min(1.0, latency / all)) : std::nullopt;
}

std::string statement(double share, std::optional<double> latency, bool uses_links)
{
    const std::string part = " take " + percent_in_words(share) + " of the epoch";
    if (share <= 0) {
        return "Off the critical path: the epoch never waits for a collective.";
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

Json network_of(const Json& point)
{
    const double share = std::min(1.0, point.at("communication_seconds").get<double>() /
                                           point.at("epoch_seconds").get<double>());
    const std::optional<double> latency = latency_share(point);
    Json network{{"share", share}};
    if (latency) {
        network["latency_share"] = *latency;
    }
    network["statement"] = statement(share, latency, point.at("ici").at("bytes").get<double>() > 0);
    return network;
}

} // namespace alxsim::report
