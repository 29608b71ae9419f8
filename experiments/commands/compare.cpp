// SPDX-License-Identifier: Apache-2.0
#include "experiments/commands/commands.h"
#include "model/uncertainty.h"
#include "report/report.h"

#include <cstdio>
#include <iostream>
#include <optional>
#include <utility>

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
        if (other.at("series") == point.at("series") && other.at("sweep") == point.at("sweep")) {
            return &other;
        }
    }
    return nullptr;
}

/// recall@20 after the last epoch of both, where both have one.
std::optional<std::pair<double, double>> last_recalls(const Json& a, const Json& b)
{
    const auto last = [](const Json& point) -> std::optional<double> {
        const Json quality = point.value("quality", Json::array());
        if (quality.empty() || !quality.back().contains("recall_at_20")) {
            return std::nullopt;
        }
        return quality.back().at("recall_at_20").get<double>();
    };
    const std::optional<double> recall_a = last(a);
    const std::optional<double> recall_b = last(b);
    if (!recall_a || !recall_b) {
        return std::nullopt;
    }
    return std::make_pair(*recall_a, *recall_b);
}

/// Between which values the ratio of two points lies in 90 % of the draws, which are the same
/// worlds in both; none where a point has no draws, or theirs are of different seeds.
std::optional<std::pair<double, double>> ratio_band(const Json& a, const Json& b)
{
    const Json none = Json::object();
    const Json seconds_a = a.value("drawn", none).value("epoch_seconds", Json::array());
    const Json seconds_b = b.value("drawn", none).value("epoch_seconds", Json::array());
    if (seconds_a.empty() || seconds_a.size() != seconds_b.size()) {
        return std::nullopt;
    }
    std::vector<double> ratios;
    ratios.reserve(seconds_a.size());
    for (std::size_t i = 0; i < seconds_a.size(); ++i) {
        ratios.push_back(seconds_b.at(i).get<double>() / seconds_a.at(i).get<double>());
    }
    return std::make_pair(model::quantile_of(ratios, 0.05), model::quantile_of(ratios, 0.95));
}

/// Prints a point of both reports side by side; says whether there was one.
bool print_pair(const Json& a, const Json* b, bool same_seed)
{
    if (b == nullptr || !a.contains("epoch_seconds") || !b->contains("epoch_seconds")) {
        return false;
    }
    const double seconds_a = a.at("epoch_seconds").get<double>();
    const double seconds_b = (*b).at("epoch_seconds").get<double>();
    std::printf("%-28s %-40s %12.5g %12.5g %8.4f", a.at("series").get<std::string>().c_str(),
                a.at("sweep").dump().c_str(), seconds_a, seconds_b, seconds_b / seconds_a);
    if (const auto band = same_seed ? ratio_band(a, *b) : std::nullopt) {
        std::printf("   %.4f to %.4f", band->first, band->second);
    }
    if (const auto recalls = last_recalls(a, *b)) {
        std::printf("   recall@20 %.4f %.4f", recalls->first, recalls->second);
    }
    std::printf("\n");
    return true;
}

int compare(const std::string& path_a, const std::string& path_b)
{
    const Json a = load_report(path_a);
    const Json b = load_report(path_b);
    std::printf("%-28s %-40s %12s %12s %8s   %s\n", "series", "point", "A, s/epoch", "B, s/epoch",
                "B/A", "in 90 % of the draws");
    std::size_t compared = 0;
    const auto seed_of = [](const Json& report) { return report.at("study").value("seed", 1); };
    const bool same_seed = seed_of(a) == seed_of(b);
    for (const Json& point : a.at("points")) {
        compared += print_pair(point, same_point(b.at("points"), point), same_seed) ? 1 : 0;
    }
    std::printf("%zu points in both (A has %zu, B %zu)\n", compared, a.at("points").size(),
                b.at("points").size());
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
    command->footer(
        "\nPoints are the same if their series and what the sweep set are the same. Draw i of "
        "uncertain inputs has the\nsame values in both reports if their studies have one "
        "seed: the last column is the band of the ratio itself.\n");
    command->callback([a, b, &action] { action = [a, b] { return compare(*a, *b); }; });
}

} // namespace alxsim::experiments
