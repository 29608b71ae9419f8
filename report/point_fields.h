// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "report/point.h"

/// The fields of a point in a report, in the schema's order.
namespace alxsim::report {

template <class Fields>
void list_fields(Fields& fields, PointMachine& machine)
{
    fields("chip", machine.chip);
    fields("cores", machine.cores);
    fields("devices", machine.devices);
    fields("chips", machine.chips);
    fields("slice", machine.slice);
    fields("slices", machine.slices);
    fields("wrap", machine.wrap);
    fields("slice_assumed", machine.slice_assumed);
    fields.if_true("slice_asked", machine.slice_asked);
    fields.if_true("twisted", machine.twisted);
    fields("faults", machine.faults);
}

template <class Fields>
void list_fields(Fields& fields, PointMemory& memory)
{
    fields("bytes_per_core", memory.bytes_per_core);
    fields("capacity_bytes", memory.capacity_bytes);
    fields("parts", memory.parts);
    fields("largest", memory.largest);
    fields.if_true("at_edge", memory.at_edge);
    fields("host_bytes_per_core", memory.host_bytes_per_core);
    fields("host_capacity_bytes", memory.host_capacity_bytes);
}

template <class Fields>
void list_fields(Fields& fields, Confidence& confidence)
{
    fields.newer("confidence", confidence.confidence);
    fields.newer("low_seconds", confidence.low_seconds);
    fields.newer("high_seconds", confidence.high_seconds);
    fields.newer("relative_width", confidence.relative_width);
    fields.newer("analytic_seconds", confidence.analytic_seconds);
    fields.newer("steps", confidence.steps);
    fields.newer("simulated_steps", confidence.simulated_steps);
}

template <class Fields>
void list_fields(Fields& fields, Drawn& drawn)
{
    fields("epoch_seconds", drawn.seconds);
    fields.unless_empty("phases", drawn.phases);
    for (const Share share : all_shares) {
        fields.unless_empty(field_of(share).c_str(), drawn.shares[static_cast<std::size_t>(share)]);
    }
}

template <class Fields>
void list_fields(Fields& fields, UncertainInput& input)
{
    fields("name", input.name);
    fields("low", input.low);
    fields("central", input.central);
    fields("high", input.high);
    fields("unit", input.unit);
    fields("seconds_at_low", input.seconds_at_low);
    fields("seconds_at_high", input.seconds_at_high);
    fields("swing", input.swing);
}

template <class Fields>
void list_fields(Fields& fields, Uncertainty& uncertainty)
{
    fields.newer("draws", uncertainty.draws);
    fields.newer("share", uncertainty.share);
    fields.newer("high_over_low", uncertainty.high_over_low);
    fields.newer("ranking", uncertainty.ranking);
    fields.newer("unlisted", uncertainty.unlisted);
}

template <class Fields>
void list_fields(Fields& fields, BusiestLink& link)
{
    fields("chip", link.chip);
    fields("bytes", link.bytes);
    fields("busy_seconds", link.busy_seconds);
}

template <class Fields>
void list_fields(Fields& fields, IciAxis& axis)
{
    fields("axis", axis.axis);
    fields("direction", axis.direction);
    fields("links", axis.links);
    fields("bytes", axis.bytes);
    fields("busy_seconds", axis.busy_seconds);
    fields("utilisation", axis.utilisation);
    fields("busiest", axis.busiest);
}

template <class Fields>
void list_fields(Fields& fields, Ici& ici)
{
    fields("bytes", ici.bytes);
    fields("utilisation", ici.utilisation);
    fields("axes", ici.axes);
    fields("on_chip_bytes", ici.on_chip_bytes);
    fields("messages", ici.messages);
    fields("message_hops", ici.message_hops);
    fields("hops_per_message", ici.hops_per_message);
}

template <class Fields>
void list_fields(Fields& fields, HbmRowGather& gather)
{
    fields("row_bytes", gather.row_bytes);
    fields("issue_seconds", gather.issue_seconds);
    fields("uniform_bank_seconds", gather.uniform_bank_seconds);
    fields("clamped_bank_seconds", gather.clamped_bank_seconds);
}

template <class Fields>
void list_fields(Fields& fields, HbmRates& rates)
{
    fields("channels", rates.channels);
    fields("address_mapping", rates.address_mapping);
    fields("channel_interleave_bytes", rates.channel_interleave_bytes);
    fields("read_share_of_peak", rates.read_share_of_peak);
    fields("copy_share_of_peak", rates.copy_share_of_peak);
    fields("row_gather", rates.row_gather);
}

template <class Fields>
void list_fields(Fields& fields, CollectiveSchedule& schedule)
{
    fields("phase", schedule.phase);
    fields("op", schedule.op);
    fields("kind", schedule.kind);
    fields("bytes", schedule.bytes);
    fields("times", schedule.times);
    fields("schedule", schedule.schedule);
    fields("seconds", schedule.seconds);
    fields("latency_seconds", schedule.latency_seconds);
    fields("bound_seconds", schedule.bound_seconds);
}

template <class Fields>
void list_fields(Fields& fields, Traffic& traffic)
{
    fields("phase", traffic.phase);
    fields("op", traffic.op);
    fields("kind", traffic.kind);
    fields("times", traffic.times);
    fields("payload_bytes", traffic.payload_bytes);
    fields("message_bytes", traffic.message_bytes);
}

template <class Fields>
void list_fields(Fields& fields, Skew& skew)
{
    fields("phase", skew.phase);
    fields("of", skew.of);
    fields("unit", skew.unit);
    fields("least", skew.least);
    fields("mean", skew.mean);
    fields("most", skew.most);
    fields("most_over_mean", skew.most_over_mean);
    fields("straggler", skew.straggler);
}

template <class Fields>
void list_fields(Fields& fields, DeviceCounter& counter)
{
    fields("name", counter.name);
    fields("per", counter.per);
    fields("unit", counter.unit);
    fields("least", counter.least);
    fields("mean", counter.mean);
    fields("most", counter.most);
    fields("most_at", counter.most_at);
    fields.unless_empty("of_each", counter.of_each);
}

template <class Fields>
void list_fields(Fields& fields, PathSpan& span)
{
    fields("begin_seconds", span.begin_seconds);
    fields("seconds", span.seconds);
    fields("name", span.name);
    fields("phase", span.phase);
    fields("share", span.share);
    fields("unit", span.unit);
    fields("device", span.device);
    fields("merged", span.merged);
}

template <class Fields>
void list_fields(Fields& fields, CriticalPath& path)
{
    fields("step", path.step);
    fields("steps", path.steps);
    fields("seconds", path.seconds);
    fields("merged", path.merged);
    fields("spans", path.spans);
}

template <class Fields>
void list_fields(Fields& fields, Network& network)
{
    fields("share", network.share);
    fields("latency_share", network.latency_share);
    fields("statement", network.statement);
}

template <class Fields>
void list_fields(Fields& fields, Throughput& throughput)
{
    fields("unit", throughput.unit);
    fields("per_interval", throughput.per_interval);
    fields("per_second", throughput.per_second);
    fields("usd_per_million", throughput.usd_per_million);
    fields("useful_operations", throughput.useful_operations);
    fields("mfu", throughput.mfu);
}

template <class Fields>
void list_fields(Fields& fields, InputStages& input)
{
    fields("read_seconds", input.read_seconds);
    fields("parse_seconds", input.parse_seconds);
    fields("transfer_seconds", input.transfer_seconds);
    fields("every_host_reads_all", input.every_host_reads_all);
}

template <class Fields>
void list_fields(Fields& fields, BillSeconds& seconds)
{
    fields("compile", seconds.compile);
    fields("load", seconds.load);
    fields("training", seconds.training);
    fields("evaluation", seconds.evaluation);
    fields("checkpoints", seconds.checkpoints);
    fields("lost_to_failures", seconds.lost_to_failures);
}

template <class Fields>
void list_fields(Fields& fields, Bill& bill)
{
    fields("intervals", bill.intervals);
    fields("seconds", bill.seconds);
    fields("hours", bill.hours);
    fields.nullable("dollars", bill.dollars);
    fields("dollars_spot", bill.dollars_spot);
    fields("dollars_committed", bill.dollars_committed);
}

template <class Fields>
void list_fields(Fields& fields, Quality& quality)
{
    fields("epoch", quality.interval);
    fields.others(quality.metrics, {"epoch", "simulated_seconds"});
    fields("simulated_seconds", quality.simulated_seconds);
}

template <class Fields>
void list_fields(Fields& fields, Result& result)
{
    fields("geometry", result.geometry);
    fields("epoch_seconds", result.epoch.seconds);
    fields("epoch_seconds_low", result.low_seconds);
    fields("epoch_seconds_high", result.high_seconds);
    fields("epoch_seconds_median", result.median_seconds);
    fields("interval", result.interval);
    fields("intervals", result.intervals);
    fields("fidelity", result.fidelity);
    fields("confidence", result.confidence);
    fields("drawn", result.drawn);
    fields("uncertainty", result.uncertainty);
    list_fields(fields, result.epoch);
    fields("speedup", result.speedup);
    fields("efficiency", result.efficiency);
    fields("ici", result.ici);
    fields("hbm", result.hbm);
    fields("schedules", result.schedules);
    fields("traffic", result.traffic);
    fields("skew", result.skew);
    fields("network", result.network);
    fields("input", result.input);
    fields("bill", result.bill);
    fields("cost_usd", result.cost_usd);
    fields("energy_joules", result.energy_joules);
    fields("throughput", result.throughput);
    fields.beginning_with("seconds_to_", result.seconds_to);
    fields("quality", result.quality);
    fields.open(result.of_workload, fields_of_workloads);
    fields.unless_empty("results", result.results);
    fields("counters", result.counters);
    fields.unless_empty("device_counters", result.device_counters);
    fields("critical_path", result.critical_path);
}

template <class Fields>
void list_fields(Fields& fields, LeftOut& left_out)
{
    fields("share", left_out.share);
    fields("words", left_out.words);
}

template <class Fields>
void list_fields(Fields& fields, Point& point)
{
    fields.newer("series", point.series);
    fields("sweep", point.sweep);
    fields("machine", point.machine);
    fields("fits", point.fits);
    fields("left_out", point.left_out);
    fields.unless_empty("notes", point.notes);
    fields("memory", point.memory);
    fields.inlined("epoch_seconds", point.result);
    fields("error", point.error);
}

} // namespace alxsim::report
