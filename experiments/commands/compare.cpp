// SPDX-License-Identifier: Apache-2.0
#include "experiments/commands/commands.h"
#include "report/report.h"

#include <cstdio>
#include <iostream>

namespace alxsim::experiments {
namespace {

Json load_report(const std::string& path)
{
    Json report = load_json(path);
    report::validate_report(report, path);
    return report;
}

const Json* same_point(const Json& points, const Json& point)
{
    for (const Json& other : points) {
        if (other["series"] == point["series"] && other["sweep"] == point["sweep"]) {
            return &other;
        }
    }
    return nullptr;
}

/// Prints a point of both reports side by side; says whether there was one.
bool print_pair(const Json& a, const Json* b)
{
    if (b == nullptr || !a.contains("epoch_seconds") || !b->contains("epoch_seconds")) {
        return false;
    }
    const double seconds_a = a["epoch_seconds"].get<double>();
    const double seconds_b = (*b)["epoch_seconds"].get<double>();
    std::printf("%-28s %-40s %12.5g %12.5g %8.4f", a["series"].get<std::string>().c_str(),
                a["sweep"].dump().c_str(), seconds_a, seconds_b, seconds_b / seconds_a);
    if (a.contains("quality") && b->contains("quality") && !a["quality"].empty() &&
        !b->at("quality").empty()) {
        std::printf("   recall@20 %.4f %.4f", a["quality"].back().value("recall_at_20", 0.0),
                    b->at("quality").back().value("recall_at_20", 0.0));
    }
    std::printf("\n");
    return true;
}

int compare(const std::string& path_a, const std::string& path_b)
{
    const Json a = load_report(path_a);
    const Json b = load_report(path_b);
    std::printf("%-28s %-40s %12s %12s %8s\n", "series", "point", "A, s/epoch", "B, s/epoch",
                "B/A");
    std::size_t compared = 0;
    for (const Json& point : a["points"]) {
        compared += print_pair(point, same_point(b["points"], point)) ? 1 : 0;
    }
    std::printf("%zu points in both (A has %zu, B %zu)\n", compared, a["points"].size(),
                b["points"].size());
    return 0;
}

} // namespace

void add_compare(CLI::App& app, Action& action)
{
    CLI::App* command =
        app.add_subcommand("compare", "Sets two reports side by side, point by point, with ratios");
    auto a = std::make_shared<std::string>();
    auto b = std::make_shared<std::string>();
    command->add_option("A", *a, "A report.json")->required();
    command->add_option("B", *b, "Another one: ratios are B/A")->required();
    command->footer("\nPoints are the same if their series and what the sweep set are the same.\n");
    command->callback([a, b, &action] { action = [a, b] { return compare(*a, *b); }; });
}

} // namespace alxsim::experiments
