// SPDX-License-Identifier: Apache-2.0
#include "experiments/answers/infer/evidence.h"

#include "report/breakdown.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <map>

namespace alxsim::experiments {

using World = DrawnWorlds::World;

double figure_of(const StatedFigure& figure, const PointFigures& found)
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
        return at == found.epoch.phases.end() ? 0.0 : figure.times * to_seconds(at->second).count();
    }
    for (const Share share : all_shares) {
        if (figure.name == report::field_of(share)) {
            return figure.times * to_seconds(found.epoch.share(share)).count();
        }
    }
    return std::nan("");
}

namespace {

/// Points of one world, each worked out when a figure of it is first asked for.
class FiguresOnDemand {
public:
    FiguresOnDemand(const DrawnWorlds& worlds, const World& world) : worlds_(worlds), world_(world)
    {
    }

    double operator()(const StatedFigure& figure)
    {
        if (figure.op) {
            return figure.times * worlds_.op_seconds(figure.point, *figure.op, world_).count();
        }
        if (figure.of_workload) {
            return figure.times * worlds_.workload_figure(figure.point, figure.name, world_);
        }
        const auto [at, is_new] = known_.emplace(figure.point, PointFigures{});
        if (is_new) {
            at->second = worlds_.figures(figure.point, world_);
        }
        return figure_of(figure, at->second);
    }

private:
    const DrawnWorlds& worlds_;
    const World& world_;
    std::map<std::size_t, PointFigures> known_;
};

} // namespace

std::vector<double> Sample::column(std::size_t column) const
{
    std::vector<double> quantiles;
    quantiles.reserve(survivors.worlds.size());
    for (const std::size_t i : survivors.worlds) {
        quantiles.push_back(draws.worlds[i][column]);
    }
    return quantiles;
}

Evidence::Evidence(const DrawnWorlds& worlds, const std::vector<Statement>& statements,
                   double discrepancy)
    : worlds_(worlds),
      statements_(statements),
      discrepancy_(discrepancy)
{
    for (const Statement& statement : statements_) {
        first_figure_.push_back(figures_.size());
        figures_.insert(figures_.end(), statement.figures.begin(), statement.figures.end());
        if (statement.over) {
            figures_.push_back(*statement.over);
        }
    }
}

std::vector<double> Evidence::values_in(const World& world) const
{
    FiguresOnDemand value(worlds_, world);
    std::vector<double> values;
    values.reserve(figures_.size());
    for (const StatedFigure& figure : figures_) {
        values.push_back(value(figure));
    }
    return values;
}

Draws Evidence::draw(std::vector<World> worlds, HostPool& pool,
                     const std::function<void(double)>& done) const
{
    Draws draws{std::move(worlds), {}};
    draws.values.resize(draws.worlds.size());
    std::atomic<std::int64_t> finished{0};
    const auto all = static_cast<std::int64_t>(draws.worlds.size());
    pool.for_chunks(all, 64, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            const auto at = static_cast<std::size_t>(i);
            draws.values[at] = values_in(draws.worlds[at]);
        }
        finished += end - begin;
        if (done) {
            done(static_cast<double>(finished) / static_cast<double>(all));
        }
    });
    return draws;
}

std::vector<double> Evidence::values_of(std::size_t s, const std::vector<double>& all) const
{
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(first_figure_[s]);
    std::vector<double> values(first,
                               first + static_cast<std::ptrdiff_t>(statements_[s].figures.size()));
    if (statements_[s].over) {
        values.front() /= all[first_figure_[s] + 1];
    }
    return values;
}

bool Evidence::holds_in(std::size_t s, const std::vector<double>& all) const
{
    return holds(statements_[s], values_of(s, all), discrepancy_);
}

Survivors Evidence::survivors_of(const Draws& draws, std::size_t left_out) const
{
    Survivors survivors;
    for (std::size_t i = 0; i < draws.worlds.size(); ++i) {
        double weight = 1;
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

double Evidence::misfit_of(const std::vector<double>& all) const
{
    double largest = 0;
    for (std::size_t s = 0; s < statements_.size(); ++s) {
        if (statements_[s].weight >= 1) {
            largest = std::max(largest, misfit(statements_[s], values_of(s, all), discrepancy_));
        }
    }
    return largest;
}

double Evidence::misfit_in(const World& world, double most) const
{
    FiguresOnDemand value(worlds_, world);
    double largest = 0;
    for (const Statement& statement : statements_) {
        if (statement.weight < 1) {
            continue;
        }
        std::vector<double> values;
        for (const StatedFigure& figure : statement.figures) {
            values.push_back(value(figure));
        }
        if (statement.over) {
            values.front() /= value(*statement.over);
        }
        largest = std::max(largest, misfit(statement, values, discrepancy_));
        if (!(largest <= most)) {
            return std::numeric_limits<double>::infinity();
        }
    }
    return largest;
}

} // namespace alxsim::experiments
