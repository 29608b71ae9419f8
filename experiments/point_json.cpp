// SPDX-License-Identifier: Apache-2.0
#include "experiments/point_json.h"

#include "experiments/hbm_json.h"
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
Json parts_json(const std::map<std::string, Bytes>& parts, std::int64_t cores_per_device)
{
    constexpr std::size_t most_told = 40;
    std::vector<Bytes> sizes;
    for (const auto& [part, bytes] : parts) {
        sizes.push_back(bytes);
    }
    std::sort(sizes.begin(), sizes.end(), std::greater<>());
    const Bytes least = sizes.size() > most_told ? sizes[most_told - 1] : Bytes(0);
    Json json = Json::object();
    Bytes others(0);
    for (const auto& [part, bytes] : parts) {
        if (bytes >= least && json.size() < most_told) {
            json[part] = ceil_divide(bytes.count(), cores_per_device);
        } else {
            others += bytes;
        }
    }
    if (others > Bytes(0)) {
        json["others"] = ceil_divide(others.count(), cores_per_device);
    }
    return json;
}

} // namespace

Json memory_json(const model::MemoryFit& fit, const Machine& machine)
{
    const std::int64_t cores_per_device = machine.cores / machine.devices;
    Json memory{{"bytes_per_core", ceil_divide(fit.needed.count(), cores_per_device)},
                {"capacity_bytes", fit.capacity.count() / cores_per_device},
                {"parts", parts_json(fit.parts, cores_per_device)},
                {"largest", fit.largest_part()}};
    if (fit.host_needed > Bytes(0)) {
        memory["host_bytes_per_core"] = ceil_divide(fit.host_needed.count(), cores_per_device);
        memory["host_capacity_bytes"] = fit.host_capacity.count() / cores_per_device;
    }
    return memory;
}

void add_times(Json& point, const Timing& timing, const Machine& machine)
{
    const auto epochs = static_cast<std::int64_t>(timing.epoch_ends.size());
    const model::Breakdown epoch = model::mean_of(timing.total, epochs);
    point["epoch_seconds"] = seconds_of(epoch.total);
    point["phases"] = Json::object();
    for (const auto& [phase, time] : epoch.phases) {
        point["phases"][phase] = seconds_of(time);
    }
    for (std::size_t i = 0; i < model::share_count; ++i) {
        point[std::string(model::name_of(static_cast<model::Share>(i))) + "_seconds"] =
            seconds_of(epoch.shares[i]);
    }
    point["ici"] = ici_json(timing, machine);
    point["hbm"] = hbm_json(machine);
    if (!timing.confidence.is_null()) {
        point["confidence"] = timing.confidence;
    }
}

void add_cost(Json& point, const Machine& machine)
{
    const double chip_seconds = point.at("epoch_seconds").get<double>() * machine.slice.chips();
    if (machine.preset.has("usd_per_chip_hour")) {
        point["cost_usd"] = machine.preset.number("usd_per_chip_hour") * chip_seconds / 3600;
    }
    if (machine.preset.has("power_w_min_mean_max")) {
        point["energy_joules"] =
            machine.preset.at("power_w_min_mean_max").value.at(1).get<double>() * chip_seconds;
    }
}

Json quality_json(const std::vector<workloads::IntervalMetrics>& metrics, const Timing& timing)
{
    Json quality = Json::array();
    for (const workloads::IntervalMetrics& interval : metrics) {
        Json one = Json::object();
        one["epoch"] = interval.interval;
        for (const workloads::Metric& metric : interval.metrics) {
            one[metric.name] = metric.value ? Json(*metric.value) : Json();
        }
        const auto done = static_cast<std::size_t>(interval.interval);
        one["simulated_seconds"] = done == 0 ? 0.0 : seconds_of(timing.epoch_ends.at(done - 1));
        quality.push_back(one);
    }
    return quality;
}

Json assumptions_of(const Machine& machine)
{
    Json assumptions = Json::array();
    for (const std::string& key : machine.preset.keys()) {
        const topologies::PresetValue& value = machine.preset.at(key);
        if ((value.kind == "assumed" || value.kind == "overridden") &&
            !value.value.is_structured() && topologies::concerns(key, machine.slice)) {
            Json one{{"chip", machine.preset.name()}, {"name", key}, {"value", value.value}};
            if (!value.low.is_null()) {
                one["low"] = value.low;
                one["high"] = value.high;
            }
            one["unit"] = value.unit;
            one["kind"] = value.kind;
            one["source"] = value.source;
            assumptions.push_back(one);
        }
    }
    return assumptions;
}

} // namespace alxsim::experiments
