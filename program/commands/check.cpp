// SPDX-License-Identifier: Apache-2.0
#include "base/host_pool.h"
#include "base/input_error.h"
#include "base/memory/host_memory.h"
#include "base/text/printed.h"
#include "experiments/answers/advise/fewest_cores.h"
#include "experiments/answers/check/checked.h"
#include "experiments/points/host_work.h"
#include "experiments/points/parts/point_notes.h"
#include "experiments/points/study/replaced.h"
#include "experiments/points/study/study.h"
#include "experiments/points/study/study_schema.h"
#include "experiments/runs/progress/point_weights.h"
#include "experiments/runs/progress/previews.h"
#include "experiments/runs/search.h"
#include "program/commands/commands.h"
#include "program/requests/study_report.h"
#include "report/left_out.h"
#include "report/point_fields.h"
#include "report/report.h"
#include "report/wording/point_words.h"
#include "report/words.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace alxsim::program {

using namespace experiments;

namespace {

std::string gigabytes(std::int64_t bytes)
{
    return printed("%.2f GB", 1e-9 * static_cast<double>(bytes));
}

/// "8x16", "2 of 8x16"; with a mark where the vendor lists none.
std::string slice_in_words(const report::PointMachine& machine)
{
    return (machine.slices ? std::to_string(*machine.slices) + " of " : "") + machine.slice +
           (machine.slice_assumed ? " *" : "");
}

constexpr const char* row_format = "%-24s %-17s %5s %5s %7s %8s %10s %15s %14s\n";

void print_heads()
{
    std::printf(row_format, "series", "chip", "chips", "cores", "devices", "slice", "memory",
                "of a core's HBM", "time, about");
}

/// Prints what is known of a point that cannot be made.
void print_refused(const std::string& series, const report::PointMachine& machine)
{
    std::printf(row_format, series.c_str(), machine.chip.c_str(), "",
                std::to_string(machine.cores).c_str(), "", machine.slice.c_str(), "", "",
                "refused");
}

void print_point(const std::string& series, const report::Point& point)
{
    if (point.error) {
        print_refused(series, point.machine);
        return;
    }
    std::string time = "too much " + point.memory->largest.value_or("");
    if (point.fits) {
        time = printed("%.4g s", point.seconds());
    }
    const report::PointMachine& machine = point.machine;
    std::printf(row_format, series.c_str(), machine.chip.c_str(),
                std::to_string(machine.chips).c_str(), std::to_string(machine.cores).c_str(),
                std::to_string(machine.devices.value_or(machine.cores)).c_str(),
                slice_in_words(machine).c_str(), gigabytes(point.memory->needed_bytes()).c_str(),
                gigabytes(point.memory->capacity_bytes).c_str(), time.c_str());
}

/// "4.79 GB of 16.62: tables 4.02 GB, statistics 0.67 GB ...; 11.83 GB are left", with what takes
/// at least a hundredth, the largest first.
std::string parts_in_words(const report::PointMemory& memory)
{
    auto parts = memory.parts;
    std::stable_sort(parts.begin(), parts.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    std::string words;
    for (const auto& [part, bytes] : parts) {
        if (bytes * 100 >= memory.bytes_per_core) {
            words += (words.empty() ? "" : ", ") + part + " " + gigabytes(bytes);
        }
    }
    const std::int64_t left = memory.capacity_bytes - memory.needed_bytes();
    if (memory.compiler_bytes_per_core) {
        words = "as its compiler allocates; alive at once, by our count, " +
                gigabytes(memory.bytes_per_core) + " (" + words + ")";
    }
    return gigabytes(memory.needed_bytes()) + " of " + gigabytes(memory.capacity_bytes) + ": " +
           words + "; " + gigabytes(std::abs(left)) + (left < 0 ? " too much" : " are left") +
           (memory.at_edge ? ", at the edge: within 0.5 %, where a real compiler decides" : "");
}

/// What stands in the HBM of each series' fullest point, and of those at the edge.
void print_memory(const std::vector<PointSpec>& specs, const std::vector<report::Point>& points)
{
    const auto filled = [&points](std::size_t point) { // 0 of one that cannot be made
        const std::optional<report::PointMemory>& memory = points[point].memory;
        return memory ? static_cast<double>(memory->needed_bytes()) /
                            static_cast<double>(memory->capacity_bytes)
                      : 0;
    };
    const auto print = [&](std::size_t point) {
        std::printf("HBM a core of %s, %s cores: %s\n", specs[point].series.c_str(),
                    std::to_string(points[point].machine.cores).c_str(),
                    parts_in_words(*points[point].memory).c_str());
    };
    for (std::size_t first = 0; first < points.size();) {
        std::size_t fullest = first;
        std::size_t next = first;
        for (; next < points.size() && specs[next].series == specs[first].series; ++next) {
            fullest = filled(next) > filled(fullest) ? next : fullest;
        }
        if (points[fullest].memory) {
            print(fullest);
        }
        for (std::size_t point = first; point < next; ++point) {
            if (point != fullest && points[point].memory && points[point].memory->at_edge) {
                print(point);
            }
        }
        first = next;
    }
}

/// What the points of each series do without.
void print_left_out(const std::vector<PointSpec>& specs, const std::vector<report::Point>& points)
{
    for (std::size_t first = 0; first < points.size();) {
        std::vector<const report::Point*> series;
        std::size_t next = first;
        for (; next < points.size() && specs[next].series == specs[first].series; ++next) {
            if (!points[next].error) {
                series.push_back(&points[next]);
            }
        }
        for (const std::string& sentence : report::left_out_in_words(series)) {
            std::printf("%s: %s\n", specs[first].series.c_str(), sentence.c_str());
        }
        first = next;
    }
}

/// Passes on, of each series with a point that does not fit, the first such point and the fewest
/// cores that hold its job.
template <class Tell>
void for_each_too_large(const std::vector<PointSpec>& specs,
                        const std::vector<report::Point>& points, const Tell& tell_found)
{
    std::set<std::string> told;
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (points[i].fits || points[i].error || !told.insert(specs[i].series).second) {
            continue;
        }
        const std::vector<FewestCores> found = fewest_cores(whole_study(specs[i]));
        if (!found.empty()) {
            tell_found(i, found);
        }
    }
}

void print_fewest_cores(const std::vector<PointSpec>& specs,
                        const std::vector<report::Point>& points)
{
    for_each_too_large(specs, points, [&](std::size_t i, const std::vector<FewestCores>& found) {
        std::printf("%s: %s\n", specs[i].series.c_str(),
                    in_words(found, points[i].machine.chip).c_str());
    });
}

struct CheckRequest {
    std::string study;
    std::vector<std::string> settings;
    std::string like; ///< a report
    bool schema = false;
    bool json = false;
};

/// How fast the host was that made a report.
HostSpeed speed_of(const std::string& report)
{
    if (report.empty()) {
        return {};
    }
    const std::optional<std::vector<report::HostUse>> work = report::load_report(report).host.work;
    if (!work) {
        throw InputError(report, "/host/work",
                         "is not there; allowed: the report of a run that says what it took");
    }
    return HostSpeed(*work);
}

/// What points take of the host that runs them.
struct HostNeeds {
    const HostSpeed& speed;
    double seconds = 0;
    Bytes memory{0};

    void add(const PointSpec& spec, const Preview& preview)
    {
        seconds += speed.seconds(host_work_kind(spec.study), preview.host_time.count()) +
                   preview.host_setup.count();
        memory = std::max(memory, preview.host_memory);
    }
};

void print_needs(const HostNeeds& needs, std::size_t candidates, std::size_t points,
                 const std::string& host)
{
    const auto counted = [](std::size_t count, const char* thing) {
        return report::counted(static_cast<std::int64_t>(count), thing);
    };
    std::printf("%s%s; about %s of one core of %s\n",
                candidates > 0 ? (counted(candidates, "candidate") + " of a search, then ").c_str()
                               : "",
                counted(points, "point").c_str(), report::long_time_in_words(needs.seconds).c_str(),
                host.c_str());
    if (needs.memory.count() > 0) {
        std::printf("A point keeps %s in this host's memory%s\n",
                    memory_in_words(needs.memory).c_str(), points > 1 ? " at most" : "");
    }
}

/// The same as is printed for people: points as a report has them.
Checked checked(const std::vector<PointSpec>& specs, const std::vector<report::Point>& points,
                const HostNeeds& needs, std::size_t candidates)
{
    Checked checked{points, candidates, {needs.seconds, {}}, {}};
    for (std::size_t i = 0; i < specs.size(); ++i) {
        checked.points[i].series = specs[i].series;
        checked.points[i].sweep = specs[i].sweep;
        report::tell_no_result(checked.points[i]);
    }
    if (needs.memory.count() > 0) {
        checked.host.memory_bytes = needs.memory.count();
    }
    for_each_too_large(specs, points, [&](std::size_t i, const std::vector<FewestCores>& found) {
        SeriesTooLarge series{specs[i].series, points[i].machine.chip, {}};
        for (const FewestCores& one : found) {
            series.ways.push_back({one.with, one.cores, one.refusal});
        }
        checked.fewest_cores.push_back(std::move(series));
    });
    return checked;
}

/// The points that `run` would refuse, in its words.
Failures refused_of(const std::vector<PointSpec>& specs, const std::vector<report::Point>& points)
{
    std::vector<PointResult> results(points.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
        results[i].point.error = points[i].error;
        results[i].refused = points[i].error.has_value();
    }
    return failures_of(specs, results);
}

/// Prints points as they come; those that are refused for one and the same reason not before
/// another one does, as they may be all.
class PointTable {
public:
    void add(const std::string& series, const report::Point& point)
    {
        waiting_.emplace_back(series, point);
        one_reason_ = one_reason_ && point.error && point.error == waiting_.front().second.error;
        if (one_reason_) {
            return;
        }
        if (!std::exchange(has_heads_, true)) {
            print_heads();
        }
        for (const auto& [name, each] : waiting_) {
            print_point(name, each);
        }
        waiting_.clear();
    }

private:
    std::vector<std::pair<std::string, report::Point>> waiting_;
    bool one_reason_ = true;
    bool has_heads_ = false;
};

void refuse_if_study_is_refused(const std::vector<PointSpec>& specs,
                                const std::vector<report::Point>& points)
{
    std::vector<std::optional<std::string>> refusals;
    for (const report::Point& point : points) {
        refusals.push_back(point.error);
    }
    refuse_if_all_are_refused_alike(specs, refusals);
}

int check_study(const CheckRequest& request)
{
    const HostSpeed speed = speed_of(request.like);
    const Study study = load_study(request.study, request.settings);
    for (const std::string& setting : request.settings) {
        refuse_replaced(study, "--set", setting);
    }
    HostNeeds needs{speed};
    std::vector<PointSpec> candidates;
    if (study.search) { // whose candidates `run` would refuse before it runs a point
        candidates = search_points(study, search_candidates(study));
        preview_all(candidates, host_cores(), [&](const PointSpec& spec, const Preview& preview) {
            if (preview.point.error) {
                throw input_error_of(*preview.point.error, spec.study.file);
            }
            needs.add(spec, preview);
        });
    }
    const std::vector<PointSpec> specs = expand(study);
    std::vector<report::Point> points;
    PointTable table;
    preview_all(specs, host_cores(), [&](const PointSpec& spec, const Preview& preview) {
        needs.add(spec, preview);
        points.push_back(preview.point);
        if (!request.json) {
            table.add(spec.series, preview.point);
        }
    });
    const Failures refused = refused_of(specs, points);
    if (request.json) {
        std::cout << json_of(checked(specs, points, needs, candidates.size())).dump(2) << "\n";
        std::cerr << refused.words;
        return refused.exit_code;
    }
    refuse_if_study_is_refused(specs, points);
    print_needs(needs, candidates.size(), specs.size(),
                request.like.empty() ? "a host with AVX-512 at 2 to 3 GHz" : "that report's host");
    if (std::any_of(points.begin(), points.end(),
                    [](const report::Point& point) { return point.machine.slice_assumed; })) {
        std::puts("* assumed: the vendor lists no such slice");
    }
    print_memory(specs, points);
    print_fewest_cores(specs, points);
    print_left_out(specs, points);
    std::fputs(notes_in_lines(points).c_str(), stdout);
    std::fflush(stdout); // before what the error stream gets
    std::cerr << refused.words;
    return refused.exit_code;
}

} // namespace

void add_check(CLI::App& app, Action& action)
{
    CLI::App* command = app.add_subcommand(
        "check", "Says what a study would run: points, memory per core, time by "
                 "the analytic model; reads its data, neither trains nor simulates");
    auto request = std::make_shared<CheckRequest>();
    command->add_option("STUDY", request->study, "The study file");
    command->add_flag("--schema", request->schema,
                      "Print the study's JSON Schema: every field there is");
    command
        ->add_option("--set", request->settings,
                     "/json/pointer=value: changes the study first; repeatable")
        ->allow_extra_args(false);
    command->add_flag(
        "--json", request->json,
        "Print it as JSON: `points` as a report has them, of fidelity analytic; `host`: "
        "the CPU time and memory that a run takes ('alxsim schema check')");
    command->add_option("--like", request->like,
                        "A report of 'alxsim run' on this host: the time that points take is "
                        "predicted by what those took");
    command->footer(
        "\nTimes here are of one interval, those of `run --fidelity analytic` (where it trains: "
        "with\n"
        "central counts of iterations). The time that a run takes is\n"
        "predicted from its op graphs and its numbers; with --like, within a factor of 2\n"
        "for most points of more than 5 s.\n"
        "Exit codes: 0 the study can run; 2 it is wrong, or one of its points is (which are told, "
        "with the others).\n");
    command->callback([request, &action] {
        if (!request->schema && request->study.empty()) {
            throw CLI::RequiredError("STUDY");
        }
        action = [request] {
            if (request->schema) {
                std::cout << study_schema();
                return 0;
            }
            return check_study(*request);
        };
    });
}

} // namespace alxsim::program
