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

double guessed_wall_seconds(const PointSpec& spec, const PointResult& preview)
{
    const Json& point = preview.point;
    const bool numerics = spec.study.value("numerics", true);
    const std::string fidelity = spec.study.value("fidelity", "sampled");
    if (!point.at("fits").get<bool>() || (fidelity == "analytic" && !numerics)) {
        return seconds_per_analytic_point;
    }
    const int intervals = numerics ? preview.intervals : 1;
    const double all_steps = intervals * point.at("counters").at("steps").get<double>();
    const double steps =
        fidelity == "sampled" && !numerics ? std::min(all_steps, sampled_steps) : all_steps;
    return seconds_per_analytic_point +
           seconds_per_device_step * steps * point.at("machine").at("devices").get<double>();
}

std::string gibibytes(const Json& bytes)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.2f GiB", bytes.get<double>() / (1 << 30));
    return text;
}

/// "8x16", "2 of 8x16"
std::string slice_in_words(const Json& machine)
{
    const std::string shape = machine.at("slice").get<std::string>();
    return machine.contains("slices") ? machine.at("slices").dump() + " of " + shape : shape;
}

int check_study(const std::string& path, const std::vector<std::string>& settings)
{
    const Study study = load_study(path, settings);
    const std::vector<PointSpec> specs = expand(study);
    double wall = 0;
    std::vector<Json> points;
    std::printf("%-28s %6s %8s %10s %22s %14s\n", "series", "cores", "slice", "memory",
                "of a core's HBM", "epoch, about");
    for (const PointSpec& spec : specs) {
        const PointResult preview = preview_point(spec.study, path);
        const Json& point = preview.point;
        wall += guessed_wall_seconds(spec, preview);
        points.push_back(point);
        const Json& machine = point.at("machine");
        const bool fits = point.at("fits").get<bool>();
        std::string epoch = "too much " + point.at("memory").at("largest").get<std::string>();
        if (fits) {
            char seconds[32];
            std::snprintf(seconds, sizeof seconds, "%.4g s",
                          point.at("epoch_seconds").get<double>());
            epoch = seconds;
        }
        std::printf("%-28s %6d %8s %10s %22s %14s\n", spec.series.c_str(),
                    machine.at("cores").get<int>(), slice_in_words(machine).c_str(),
                    gibibytes(point.at("memory").at("bytes_per_core")).c_str(),
                    gibibytes(point.at("memory").at("capacity_bytes")).c_str(), epoch.c_str());
    }
    std::printf("%zu points; about %.0f s on one core of this host, very roughly\n", specs.size(),
                wall);
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
