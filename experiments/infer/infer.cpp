// SPDX-License-Identifier: Apache-2.0
#include "experiments/infer/infer.h"

#include "base/host_pool.h"
#include "base/input_error.h"
#include "base/mix64.h"
#include "base/portable_math.h"
#include "experiments/infer/drawn_worlds.h"
#include "experiments/infer/posterior.h"
#include "experiments/resources.h"
#include "report/claims.h"
#include "report/series.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <map>
#include <stdexcept>

namespace alxsim::experiments {
namespace {

using World = DrawnWorlds::World;

/// Worlds whose curves are worked out, of prior and posterior each.
constexpr std::size_t most_curves = 1000;
/// Fewer survivors give no shape to draw round.
constexpr std::size_t least_survivors = 10;
constexpr double low_share = 0.05;
constexpr double high_share = 0.95;

double rounded(double value)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.6g", value);
    return std::strtod(text, nullptr);
}

Json band_json(const std::vector<double>& values, const std::vector<double>& weights)
{
    if (values.empty()) {
        return nullptr;
    }
    return {{"low", rounded(weighted_quantile(values, weights, low_share))},
            {"median", rounded(weighted_quantile(values, weights, 0.5))},
            {"high", rounded(weighted_quantile(values, weights, high_share))}};
}

/// Worlds that are drawn, and what the statements' figures are in each.
struct Draws {
    std::vector<World> worlds;
    std::vector<std::vector<double>> values; ///< [world][figure]: NaN where a point does not fit
    std::vector<double> weights;             ///< [world]: how much it stands for
};

class Inference {
public:
    Inference(const Study& study, const Statements& statements, const InferOptions& options)
        : options_(options),
          statements_(statements.statements),
          specs_(expand(study)),
          worlds_(all_points(statements), study.file),
          pool_(options.jobs)
    {
        for (const Statement& statement : statements_) {
            first_figure_.push_back(figures_.size());
            figures_.insert(figures_.end(), statement.figures.begin(), statement.figures.end());
            if (statement.over) {
                figures_.push_back(*statement.over);
            }
        }
    }

    Json run()
    {
        prior_ = draw(worlds_.prior(options_.draws, options_.seed));
        prior_survivors_ = survivors_of(prior_, nobody);
        const bool few = prior_survivors_.effective() < enough_survivors;
        const bool resample = few && prior_survivors_.worlds.size() >= least_survivors;
        if (resample) {
            resampled_ = draw_round_survivors();
        }
        const Draws& posterior = resample ? resampled_ : prior_;
        const Survivors survivors = resample ? survivors_of(resampled_, nobody) : prior_survivors_;
        return result_json(posterior, survivors, resample);
    }

private:
    static constexpr std::size_t nobody = std::numeric_limits<std::size_t>::max();

    /// Those of the statements, then the study's own.
    std::vector<DrawnPoint> all_points(const Statements& statements)
    {
        std::vector<DrawnPoint> points = statements.points;
        own_points_ = points.size();
        run_ = options_.run.empty() ? most_told_of(points) : options_.run;
        for (const PointSpec& spec : specs_) {
            points.push_back({spec.study, run_});
        }
        return points;
    }

    /// The run that most points belong to; of several, the first by name.
    static std::string most_told_of(const std::vector<DrawnPoint>& points)
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

    // --- Drawing

    static double figure_of(const StatedFigure& figure, const PointFigures& found)
    {
        if (figure.name == "fits") {
            return found.fits ? 1 : 0;
        }
        if (!found.fits) {
            return std::nan("");
        }
        if (figure.name == "epoch_seconds") {
            return figure.times * to_seconds(found.epoch.total).count();
        }
        const std::string phase = "phases.";
        if (figure.name.rfind(phase, 0) == 0) {
            const auto at = found.epoch.phases.find(figure.name.substr(phase.size()));
            return at == found.epoch.phases.end() ? 0.0
                                                  : figure.times * to_seconds(at->second).count();
        }
        for (std::size_t i = 0; i < model::share_count; ++i) {
            const auto share = static_cast<model::Share>(i);
            if (figure.name == std::string(model::name_of(share)) + "_seconds") {
                return figure.times * to_seconds(found.epoch.share(share)).count();
            }
        }
        return std::nan("");
    }

    std::vector<double> values_in(const World& world) const
    {
        std::map<std::size_t, PointFigures> known;
        std::vector<double> values;
        for (const StatedFigure& figure : figures_) {
            const auto [at, is_new] = known.emplace(figure.point, PointFigures{});
            if (is_new) {
                at->second = worlds_.figures(figure.point, world);
            }
            values.push_back(figure_of(figure, at->second));
        }
        return values;
    }

    Draws draw(std::vector<World> worlds)
    {
        Draws draws{std::move(worlds), {}, {}};
        draws.values.resize(draws.worlds.size());
        draws.weights.assign(draws.worlds.size(), 1.0);
        std::atomic<std::int64_t> done{0};
        const auto all = static_cast<std::int64_t>(draws.worlds.size());
        pool_.for_chunks(all, 64, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t i = begin; i < end; ++i) {
                const auto at = static_cast<std::size_t>(i);
                draws.values[at] = values_in(draws.worlds[at]);
            }
            done += end - begin;
            if (options_.progress) {
                options_.progress(static_cast<double>(done) / static_cast<double>(all));
            }
        });
        return draws;
    }

    // --- Surviving

    /// The values that statement `s` speaks of.
    std::vector<double> values_of(std::size_t s, const std::vector<double>& all) const
    {
        const auto first = all.begin() + static_cast<std::ptrdiff_t>(first_figure_[s]);
        std::vector<double> values(
            first, first + static_cast<std::ptrdiff_t>(statements_[s].figures.size()));
        if (statements_[s].over) {
            values.front() /= all[first_figure_[s] + 1];
        }
        return values;
    }

    bool holds_in(std::size_t s, const std::vector<double>& all) const
    {
        return holds(statements_[s], values_of(s, all), options_.discrepancy);
    }

    /// Worlds that agree with all statements but `left_out`.
    Survivors survivors_of(const Draws& draws, std::size_t left_out) const
    {
        Survivors survivors;
        for (std::size_t i = 0; i < draws.worlds.size(); ++i) {
            double weight = draws.weights[i];
            for (std::size_t s = 0; s < statements_.size() && weight > 0; ++s) {
                if (s != left_out && !holds_in(s, draws.values[i])) {
                    weight *= 1 - statements_[s].weight;
                }
            }
            if (weight > 0) {
                survivors.worlds.push_back(i);
                survivors.weights.push_back(weight);
            }
        }
        return survivors;
    }

    std::vector<double> column_of(const Draws& draws, const Survivors& survivors,
                                  std::size_t column) const
    {
        std::vector<double> quantiles;
        for (const std::size_t i : survivors.worlds) {
            quantiles.push_back(draws.worlds[i][column]);
        }
        return quantiles;
    }

    // --- Resampling

    /// Unknowns that the few survivors constrain clearly: further from the prior than so few draws
    /// of it would be by chance in one case of a hundred.
    std::vector<std::size_t> constrained_columns() const
    {
        const double by_chance =
            1.63 / std::sqrt(static_cast<double>(prior_survivors_.worlds.size()));
        std::vector<std::size_t> columns;
        for (std::size_t column = 0; column < worlds_.unknowns().size(); ++column) {
            const double distance = distance_to_prior(column_of(prior_, prior_survivors_, column),
                                                      prior_survivors_.weights);
            if (distance > std::max(by_chance, constrained_distance)) {
                columns.push_back(column);
            }
        }
        return columns;
    }

    /// Densities of normal bumps at the survivors' quantiles, folded back at 0 and 1; and half of
    /// the draws from the prior, so that no weight is large.
    double density(const World& world, const std::vector<std::size_t>& columns, double width) const
    {
        double sum = 0;
        for (const std::size_t i : prior_survivors_.worlds) {
            double product = 1;
            for (const std::size_t column : columns) {
                product *= folded_bump(world[column], prior_.worlds[i][column], width);
            }
            sum += product;
        }
        return sum / static_cast<double>(prior_survivors_.worlds.size());
    }

    static double folded_bump(double at, double centre, double width)
    {
        const auto bump = [&](double x) {
            const double z = (x - centre) / width;
            return portable::exp(-z * z / 2) / (width * 2.50662827463100050242);
        };
        return bump(at) + bump(-at) + bump(2 - at);
    }

    static double folded(double quantile)
    {
        const double inside = std::abs(std::remainder(quantile, 2.0));
        return std::clamp(inside, 1e-9, 1 - 1e-9);
    }

    Draws draw_round_survivors()
    {
        const std::vector<std::size_t> columns = constrained_columns();
        const auto survivors = static_cast<double>(prior_survivors_.worlds.size());
        // Scott's rule, for quantiles whose spread is at most that of the prior.
        const double width =
            0.29 * portable::pow(survivors, -1.0 / (4.0 + static_cast<double>(columns.size())));
        std::vector<World> worlds = worlds_.prior(options_.draws, options_.seed + 1);
        std::uint64_t state = mix64(options_.seed ^ 0x5eedULL);
        const auto uniform = [&state] {
            state = mix64(state);
            return (static_cast<double>(state >> 11) + 0.5) * 0x1.0p-53;
        };
        for (std::size_t i = 0; i < worlds.size(); i += 2) {
            const auto pick = static_cast<std::size_t>(uniform() * survivors);
            const World& near = prior_.worlds[prior_survivors_.worlds[pick]];
            for (const std::size_t column : columns) {
                const double normal =
                    std::sqrt(-2 * portable::log(uniform())) * portable::cos_of_turns(uniform());
                worlds[i][column] = folded(near[column] + width * normal);
            }
        }
        std::vector<double> weights;
        for (const World& world : worlds) {
            weights.push_back(1 / (0.5 + 0.5 * density(world, columns, width)));
        }
        Draws draws = draw(std::move(worlds));
        draws.weights = std::move(weights);
        return draws;
    }

    // --- Results

    Json result_json(const Draws& draws, const Survivors& survivors, bool resampled)
    {
        Json result{{"draws", options_.draws},
                    {"seed", options_.seed},
                    {"discrepancy", options_.discrepancy},
                    {"run", run_},
                    {"method", resampled ? "importance" : "rejection"},
                    {"survivors", prior_survivors_.worlds.size()},
                    {"share",
                     rounded(static_cast<double>(prior_survivors_.worlds.size()) / options_.draws)},
                    {"effective", rounded(survivors.effective())}};
        if (survivors.effective() < enough_survivors && !survivors.worlds.empty()) {
            result["draws_for_enough_survivors"] = static_cast<std::int64_t>(
                std::ceil(options_.draws * enough_survivors / survivors.effective()));
        }
        result["statements"] = statements_json();
        result["unknowns"] = unknowns_json(draws, survivors);
        if (resampled) {
            result["checked_against_rejection"] = check_json(draws, survivors);
        }
        result["correlations"] = correlations_json(draws, survivors);
        result["series"] = series_json(draws, survivors);
        if (survivors.worlds.empty()) {
            result["contradiction"] = contradiction_json();
        }
        result["worlds"] = worlds_json(draws, survivors);
        return result;
    }

    /// Each statement: how often it holds in the prior, and what the others say of its figure.
    Json statements_json() const
    {
        Json list = Json::array();
        for (std::size_t s = 0; s < statements_.size(); ++s) {
            std::size_t held = 0;
            for (const std::vector<double>& values : prior_.values) {
                held += holds_in(s, values) ? 1 : 0;
            }
            const Survivors others = survivors_of(prior_, s);
            Json one{{"name", statements_[s].name},
                     {"source", statements_[s].source},
                     {"holds_in_prior",
                      rounded(static_cast<double>(held) / static_cast<double>(options_.draws))},
                     {"agree_with_all_others", others.worlds.size()}};
            double agree = 0;
            double all = 0;
            std::vector<double> values;
            std::vector<double> weights;
            for (std::size_t k = 0; k < others.worlds.size(); ++k) {
                const std::vector<double>& world = prior_.values[others.worlds[k]];
                all += others.weights[k];
                agree += holds_in(s, world) ? others.weights[k] : 0;
                if (statements_[s].condition.kind < Condition::Kind::shape &&
                    std::isfinite(values_of(s, world).front())) {
                    values.push_back(values_of(s, world).front());
                    weights.push_back(others.weights[k]);
                }
            }
            one["others_predict"] = {
                {"holds", all > 0 ? Json(rounded(agree / all)) : Json(nullptr)},
                {"figure", band_json(values, weights)}};
            list.push_back(one);
        }
        return list;
    }

    /// A quantile as the unknown's own value.
    Json value_json(std::size_t column, double quantile) const
    {
        const Unknown& unknown = worlds_.unknowns()[column].unknown;
        const double value = unknown.at(quantile);
        return unknown.central.is_boolean() ? Json(value > 0) : Json(rounded(value));
    }

    Json unknown_band(std::size_t column, const std::vector<double>& quantiles,
                      const std::vector<double>& weights) const
    {
        Json band = Json::object();
        for (const auto& [name, share] : {std::pair("low", low_share), std::pair("median", 0.5),
                                          std::pair("high", high_share)}) {
            band[name] = value_json(
                column, quantiles.empty() ? share : weighted_quantile(quantiles, weights, share));
        }
        return band;
    }

    Json unknowns_json(const Draws& draws, const Survivors& survivors) const
    {
        std::vector<std::pair<double, Json>> all;
        for (std::size_t column = 0; column < worlds_.unknowns().size(); ++column) {
            const WorldUnknown& one = worlds_.unknowns()[column];
            const std::vector<double> quantiles = column_of(draws, survivors, column);
            const double distance =
                quantiles.empty() ? 0.0 : distance_to_prior(quantiles, survivors.weights);
            all.emplace_back(
                distance, Json{{"name", one.key},
                               {"unit", one.unknown.unit},
                               {"of", one.unknown.of == UnknownOf::run    ? "run"
                                      : one.unknown.of == UnknownOf::code ? "code"
                                                                          : "machine"},
                               {"prior", unknown_band(column, {}, {})},
                               {"posterior", quantiles.empty() ? Json(nullptr)
                                                               : unknown_band(column, quantiles,
                                                                              survivors.weights)},
                               {"distance", rounded(distance)},
                               {"constrained", distance >= constrained_distance}});
        }
        std::stable_sort(all.begin(), all.end(),
                         [](const auto& a, const auto& b) { return a.first > b.first; });
        Json list = Json::array();
        for (const auto& [distance, json] : all) {
            list.push_back(json);
        }
        return list;
    }

    /// The largest difference of a constrained unknown's median quantile from that of the survivors
    /// of rejection.
    Json check_json(const Draws& draws, const Survivors& survivors) const
    {
        double largest = 0;
        std::string name;
        for (const std::size_t column : constrained_columns()) {
            const double resampled =
                weighted_quantile(column_of(draws, survivors, column), survivors.weights, 0.5);
            const double rejected = weighted_quantile(column_of(prior_, prior_survivors_, column),
                                                      prior_survivors_.weights, 0.5);
            if (std::abs(resampled - rejected) >= largest) {
                largest = std::abs(resampled - rejected);
                name = worlds_.unknowns()[column].key;
            }
        }
        return {{"survivors_of_rejection", prior_survivors_.worlds.size()},
                {"largest_shift_of_a_median_quantile", rounded(largest)},
                {"of", name}};
    }

    /// Pairs of unknowns that go together among the survivors.
    Json correlations_json(const Draws& draws, const Survivors& survivors) const
    {
        constexpr double worth_telling = 0.3;
        Json list = Json::array();
        if (survivors.effective() < least_survivors) {
            return list;
        }
        std::vector<std::size_t> columns;
        for (std::size_t column = 0; column < worlds_.unknowns().size(); ++column) {
            if (distance_to_prior(column_of(draws, survivors, column), survivors.weights) >=
                constrained_distance / 2) {
                columns.push_back(column);
            }
        }
        for (std::size_t i = 0; i < columns.size(); ++i) {
            for (std::size_t k = 0; k < i; ++k) {
                const double r =
                    correlation(column_of(draws, survivors, columns[i]),
                                column_of(draws, survivors, columns[k]), survivors.weights);
                if (std::abs(r) >= worth_telling) {
                    list.push_back({{"a", worlds_.unknowns()[columns[k]].key},
                                    {"b", worlds_.unknowns()[columns[i]].key},
                                    {"r", rounded(r)}});
                }
            }
        }
        return list;
    }

    /// Epoch seconds of a series' points in some worlds: [world][point], NaN where one does not
    /// fit.
    std::vector<std::vector<double>> curves_in(const std::vector<std::size_t>& points,
                                               const std::vector<const World*>& worlds)
    {
        std::vector<std::vector<double>> curves(worlds.size());
        pool_.for_chunks(static_cast<std::int64_t>(worlds.size()), 16,
                         [&](std::int64_t begin, std::int64_t end) {
                             for (std::int64_t i = begin; i < end; ++i) {
                                 const auto at = static_cast<std::size_t>(i);
                                 for (const std::size_t point : points) {
                                     curves[at].push_back(
                                         figure_of({point, "epoch_seconds", 1},
                                                   worlds_.figures(point, *worlds[at])));
                                 }
                             }
                         });
        return curves;
    }

    struct CurveWorlds {
        std::vector<const World*> worlds;
        std::vector<double> weights;
    };

    static CurveWorlds first_of(const Draws& draws, const Survivors& survivors)
    {
        CurveWorlds first;
        for (std::size_t k = 0; k < survivors.worlds.size() && k < most_curves; ++k) {
            first.worlds.push_back(&draws.worlds[survivors.worlds[k]]);
            first.weights.push_back(survivors.weights[k]);
        }
        return first;
    }

    Json series_json(const Draws& draws, const Survivors& survivors)
    {
        Survivors everybody;
        for (std::size_t i = 0; i < prior_.worlds.size(); ++i) {
            everybody.worlds.push_back(i);
            everybody.weights.push_back(1);
        }
        const CurveWorlds before = first_of(prior_, everybody);
        const CurveWorlds after = first_of(draws, survivors);
        Json list = Json::array();
        for (std::size_t i = 0; i < specs_.size();) {
            std::size_t end = i;
            std::vector<std::size_t> points;
            while (end < specs_.size() && specs_[end].series == specs_[i].series) {
                points.push_back(own_points_ + end++);
            }
            Json series{{"name", specs_[i].series}, {"points", Json::array()}};
            const auto prior_curves = curves_in(points, before.worlds);
            const auto posterior_curves = curves_in(points, after.worlds);
            for (std::size_t k = 0; k < points.size(); ++k) {
                series["points"].push_back(
                    {{"sweep", specs_[i + k].sweep},
                     {"cores", specs_[i + k].study.at("machine").at("cores")},
                     {"prior", point_json(prior_curves, before.weights, k)},
                     {"posterior", point_json(posterior_curves, after.weights, k)}});
            }
            add_shape(series, "prior", prior_curves, before.weights, i);
            add_shape(series, "posterior", posterior_curves, after.weights, i);
            list.push_back(series);
            i = end;
        }
        return list;
    }

    /// Of the worlds in which the point fits.
    static Json point_json(const std::vector<std::vector<double>>& curves,
                           const std::vector<double>& weights, std::size_t point)
    {
        std::vector<double> values;
        std::vector<double> of;
        for (std::size_t i = 0; i < curves.size(); ++i) {
            if (std::isfinite(curves[i][point])) {
                values.push_back(curves[i][point]);
                of.push_back(weights[i]);
            }
        }
        return band_json(values, of);
    }

    /// The sweet spots, and how often a curve is linear, then flat.
    void add_shape(Json& series, const char* which, const std::vector<std::vector<double>>& curves,
                   const std::vector<double>& weights, std::size_t first) const
    {
        std::map<std::int64_t, double> spots;
        double flat = 0;
        double all = 0;
        for (std::size_t i = 0; i < curves.size(); ++i) {
            std::vector<report::CoreTime> curve;
            for (std::size_t k = 0; k < curves[i].size(); ++k) {
                if (std::isfinite(curves[i][k])) {
                    curve.push_back(
                        {specs_[first + k].study.at("machine").at("cores"), curves[i][k]});
                }
            }
            if (curve.size() < 3) {
                continue;
            }
            all += weights[i];
            spots[report::sweet_spot_of(curve).cores] += weights[i];
            flat += report::is_linear_then_flat(curve) ? weights[i] : 0;
        }
        if (all == 0) {
            return;
        }
        Json shares = Json::object();
        for (const auto& [cores, weight] : spots) {
            shares[std::to_string(cores)] = rounded(weight / all);
        }
        series["sweet_spot"][which] = shares;
        series["linear_then_flat"][which] = rounded(flat / all);
    }

    // --- Contradictions

    /// What no world agrees with: each statement alone, pairs that exclude each other, and for each
    /// statement that holds nowhere, the world that comes nearest.
    Json contradiction_json() const
    {
        Json alone = Json::array();
        Json pairs = Json::array();
        for (std::size_t s = 0; s < statements_.size(); ++s) {
            std::vector<std::size_t> both(statements_.size(), 0);
            std::size_t held = 0;
            for (const std::vector<double>& values : prior_.values) {
                if (!holds_in(s, values)) {
                    continue;
                }
                ++held;
                for (std::size_t t = 0; t < s; ++t) {
                    both[t] += holds_in(t, values) ? 1 : 0;
                }
            }
            if (held == 0) {
                alone.push_back(nearest_json(s));
                continue;
            }
            for (std::size_t t = 0; t < s; ++t) {
                if (both[t] == 0 && holds_somewhere(t)) {
                    pairs.push_back({statements_[t].name, statements_[s].name});
                }
            }
        }
        return {{"hold_nowhere", alone}, {"exclude_each_other", pairs}};
    }

    bool holds_somewhere(std::size_t s) const
    {
        return std::any_of(prior_.values.begin(), prior_.values.end(),
                           [&](const std::vector<double>& values) { return holds_in(s, values); });
    }

    /// The nearest that any world comes to a figure, and the unknowns that would take it further:
    /// by their rank correlation with it.
    Json nearest_json(std::size_t s) const
    {
        Json json{{"statement", statements_[s].name}};
        if (statements_[s].condition.kind >= Condition::Kind::is) {
            return json;
        }
        std::vector<double> logs;
        std::vector<std::size_t> worlds;
        double nearest = 0;
        double distance = std::numeric_limits<double>::infinity();
        const double wanted = statements_[s].condition.value;
        for (std::size_t i = 0; i < prior_.values.size(); ++i) {
            const double value = values_of(s, prior_.values[i]).front();
            if (!std::isfinite(value) || value <= 0) {
                continue;
            }
            logs.push_back(portable::log(value));
            worlds.push_back(i);
            const double off = std::abs(portable::log(value / wanted));
            if (off < distance) {
                distance = off;
                nearest = value;
            }
        }
        json["wanted"] = wanted;
        json["nearest"] = rounded(nearest);
        json["beyond"] = Json::array();
        const std::vector<double> ones(worlds.size(), 1.0);
        std::vector<std::pair<double, std::size_t>> ranked;
        for (std::size_t column = 0; column < worlds_.unknowns().size(); ++column) {
            std::vector<double> quantiles;
            for (const std::size_t i : worlds) {
                quantiles.push_back(prior_.worlds[i][column]);
            }
            ranked.emplace_back(correlation(quantiles, logs, ones), column);
        }
        std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) {
            return std::abs(a.first) > std::abs(b.first);
        });
        for (std::size_t i = 0; i < ranked.size() && i < 3; ++i) {
            const auto [r, column] = ranked[i];
            const bool down = (r > 0) == (wanted < nearest);
            json["beyond"].push_back({{"name", worlds_.unknowns()[column].key},
                                      {"end", down ? "low" : "high"},
                                      {"value", value_json(column, down ? 0 : 1)},
                                      {"factor_missing", rounded(wanted / nearest)}});
        }
        return json;
    }

    /// The worlds that survive, for bands and rankings that are given them.
    Json worlds_json(const Draws& draws, const Survivors& survivors) const
    {
        Json json{
            {"unknowns", Json::array()}, {"weights", Json::array()}, {"quantiles", Json::array()}};
        for (const WorldUnknown& unknown : worlds_.unknowns()) {
            json["unknowns"].push_back(unknown.key);
        }
        for (std::size_t k = 0; k < survivors.worlds.size() && k < most_curves; ++k) {
            Json quantiles = Json::array();
            for (const double quantile : draws.worlds[survivors.worlds[k]]) {
                quantiles.push_back(rounded(quantile));
            }
            json["weights"].push_back(rounded(survivors.weights[k]));
            json["quantiles"].push_back(quantiles);
        }
        return json;
    }

    const InferOptions& options_;
    const std::vector<Statement>& statements_;
    std::vector<PointSpec> specs_;
    std::string run_;            ///< of the study's points
    std::size_t own_points_ = 0; ///< where the study's points begin among all
    DrawnWorlds worlds_;
    HostPool pool_;
    std::vector<StatedFigure> figures_;     ///< of all statements
    std::vector<std::size_t> first_figure_; ///< [statement]
    Draws prior_;
    Survivors prior_survivors_;
    Draws resampled_;
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
