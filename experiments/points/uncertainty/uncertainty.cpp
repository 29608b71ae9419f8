// SPDX-License-Identifier: Apache-2.0
#include "experiments/points/uncertainty/uncertainty.h"

#include "base/host_pool.h"
#include "base/paths.h"
#include "base/portable_math.h"
#include "base/text/printed.h"

#include <algorithm>
#include <cstdlib>
#include <map>

namespace alxsim::experiments {
namespace {

/// So many that the 5 % quantiles of five seeds stay within 15 % of their mean (WebGraph-sparse on
/// 256 cores).
constexpr int draws = 256;
constexpr double outside = 0.05; ///< share of the draws beyond either end of the band
constexpr double least_swing = 1.001;
constexpr std::size_t listed_unknowns = 10;

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

std::vector<UncertainJob::Values> drawn_worlds(const UncertainJob& job, int count,
                                               std::uint64_t seed, const GivenWorlds* given)
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
    return worlds;
}

/// Item by item on the host's threads.
template <class Result, class Function>
std::vector<Result> for_each_of(std::size_t items, HostPool& pool, const Function& function)
{
    constexpr std::int64_t grain = 8;
    std::vector<Result> results(items);
    pool.for_chunks(
        static_cast<std::int64_t>(items), grain, [&](std::int64_t begin, std::int64_t end) {
            for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
                results[i] = function(i);
            }
        });
    return results;
}

std::vector<model::Breakdown> drawn_epochs(const UncertainJob& job,
                                           const std::vector<UncertainJob::Values>& worlds,
                                           HostPool& pool)
{
    return for_each_of<model::Breakdown>(worlds.size(), pool,
                                         [&](std::size_t i) { return job.estimate(worlds[i]); });
}

/// All but the ranking.
EpochBand band_of_draws(const UncertainJob& job, const std::vector<UncertainJob::Values>& worlds,
                        HostPool& pool)
{
    EpochBand band;
    band.draws = drawn_epochs(job, worlds, pool);
    std::vector<double> seconds;
    for (const model::Breakdown& epoch : band.draws) {
        seconds.push_back(seconds_of(epoch));
    }
    band.low = model::quantile_of(seconds, outside);
    band.central = seconds_of(job.estimate(job.as_it_is()));
    band.median = model::quantile_of(seconds, 0.5);
    band.high = model::quantile_of(seconds, 1 - outside);
    return band;
}

Influence influence_of(const UncertainJob& job, std::size_t index, double central)
{
    const Unknown& unknown = job.unknowns()[index];
    const double low = seconds_with(job, index, unknown.range.low);
    const double high = seconds_with(job, index, unknown.range.high);
    const auto [least, most] = std::minmax({low, central, high});
    return {unknown, low, high, most / least, 0};
}

/// Returns that of two lists of numbers as long; 0 where one of them does not vary.
double squared_correlation(const std::vector<double>& a, const std::vector<double>& b)
{
    const auto count = static_cast<double>(a.size());
    double sum_a = 0, sum_b = 0, squares_a = 0, squares_b = 0, products = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        sum_a += a[i];
        sum_b += b[i];
    }
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double of_a = a[i] - sum_a / count;
        const double of_b = b[i] - sum_b / count;
        squares_a += of_a * of_a;
        squares_b += of_b * of_b;
        products += of_a * of_b;
    }
    const double both = squares_a * squares_b;
    return both > 0 ? products * products / both : 0;
}

/// The logarithm of an epoch's seconds where the unknown alone is at `value`: known at its low,
/// central and high value, and straight between them.
double alone_at(const Influence& influence, double value, double central_seconds)
{
    const model::UnknownNumber& range = influence.unknown.range;
    const bool below = value < range.central;
    const double end = below ? range.low : range.high;
    const double end_seconds = below ? influence.seconds_low : influence.seconds_high;
    const double way = end == range.central ? 0 : (value - range.central) / (end - range.central);
    return portable::log(central_seconds) + way * portable::log(end_seconds / central_seconds);
}

/// `worlds`: in which the band was drawn.
void share_out(EpochBand& band, const UncertainJob& job,
               const std::vector<UncertainJob::Values>& worlds)
{
    std::vector<double> drawn;
    for (const model::Breakdown& draw : band.draws) {
        drawn.push_back(portable::log(seconds_of(draw)));
    }
    std::vector<double> alone(worlds.size());
    for (Influence& influence : band.ranking) {
        const auto same = [&](const Unknown& one) { return one.name == influence.unknown.name; };
        const auto column = static_cast<std::size_t>(
            std::find_if(job.unknowns().begin(), job.unknowns().end(), same) -
            job.unknowns().begin());
        for (std::size_t i = 0; i < worlds.size(); ++i) {
            alone[i] = alone_at(influence, worlds[i][column].value(), band.central);
        }
        influence.share_of_band = squared_correlation(alone, drawn);
    }
}

/// Values that no op of the program has a use for change no picosecond.
bool changes_nothing(const Influence& influence)
{
    return influence.swing == 1;
}

/// `central`: seconds of an interval as the job is.
std::vector<Influence> influences(const UncertainJob& job, double central, HostPool& pool)
{
    std::vector<Influence> ranking = for_each_of<Influence>(
        job.unknowns().size(), pool, [&](std::size_t i) { return influence_of(job, i, central); });
    ranking.erase(std::remove_if(ranking.begin(), ranking.end(), changes_nothing), ranking.end());
    std::stable_sort(ranking.begin(), ranking.end(),
                     [](const Influence& a, const Influence& b) { return a.swing > b.swing; });
    return ranking;
}

} // namespace

std::vector<Influence> influences(const UncertainJob& job, int threads)
{
    HostPool pool(threads);
    return influences(job, seconds_of(job.estimate(job.as_it_is())), pool);
}

EpochBand epoch_band(const UncertainJob& job, std::uint64_t seed, const GivenWorlds* given,
                     int threads)
{
    HostPool pool(threads);
    const std::vector<UncertainJob::Values> worlds = drawn_worlds(job, draws, seed, given);
    EpochBand band = band_of_draws(job, worlds, pool);
    band.ranking = influences(job, band.central, pool);
    share_out(band, job, worlds);
    return band;
}

EpochBand epoch_band(const PointStudy& study)
{
    return epoch_band(UncertainJob(job_of(study)), study.seed);
}

EpochBand band_without_ranking(const PointStudy& study, int threads)
{
    const UncertainJob job(job_of(study));
    const std::unique_ptr<const GivenWorlds> given = given_worlds(study);
    HostPool pool(threads);
    return band_of_draws(job, drawn_worlds(job, draws, study.seed, given.get()), pool);
}

std::unique_ptr<const GivenWorlds> given_worlds(const PointStudy& study)
{
    return study.given ? std::make_unique<const GivenWorlds>(resolve_path(*study.given, study.file))
                       : nullptr;
}

std::vector<double> drawn_seconds(const PointStudy& study, int worlds)
{
    const UncertainJob job(job_of(study));
    const std::unique_ptr<const GivenWorlds> given = given_worlds(study);
    HostPool pool(1); // who asks has threads for its points
    std::vector<double> seconds;
    for (const model::Breakdown& epoch :
         drawn_epochs(job, drawn_worlds(job, worlds, study.seed, given.get()), pool)) {
        seconds.push_back(seconds_of(epoch));
    }
    return seconds;
}

report::Uncertainty uncertainty_of(const EpochBand& band, double epoch_seconds)
{
    const double to_own_time = epoch_seconds / band.central;
    report::Uncertainty told{band.draws.size(), 1 - 2 * outside, band.high / band.low, {}, 0};
    for (const Influence& influence : band.ranking) {
        if (influence.swing < least_swing || told.ranking.size() == listed_unknowns) {
            ++told.unlisted;
            continue;
        }
        const Unknown& unknown = influence.unknown;
        told.ranking.push_back({unknown.name, unknown.low, unknown.central, unknown.high,
                                unknown.unit, influence.seconds_low * to_own_time,
                                influence.seconds_high * to_own_time, influence.swing,
                                influence.share_of_band});
    }
    return told;
}

report::Drawn drawn_of(const EpochBand& band, double epoch_seconds)
{
    const auto seconds = [&](Picoseconds time) {
        // Five digits say all that a draw can.
        return rounded("%.5g", to_seconds(time).count() * epoch_seconds / band.central);
    };
    std::map<std::string, std::vector<double>> phases;
    for (const model::Breakdown& epoch : band.draws) {
        for (const auto& [phase, time] : epoch.phases) {
            phases[phase];
        }
    }
    report::Drawn drawn;
    for (const model::Breakdown& epoch : band.draws) {
        drawn.seconds.push_back(seconds(epoch.total));
        for (const Share share : all_shares) {
            drawn.shares[static_cast<std::size_t>(share)].push_back(seconds(epoch.share(share)));
        }
        for (auto& [phase, values] : phases) {
            const auto found = epoch.phases.find(phase);
            values.push_back(found == epoch.phases.end() ? 0.0 : seconds(found->second));
        }
    }
    drawn.phases.assign(phases.begin(), phases.end());
    return drawn;
}

} // namespace alxsim::experiments
