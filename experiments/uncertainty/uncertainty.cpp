// SPDX-License-Identifier: Apache-2.0
#include "experiments/uncertainty/uncertainty.h"

#include "base/paths.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace alxsim::experiments {
namespace {

/// So many that the 5 % quantiles of five seeds stay within 15 % of their mean (WebGraph-sparse on
/// 256 cores).
constexpr int draws = 256;
constexpr double outside = 0.05; ///< share of the draws beyond either end of the band
constexpr double least_swing = 1.001;
constexpr std::size_t listed_unknowns = 10;

/// Five digits say all that a draw can.
double rounded(double value)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.5g", value);
    return std::strtod(text, nullptr);
}

double seconds_of(const model::Breakdown& interval)
{
    return to_seconds(interval.total).count();
}

/// One unknown at a value, the others as they are.
double seconds_with(const UncertainJob& job, std::size_t unknown, double value)
{
    UncertainJob::Values values = job.as_it_is();
    values[unknown] = value;
    return seconds_of(job.estimate(values));
}

std::vector<model::Breakdown> drawn_epochs(const UncertainJob& job, int count, std::uint64_t seed,
                                           const GivenWorlds* given)
{
    std::vector<UncertainJob::Values> worlds(static_cast<std::size_t>(count), job.as_it_is());
    for (std::size_t column = 0; column < job.unknowns().size(); ++column) {
        const Unknown& unknown = job.unknowns()[column];
        std::vector<double> quantiles =
            given != nullptr ? given->column(unknown, count) : std::vector<double>();
        if (quantiles.empty()) {
            quantiles = model::latin_column(count, seed, unknown.name);
        }
        for (std::size_t i = 0; i < worlds.size(); ++i) {
            worlds[i][column] = unknown.at(quantiles[i]);
        }
    }
    std::vector<model::Breakdown> epochs;
    for (const UncertainJob::Values& world : worlds) {
        epochs.push_back(job.estimate(world));
    }
    return epochs;
}

Influence influence_of(const UncertainJob& job, std::size_t index, double central)
{
    const Unknown& unknown = job.unknowns()[index];
    const double low = seconds_with(job, index, unknown.range.low);
    const double high = seconds_with(job, index, unknown.range.high);
    const auto [least, most] = std::minmax({low, central, high});
    return {unknown, low, high, most / least};
}

} // namespace

EpochBand epoch_band(const UncertainJob& job, std::uint64_t seed, const GivenWorlds* given)
{
    EpochBand band;
    band.draws = drawn_epochs(job, draws, seed, given);
    std::vector<double> seconds;
    for (const model::Breakdown& epoch : band.draws) {
        seconds.push_back(seconds_of(epoch));
    }
    band.low = model::quantile_of(seconds, outside);
    band.central = seconds_of(job.estimate(job.as_it_is()));
    band.high = model::quantile_of(seconds, 1 - outside);
    for (std::size_t i = 0; i < job.unknowns().size(); ++i) {
        band.ranking.push_back(influence_of(job, i, band.central));
    }
    std::stable_sort(band.ranking.begin(), band.ranking.end(),
                     [](const Influence& a, const Influence& b) { return a.swing > b.swing; });
    return band;
}

EpochBand epoch_band(const Json& point_study, const std::string& file)
{
    return epoch_band(UncertainJob(job_of(point_study, file)),
                      point_study.value("seed", std::uint64_t{1}));
}

std::unique_ptr<const GivenWorlds> given_worlds(const Json& study, const std::string& file)
{
    return study.contains("given") ? std::make_unique<const GivenWorlds>(
                                         resolve_path(study.at("given").get<std::string>(), file))
                                   : nullptr;
}

std::vector<double> drawn_seconds(const Json& point_study, const std::string& file, int worlds)
{
    const UncertainJob job(job_of(point_study, file));
    const std::unique_ptr<const GivenWorlds> given = given_worlds(point_study, file);
    std::vector<double> seconds;
    for (const model::Breakdown& epoch :
         drawn_epochs(job, worlds, point_study.value("seed", std::uint64_t{1}), given.get())) {
        seconds.push_back(seconds_of(epoch));
    }
    return seconds;
}

Json uncertainty_json(const EpochBand& band)
{
    Json ranking = Json::array();
    std::size_t without = 0;
    for (const Influence& influence : band.ranking) {
        if (influence.swing < least_swing || ranking.size() == listed_unknowns) {
            ++without;
            continue;
        }
        const Unknown& unknown = influence.unknown;
        ranking.push_back({{"name", unknown.name},
                           {"low", unknown.low},
                           {"central", unknown.central},
                           {"high", unknown.high},
                           {"unit", unknown.unit},
                           {"seconds_at_low", influence.seconds_low},
                           {"seconds_at_high", influence.seconds_high},
                           {"swing", influence.swing}});
    }
    return {{"draws", band.draws.size()},
            {"share", 1 - 2 * outside},
            {"high_over_low", band.high / band.low},
            {"ranking", ranking},
            {"unlisted", without}};
}

Json drawn_json(const EpochBand& band, double epoch_seconds)
{
    Json drawn{{"epoch_seconds", Json::array()}, {"phases", Json::object()}};
    const auto seconds = [&](Picoseconds time) {
        return rounded(to_seconds(time).count() * epoch_seconds / band.central);
    };
    for (const model::Breakdown& epoch : band.draws) {
        for (const auto& [phase, time] : epoch.phases) {
            drawn["phases"][phase] = Json::array();
        }
    }
    for (const model::Breakdown& epoch : band.draws) {
        drawn["epoch_seconds"].push_back(seconds(epoch.total));
        for (std::size_t i = 0; i < model::share_count; ++i) {
            const auto share = static_cast<model::Share>(i);
            drawn[std::string(model::name_of(share)) + "_seconds"].push_back(
                seconds(epoch.share(share)));
        }
        for (auto& [phase, values] : drawn["phases"].items()) {
            const auto found = epoch.phases.find(phase);
            values.push_back(found == epoch.phases.end() ? 0.0 : seconds(found->second));
        }
    }
    return drawn;
}

} // namespace alxsim::experiments
