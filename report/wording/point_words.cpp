// SPDX-License-Identifier: Apache-2.0
#include "report/wording/point_words.h"

#include "base/input_error.h"
#include "base/text/printed.h"
#include "report/words.h"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

namespace alxsim::report {

std::string throughput_in_words(const Throughput& throughput)
{
    std::string words = in_words(throughput.per_second) + " " + throughput.unit + "/s, MFU " +
                        percent_in_words(throughput.mfu);
    if (throughput.hfu) {
        words += ", HFU " + percent_in_words(*throughput.hfu);
    }
    if (throughput.usd_per_million) {
        words += printed(", %.3g $ for a million ", *throughput.usd_per_million) + throughput.unit;
    }
    return words;
}

std::string waiting_in_words(const Breakdown& interval)
{
    if (!interval.waiting || interval.seconds <= 0) {
        return "";
    }
    constexpr double worth_telling = 0.001;
    const Waiting& waiting = *interval.waiting;
    std::vector<std::string> words;
    for (const auto& [name, seconds] :
         {std::pair("bubble", waiting.bubble), std::pair("straggler", waiting.straggler),
          std::pair("late peer", waiting.late_peer)}) {
        if (seconds >= worth_telling * interval.seconds) {
            words.push_back(std::string(name) + " (" +
                            percent_in_words(seconds / interval.seconds) + ")");
        }
    }
    return join(words);
}

std::string slots_in_words(const Result& result)
{
    static const Json::json_pointer slots("/slots");
    if (!result.geometry || !result.geometry->contains(slots)) {
        return "";
    }
    const double all = result.geometry->at(slots).at("in_all").get<double>();
    const double wait = result.geometry->at(slots).at("wait").get<double>();
    const Waiting waiting = result.epoch.waiting.value_or(Waiting());
    return in_words(wait) + " of " + in_words(all) + " slots wait: bubble " +
           percent_in_words(wait / all) + "; devices wait for each other " +
           percent_in_words((waiting.bubble + waiting.late_peer) / result.epoch.seconds) +
           " of the time";
}

std::string communication_in_words(const Breakdown& interval)
{
    std::vector<std::string> words;
    for (const auto& [axes, seconds] : interval.communication) {
        words.push_back(axes + " (exposed " + seconds_in_words(seconds.exposed) + " of " +
                        seconds_in_words(seconds.total) + ", " + seconds_in_words(seconds.alone) +
                        " of it with nothing computed)");
    }
    return join(words);
}

std::string unfit_in_words(const PointMemory& memory)
{
    const bool host = memory.largest == "host memory";
    const bool storage = memory.largest == "storage";
    const std::int64_t needed = host      ? memory.host_bytes_per_core.value()
                                : storage ? memory.storage_bytes_per_core.value()
                                          : memory.needed_bytes();
    const std::int64_t there = host      ? memory.host_capacity_bytes.value()
                               : storage ? memory.storage_capacity_bytes.value()
                                         : memory.capacity_bytes;
    const char* const format = memory.at_edge && !host && !storage ? "%.2f GB" : "%.1f GB";
    const std::string largest = memory.largest.value_or("");
    return printed(format, 1e-9 * static_cast<double>(needed)) + " of " +
           printed(format, 1e-9 * static_cast<double>(there)) + " a core" +
           (largest.empty() ? "" : ", " + largest + " most");
}

std::string missing_in_words(const std::vector<Point>& points)
{
    std::vector<std::string> words;
    for (const auto& [kind, one, many] :
         {std::tuple("refused", "was refused", "were refused"),
          std::tuple("failed", "failed", "failed"),
          std::tuple("does_not_fit", "does not fit into memory", "do not fit into memory")}) {
        const auto count =
            std::count_if(points.begin(), points.end(), [wanted = kind](const Point& point) {
                return point.no_result && point.no_result->kind == wanted;
            });
        if (count > 0) {
            words.push_back(std::to_string(count) + " " + (count == 1 ? one : many));
        }
    }
    return join(words);
}

void tell_no_result(Point& point)
{
    if (point.result || point.no_result) {
        return;
    }
    if (point.error) {
        point.no_result = NoResult{"failed", *point.error};
    } else {
        point.no_result = NoResult{"does_not_fit", unfit_in_words(point.memory.value())};
    }
}

std::string dollars_cover(const Bill& bill)
{
    return std::string("Dollars are for the chips while this job holds them: no storage, no "
                       "traffic out of the cloud, ") +
           (bill.seconds.evaluation > 0 ? "" : "no evaluation, ") + "nothing before or after it.";
}

} // namespace alxsim::report
