// SPDX-License-Identifier: Apache-2.0
#include "experiments/answers/infer/infer.h"

#include "base/host_pool.h"
#include "base/input_error.h"
#include "experiments/answers/infer/contradiction.h"
#include "experiments/answers/infer/curves.h"
#include "experiments/answers/infer/evidence.h"
#include "experiments/answers/infer/findings.h"
#include "experiments/answers/infer/measure.h"
#include "experiments/answers/infer/sequential.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

namespace alxsim::experiments {
namespace {

/// The run that most points belong to; of several, the first by name.
std::string most_told_of(const std::vector<DrawnPoint>& points)
{
    std::map<std::string, int> count;
    for (const DrawnPoint& point : points) {
        ++count[point.run];
    }
    const auto most =
        std::max_element(count.begin(), count.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    return most == count.end() ? "study" : most->first;
}

/// Whether both are about one job, on whatever machine.
bool same_work(const PointStudy& a, const PointStudy& b)
{
    return nlohmann::json(a.document.at("workload")) == nlohmann::json(b.document.at("workload"));
}

/// The run that each of the study's points belongs to: of the statements about a job of its series,
/// that which most points have; where there are none, `otherwise`.
std::vector<std::string> runs_of_curves(const std::vector<PointSpec>& specs,
                                        const std::vector<DrawnPoint>& stated,
                                        const std::string& otherwise)
{
    std::map<std::string, std::vector<DrawnPoint>> of_series;
    for (const DrawnPoint& point : stated) {
        for (const PointSpec& spec : specs) {
            if (same_work(point.study, spec.study)) {
                of_series[spec.series].push_back(point);
                break;
            }
        }
    }
    std::vector<std::string> runs;
    for (const PointSpec& spec : specs) {
        const auto known = of_series.find(spec.series);
        runs.push_back(known == of_series.end() ? otherwise : most_told_of(known->second));
    }
    return runs;
}

/// Those of the statements, those of measurements, then the study's own.
std::vector<DrawnPoint> all_points(const Statements& statements, const Statements& measurements,
                                   const std::vector<PointSpec>& specs,
                                   const std::vector<std::string>& runs)
{
    std::vector<DrawnPoint> points = statements.points;
    points.insert(points.end(), measurements.points.begin(), measurements.points.end());
    for (std::size_t i = 0; i < specs.size(); ++i) {
        points.push_back({specs[i].study, runs[i]});
    }
    return points;
}

/// The same where the points that they speak of stand `by` places later.
std::vector<Statement> shifted(std::vector<Statement> statements, std::size_t by)
{
    for (Statement& statement : statements) {
        for (StatedFigure& figure : statement.figures) {
            figure.point += by;
        }
        if (statement.over) {
            statement.over->point += by;
        }
    }
    return statements;
}

std::string name_of(const PointSpec& spec)
{
    const std::optional<int>& cores = spec.study.machine.cores;
    return spec.series + "@" + (cores ? std::to_string(*cores) : "?");
}

/// Which of the points "series@cores" names. Throws InputError.
std::size_t point_named(const std::vector<PointSpec>& specs, const std::string& name)
{
    std::vector<std::string> names;
    std::size_t last_of_first = 0;
    for (std::size_t i = 0; i < specs.size(); ++i) {
        names.push_back(name_of(specs[i]));
        if (names.back() == name) {
            return i;
        }
        last_of_first = specs[i].series == specs.front().series ? i : last_of_first;
    }
    if (!name.empty()) {
        throw InputError("--point", "",
                         "found '" + name + "'" + did_you_mean(name, names) +
                             " (allowed: " + join(names) + ")");
    }
    return last_of_first;
}

/// Those of the prior's draws that agree, and how the posterior was come by.
struct Found {
    Draws prior;
    Sample rejection; ///< the prior's draws again, where they are few
    Sample posterior;
    bool sequential = false;
    double share = 0; ///< of the prior's worlds that agree
    double effective = 0;
    SequentialDraws levels; ///< without worlds
};

class Inference {
public:
    Inference(const Study& study, const Statements& statements, const InferOptions& options)
        : options_(options),
          statements_(statements),
          specs_(expand(study)),
          run_(options.run.empty() ? most_told_of(statements.points) : options.run),
          runs_(options.run.empty() ? runs_of_curves(specs_, statements.points, run_)
                                    : std::vector<std::string>(specs_.size(), run_)),
          asked_(point_named(specs_, options.point)),
          measurements_(measurements_to_rank()),
          own_points_(statements.points.size() + measurements_.points.size()),
          worlds_(all_points(statements, measurements_, specs_, runs_)),
          evidence_(worlds_, statements.statements, options.discrepancy),
          pool_(options.jobs)
    {
    }

    Inferred run()
    {
        Found found = rejected();
        if (found.effective < enough_survivors && !evidence_.statements().empty()) {
            draw_more(found);
        }
        return told(found);
    }

private:
    Statements measurements_to_rank() const
    {
        return options_.measurements
                   ? read_measurements(*options_.measurements, specs_[asked_].study)
                   : Statements{};
    }

    std::function<void(double)> progress(const char* what) const
    {
        return [this, what](double share) {
            if (options_.progress) {
                options_.progress(what, share);
            }
        };
    }

    Found rejected()
    {
        Found inferred;
        inferred.prior = evidence_.draw(worlds_.prior(options_.draws, options_.seed), pool_,
                                        progress("of the draws made"));
        inferred.posterior = {inferred.prior, evidence_.survivors_of(inferred.prior)};
        inferred.share = static_cast<double>(inferred.posterior.survivors.worlds.size()) /
                         static_cast<double>(options_.draws);
        inferred.effective = inferred.posterior.survivors.effective();
        return inferred;
    }

    /// Replaces the few survivors by worlds that are drawn level by level, if any are reached.
    void draw_more(Found& inferred)
    {
        std::vector<double> misfits;
        for (const std::vector<double>& values : inferred.prior.values) {
            misfits.push_back(evidence_.misfit_of(values));
        }
        SequentialOptions options;
        options.worlds = std::clamp<std::size_t>(static_cast<std::size_t>(options_.draws) / 20,
                                                 least_worlds, most_worlds_told);
        options.seed = options_.seed;
        options.progress = progress("of the way to draws that agree");
        SequentialDraws drawn = draw_sequentially(
            inferred.prior.worlds, misfits,
            [this](const DrawnWorlds::World& world, double most) {
                return evidence_.misfit_in(world, most);
            },
            options, pool_);
        if (drawn.worlds.empty()) {
            return;
        }
        inferred.rejection = std::move(inferred.posterior);
        inferred.posterior.draws = evidence_.draw(std::move(drawn.worlds), pool_);
        inferred.posterior.survivors = evidence_.survivors_of(inferred.posterior.draws);
        inferred.sequential = true;
        inferred.share = drawn.share;
        inferred.effective = inferred.posterior.survivors.effective() / drawn.inefficiency;
        drawn.worlds.clear();
        inferred.levels = std::move(drawn);
    }

    /// How far another seed may move the bands, and how many draws would keep them in place.
    std::optional<SteadinessFinding> steadiness(const Found& found) const
    {
        const Steadiness steadiness =
            steadiness_of(worlds_.unknowns(), found.posterior, found.effective);
        if (steadiness.within <= 0) {
            return std::nullopt;
        }
        SteadinessFinding finding{steadiness.unknown, six_digits(steadiness.within), {}};
        if (steadiness.within > steady_within) {
            const double more = steadiness.within / steady_within;
            finding.draws_for_15_percent =
                static_cast<std::int64_t>(std::ceil(options_.draws * more * more));
        }
        return finding;
    }

    Inferred told(const Found& found)
    {
        const Sample& posterior = found.posterior;
        const Sample& rejection = found.sequential ? found.rejection : posterior;
        Inferred result;
        result.draws = options_.draws;
        result.seed = options_.seed;
        result.discrepancy = options_.discrepancy;
        result.run = run_;
        result.method = found.sequential ? "sequential" : "rejection";
        result.survivors = rejection.survivors.worlds.size();
        result.agree_in_part = held_in_part(evidence_, rejection);
        result.agree_with_all = result.survivors;
        for (const HeldInPart& part : result.agree_in_part) {
            result.agree_with_all -= part.draws;
        }
        result.share = six_digits(found.share);
        result.effective = six_digits(found.effective);
        if (found.effective < enough_survivors && !posterior.survivors.worlds.empty()) {
            result.draws_for_enough_survivors = static_cast<std::int64_t>(
                std::ceil(options_.draws * enough_survivors / found.effective));
        }
        result.steadiness = steadiness(found);
        result.statements = statement_findings(evidence_, found.prior);
        result.unknowns = unknown_findings(worlds_.unknowns(), posterior);
        if (found.sequential) {
            result.levels = LevelsFinding{found.levels.levels, six_digits(found.levels.acceptance),
                                          six_digits(found.levels.inefficiency)};
        }
        if (found.sequential && rejection.survivors.worlds.size() >= least_to_correlate) {
            result.checked_against_rejection = check_of(worlds_.unknowns(), posterior, rejection);
        }
        result.correlations = correlations_of(worlds_.unknowns(), posterior);
        tell_curves(result, found);
        result.worlds = surviving_worlds(worlds_.unknowns(), posterior);
        return result;
    }

    /// The study's curves; then why no world agrees, or what to measure.
    void tell_curves(Inferred& result, const Found& found)
    {
        result.series = series_bands({specs_, runs_, own_points_}, worlds_, statements_,
                                     found.prior, found.posterior, pool_);
        if (found.posterior.survivors.worlds.empty()) {
            result.contradiction = contradiction_of(worlds_.unknowns(), evidence_, found.prior);
        } else if (options_.measurements) {
            result.measurements = ranked_measurements(found.posterior, result.series);
        }
    }

    MeasurementRanking ranked_measurements(const Sample& posterior,
                                           const std::vector<SeriesBands>& all_series)
    {
        const std::vector<Statement> list =
            shifted(measurements_.statements, own_points_ - measurements_.points.size());
        MeasurementRanking ranking = ranking_of(worlds_, Evidence(worlds_, list, 0), posterior,
                                                own_points_ + asked_, options_.discrepancy, pool_);
        const PointSpec& spec = specs_[asked_];
        ranking.series = spec.series;
        ranking.left_out = measurements_.left_out;
        ranking.cores = spec.study.machine.cores.value();
        for (const SeriesBands& series : all_series) {
            for (const PointBands& point : series.points) {
                if (series.name == ranking.series && point.cores == ranking.cores) {
                    ranking.band = point.posterior;
                }
            }
        }
        return ranking;
    }

    static constexpr std::size_t least_worlds = 400; ///< of a sequential sample

    const InferOptions& options_;
    const Statements& statements_;
    std::vector<PointSpec> specs_;
    std::string run_;               ///< of points that no statement is about
    std::vector<std::string> runs_; ///< of each of the study's points
    std::size_t asked_;             ///< which of them measurements are to narrow
    Statements measurements_;
    std::size_t own_points_; ///< where the study's points begin among all
    DrawnWorlds worlds_;
    Evidence evidence_;
    HostPool pool_;
};

} // namespace

Inferred infer(const Study& study, const Statements& statements, const InferOptions& options)
{
    Inferred result = Inference(study, statements, options).run();
    try {
        validate_json(json_of(result), inferred_schema().dump(), "result");
    } catch (const InputError& error) {
        throw std::logic_error(error.what()); // a mistake of ours
    }
    return result;
}

} // namespace alxsim::experiments
