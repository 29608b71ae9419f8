// SPDX-License-Identifier: Apache-2.0
#include "experiments/points/trace/trace_file.h"

#include "base/file_output.h"
#include "base/input_error.h"
#include "experiments/points/trace/chip_drawing.h"
#include "experiments/points/trace/trace_counters.h"
#include "experiments/points/trace/xprof_drawing.h"
#include "experiments/version.h"
#include "report/trace/gzip.h"

#include <algorithm>
#include <string_view>

namespace alxsim::experiments {
namespace {

using report::TraceSpan;
using report::TraceTrack;
using report::TraceWriter;
using sim::CriticalSpan;
using sim::TimelineActivity;

using Path = std::vector<CriticalSpan>;
using Places = std::map<const TimelineActivity*, TraceTrack>;

constexpr TraceTrack path_track{critical_path_process, 1};
constexpr std::int64_t mebibyte = 1 << 20;

model::Breakdown breakdown_of(const Path& path)
{
    model::Breakdown sum;
    for (const CriticalSpan& span : path) {
        if (span.repeated) {
            sum += *span.repeated;
        } else {
            sum.add(span.phase, span.share, span.end - span.begin);
        }
    }
    return sum;
}

/// What the path spends in iterations that were left out.
void add_breakdown(report::TraceArguments& arguments, const model::Breakdown& breakdown)
{
    for (const auto& [phase, time] : breakdown.phases) {
        arguments.add("phase " + phase + " ps", time.count());
    }
    for (const Share share : all_shares) {
        if (breakdown.share(share) > Picoseconds(0)) {
            arguments.add(std::string("share ") + name_of(share) + " ps",
                          breakdown.share(share).count());
        }
    }
}

TraceSpan path_span(const CriticalSpan& span)
{
    const TimelineActivity& activity = *span.activity;
    TraceSpan drawn;
    drawn.on = path_track;
    drawn.begin = span.begin;
    drawn.end = span.end;
    drawn.name = activity.name;
    if (span.repeated) {
        drawn.name += " repeated";
        drawn.categories = "repeated";
        drawn.colour = "olive";
        add_breakdown(drawn.arguments, *span.repeated);
    } else {
        drawn.categories = name_of(span.share);
        drawn.colour = colour_of(span.share);
        drawn.arguments.add("phase", span.phase.text());
        drawn.arguments.add("share", name_of(span.share));
    }
    drawn.arguments.add("device", std::int64_t{activity.device});
    drawn.arguments.add("step", activity.step);
    drawn.arguments.add("id", words_of(activity.self));
    drawn.arguments.add("begin_ps", span.begin.count());
    drawn.arguments.add("duration_ps", (span.end - span.begin).count());
    return drawn;
}

void draw_path(TraceWriter& writer, const Path& path)
{
    writer.name_process(critical_path_process, "critical path");
    writer.name_track(path_track, "critical path");
    for (const CriticalSpan& span : path) {
        writer.span(path_span(span));
    }
}

/// From each activity of the path to the next, where both are drawn.
void draw_arrows(TraceWriter& writer, const Path& path, const Places& places)
{
    std::int64_t number = 0;
    for (std::size_t i = 1; i < path.size(); ++i) {
        const CriticalSpan& before = path[i - 1];
        const CriticalSpan& after = path[i];
        const auto from = places.find(before.activity);
        const auto to = places.find(after.activity);
        if (before.activity != after.activity && from != places.end() && to != places.end()) {
            // Viewers look for the span that is open then: it ends a picosecond later.
            const Picoseconds last = std::min(before.end, before.activity->finish);
            writer.arrow(number++, "critical path", from->second, last - Picoseconds(1), to->second,
                         after.begin);
        }
    }
}

/// Chips of the critical path first, in the order of their numbers; then the others.
std::vector<int> chips_in_order(const Path& path, const topologies::Machine& machine)
{
    std::set<int> on_path;
    for (const CriticalSpan& span : path) {
        on_path.insert(span.activity->device / machine.devices_per_chip);
    }
    std::vector<int> chips(on_path.begin(), on_path.end());
    for (int chip = 0; chip < machine.slice.chips(); ++chip) {
        if (on_path.count(chip) == 0) {
            chips.push_back(chip);
        }
    }
    return chips;
}

Json about(const sim::Timeline& timeline, const topologies::Machine& machine,
           const TraceRequest& request, const Path& path, const std::vector<std::string>& left_out)
{
    const model::Breakdown breakdown =
        model::with_waiting(breakdown_of(path), model::straggling_of(machine));
    Json phases = Json::object();
    Json shares = Json::object();
    for (const auto& [phase, time] : breakdown.phases) {
        phases[phase] = time.count();
    }
    for (const Share share : all_shares) {
        shares[name_of(share)] = breakdown.share(share).count();
    }
    Json told{{"tool", std::string("alxsim ") + version},
              {"title", request.title},
              {"machine", machine.preset.name() + ", " + std::to_string(machine.cores) +
                              " cores, " + machine.slice.words()},
              {"steps", request.steps},
              {"first_step", timeline.steps.front().number},
              {"last_step", timeline.steps.back().number},
              {"begin_ps", timeline.begin().count()},
              {"end_ps", timeline.end().count()},
              {"critical_path_ps", {{"phases", phases}, {"shares", shares}}}};
    if (!left_out.empty()) {
        told["left_out"] = left_out;
    }
    return told;
}

/// Draws chips while there is room; what was left out is told.
void draw_chips(TraceWriter& writer, const ChipDrawing::Subject& subject, const Path& path,
                const TraceRequest& request, std::vector<std::string>& left_out)
{
    const std::vector<int> chips = chips_in_order(path, subject.machine);
    // The arrows come last, when it is known which chips are drawn.
    const std::int64_t reserved = static_cast<std::int64_t>(path.size()) * 260;
    Places places;
    std::size_t drawn = 0;
    for (; drawn < chips.size(); ++drawn) {
        const ChipDrawing drawing(subject, chips[drawn]);
        drawing.write(writer);
        write_hbm_counter(writer, subject, chips[drawn]);
        if (drawn == 0) {
            if (const std::int64_t events = writer.commit_what_fits(reserved); events > 0) {
                left_out.push_back("the last " + std::to_string(events) + " events of chip " +
                                   std::to_string(chips[drawn]) + how_to_see_more(request));
            }
        } else if (!writer.commit(reserved)) {
            break;
        }
        places.insert(drawing.critical().begin(), drawing.critical().end());
    }
    if (drawn < chips.size()) {
        left_out.push_back(
            std::to_string(chips.size() - drawn) + " of " + std::to_string(chips.size()) +
            " chips (those of the critical path come first)" + how_to_see_more(request));
    }
    draw_arrows(writer, path, places);
    writer.commit();
}

} // namespace

TraceText trace_text(const sim::Timeline& timeline, const topologies::Machine& machine,
                     const TraceRequest& request, const workloads::OpSources& sources)
{
    const Path path = sim::critical_path(timeline);
    std::set<const TimelineActivity*> on_path;
    for (const CriticalSpan& span : path) {
        on_path.insert(span.activity);
    }
    const ChipDrawing::Subject subject(timeline, machine, std::move(on_path));
    TraceText told;
    if (timeline.steps_left_out > 0) {
        told.left_out.push_back(std::to_string(timeline.steps_left_out) +
                                " of the steps asked for" + how_to_see_more(request));
    }
    TraceWriter writer(request.limit_mib * mebibyte);
    if (request.names == "xprof") {
        draw_as_xprof(writer, timeline, machine, sources, request, told.left_out);
        told.json = writer.text(about(timeline, machine, request, path, told.left_out));
        return told;
    }
    draw_path(writer, path);
    if (const std::int64_t events = writer.commit_what_fits(); events > 0) {
        told.left_out.push_back("the last " + std::to_string(events) +
                                " spans of the critical path" + how_to_see_more(request));
    }
    write_link_counters(writer, timeline, machine);
    writer.commit();
    draw_chips(writer, subject, path, request, told.left_out);
    told.json = writer.text(about(timeline, machine, request, path, told.left_out));
    return told;
}

std::vector<std::string> write_trace(const sim::Timeline& timeline,
                                     const topologies::Machine& machine,
                                     const TraceRequest& request,
                                     const workloads::OpSources& sources)
{
    const TraceText told = trace_text(timeline, machine, request, sources);
    constexpr std::string_view plain = ".json";
    const bool is_plain =
        request.file.size() >= plain.size() &&
        request.file.compare(request.file.size() - plain.size(), plain.size(), plain) == 0;
    write_file_atomically(request.file, is_plain ? told.json : report::gzipped(told.json));
    return told.left_out;
}

} // namespace alxsim::experiments
