// SPDX-License-Identifier: Apache-2.0
#include "workloads/tensor_network/integration/time_step.h"

#include "spmd/linear/op_parts.h"
#include "workloads/tensor_network/steps.h"

#include <array>

namespace alxsim::tensor_network {
namespace {

using spmd::Array;

/// d/dt of a density; gamma's is missing where coordinates are fixed.
using Rate = Density;

/// A sum of matrices [d x d] that all devices have.
Array add_weighted(const Building& building, const std::string& name,
                   const std::vector<Array>& arrays, const std::vector<double>& weights)
{
    const spmd::Shape shape = building.step.shape(arrays.front());
    const Array sum = building.matrix(name, shape.rows, shape.columns);
    building.step.compute(name, "coordinates",
                          spmd::elementwise(shape.elements(),
                                            2.0 * static_cast<double>(arrays.size()),
                                            shape.columns),
                          {arrays.begin(), arrays.end()}, {sum}, [=](const auto& on) {
                              using Real = spmd::NumberOf<decltype(on)>;
                              for (std::int64_t i = 0; i < shape.elements(); ++i) {
                                  Real total = 0;
                                  for (std::size_t a = 0; a < arrays.size(); ++a) {
                                      total += static_cast<Real>(weights[a]) * on(arrays[a])[i];
                                  }
                                  on(sum)[i] = total;
                              }
                          });
    return sum;
}

Rate add_rate(Building& building, const std::string& name, const IntegrationMethod& method,
              const Problem& problem, const Grid& grid, const Density& density)
{
    const DerivedTrain derived =
        add_derivatives(building, name + ".density", grid, density.train, problem.diffuses());
    Array c;
    Array gamma_rate;
    if (method.adaptation.mode != CoordinateMode::fixed) {
        c = add_coordinate_motion(building, name + ".motion", method.adaptation, problem, grid,
                                  derived, density.gamma)
                .c;
        gamma_rate = times(building, name + ".gamma rate", c, density.gamma);
    }
    const Array numbers =
        add_operator_numbers(building, name + ".numbers", problem, density.gamma, c, 0);
    const Train whole =
        add_operator(building, name + ".rate", grid, right_side(problem), numbers, derived);
    return {add_rounding(building, name + ".rounded rate", whole, method.stage_tolerance),
            gamma_rate};
}

/// density + the sum of weights x rates, not rounded.
Density add_advanced(Building& building, const std::string& name, const Density& density,
                     const std::vector<Rate>& rates, const std::vector<double>& weights)
{
    std::vector<Train> trains{density.train};
    std::vector<Array> gammas{density.gamma};
    std::vector<double> all{1};
    for (std::size_t i = 0; i < rates.size(); ++i) {
        trains.push_back(rates[i].train);
        gammas.push_back(rates[i].gamma);
        all.push_back(weights[i]);
    }
    return {add_sum(building, name + ".sum", trains, all),
            rates.front().gamma.exists() ? add_weighted(building, name + ".gamma", gammas, all)
                                         : density.gamma};
}

} // namespace

Density add_time_step(Building& building, const IntegrationMethod& method, const Problem& problem,
                      const Grid& grid, const Density& density)
{
    const double h = method.time_step;
    const std::array<double, 3> ahead{h / 2, h / 2, h};
    std::vector<Rate> rates;
    Density stage = density;
    for (std::size_t s = 0; s < 4; ++s) {
        const std::string name = "stage" + std::to_string(s + 1);
        if (s > 0) {
            stage = add_advanced(building, name, density, {rates.back()}, {ahead[s - 1]});
            stage.train =
                add_rounding(building, name + ".rounded", stage.train, method.stage_tolerance);
        }
        rates.push_back(add_rate(building, name, method, problem, grid, stage));
    }
    Density next = add_advanced(building, "step", density, rates, {h / 6, h / 3, h / 3, h / 6});
    next.train = add_rounding(building, "step.rounded", next.train, method.tolerance);
    return next;
}

CoordinateMotion add_motion_of(Building& building, const IntegrationMethod& method,
                               const Problem& problem, const Grid& grid, const Density& density)
{
    const DerivedTrain derived =
        add_derivatives(building, "density", grid, density.train, problem.diffuses());
    return add_coordinate_motion(building, "motion", method.adaptation, problem, grid, derived,
                                 density.gamma);
}

} // namespace alxsim::tensor_network
