// SPDX-License-Identifier: Apache-2.0
#include "experiments/points/parts/point_parts.h"

#include "experiments/points/timing/hbm_rates.h"
#include "experiments/points/timing/memory_time.h"
#include "topologies/override_notes.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

namespace alxsim::experiments {
namespace {

using topologies::Machine;

double seconds_of(Picoseconds time)
{
    return to_seconds(time).count();
}

/// The largest parts by name, what is smaller than these together: a graph may have a buffer for
/// each of 100,000 ops.
Named<std::int64_t> parts_of(const std::map<std::string, Bytes>& parts,
                             std::int64_t cores_per_device)
{
    constexpr std::size_t most_told = 40;
    std::vector<Bytes> sizes;
    for (const auto& [part, bytes] : parts) {
        sizes.push_back(bytes);
    }
    std::sort(sizes.begin(), sizes.end(), std::greater<>());
    const Bytes least = sizes.size() > most_told ? sizes[most_told - 1] : Bytes(0);
    Named<std::int64_t> told;
    Bytes others(0);
    for (const auto& [part, bytes] : parts) {
        if (bytes >= least && told.size() < most_told) {
            told.emplace_back(part, ceil_divide(bytes.count(), cores_per_device));
        } else {
            others += bytes;
        }
    }
    if (others > Bytes(0)) {
        told.emplace_back("others", ceil_divide(others.count(), cores_per_device));
    }
    return told;
}

} // namespace

report::Breakdown breakdown_of(const model::Breakdown& interval)
{
    report::Breakdown told;
    told.seconds = seconds_of(interval.total);
    for (const auto& [phase, time] : interval.phases) {
        told.phases.emplace_back(phase, seconds_of(time));
    }
    for (const Share share : all_shares) {
        told.share(share) = seconds_of(interval.share(share));
    }
    const Picoseconds waiting = interval.share(Share::waiting);
    if (waiting > Picoseconds(0)) {
        told.waiting = {seconds_of(interval.bubble),
                        seconds_of(waiting - interval.bubble - interval.late_peer),
                        seconds_of(interval.late_peer)};
    }
    for (const auto& [axes, times] : interval.axes) {
        told.communication.emplace_back(axes, report::AxisSeconds{seconds_of(times.total),
                                                                  seconds_of(times.exposed),
                                                                  seconds_of(times.alone)});
    }
    return told;
}

report::PointMemory memory_of(const model::MemoryFit& fit, const Machine& machine)
{
    const std::int64_t cores_per_device = machine.cores / machine.devices;
    report::PointMemory told{ceil_divide(fit.needed.count(), cores_per_device),
                             fit.capacity.count() / cores_per_device,
                             parts_of(fit.parts, cores_per_device),
                             fit.largest_part(),
                             fit.at_edge(),
                             {},
                             {}};
    if (fit.allocated) {
        told.compiler_bytes_per_core = ceil_divide(fit.allocated->count(), cores_per_device);
    }
    if (fit.host_needed > Bytes(0)) {
        told.host_bytes_per_core = ceil_divide(fit.host_needed.count(), cores_per_device);
        told.host_capacity_bytes = fit.host_capacity.count() / cores_per_device;
    }
    if (fit.storage_needed > Bytes(0)) {
        told.storage_bytes_per_core = ceil_divide(fit.storage_needed.count(), cores_per_device);
        told.storage_capacity_bytes = fit.storage_capacity.count() / cores_per_device;
    }
    return told;
}

void add_times(report::Result& result, const Timing& timing, const Machine& machine)
{
    const auto epochs = static_cast<std::int64_t>(timing.epoch_ends.size());
    result.epoch = breakdown_of(model::mean_of(timing.total, epochs));
    result.ici = ici_of(timing, machine);
    result.hbm = hbm_rates_of(machine);
    result.confidence = timing.confidence;
}

void add_row_issue(report::Result& result, const model::Program& interval, const Machine& machine)
{
    const double share = memory_time(interval, machine).issue_share();
    if (share > 0) {
        result.epoch.row_issue = share * result.epoch.share(Share::hbm);
    }
}

std::optional<report::InputStages> input_of(const model::Program& interval,
                                            model::AnalyticModel& model)
{
    double read = 0;
    double parse = 0;
    double transfer = 0;
    for (const model::StepGroup& group : interval) {
        const model::InputTimes times = model.numbered_step(group.step).infeed;
        const auto steps = static_cast<double>(group.times);
        read += steps * seconds_of(times.read);
        parse += steps * seconds_of(times.parse);
        transfer += steps * seconds_of(times.transfer);
    }
    if (read + parse + transfer <= 0) {
        return std::nullopt;
    }
    return report::InputStages{read, parse, transfer,
                               model.machine().host.input.every_host_reads_all};
}

void add_cost(report::Result& result, const ChipPrices& prices, const Machine& machine)
{
    const double chip_seconds = result.epoch.seconds * machine.slice.chips();
    if (prices.on_demand) {
        result.cost_usd = *prices.on_demand * chip_seconds / 3600;
    }
    if (machine.preset.has("power_w_min_mean_max")) {
        result.energy_joules =
            machine.preset.at("power_w_min_mean_max").value.at(1).get<double>() * chip_seconds;
    }
}

double model_flop_utilization(double operations, double seconds, const Machine& machine)
{
    return operations / (seconds * machine.devices * machine.device.peak_bf16_flops);
}

void add_throughput(report::Result& result, const workloads::UsefulWork& work, double computed,
                    const ChipPrices& prices, const Machine& machine)
{
    report::Throughput throughput;
    throughput.unit = work.unit;
    throughput.per_interval = work.units;
    throughput.per_second = work.units / result.epoch.seconds;
    const double chip_hours = result.epoch.seconds * machine.slice.chips() / 3600;
    const auto per_million = [&](const std::optional<double>& price) {
        return price ? std::optional(*price * chip_hours / work.units * 1e6) : std::nullopt;
    };
    throughput.usd_per_million = per_million(prices.on_demand);
    throughput.usd_per_million_spot = per_million(prices.spot);
    throughput.usd_per_million_committed = per_million(prices.committed);
    throughput.useful_operations = work.operations;
    throughput.mfu = model_flop_utilization(work.operations, result.epoch.seconds, machine);
    throughput.computed_operations = computed;
    throughput.hfu = model_flop_utilization(computed, result.epoch.seconds, machine);
    result.throughput = throughput;
}

std::vector<report::Quality> quality_of(const std::vector<workloads::IntervalMetrics>& metrics,
                                        const Timing& timing)
{
    std::vector<report::Quality> all;
    for (const workloads::IntervalMetrics& interval : metrics) {
        report::Quality quality;
        quality.interval = interval.interval;
        for (const workloads::Metric& metric : interval.metrics) {
            quality.metrics.emplace_back(metric.name, metric.value);
        }
        const auto done = static_cast<std::size_t>(interval.interval);
        quality.simulated_seconds = done == 0 ? 0.0 : seconds_of(timing.epoch_ends.at(done - 1));
        all.push_back(std::move(quality));
    }
    return all;
}

bool is_assumed(const std::string& key, const topologies::PresetValue& value,
                const Machine& machine)
{
    return (value.kind == "assumed" || value.kind == "overridden") &&
           !value.value.is_structured() && topologies::concerns(key, machine.slice);
}

report::Assumption assumption_of(const std::string& preset, const std::string& key,
                                 const topologies::PresetValue& value)
{
    report::Assumption one;
    one.chip = preset;
    one.name = key;
    one.value = value.value;
    if (!value.low.is_null()) {
        one.low = value.low;
        one.high = value.high;
    }
    one.unit = value.unit;
    one.kind = value.kind;
    one.source = value.source;
    return one;
}

} // namespace alxsim::experiments
