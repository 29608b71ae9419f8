// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/schema/field_words.h"
#include "report/band_fields.h"
#include "report/point.h"

/// The fields of a point in a report, in the schema's order.
namespace alxsim::report {

template <class Fields>
void list_fields(Fields& fields, PointMachine& machine)
{
    fields("id", machine.id,
           "Tells machines apart: chip, slice, cores and a hash of every value of the preset as "
           "overridden, wraps, faults, schedule, compiler flags and places of axes. Points with "
           "one id ran on the same machine.");
    fields("chip", machine.chip, "Name of the preset, or the path of one's own.");
    fields("cores", machine.cores, "TensorCores that take part.", limits::at_least(1));
    fields("devices", machine.devices,
           "What runs one program each: cores, or chips whose cores act as one.",
           limits::at_least(1));
    fields("chips", machine.chips, "Chips of all slices.", limits::at_least(1));
    fields("slice", machine.slice, "Chips per axis, like 8x16.");
    fields("slices", machine.slices, "Of that shape, where there are several.",
           limits::at_least(2));
    fields("wrap", machine.wrap, "Of each torus axis, whether its ends are joined.");
    fields("slice_assumed", machine.slice_assumed,
           "Whether no listed slice has this count, shape or wrap.");
    fields.if_true("slice_asked", machine.slice_asked,
                   "Of an assumed slice: the study says its shape or its wraps.");
    fields.if_true("twisted", machine.twisted,
                   "The wrap of short axes shifts along the long ones. No field elsewhere.");
    fields("faults", machine.faults, "How many: the study says which.", limits::at_least(1));
}

template <class Fields>
void list_fields(Fields& fields, PointMemory& memory)
{
    fields("bytes_per_core", memory.bytes_per_core,
           "What the job needs of a core's share of the HBM.", limits::amount);
    fields("capacity_bytes", memory.capacity_bytes,
           "Of its HBM, what the compiler leaves to a program.", limits::amount);
    fields("parts", memory.parts, "The same, part by part: tables, batches and so on.",
           limits::amount);
    fields("largest", memory.largest,
           "The largest part: what to make smaller where the job does not fit.");
    fields.if_true("at_edge", memory.at_edge,
                   "Within 0.5 % of the capacity, on either side: whether it fits, a real compiler "
                   "decides. No field elsewhere.");
    fields(
        "compiler_bytes_per_core", memory.compiler_bytes_per_core,
        "What the compiler that made the program allocates, packing included: where it is known, "
        "it decides whether the job fits, not bytes_per_core, which is the simulator's own "
        "count.",
        limits::amount);
    fields("host_bytes_per_core", memory.host_bytes_per_core,
           "In host memory; no field where nothing stands there.", limits::amount);
    fields("host_capacity_bytes", memory.host_capacity_bytes, "A core's share of it; 0: not known.",
           limits::amount);
    fields("storage_bytes_per_core", memory.storage_bytes_per_core,
           "On the host's drives; no field where nothing stands there.", limits::amount);
    fields("storage_capacity_bytes", memory.storage_capacity_bytes,
           "A core's share of them; 0: not known.", limits::amount);
}

template <class Fields>
void list_fields(Fields& fields, AssumedTime& assumed)
{
    fields("share", assumed.share, "Of the critical path, by the analytic model.",
           limits::share_of_one);
    fields("words", assumed.words, "The same as a sentence.");
}

template <class Fields>
void list_fields(Fields& fields, TimeRow& row)
{
    fields("name", row.name, "The source line, collective or axes.");
    fields("ops", row.ops, "Of the program; an op in a loop is one.", limits::amount);
    fields(
        "seconds", row.seconds,
        "On the critical path, by the analytic model: those of all rows add up to epoch_seconds.",
        limits::amount);
    fields("share", row.share, "The same, of epoch_seconds.", limits::share_of_one);
    fields("work_seconds", row.work_seconds,
           "What its ops take by themselves, as often as they run, whether anything waits for them "
           "or not.",
           limits::amount);
    fields("bytes", row.bytes,
           "Where it has collectives: the larger buffer of a device, summed over the interval.",
           limits::amount);
}

template <class Fields>
void list_fields(Fields& fields, TimeTable& table)
{
    fields("by", table.by, "Source line, collective, axes.");
    fields("rows", table.rows, "The longest on the critical path first, at most 40.");
    fields("unlisted", table.unlisted, "Further rows.", limits::amount);
}

template <class Fields>
void list_fields(Fields& fields, Confidence& confidence)
{
    fields.newer("confidence", confidence.confidence, "Of the interval.", limits::share_of_one);
    fields.newer("low_seconds", confidence.low_seconds, "Where the interval begins.",
                 limits::amount);
    fields.newer("high_seconds", confidence.high_seconds, "Where it ends.", limits::amount);
    fields.newer("relative_width", confidence.relative_width, "Of the interval, against the time.",
                 limits::amount);
    fields.newer("analytic_seconds", confidence.analytic_seconds, "What the model alone says.",
                 limits::amount);
    fields.newer("steps", confidence.steps, "Steps of an interval.", limits::amount);
    fields.newer("simulated_steps", confidence.simulated_steps, "Of these, through SystemC.",
                 limits::amount);
}

template <class Fields>
void list_fields(Fields& fields, Drawn& drawn)
{
    fields("epoch_seconds", drawn.seconds, "The time, draw by draw.", limits::amount);
    fields.unless_empty("phases", drawn.phases, "The same of each phase.", limits::amount);
    for (const Share share : all_shares) {
        fields.unless_empty(field_of(share).c_str(), drawn.shares[static_cast<std::size_t>(share)],
                            "The same of what waited for this resource.", limits::amount);
    }
}

template <class Fields>
void list_fields(Fields& fields, UncertainInput& input)
{
    fields("name", input.name, "A key of the preset, or what a workload does not know.");
    fields("low", input.low, "A number, or a flag.");
    fields("central", input.central, "Its value in the world that epoch_seconds is of.");
    fields("high", input.high, "A number, or a flag.");
    fields("unit", input.unit, "Of its values.");
    fields("seconds_at_low", input.seconds_at_low, "With all others at their central values.",
           limits::amount);
    fields("seconds_at_high", input.seconds_at_high, "Likewise.", limits::amount);
    fields("swing", input.swing, "The longest interval over the shortest.", limits::at_least(1));
    fields.newer("share_of_band", input.share_of_band,
                 "Of the variance of the interval's logarithm over the draws, what this one gives "
                 "by itself.",
                 limits::share_of_one);
}

template <class Fields>
void list_fields(Fields& fields, Uncertainty& uncertainty)
{
    fields.newer("draws", uncertainty.draws, "How many were timed.");
    fields.newer("share", uncertainty.share, "Of the draws, that lies within the band.",
                 limits::share_of_one);
    fields.newer("high_over_low", uncertainty.high_over_low,
                 "The upper end of the band over its lower one.", limits::at_least(1));
    fields.newer("ranking", uncertainty.ranking, "What matters most first.");
    fields.newer("unlisted", uncertainty.unlisted,
                 "Further ones that change the time by themselves.");
}

template <class Fields>
void list_fields(Fields& fields, BusiestLink& link)
{
    fields("chip", link.chip, "Coordinates of where it starts, like 3,1.");
    fields("bytes", link.bytes, "What it carried.", limits::amount);
    fields("busy_seconds", link.busy_seconds, "For how long.", limits::amount);
}

template <class Fields>
void list_fields(Fields& fields, IciAxis& axis)
{
    fields("axis", axis.axis, "Of the slice; dcn: the network between slices.",
           limits::one_of("x|y|z|dcn"));
    fields("direction", axis.direction, "Towards higher coordinates, or lower ones.",
           limits::one_of("+|-"));
    fields("links", axis.links, "How many there are.", limits::at_least(1));
    fields("bytes", axis.bytes, "On all of them together.", limits::amount);
    fields("busy_seconds", axis.busy_seconds, "Summed over the links.", limits::amount);
    fields("utilisation", axis.utilisation, "Busy share of their time, in the mean.",
           limits::amount);
    fields("busiest", axis.busiest, "The link that was busy longest; absent where none was.");
}

template <class Fields>
void list_fields(Fields& fields, Ici& ici)
{
    fields("bytes", ici.bytes, "On all links together; those of the axes add up to it.",
           limits::amount);
    fields("utilisation", ici.utilisation,
           "Busy share of all links, each direction a link of its own.", limits::amount);
    fields("axes", ici.axes, "Of each, all links along an axis in one direction.");
    fields("on_chip_bytes", ici.on_chip_bytes, "Between the devices of a chip, over no link.",
           limits::amount);
    fields("messages", ici.messages, "Between devices, those on a chip included.", limits::amount);
    fields("message_hops", ici.message_hops,
           "Links from source to destination, over all messages; none on a chip.", limits::amount);
    fields("hops_per_message", ici.hops_per_message, "Absent without messages.", limits::amount);
}

template <class Fields>
void list_fields(Fields& fields, HbmRowGather& gather)
{
    fields("row_bytes", gather.row_bytes, "Bytes of a row.", limits::at_least(1));
    fields("issue_seconds", gather.issue_seconds, "What the engine that issues row accesses takes.",
           limits::amount);
    fields("uniform_bank_seconds", gather.uniform_bank_seconds, "Rows all over a large table.",
           limits::amount);
    fields("clamped_bank_seconds", gather.clamped_bank_seconds,
           "One row again and again, as clamped ids of other devices' rows do.", limits::amount);
}

template <class Fields>
void list_fields(Fields& fields, HbmRates& rates)
{
    fields("channels", rates.channels,
           "Of the chip; pseudo-channels where the generation has them.", limits::at_least(1));
    fields("address_mapping", rates.address_mapping,
           "Fields of an address from the highest bits to the lowest.");
    fields("channel_interleave_bytes", rates.channel_interleave_bytes,
           "Consecutive bytes that share a channel and a DRAM row.", limits::at_least(1));
    fields("read_share_of_peak", rates.read_share_of_peak, "Of a long stream of reads.",
           limits::share_of_one);
    fields("copy_share_of_peak", rates.copy_share_of_peak,
           "Of a long copy, reads and writes together.", limits::share_of_one);
    fields("row_gather", rates.row_gather,
           "Seconds a row of a gather of one device whose chip does nothing else: the longer of "
           "issue and banks counts.");
}

template <class Fields>
void list_fields(Fields& fields, CollectiveSchedule& schedule)
{
    fields("phase", schedule.phase, "In which it runs.");
    fields("op", schedule.op, "Its name in the program.");
    fields(
        "kind", schedule.kind, "What it does.",
        limits::one_of("all_gather|reduce_scatter|all_reduce|all_to_all|permute|broadcast|reduce"));
    fields("bytes", schedule.bytes, "The larger buffer of a device.", limits::amount);
    fields("times", schedule.times, "How often the program of an interval runs it.",
           limits::amount);
    fields("schedule", schedule.schedule, "In words.");
    fields("seconds", schedule.seconds,
           "What the model predicts for it once, with nothing else on the network and all members "
           "ready at once; launch included. A bad link counts for its whole axis.",
           limits::amount);
    fields("latency_seconds", schedule.latency_seconds,
           "Of these, launch and hops: what it takes with no bytes to carry.", limits::amount);
    fields("bound_seconds", schedule.bound_seconds, "No schedule can be faster.", limits::amount);
}

template <class Fields>
void list_fields(Fields& fields, Traffic& traffic)
{
    fields("phase", traffic.phase, "In which they run.");
    fields("op", traffic.op, "Their name in the program.");
    fields("kind", traffic.kind, "What they do.");
    fields("times", traffic.times, "How often they run in an interval.", limits::amount);
    fields("payload_bytes", traffic.payload_bytes,
           "A core's buffer, summed over the interval; of messages whose sizes differ, what a core "
           "sends in the mean.",
           limits::amount);
    fields("message_bytes", traffic.message_bytes,
           "Of messages whose sizes differ: what all cores send.", limits::amount);
}

template <class Fields>
void list_fields(Fields& fields, PathUse& path)
{
    fields("from", path.from, "A tier of memory: hbm, host or storage.");
    fields("to", path.to, "Likewise. From host to host: what the host's cores read, and write.");
    fields("bytes", path.bytes, "Of a device.", limits::amount);
    fields("busy_seconds", path.busy_seconds, "What its ops take one after another, hidden or not.",
           limits::amount);
    fields("busy_share", path.busy_share, "The same, of epoch_seconds.", limits::amount);
}

template <class Fields>
void list_fields(Fields& fields, HostMemoryUse& use)
{
    fields("bytes", use.bytes,
           "Read and written for a device, on all paths: through a bounce buffer three times.",
           limits::amount);
    fields(
        "busy_seconds", use.busy_seconds,
        "What they take at a device's share of the host's memory. The paths themselves are timed "
        "as if each had that share alone.",
        limits::amount);
    fields("busy_share", use.busy_share,
           "The same, of epoch_seconds. Above 1: the interval takes longer than it says, up to so "
           "many times.",
           limits::amount);
}

template <class Fields>
void list_fields(Fields& fields, Skew& skew)
{
    fields("phase", skew.phase, "In which it differs.");
    fields("of", skew.of, "What differs: links, rows and so on.");
    fields("unit", skew.unit, "Of the numbers.");
    fields("least", skew.least, "Of the core that has least.");
    fields("mean", skew.mean, "Over all cores.");
    fields("most", skew.most, "Of the core that has most.");
    fields("most_over_mean", skew.most_over_mean, "1: all cores have as much.");
    fields("straggler", skew.straggler, "The core that has most.", limits::amount);
}

template <class Fields>
void list_fields(Fields& fields, DeviceCounter& counter)
{
    fields("name", counter.name, "What was counted, as the glossary has it.");
    fields("per", counter.per, "Who counted.", limits::one_of("device|chip"));
    fields("unit", counter.unit, "Of the numbers.", limits::one_of("count|bytes|seconds"));
    fields("least", counter.least, "Of the device or chip that has least.", limits::amount);
    fields("mean", counter.mean, "Over all of them.", limits::amount);
    fields("most", counter.most, "Of the device or chip that has most.", limits::amount);
    fields("most_at", counter.most_at, "The device or chip that has most.", limits::amount);
    fields.unless_empty("of_each", counter.of_each,
                        "By device or chip, where they are few and not alike.", limits::amount);
}

template <class Fields>
void list_fields(Fields& fields, PathSpan& span)
{
    fields("begin_seconds", span.begin_seconds, "Since the step begins.", limits::amount);
    fields("seconds", span.seconds, "How long it lasts.", limits::amount);
    fields("name", span.name, "Of the op.");
    fields("phase", span.phase, "Of the op.");
    fields("share", span.share, "What the step waits for meanwhile.",
           limits::one_of("compute|hbm|communication|host|idle"));
    fields("unit", span.unit, "Which part of the device is busy: MXU, network and so on.");
    fields("device", span.device, "Whose op it is, from 0.", limits::amount);
    fields("merged", span.merged, "So many short ones, told by what takes most of it.",
           limits::at_least(2));
}

template <class Fields>
void list_fields(Fields& fields, CriticalPath& path)
{
    fields("step", path.step, "Of its interval, from 1.", limits::at_least(1));
    fields("steps", path.steps, "So many, from that one on.", limits::at_least(1));
    fields("seconds", path.seconds, "What the step takes.", limits::amount);
    fields("merged", path.merged, "Short spans that stand within those that are told.",
           limits::amount);
    fields("spans", path.spans, "In the order of time.");
}

template <class Fields>
void list_fields(Fields& fields, Network& network)
{
    fields("share", network.share,
           "communication_seconds/epoch_seconds. Below 0.05 the network counts as off the critical "
           "path.",
           limits::share_of_one);
    fields("latency_share", network.latency_share,
           "Of the time of all schedules of an interval, that of launch and hops; the rest is "
           "bandwidth.",
           limits::share_of_one);
    fields("statement", network.statement, "The same as a sentence.");
}

template <class Fields>
void list_fields(Fields& fields, Throughput& throughput)
{
    fields("unit", throughput.unit, "Tokens, for instance.");
    fields("per_interval", throughput.per_interval, "Units in an interval.", limits::amount);
    fields("per_second", throughput.per_second, "Units in a second.", limits::amount);
    fields("usd_per_million", throughput.usd_per_million,
           "On demand, of a million units: by the study's /bill/prices, else by the preset.",
           limits::amount);
    fields("usd_per_million_spot", throughput.usd_per_million_spot,
           "By /bill/prices, as the next one.", limits::amount);
    fields("usd_per_million_committed", throughput.usd_per_million_committed, "Likewise.",
           limits::amount);
    fields("useful_operations", throughput.useful_operations,
           "That the algorithm needs an interval, whatever is computed again.", limits::amount);
    fields("mfu", throughput.mfu,
           "Model FLOP utilization: useful_operations over what the devices' bf16 peak allows in "
           "the time.",
           limits::amount);
    fields("computed_operations", throughput.computed_operations,
           "Of the products that all devices compute in an interval, what is computed again "
           "included.",
           limits::amount);
    fields("hfu", throughput.hfu, "Hardware FLOP utilization: computed_operations over the same.",
           limits::amount);
}

template <class Fields>
void list_fields(Fields& fields, InputStages& input)
{
    fields("read_seconds", input.read_seconds, "Hosts read records from storage.", limits::amount);
    fields("parse_seconds", input.parse_seconds, "Hosts parse them and lay out batches.",
           limits::amount);
    fields("transfer_seconds", input.transfer_seconds, "Batches go over PCIe to the devices.",
           limits::amount);
    fields("every_host_reads_all", input.every_host_reads_all,
           "Then read_seconds do not fall as hosts are added.");
}

template <class Fields>
void list_fields(Fields& fields, BillSeconds& seconds)
{
    fields("compile", seconds.compile, "Before the first step.", limits::amount);
    fields("load", seconds.load, "Hosts load the state from storage and send it to the devices.",
           limits::amount);
    fields("training", seconds.training, "All intervals.", limits::amount);
    fields("evaluation", seconds.evaluation, "All evaluations.", limits::amount);
    fields("checkpoints", seconds.checkpoints, "Devices wait for the state to be written.",
           limits::amount);
    fields("lost_to_failures", seconds.lost_to_failures,
           "What is expected to be done again, and compiled and loaded for it.", limits::amount);
}

template <class Fields>
void list_fields(Fields& fields, Bill& bill)
{
    fields("intervals", bill.intervals, "How many are paid for.", limits::at_least(1));
    fields("seconds", bill.seconds, "What the job takes, part by part.");
    fields("hours", bill.hours, "The sum of all seconds, in hours.", limits::amount);
    fields.nullable("dollars", bill.dollars,
                    "For the chips through these hours, on demand: no storage, no traffic out of "
                    "the cloud. null: the chip has no price.",
                    limits::amount);
    fields("dollars_spot", bill.dollars_spot, "By the spot price of /bill/prices.", limits::amount);
    fields("dollars_committed", bill.dollars_committed, "By the committed price of /bill/prices.",
           limits::amount);
}

template <class Fields>
void list_fields(Fields& fields, Quality& quality)
{
    fields("epoch", quality.interval, "After which interval, from 1; 0: of the initial state.",
           limits::amount);
    fields.others(quality.metrics, {"epoch", "simulated_seconds"});
    fields("simulated_seconds", quality.simulated_seconds,
           "From the beginning of the training until then.", limits::amount);
}

template <class Fields>
void list_fields(Fields& fields, Result& result)
{
    fields("geometry", result.geometry, "The batch geometry that was chosen.", limits::any_object);
    fields("epoch_seconds", result.epoch.seconds,
           "The time of an interval, training only; phases, and shares, add up to it.",
           limits::above(0));
    list_band(fields, "epoch_seconds", result.low_seconds, result.median_seconds,
              result.high_seconds);
    fields("interval", result.interval,
           "What epoch_seconds is the time of, by the word of the workload.");
    fields("intervals", result.intervals,
           "Several of them, where that is not the same word with an s.");
    fields("fidelity", result.fidelity, "How the point was timed.",
           limits::one_of("detailed|sampled|analytic"));
    fields("confidence", result.confidence,
           "Of a sampled interval: what was simulated, and the interval.");
    fields("assumed", result.assumed,
           "How much of the time rests on work that nobody measured or counted: of a workload that "
           "tells it.");
    fields.unless_empty("time_by", result.time_by,
                        "The time by something else than phases, where the workload has more to "
                        "tell it by: of a compiled program by source line, collective and axes.");
    fields("drawn", result.drawn,
           "The time of an interval in each draw of all uncertain inputs. Draw i has the same "
           "values at "
           "every point of the report.");
    fields("uncertainty", result.uncertainty,
           "Behind epoch_seconds_p05 and _p95: joint draws of all uncertain inputs through the "
           "analytic model, and what each input does by itself: the first ten that matter "
           "(ranking), and how many others change anything (unlisted).");
    list_fields(fields, result.epoch);
    fields(
        "speedup", result.speedup,
        "Relative to the smallest fitting point of the series; of series that compare core counts "
        "alone. In a series of weak scaling, of useful operations a second instead of time.",
        limits::amount);
    fields("efficiency", result.efficiency,
           "Speed-up per added core; 1 is perfect. Where there is a speed-up.", limits::amount);
    fields("ici", result.ici,
           "The links between chips. Bytes, times, messages and hops are those of a mean interval: "
           "of the whole job, divided by how many it has.");
    fields("hbm", result.hbm,
           "The chip's memory: where addresses stand, and what streams and row gathers get out of "
           "its banks.");
    fields("schedules", result.schedules,
           "The distinct collectives of an interval, in the order of the program. The schedule of "
           "each is the one that was picked for it.");
    fields("traffic", result.traffic,
           "What the collectives of an interval carry, by phase and name.");
    fields("skew", result.skew, "What differs from core to core, over an interval.");
    fields.unless_empty(
        "paths", result.paths,
        "What a device moves below its HBM in an interval, path by path, batches of input aside; "
        "no field where nothing goes there.");
    fields("host_memory", result.host_memory, "The host's memory on these paths.");
    fields("network", result.network, "Whether a faster network would pay.");
    fields("input", result.input,
           "What the hosts' input pipeline takes of an interval by itself: reading records, "
           "parsing them, PCIe. The stages work side by side, ahead of the devices; infeed is what "
           "sticks out.");
    fields("bill", result.bill,
           "What the whole job takes until its last interval or its target. Absent: the study asks "
           "for none, or the target was not reached.");
    fields(
        "cost_usd", result.cost_usd,
        "Of an interval: chips x price of a chip and hour x time; the price of the bill, or else "
        "the preset's list price.",
        limits::amount);
    fields("energy_joules", result.energy_joules,
           "Of an interval: chips x mean power of a chip x time.", limits::amount);
    fields("throughput", result.throughput,
           "How fast it gets through what it is for. mfu: model FLOP utilization, the operations "
           "that the algorithm needs (nothing counted twice that is computed again) over those "
           "that the devices' bf16 peak allows in that time. hfu: hardware FLOP utilization, the "
           "same of all operations that the devices compute.");
    fields.beginning_with("seconds_to_", result.seconds_to,
                          "Simulated time of training until the first evaluated interval with the "
                          "series' target; null: never.",
                          limits::amount);
    fields(
        "quality", result.quality,
        "Metrics of the numbers after an interval, by the workload's names; null: not a number.");
    fields("kept_interval", result.kept_interval,
           "After which of these the numbers are kept, where the study keeps the best.",
           limits::amount);
    std::optional<Quality> last; // told, and not read: it follows from the list
    if (const Quality* const final = final_quality(result)) {
        last = *final;
    }
    fields("last_quality", last,
           "Of these the last, or that of kept_interval: what training ended with.");
    fields.open(result.of_workload, fields_of_workloads);
    fields.unless_empty(
        "results", result.results,
        "What a workload yields besides its metrics and counters, in its own words.",
        limits::as_json(results_schema));
    fields("counters", result.counters, "What was counted in the run, by the workload's names.",
           limits::any_object);
    fields.unless_empty(
        "device_counters", result.device_counters,
        "What devices and chips counted in a mean interval; where every step was simulated.");
    fields("critical_path", result.critical_path,
           "What a step waited for, one thing after another; of points that were run with --trace. "
           "Spans follow each other without a gap.");
}

template <class Fields>
void list_fields(Fields& fields, LeftOut& left_out)
{
    fields("share", left_out.share, "Of the work.", limits::at_most(1));
    fields("words", left_out.words, "The same as a sentence.");
}

template <class Fields>
void list_fields(Fields& fields, NoResult& none)
{
    fields("kind", none.kind,
           "does_not_fit: into memory; refused: its study cannot be made on this machine; failed: "
           "its process did.",
           limits::one_of("does_not_fit|refused|failed"));
    fields("why", none.why,
           "What it lacks, what is wrong with it and what is allowed, for people.");
}

template <class Fields>
void list_fields(Fields& fields, Point& point)
{
    fields("series", point.series, "The series that the point belongs to.");
    fields("sweep", point.sweep, "What the sweep set: JSON pointer into the study to value.");
    fields("machine", point.machine, "What the point ran on.");
    fields(
        "fits", point.fits,
        "Whether the job fits into memory; results stand only where it does. Not known of a point "
        "that was refused or failed, and false there, too.");
    fields("left_out", point.left_out,
           "The part of its data that the point does without; absent: it works on all. Points that "
           "leave out different shares do not do the same work.");
    fields.unless_empty("notes", point.notes,
                        "What should be known of the point beside its numbers: overrides that "
                        "change nothing, a model's known error.",
                        limits::not_empty);
    fields("memory", point.memory, "Of a core, and what the job needs of it.");
    fields.inlined("epoch_seconds", point.result);
    fields("no_result", point.no_result, "Why the point has no times; of each that has none.");
    fields("error", point.error,
           "Why the point was refused or failed, as no_result.why says, too.");
}

} // namespace alxsim::report
