// SPDX-License-Identifier: Apache-2.0
#include "experiments/commands/commands.h"
#include "model/uncertainty.h"
#include "report/report.h"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <iostream>
#include <optional>
#include <utility>

namespace alxsim::experiments {
namespace {

const report::Point* same_point(const std::vector<report::Point>& points,
                                const report::Point& point)
{
    const auto found = std::find_if(points.begin(), points.end(), [&](const report::Point& other) {
        return other.series == point.series && other.sweep == point.sweep;
    });
    return found == points.end() ? nullptr : &*found;
}

/// recall@20 after the last epoch.
std::optional<double> last_recall(const report::Result& result)
{
    return result.quality && !result.quality->empty()
               ? result.quality->back().metric("recall_at_20")
               : std::nullopt;
}

/// Between which values the ratio of two points lies in 90 % of the draws, which are the same
/// worlds in both; none where a point has no draws, or theirs are of different seeds.
std::optional<std::pair<double, double>> ratio_band(const report::Result& a,
                                                    const report::Result& b)
{
    if (!a.drawn || !b.drawn || a.drawn->seconds.empty() ||
        a.drawn->seconds.size() != b.drawn->seconds.size()) {
        return std::nullopt;
    }
    std::vector<double> ratios(a.drawn->seconds.size());
    std::transform(b.drawn->seconds.begin(), b.drawn->seconds.end(), a.drawn->seconds.begin(),
                   ratios.begin(), std::divides<>());
    return std::make_pair(model::quantile_of(ratios, 0.05), model::quantile_of(ratios, 0.95));
}

/// Prints a point of both reports side by side; says whether there was one.
bool print_pair(const report::Point& a, const report::Point* b, bool same_seed)
{
    if (b == nullptr || !a.result || !b->result) {
        return false;
    }
    std::printf("%-28s %-40s %12.5g %12.5g %8.4f", a.series.c_str(),
                json_of(a.sweep).dump().c_str(), a.seconds(), b->seconds(),
                b->seconds() / a.seconds());
    if (const auto band = same_seed ? ratio_band(*a.result, *b->result) : std::nullopt) {
        std::printf("   %.4f to %.4f", band->first, band->second);
    }
    const std::optional<double> recall_a = last_recall(*a.result);
    const std::optional<double> recall_b = last_recall(*b->result);
    if (recall_a && recall_b) {
        std::printf("   recall@20 %.4f %.4f", *recall_a, *recall_b);
    }
    std::printf("\n");
    return true;
}

int compare(const std::string& path_a, const std::string& path_b)
{
    const report::Report a = report::load_report(path_a);
    const report::Report b = report::load_report(path_b);
    std::printf("%-28s %-40s %12s %12s %8s   %s\n", "series", "point", "A, s/epoch", "B, s/epoch",
                "B/A", "in 90 % of the draws");
    std::size_t compared = 0;
    for (const report::Point& point : a.points) {
        compared += print_pair(point, same_point(b.points, point), a.seed() == b.seed()) ? 1 : 0;
    }
    std::printf("%zu points in both (A has %zu, B %zu)\n", compared, a.points.size(),
                b.points.size());
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
