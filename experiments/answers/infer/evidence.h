// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/host_pool.h"
#include "experiments/answers/infer/drawn_worlds.h"
#include "experiments/answers/infer/posterior.h"
#include "experiments/answers/infer/statements.h"

#include <functional>
#include <vector>

namespace alxsim::experiments {

/// Worlds, and the figures of all statements in each.
struct Draws {
    std::vector<DrawnWorlds::World> worlds;
    std::vector<std::vector<double>> values; ///< [world][figure]: NaN where a point does not fit
};

/// Worlds, and which of them agree with all statements.
struct Sample {
    Draws draws;
    Survivors survivors;

    /// Quantiles of one unknown in the worlds that agree.
    std::vector<double> column(std::size_t column) const;
};

/// What statements say of worlds. Keeps references to both.
class Evidence {
public:
    static constexpr std::size_t nobody = static_cast<std::size_t>(-1);

    /// `discrepancy`: see holds().
    Evidence(const DrawnWorlds& worlds, const std::vector<Statement>& statements,
             double discrepancy);

    const std::vector<Statement>& statements() const { return statements_; }
    double discrepancy() const { return discrepancy_; }

    /// The figures of all statements in each world. `done(share)` is called from many threads.
    Draws draw(std::vector<DrawnWorlds::World> worlds, HostPool& pool,
               const std::function<void(double)>& done = {}) const;

    /// The figures that statement `s` speaks of, of those of all statements.
    std::vector<double> values_of(std::size_t s, const std::vector<double>& all) const;
    bool holds_in(std::size_t s, const std::vector<double>& all) const;

    /// Worlds that agree with all statements but `left_out`; one of weight w that is false takes
    /// the share w of a world's weight.
    Survivors survivors_of(const Draws& draws, std::size_t left_out = nobody) const;

    /// How far a world is from agreeing: the largest of misfit() of
    /// experiments/answers/infer/statements.h over the statements of weight 1. Infinite as soon as
    /// it is over `most`: what is left is not worked out. Safe to call from many threads.
    double misfit_in(const DrawnWorlds::World& world, double most) const;
    double misfit_of(const std::vector<double>& all) const;

private:
    std::vector<double> values_in(const DrawnWorlds::World& world) const;

    const DrawnWorlds& worlds_;
    const std::vector<Statement>& statements_;
    double discrepancy_;
    std::vector<StatedFigure> figures_;     ///< of all statements
    std::vector<std::size_t> first_figure_; ///< [statement]
};

/// A figure of a point in one world: seconds; 1 or 0 for "fits"; NaN where the point does not fit.
double figure_of(const StatedFigure& figure, const PointFigures& found);

} // namespace alxsim::experiments
