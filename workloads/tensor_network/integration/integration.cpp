// SPDX-License-Identifier: Apache-2.0
#include "workloads/tensor_network/integration/integration.h"

#include "base/memo.h"
#include "base/portable_math.h"
#include "spmd/linear/eigen_matrices.h"
#include "workloads/tensor_network/program.h"

#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <limits>

namespace alxsim::tensor_network {
namespace {

using Matrix = spmd::EigenRows<double>;

constexpr std::size_t most_integrations_remembered = 16;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
/// The exact solution is held against so many numbers at most.
constexpr double most_points_compared = 1 << 24;

Building building_for(const IntegrationRequest& request, spmd::StepBuilder& step,
                      spmd::Numbers* numbers, Decisions& decisions)
{
    step.set_f32_passes(request.passes);
    std::vector<std::string> axes;
    for (const model::MeshAxis& axis : step.mesh().mesh()->axes) {
        axes.emplace_back(axis.name);
    }
    return {step, numbers, decisions, request.rounding, request.eigenvectors, axes};
}

Grid add_grid_of(const Building& building, const IntegrationRequest& request)
{
    return add_grid(building, request.points, request.half_width, request.problem.diffuses());
}

/// What a step begins with; without numbers where `train` is null.
Density begun_density(const Building& building, const IntegrationRequest& request,
                      const std::vector<std::int64_t>& ranks, const HostTrain* train,
                      const std::vector<double>& gamma)
{
    const auto d = static_cast<std::int64_t>(request.problem.dimensions);
    const Density density{declare_train(building, "density", request.sizes(), ranks),
                          building.matrix("gamma", d, d)};
    if (train != nullptr) {
        write_train(building, density.train, *train);
        building.numbers->copy(density.gamma, gamma, model::DType::f32);
    }
    return density;
}

std::vector<double> identity(std::size_t d)
{
    std::vector<double> matrix(d * d);
    for (std::size_t i = 0; i < d; ++i) {
        matrix[i * d + i] = 1;
    }
    return matrix;
}

double grid_point(const IntegrationRequest& request, std::int64_t index)
{
    return -request.half_width + 2 * request.half_width / static_cast<double>(request.points) *
                                     static_cast<double>(index);
}

/// The grid's points, the last coordinate the fastest.
template <class Visit>
void visit_grid(const IntegrationRequest& request, Visit visit)
{
    const std::size_t d = request.problem.dimensions;
    std::vector<std::int64_t> index(d);
    std::vector<double> point(d, grid_point(request, 0));
    const auto count = static_cast<std::int64_t>(numbers_of_tensor(request.sizes()));
    for (std::int64_t i = 0; i < count; ++i) {
        visit(point);
        for (std::size_t k = d; k-- > 0;) {
            index[k] = (index[k] + 1) % request.points;
            point[k] = grid_point(request, index[k]);
            if (index[k] != 0) {
                break;
            }
        }
    }
}

/// The Gaussian that a problem begins with, a product of one in each coordinate.
HostTrain product_gaussian(const IntegrationRequest& request)
{
    const Problem& problem = request.problem;
    const std::size_t d = problem.dimensions;
    const Gaussian gaussian = problem.begin();
    HostTrain train{request.sizes(), std::vector<std::int64_t>(d + 1, 1), {}};
    for (std::size_t k = 0; k < d; ++k) {
        std::vector<double> core;
        for (std::int64_t i = 0; i < request.points; ++i) {
            const double from_mean = grid_point(request, i) - gaussian.mean[k];
            core.push_back(
                (k == 0 ? gaussian.height : 1) *
                portable::exp(-gaussian.precision[k * d + k] * from_mean * from_mean / 2));
        }
        train.cores.push_back(std::move(core));
    }
    return train;
}

/// One along other axes, which has as many numbers as the grid has points.
HostTrain turned_gaussian(const IntegrationRequest& request)
{
    const Gaussian gaussian = request.problem.begin();
    std::vector<double> tensor;
    visit_grid(request, [&](const std::vector<double>& x) { tensor.push_back(gaussian.at(x)); });
    return train_of(tensor, request.sizes(), request.method.tolerance);
}

/// |train - exact| / |exact| on the grid, whose points stand at y = gamma x.
double error_of(const IntegrationRequest& request, const HostTrain& train,
                const std::vector<double>& gamma, double time)
{
    if (!request.problem.has_exact_solution() ||
        numbers_of_tensor(train.sizes) > most_points_compared) {
        return nan;
    }
    const std::size_t d = request.problem.dimensions;
    const auto size = static_cast<std::int64_t>(d);
    const Matrix back = Eigen::Map<const Matrix>(gamma.data(), size, size).inverse();
    const ExactSolution exact(request.problem, time);
    const std::vector<double> numbers = full_tensor(train);
    std::vector<double> x(d);
    double of_difference = 0;
    double of_exact = 0;
    auto number = numbers.begin();
    visit_grid(request, [&](const std::vector<double>& y) {
        for (std::size_t i = 0; i < d; ++i) {
            x[i] = 0;
            for (std::size_t j = 0; j < d; ++j) {
                x[i] += back(static_cast<std::int64_t>(i), static_cast<std::int64_t>(j)) * y[j];
            }
        }
        const double expected = exact.at(x);
        of_difference += (*number - expected) * (*number - expected);
        of_exact += expected * expected;
        ++number;
    });
    return std::sqrt(of_difference / of_exact);
}

std::vector<std::int64_t> ranks_at(double tolerance, const std::vector<std::vector<double>>& cuts)
{
    std::vector<std::int64_t> ranks;
    for (const std::vector<double>& values : cuts) {
        ranks.push_back(Truncation(tolerance, 1).kept(values));
    }
    return ranks;
}

Json number_json(double number)
{
    return std::isfinite(number) ? Json(number) : Json();
}

} // namespace

bool IntegrationRequest::is_reported(int step) const
{
    return step == steps || (static_cast<std::int64_t>(step) * reports) / steps !=
                                (static_cast<std::int64_t>(step - 1) * reports) / steps;
}

std::vector<std::int64_t> IntegrationRequest::sizes() const
{
    return std::vector<std::int64_t>(problem.dimensions, points);
}

std::shared_ptr<const IntegrationRecord> integration_record_of(const IntegrationRequest& request)
{
    static Memo<std::string, std::shared_ptr<const IntegrationRecord>> known(
        most_integrations_remembered);
    return known.get_once(request.key, [&] {
        HostPool pool(1);
        Integration integration(request, 1);
        auto record = std::make_shared<IntegrationRecord>();
        for (int step = 0; step < request.steps; ++step) {
            record->decisions.push_back(integration.advance(pool, nullptr));
            record->states.push_back(integration.state());
        }
        return std::shared_ptr<const IntegrationRecord>(record);
    });
}

StepDecisions assumed_step_decisions(const IntegrationRequest& request)
{
    StepDecisions decisions;
    const auto add = [&](const std::vector<std::int64_t>& ranks) {
        decisions.insert(decisions.end(), ranks.begin() + 1, ranks.end() - 1);
    };
    for (int stage = 0; stage < 4; ++stage) {
        if (stage > 0) {
            add(request.ranks);
        }
        if (request.method.adaptation.mode != CoordinateMode::fixed) {
            add(request.coarse_ranks);
        }
        add(request.ranks);
    }
    add(request.ranks);
    return decisions;
}

std::vector<std::int64_t> ranks_after(const StepDecisions& decisions, std::size_t dimensions)
{
    std::vector<std::int64_t> ranks{1};
    ranks.insert(ranks.end(), decisions.end() - static_cast<std::ptrdiff_t>(dimensions - 1),
                 decisions.end());
    ranks.push_back(1);
    return ranks;
}

std::shared_ptr<const spmd::TimedStep> timed_time_step(const IntegrationRequest& request,
                                                       int devices,
                                                       const std::vector<std::int64_t>& ranks,
                                                       const StepDecisions& decisions)
{
    spmd::StepBuilder step(mesh_of(devices, request.levels));
    Decisions given(decisions);
    Building building = building_for(request, step, nullptr, given);
    const Grid grid = add_grid_of(building, request);
    add_time_step(building, request.method, request.problem, grid,
                  begun_density(building, request, ranks, nullptr, {}));
    return std::make_shared<const spmd::TimedStep>(step.take_step("time step"));
}

Json DensityReport::json() const
{
    const auto d = static_cast<std::size_t>(std::llround(std::sqrt(gamma.size())));
    Json rows = Json::array();
    for (std::size_t i = 0; i < d; ++i) {
        rows.push_back(std::vector<double>(gamma.begin() + static_cast<std::ptrdiff_t>(i * d),
                                           gamma.begin() + static_cast<std::ptrdiff_t>(i * d + d)));
    }
    Json json = {{"t", time},
                 {"ranks_1e_6", ranks_fine},
                 {"ranks_1e_3", ranks_coarse},
                 {"error", number_json(error)},
                 {"normal", Json()},
                 {"gamma", rows}};
    if (std::isfinite(normal_before)) {
        json["normal"] = {normal_before, normal_after};
    }
    return json;
}

std::vector<double> DensityReport::figures() const
{
    std::vector<double> all{time, error, normal_before, normal_after};
    all.insert(all.end(), ranks_fine.begin(), ranks_fine.end());
    all.insert(all.end(), ranks_coarse.begin(), ranks_coarse.end());
    all.insert(all.end(), gamma.begin(), gamma.end());
    return all;
}

DensityReport DensityReport::of(const std::vector<double>& figures, std::size_t dimensions)
{
    const std::size_t bonds = dimensions - 1;
    DensityReport report{figures[0], {}, {}, figures[1], figures[2], figures[3], {}};
    for (std::size_t k = 0; k < bonds; ++k) {
        report.ranks_fine.push_back(std::llround(figures[4 + k]));
        report.ranks_coarse.push_back(std::llround(figures[4 + bonds + k]));
    }
    report.gamma.assign(figures.begin() + static_cast<std::ptrdiff_t>(4 + 2 * bonds),
                        figures.end());
    return report;
}

Integration::Integration(const IntegrationRequest& request, int devices)
    : request_(request),
      devices_(devices),
      train_(request.problem.begins_along_axes() ? product_gaussian(request)
                                                 : turned_gaussian(request)),
      gamma_(identity(request.problem.dimensions))
{
}

StepDecisions Integration::advance(HostPool& pool, const StepDecisions* given)
{
    spmd::Numbers numbers(devices_, request_.in_f64);
    spmd::StepBuilder step(mesh_of(devices_, request_.levels), &numbers, &moved_);
    step.compute_at_once(pool);
    Decisions decisions = given != nullptr ? Decisions(*given) : Decisions();
    Building building = building_for(request_, step, &numbers, decisions);
    const Grid grid = add_grid_of(building, request_);
    const Density next =
        add_time_step(building, request_.method, request_.problem, grid,
                      begun_density(building, request_, train_.ranks, &train_, gamma_));
    train_ = read_train(building, next.train);
    gamma_ = numbers.read(next.gamma, 0);
    ++done_;
    return decisions.taken();
}

DensityReport Integration::report(HostPool& pool) const
{
    DensityReport report;
    report.time = done_ * request_.method.time_step;
    report.gamma = gamma_;
    const std::vector<std::vector<double>> cuts = cut_values(train_);
    report.ranks_fine = ranks_at(1e-6, cuts);
    report.ranks_coarse = ranks_at(1e-3, cuts);
    report.error = error_of(request_, train_, gamma_, report.time);
    report.normal_before = report.normal_after = nan;
    if (request_.method.adaptation.mode == CoordinateMode::fixed) {
        return report;
    }
    spmd::Numbers numbers(devices_, request_.in_f64);
    spmd::MovedCounts moved;
    spmd::StepBuilder step(mesh_of(devices_, request_.levels), &numbers, &moved);
    step.compute_at_once(pool);
    Decisions decisions;
    Building building = building_for(request_, step, &numbers, decisions);
    const Grid grid = add_grid_of(building, request_);
    const CoordinateMotion motion =
        add_motion_of(building, request_.method, request_.problem, grid,
                      begun_density(building, request_, train_.ranks, &train_, gamma_));
    const std::vector<double> norms = numbers.read(motion.normal, 0);
    report.normal_before = norms[0];
    report.normal_after = norms[1];
    return report;
}

std::vector<double> Integration::state() const
{
    std::vector<double> all = gamma_;
    all.insert(all.end(), train_.ranks.begin(), train_.ranks.end());
    for (const std::vector<double>& core : train_.cores) {
        all.insert(all.end(), core.begin(), core.end());
    }
    return all;
}

void Integration::set_state(const std::vector<double>& state, int steps_done)
{
    done_ = steps_done;
    auto from = state.begin();
    const auto take = [&](std::size_t count) {
        const auto begin = from;
        from += static_cast<std::ptrdiff_t>(count);
        return std::vector<double>(begin, from);
    };
    gamma_ = take(gamma_.size());
    for (std::int64_t& rank : train_.ranks) {
        rank = std::llround(*from++);
    }
    for (std::size_t k = 0; k < train_.legs(); ++k) {
        train_.cores[k] =
            take(static_cast<std::size_t>(train_.ranks[k] * train_.sizes[k] * train_.ranks[k + 1]));
    }
}

} // namespace alxsim::tensor_network
