// SPDX-License-Identifier: Apache-2.0
#include "experiments/commands/commands.h"
#include "experiments/point.h"
#include "experiments/point_notes.h"
#include "experiments/study.h"
#include "experiments/study_schema.h"

#include <algorithm>
#include <cstdio>
#include <iostream>

namespace alxsim::experiments {
namespace {

/// Host time of one simulated device-step with its numbers, and of an analytic point with its band:
/// rough figures of this program on one core of a small host, good to a factor of a few.
constexpr double seconds_per_device_step = 1e-3;
constexpr double seconds_per_analytic_point = 1;
/// Of a sampled job without numbers; of one with numbers, nearly every step's time is theirs.
constexpr double sampled_steps = 40;

double guessed_wall_seconds(const PointStudy& study, const Preview& preview)
{
    const bool analytic = study.fidelity == Fidelity::analytic;
    if (!preview.point.fits || (analytic && !study.numerics)) {
        return seconds_per_analytic_point;
    }
    const int intervals = study.numerics ? preview.intervals : 1;
    const double all_steps = intervals * static_cast<double>(preview.steps);
    const bool few = study.fidelity == Fidelity::sampled && !study.numerics;
    return seconds_per_analytic_point + seconds_per_device_step *
                                            (few ? std::min(all_steps, sampled_steps) : all_steps) *
                                            static_cast<double>(*preview.point.machine.devices);
}

/// "17 s", "139 days"
std::string time_in_words(double seconds)
{
    const bool days = seconds > 2 * 86400;
    const bool hours = !days && seconds > 2 * 3600;
    char text[32];
    std::snprintf(text, sizeof text,
                  days    ? "%.0f days"
                  : hours ? "%.0f hours"
                          : "%.0f s",
                  seconds / (days    ? 86400
                             : hours ? 3600
                                     : 1));
    return text;
}

std::string gibibytes(std::int64_t bytes)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.2f GiB", static_cast<double>(bytes) / (1 << 30));
    return text;
}

/// "8x16", "2 of 8x16"
std::string slice_in_words(const report::PointMachine& machine)
{
    return machine.slices ? std::to_string(*machine.slices) + " of " + machine.slice
                          : machine.slice;
}

void print_point(const std::string& series, const report::Point& point)
{
    std::string epoch = "too much " + point.memory->largest.value_or("");
    if (point.fits) {
        char seconds[32];
        std::snprintf(seconds, sizeof seconds, "%.4g s", point.seconds());
        epoch = seconds;
    }
    std::printf("%-28s %6d %8s %10s %22s %14s\n", series.c_str(),
                static_cast<int>(point.machine.cores), slice_in_words(point.machine).c_str(),
                gibibytes(point.memory->bytes_per_core).c_str(),
                gibibytes(point.memory->capacity_bytes).c_str(), epoch.c_str());
}

int check_study(const std::string& path, const std::vector<std::string>& settings)
{
    const std::vector<PointSpec> specs = expand(load_study(path, settings));
    double wall = 0;
    Bytes host_memory(0);
    std::vector<report::Point> points;
    std::printf("%-28s %6s %8s %10s %22s %14s\n", "series", "cores", "slice", "memory",
                "of a core's HBM", "epoch, about");
    for (const PointSpec& spec : specs) {
        const Preview preview = for_point(spec, [&spec] { return preview_point(spec.study); });
        wall += guessed_wall_seconds(spec.study, preview);
        host_memory = std::max(host_memory, preview.host_memory);
        points.push_back(preview.point);
        print_point(spec.series, preview.point);
    }
    std::printf("%zu points; about %s on one core of this host, very roughly\n", specs.size(),
                time_in_words(wall).c_str());
    if (host_memory.count() > 0) {
        std::printf("A point keeps %s in this host's memory%s\n",
                    gibibytes(host_memory.count()).c_str(), specs.size() > 1 ? " at most" : "");
    }
    std::fputs(notes_in_lines(points).c_str(), stdout);
    return 0;
}

} // namespace

void add_check(CLI::App& app, Action& action)
{
    CLI::App* command = app.add_subcommand(
        "check", "Says what a study would run: points, memory per core, time; runs nothing");
    auto path = std::make_shared<std::string>();
    auto settings = std::make_shared<std::vector<std::string>>();
    auto schema = std::make_shared<bool>(false);
    command->add_option("STUDY", *path, "The study file");
    command->add_flag("--schema", *schema, "Print the study's JSON Schema: every field there is");
    command
        ->add_option("--set", *settings, "/json/pointer=value: changes the study first; repeatable")
        ->allow_extra_args(false);
    command->footer("\nEpoch times here are the analytic model's.\n"
                    "Exit codes: 0 the study can run; 2 it is wrong.\n");
    command->callback([path, settings, schema, &action] {
        if (!*schema && path->empty()) {
            throw CLI::RequiredError("STUDY");
        }
        action = [path, settings, schema] {
            if (*schema) {
                std::cout << study_schema();
                return 0;
            }
            return check_study(*path, *settings);
        };
    });
}

} // namespace alxsim::experiments
