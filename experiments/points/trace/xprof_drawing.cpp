// SPDX-License-Identifier: Apache-2.0
#include "experiments/points/trace/xprof_drawing.h"

#include "experiments/points/trace/xprof_device.h"

#include <algorithm>

namespace alxsim::experiments {
namespace {

using report::TraceSpan;
using report::TraceTrack;
using report::TraceWriter;
using sim::TimelineActivity;

constexpr int steps_thread = 1;
constexpr int modules_thread = 2;
constexpr int ops_thread = 3;
constexpr int async_thread = 4;     ///< and further ones: several run at once
constexpr int host_process = 701;   ///< kHostThreadsDeviceId of the profiler
constexpr int bytes_of_event = 512; ///< about
constexpr const char* module = "alxsim";

/// XProf has all arguments as strings.
void add(TraceSpan& span, const char* name, std::int64_t value)
{
    span.arguments.add(name, std::to_string(value));
}

/// Sorts an op whose origin is not known, by its work.
std::string category_of_work(const TimelineActivity& activity)
{
    static const std::map<std::string, std::string> known{
        {"matmul", "convolution fusion"},  {"vector", "loop fusion"},
        {"row_gather", "gather fusion"},   {"row_scatter", "scatter fusion"},
        {"permute", "collective-permute"}, {"repeat", "while"},
        {"custom", "custom-call"},         {"hbm_stream", "copy"},
        {"fixed", "custom-call"}};
    if (activity.unit == model::Unit::control) {
        return "while";
    }
    std::string work = activity.work.text();
    const auto found = known.find(work);
    if (found != known.end()) {
        return found->second;
    }
    std::replace(work.begin(), work.end(), '_', '-');
    return work;
}

/// "copy-done.3" of copy-start.3, "gather-done" of gather; of a category likewise.
std::string done_name(const std::string& name)
{
    const std::size_t start = name.find("-start");
    return start == std::string::npos ? name + "-done"
                                      : std::string(name).replace(start, 6, "-done");
}

/// A device's process.
class XprofDevice {
public:
    XprofDevice(TraceWriter& writer, int device, const workloads::OpSources& sources)
        : writer_(writer),
          process_(device + 1),
          sources_(sources)
    {
        writer_.name_process(process_, "/device:TPU:" + std::to_string(device));
        name(steps_thread, "Steps");
        name(modules_thread, "XLA Modules");
        name(ops_thread, "XLA Ops");
    }

    void draw(const DeviceTracks& tracks)
    {
        draw_steps(tracks);
        for (const DeviceOp& op : tracks.ops) {
            draw_op(*op.activity, ops_thread, op.begin, op.end);
        }
        for (const DeviceWait& wait : tracks.waits) {
            draw_op(done_name(wait.on->name.text()), done_name(category(*wait.on)), *wait.on,
                    ops_thread, wait.begin, wait.end);
        }
        draw_beside(tracks.beside);
    }

private:
    void name(int thread, const std::string& words)
    {
        writer_.name_track({process_, thread}, words);
    }

    /// A step lasts from its first op's begin to its last one's end, as a run of the module.
    void draw_steps(const DeviceTracks& tracks)
    {
        std::map<std::int64_t, std::pair<Picoseconds, Picoseconds>> steps;
        for (const std::vector<DeviceOp>* const ops : {&tracks.ops, &tracks.beside}) {
            for (const DeviceOp& op : *ops) {
                const auto [at, is_new] =
                    steps.try_emplace(op.activity->step, std::pair(op.begin, op.end));
                at->second.first = std::min(at->second.first, op.begin);
                at->second.second = std::max(at->second.second, op.end);
            }
        }
        for (const auto& [number, whole] : steps) {
            draw_run(std::to_string(number), steps_thread, number, whole.first, whole.second);
            draw_run(std::string(module) + "(1)", modules_thread, number, whole.first,
                     whole.second);
        }
    }

    TraceSpan span_of(const std::string& words, int thread, Picoseconds begin, Picoseconds end)
    {
        TraceSpan span;
        span.on = {process_, thread};
        span.name = words;
        span.begin = begin;
        span.end = end;
        add(span, "device_offset_ps", begin.count());
        add(span, "device_duration_ps", (end - begin).count());
        return span;
    }

    void draw_run(const std::string& words, int thread, std::int64_t number, Picoseconds begin,
                  Picoseconds end)
    {
        TraceSpan span = span_of(words, thread, begin, end);
        add(span, "group_id", number);
        add(span, thread == steps_thread ? "step_num" : "run_id", number);
        writer_.span(span);
    }

    std::string category(const TimelineActivity& activity) const
    {
        const auto found = sources_.find(activity.name.text());
        return found != sources_.end() ? found->second.category : category_of_work(activity);
    }

    void draw_op(const TimelineActivity& activity, int thread, Picoseconds begin, Picoseconds end)
    {
        draw_op(activity.name.text(), category(activity), activity, thread, begin, end);
    }

    void draw_op(const std::string& words, const std::string& category,
                 const TimelineActivity& activity, int thread, Picoseconds begin, Picoseconds end)
    {
        TraceSpan span = span_of(words, thread, begin, end);
        span.arguments.add("hlo_category", category);
        span.arguments.add("hlo_module", module);
        add(span, "bytes_accessed", activity.hbm_bytes.count());
        add(span, "run_id", activity.step);
        const auto found = sources_.find(activity.name.text());
        if (found != sources_.end() && !found->second.operation.empty()) {
            span.arguments.add("tf_op", found->second.operation + ":");
        }
        if (found != sources_.end() && !found->second.line.empty()) {
            span.arguments.add("source", found->second.line);
        }
        writer_.span(span);
    }

    void draw_beside(const std::vector<DeviceOp>& beside)
    {
        std::vector<Picoseconds> taken;
        for (const DeviceOp& op : beside) {
            auto lane = std::find_if(taken.begin(), taken.end(),
                                     [&](Picoseconds until) { return until <= op.begin; });
            if (lane == taken.end()) {
                lane = taken.emplace(taken.end());
                name(async_thread + static_cast<int>(taken.size()) - 1, "Async XLA Ops");
            }
            *lane = op.end;
            draw_op(*op.activity, async_thread + static_cast<int>(lane - taken.begin()), op.begin,
                    op.end);
        }
    }

    TraceWriter& writer_;
    const int process_;
    const workloads::OpSources& sources_;
};

/// What the host did, on a thread for each device.
void draw_host(TraceWriter& writer, int process, const std::map<int, DeviceTracks>& devices)
{
    writer.name_process(process, "/host:CPU");
    for (const auto& [device, tracks] : devices) {
        const TraceTrack track{process, device + 1};
        writer.name_track(track, "device " + std::to_string(device));
        for (const DeviceOp& op : tracks.of_host) {
            TraceSpan span;
            span.on = track;
            span.name = op.activity->name.text();
            span.begin = op.begin;
            span.end = op.end;
            add(span, "group_id", op.activity->step);
            writer.span(span);
        }
    }
}

} // namespace

void draw_as_xprof(TraceWriter& writer, const sim::Timeline& timeline,
                   const topologies::Machine& machine, const workloads::OpSources& sources,
                   const TraceRequest& request, std::vector<std::string>& left_out)
{
    const std::int64_t most = (request.limit_mib << 20) / bytes_of_event;
    const DeviceOps ops = device_ops(timeline, most);
    if (ops.left_out > 0) {
        left_out.push_back(std::to_string(ops.left_out) + " ops of repeated iterations" +
                           how_to_see_more(request));
    }
    std::map<int, DeviceTracks> devices;
    std::size_t drawn = 0;
    for (const auto& [device, of_device] : ops.of_device) {
        DeviceTracks tracks = tracks_of(of_device);
        XprofDevice(writer, device, sources).draw(tracks);
        if (drawn == 0) {
            if (const std::int64_t events = writer.commit_what_fits(); events > 0) {
                left_out.push_back("the last " + std::to_string(events) + " events of device " +
                                   std::to_string(device) + how_to_see_more(request));
            }
        } else if (!writer.commit()) {
            left_out.push_back(std::to_string(ops.of_device.size() - drawn) + " of " +
                               std::to_string(ops.of_device.size()) + " devices" +
                               how_to_see_more(request));
            break;
        }
        ++drawn;
        devices.emplace(device, std::move(tracks));
    }
    draw_host(writer, std::max(host_process, machine.devices + 1), devices);
    writer.commit();
}

} // namespace alxsim::experiments
