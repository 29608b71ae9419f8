// SPDX-License-Identifier: Apache-2.0
#include "experiments/infer/infer.h"

#include "base/host_pool.h"
#include "base/input_error.h"
#include "experiments/infer/contradiction.h"
#include "experiments/infer/curves.h"
#include "experiments/infer/evidence.h"
#include "experiments/infer/measure.h"
#include "experiments/infer/posterior_json.h"
#include "experiments/infer/sequential.h"
#include "experiments/resources.h"

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

/// Those of the statements, those of measurements, then the study's own.
std::vector<DrawnPoint> all_points(const Statements& statements, const Statements& measurements,
                                   const std::vector<PointSpec>& specs, const std::string& run)
{
    std::vector<DrawnPoint> points = statements.points;
    points.insert(points.end(), measurements.points.begin(), measurements.points.end());
    for (const PointSpec& spec : specs) {
        points.push_back({spec.study, run});
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
    return spec.series + "@" + spec.study.at("machine").at("cores").dump();
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
struct Inferred {
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
          asked_(point_named(specs_, options.point)),
          measurements_(measurements_to_rank(study.file)),
          own_points_(statements.points.size() + measurements_.points.size()),
          worlds_(all_points(statements, measurements_, specs_, run_), study.file),
          evidence_(worlds_, statements.statements, options.discrepancy),
          pool_(options.jobs)
    {
    }

    Json run()
    {
        Inferred inferred = rejected();
        if (inferred.effective < enough_survivors && !evidence_.statements().empty()) {
            draw_more(inferred);
        }
        return result_json(inferred);
    }

private:
    Statements measurements_to_rank(const std::string& study_file) const
    {
        return options_.measurements
                   ? measurements_of(*options_.measurements, options_.measurements_file,
                                     {specs_[asked_].study, study_file})
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

    Inferred rejected()
    {
        Inferred inferred;
        inferred.prior = evidence_.draw(worlds_.prior(options_.draws, options_.seed), pool_,
                                        progress("of the draws made"));
        inferred.posterior = {inferred.prior, evidence_.survivors_of(inferred.prior)};
        inferred.share = static_cast<double>(inferred.posterior.survivors.worlds.size()) /
                         static_cast<double>(options_.draws);
        inferred.effective = inferred.posterior.survivors.effective();
        return inferred;
    }

    /// Replaces the few survivors by worlds that are drawn level by level, if any are reached.
    void draw_more(Inferred& inferred)
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
    void add_steadiness(Json& result, const Sample& posterior, double effective) const
    {
        const Steadiness steadiness = steadiness_of(worlds_.unknowns(), posterior, effective);
        if (steadiness.within <= 0) {
            return;
        }
        result["steadiness"] = {{"unknown", steadiness.unknown},
                                {"within", six_digits(steadiness.within)}};
        if (steadiness.within > steady_within) {
            const double more = steadiness.within / steady_within;
            result["steadiness"]["draws_for_15_percent"] =
                static_cast<std::int64_t>(std::ceil(options_.draws * more * more));
        }
    }

    Json result_json(const Inferred& inferred)
    {
        const Sample& posterior = inferred.posterior;
        const Sample& rejection = inferred.sequential ? inferred.rejection : posterior;
        Json result{{"draws", options_.draws},
                    {"seed", options_.seed},
                    {"discrepancy", options_.discrepancy},
                    {"run", run_},
                    {"method", inferred.sequential ? "sequential" : "rejection"},
                    {"survivors", rejection.survivors.worlds.size()},
                    {"share", six_digits(inferred.share)},
                    {"effective", six_digits(inferred.effective)}};
        if (inferred.effective < enough_survivors && !posterior.survivors.worlds.empty()) {
            result["draws_for_enough_survivors"] = static_cast<std::int64_t>(
                std::ceil(options_.draws * enough_survivors / inferred.effective));
        }
        add_steadiness(result, posterior, inferred.effective);
        result["statements"] = statements_json(evidence_, inferred.prior);
        result["unknowns"] = unknowns_json(worlds_.unknowns(), posterior);
        if (inferred.sequential) {
            result["levels"] = {{"count", inferred.levels.levels},
                                {"acceptance", six_digits(inferred.levels.acceptance)},
                                {"inefficiency", six_digits(inferred.levels.inefficiency)}};
        }
        if (inferred.sequential && rejection.survivors.worlds.size() >= least_to_correlate) {
            result["checked_against_rejection"] =
                check_json(worlds_.unknowns(), posterior, rejection);
        }
        result["correlations"] = correlations_json(worlds_.unknowns(), posterior);
        result["series"] = series_json({specs_, own_points_}, worlds_, statements_, inferred.prior,
                                       posterior, pool_);
        if (posterior.survivors.worlds.empty()) {
            result["contradiction"] =
                contradiction_json(worlds_.unknowns(), evidence_, inferred.prior);
        } else if (options_.measurements) {
            result["measurements"] = ranked_measurements(posterior, result.at("series"));
        }
        result["worlds"] = worlds_json(worlds_.unknowns(), posterior);
        return result;
    }

    Json ranked_measurements(const Sample& posterior, const Json& all_series)
    {
        const std::vector<Statement> list =
            shifted(measurements_.statements, own_points_ - measurements_.points.size());
        Json json = measurements_json(worlds_, Evidence(worlds_, list, 0), posterior,
                                      own_points_ + asked_, options_.discrepancy, pool_);
        const PointSpec& spec = specs_[asked_];
        json["series"] = spec.series;
        json["cores"] = spec.study.at("machine").at("cores");
        json["band"] = nullptr;
        for (const Json& series : all_series) {
            for (const Json& point : series.at("points")) {
                if (series.at("name") == spec.series && point.at("cores") == json["cores"]) {
                    json["band"] = point.at("posterior");
                }
            }
        }
        return json;
    }

    static constexpr std::size_t least_worlds = 400; ///< of a sequential sample

    const InferOptions& options_;
    const Statements& statements_;
    std::vector<PointSpec> specs_;
    std::string run_;   ///< of the study's points
    std::size_t asked_; ///< which of them measurements are to narrow
    Statements measurements_;
    std::size_t own_points_; ///< where the study's points begin among all
    DrawnWorlds worlds_;
    Evidence evidence_;
    HostPool pool_;
};

} // namespace

Json infer(const Study& study, const Statements& statements, const InferOptions& options)
{
    Json result = Inference(study, statements, options).run();
    try {
        validate_json(result, resources().get("schema/inferred.schema.json"), "result");
    } catch (const InputError& error) {
        throw std::logic_error(error.what()); // a mistake of ours
    }
    return result;
}

} // namespace alxsim::experiments
