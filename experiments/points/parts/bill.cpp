// SPDX-License-Identifier: Apache-2.0
#include "experiments/points/parts/bill.h"

#include "base/input_error.h"
#include "base/portable_math.h"
#include "model/job_estimate.h"
#include "report/words.h"
#include "topologies/memory_tier.h"
#include "workloads/registry.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace alxsim::experiments {
namespace {

using topologies::Machine;

/// A stretch that takes more of the time between failures is taken never to end.
constexpr double most_stretch = 50;

constexpr double seconds_of_hour = 3600;

/// Returns the seconds of the job's state through a host: over PCIe, chips side by side, and to or
/// from storage.
double state_seconds(Bytes of_device, double bytes_per_second, const Machine& machine)
{
    const auto bytes = static_cast<double>(of_device.count());
    return bytes * machine.devices_per_chip / machine.host.pcie_bytes_per_second_per_chip +
           bytes * machine.devices_of_host() / bytes_per_second;
}

/// The first interval after which the target is reached.
std::optional<int> intervals_to(const std::pair<std::string, double>& target,
                                const report::Result& result, const workloads::Kind& kind,
                                const std::string& file)
{
    using workloads::Better;
    const Better better = better_of(kind, target.first);
    const auto is_reached = [&](double value) {
        return better == Better::lower ? value <= target.second : value >= target.second;
    };
    bool measured = false;
    for (const report::Quality& quality : result.quality.value_or(std::vector<report::Quality>{})) {
        const std::optional<double> value = quality.metric(target.first);
        measured = measured || value;
        if (value && is_reached(*value) && quality.interval > 0) {
            return quality.interval;
        }
    }
    if (!measured) {
        throw InputError(file, "/bill/target",
                         "found " + target.first + "; allowed: a metric that the run measures" +
                             (kind.target
                                  ? ", above all " + kind.target->metric +
                                        (kind.target->when.empty() ? "" : " ") + kind.target->when
                                  : ""));
    }
    return std::nullopt;
}

/// `run`: intervals that the job has run.
std::optional<int> intervals_of(const PointStudy& study, const report::Result& result, int run)
{
    const BillRequest& request = *study.bill;
    if (!request.target.empty()) {
        return intervals_to(request.target.front(), result,
                            workloads::registry().kind_of(study.document, study.file), study.file);
    }
    return request.epochs.value_or(std::max(1, run));
}

void add_dollars(report::Bill& bill, const ChipPrices& prices, const Machine& machine)
{
    const double chip_hours = bill.hours * machine.slice.chips();
    const auto dollars = [&](const std::optional<double>& price) {
        return price ? std::optional(*price * chip_hours) : std::nullopt;
    };
    bill.dollars = dollars(prices.on_demand);
    bill.dollars_spot = dollars(prices.spot);
    bill.dollars_committed = dollars(prices.committed);
}

BillParts parts_of(const BillRequest& request, int intervals, const report::Result& result,
                   const workloads::Workload& workload, model::AnalyticModel& model)
{
    const Machine& machine = model.machine();
    BillParts parts;
    parts.intervals = intervals;
    parts.interval_seconds = result.epoch.seconds;
    if (request.evaluation) {
        parts.evaluation_seconds =
            to_seconds(model::estimate(workload.evaluation(), model).total).count();
        parts.evaluation_every = workload.intervals_between_evaluations();
    }
    if (request.checkpoint) {
        parts.checkpoint_every = request.checkpoint->every;
        parts.checkpoint_seconds =
            state_seconds(workload.state_bytes(), request.checkpoint->bytes_per_second, machine);
    }
    parts.compile_seconds = request.compile_seconds;
    if (request.load_bytes_per_second) {
        parts.load_seconds =
            state_seconds(workload.state_bytes(), *request.load_bytes_per_second, machine);
    }
    if (request.hours_between_failures) {
        parts.seconds_between_failures = *request.hours_between_failures * seconds_of_hour;
    }
    return parts;
}

} // namespace

ChipPrices prices_of(const PointStudy& study, const Machine& machine)
{
    ChipPrices prices;
    for (const auto& [chip, own] : study.bill ? study.bill->prices : Named<ChipPrices>()) {
        if (chip == machine.preset.name()) {
            prices = own;
        }
    }
    if (!prices.on_demand && machine.preset.has("usd_per_chip_hour")) {
        prices.on_demand = machine.preset.number("usd_per_chip_hour");
    }
    return prices;
}

double expected_seconds(double work, double restart, double between)
{
    if (work + restart > most_stretch * between) {
        return std::numeric_limits<double>::infinity();
    }
    return between * portable::exp(restart / between) * portable::expm1(work / between);
}

report::BillSeconds seconds_of(const BillParts& parts)
{
    const int evaluations = parts.intervals / parts.evaluation_every;
    const int checkpoints =
        parts.checkpoint_every > 0 ? parts.intervals / parts.checkpoint_every : 0;
    report::BillSeconds seconds;
    seconds.compile = parts.compile_seconds;
    seconds.load = parts.load_seconds;
    seconds.training = parts.intervals * parts.interval_seconds;
    seconds.evaluation = evaluations * parts.evaluation_seconds;
    seconds.checkpoints = checkpoints * parts.checkpoint_seconds;
    if (!parts.seconds_between_failures) {
        return seconds;
    }
    // Evaluations are spread evenly over the intervals.
    const double interval =
        parts.interval_seconds + seconds.evaluation / static_cast<double>(parts.intervals);
    const double restart = parts.compile_seconds + parts.load_seconds;
    const auto lost = [&](double work) {
        return expected_seconds(work, restart, *parts.seconds_between_failures) - work;
    };
    seconds.lost_to_failures =
        lost((parts.intervals - checkpoints * parts.checkpoint_every) * interval);
    if (checkpoints > 0) {
        seconds.lost_to_failures +=
            checkpoints * lost(parts.checkpoint_every * interval + parts.checkpoint_seconds);
    }
    return seconds;
}

std::optional<report::Bill> bill_of(const PointStudy& study, const report::Result& result,
                                    int intervals_run, const workloads::Workload& workload,
                                    model::AnalyticModel& model)
{
    if (!study.bill) {
        return std::nullopt;
    }
    const std::optional<int> intervals = intervals_of(study, result, intervals_run);
    if (!intervals) {
        return std::nullopt;
    }
    report::Bill bill;
    bill.intervals = *intervals;
    bill.seconds = seconds_of(parts_of(*study.bill, *intervals, result, workload, model));
    if (!std::isfinite(bill.seconds.lost_to_failures)) {
        throw InputError(study.file, "/bill/hours_between_failures",
                         "found " + Json(*study.bill->hours_between_failures).dump() +
                             ", in which the work between two checkpoints is hardly ever done; "
                             "allowed: more hours, or checkpoints after fewer intervals");
    }
    bill.hours = bill.seconds.total() / seconds_of_hour;
    add_dollars(bill, prices_of(study, model.machine()), model.machine());
    return bill;
}

std::optional<std::string> bill_note(const report::Bill& bill, const workloads::Workload& workload)
{
    const std::string remark = workload.phase_remark("evaluation");
    if (remark.empty() || bill.seconds.evaluation < 0.5 * bill.seconds.training) {
        return std::nullopt;
    }
    return "of the bill, evaluation takes " +
           report::percent_in_words(bill.seconds.evaluation / bill.seconds.total()) + ": " + remark;
}

void check_bill(const PointStudy& study)
{
    if (!study.bill || study.bill->target.empty()) {
        return;
    }
    if (study.bill->epochs) {
        throw InputError(study.file, "/bill/target",
                         "found beside \"epochs\"; allowed: one of them");
    }
    if (!study.numerics) {
        throw InputError(study.file, "/bill/target",
                         "found " + study.bill->target.front().first +
                             " without numbers, which are never reached; allowed: \"epochs\", or "
                             "\"numerics\": true");
    }
}

} // namespace alxsim::experiments
