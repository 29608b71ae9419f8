// SPDX-License-Identifier: Apache-2.0
#include "base/input_error.h"
#include "base/inputs/sha256.h"
#include "workloads/tensor_network/integration/integration.h"

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>
#include <utility>

namespace alxsim::tensor_network {
namespace {

using Numbers = std::vector<double>;

/// A problem that is known by its name, and on what grid it is solved unless a study says it.
struct NamedProblem {
    Problem problem;
    std::int64_t points;
    double half_width, time, time_step;
};

/// The covariance of a Gaussian along the axes with these standard deviations.
Numbers along_axes(const Numbers& widths)
{
    const std::size_t d = widths.size();
    Numbers covariance(d * d);
    for (std::size_t i = 0; i < d; ++i) {
        covariance[i * d + i] = widths[i] * widths[i];
    }
    return covariance;
}

Problem problem_of(std::size_t d, Numbers drift, Numbers diffusion, const Numbers& widths)
{
    return {d,
            std::move(drift),
            std::nullopt,
            diffusion.empty() ? Numbers(d * d) : std::move(diffusion),
            Numbers(d),
            along_axes(widths),
            false};
}

NamedProblem named_problem(const std::string& name)
{
    if (name == "rotation_2d") {
        return {problem_of(2, {0, -1, 1, 0}, {}, {0.8, 0.35}), 64, 5, 1.5, 0.0125};
    }
    if (name == "rotation_3d") {
        const double rate = 1 / std::sqrt(3.0); // about (1, 1, 1), one radian in a unit of time
        return {
            problem_of(3, {0, -rate, rate, rate, 0, -rate, -rate, rate, 0}, {}, {0.8, 0.6, 0.5}),
            32, 4.5, 1.5, 0.025};
    }
    if (name == "ornstein_uhlenbeck") {
        Problem problem = problem_of(2, {-0.5, 1, -1, -0.5}, {0.6, 0.5, 0.5, 0.6}, {0.5, 0.5});
        problem.is_density = true;
        return {problem, 64, 6, 1, 0.005};
    }
    Problem pendulum = problem_of(2, {0, 1, 0, 0}, {}, {0.5, 0.5});
    pendulum.sine = SineForce{1, 0, -1};
    return {pendulum, 64, 5, 1.5, 0.0125};
}

/// Reads the fields of a study that an integration has.
class IntegrationReader {
public:
    IntegrationReader(const Json& study, const std::string& file)
        : job_(study.at("workload").at("tensor_network")),
          file_(file)
    {
    }

    IntegrationRequest read() const;

private:
    [[noreturn]] void refuse(const std::string& field, const std::string& words) const
    {
        throw InputError(file_, "/workload/tensor_network" + (field.empty() ? "" : "/" + field),
                         words);
    }
    bool has(const std::string& field) const { return job_.contains(field); }
    double number(const std::string& field, double otherwise) const
    {
        return job_.value(field, otherwise);
    }
    /// [d x d], row by row.
    Numbers matrix(const std::string& field, std::size_t d) const;
    /// A number for each of d coordinates, or one for all.
    Numbers list(const std::string& field, std::size_t d, Numbers otherwise) const;
    /// The same, of a covariance.
    Numbers symmetric(const std::string& field, std::size_t d) const;
    NamedProblem problem() const;
    void read_begin(Problem& problem) const;
    void check_fields() const;
    void read_grid(const NamedProblem& named, IntegrationRequest& request) const;
    void read_method(IntegrationRequest& request) const;
    void read_ranks(IntegrationRequest& request) const;
    std::vector<std::int64_t> ranks(const std::string& field, const IntegrationRequest& of) const;

    const Json& job_;
    const std::string& file_;
};

Numbers IntegrationReader::matrix(const std::string& field, std::size_t d) const
{
    Numbers numbers;
    const Json& rows = job_.at(field);
    for (const Json& row : rows) {
        for (const Json& number : row) {
            numbers.push_back(number.get<double>());
        }
        if (row.size() != d) {
            refuse(field, "found a row of " + std::to_string(row.size()) + " numbers; allowed: " +
                              std::to_string(d) + " rows of as many numbers");
        }
    }
    if (rows.size() != d) {
        refuse(field, "found " + std::to_string(rows.size()) +
                          " rows; allowed: " + std::to_string(d) + " rows of as many numbers");
    }
    return numbers;
}

Numbers IntegrationReader::symmetric(const std::string& field, std::size_t d) const
{
    Numbers numbers = matrix(field, d);
    for (std::size_t i = 0; i < d * d; ++i) {
        if (numbers[i] != numbers[i % d * d + i / d]) {
            refuse(field, "found a matrix that is not symmetric; allowed: a covariance");
        }
    }
    return numbers;
}

Numbers IntegrationReader::list(const std::string& field, std::size_t d, Numbers otherwise) const
{
    if (!has(field)) {
        return otherwise;
    }
    const Json& found = job_.at(field);
    Numbers numbers = found.is_array() ? found.get<Numbers>() : Numbers(d, found.get<double>());
    if (numbers.size() != d) {
        refuse(field, "found a list of " + std::to_string(numbers.size()) +
                          "; allowed: a number for each of " + std::to_string(d) +
                          " coordinates, or one for all");
    }
    return numbers;
}

NamedProblem IntegrationReader::problem() const
{
    if (has("problem") == has("drift")) {
        refuse(has("problem") ? "drift" : "",
               has("problem") ? "found beside problem; allowed: one of them"
                              : "found no problem; allowed for step integrate: problem, by its "
                                "name, or drift, a matrix");
    }
    if (has("problem")) {
        if (has("diffusion")) {
            refuse("diffusion", "found beside problem; allowed: with drift");
        }
        NamedProblem named = named_problem(job_.at("problem"));
        read_begin(named.problem);
        return named;
    }
    const std::size_t d = job_.at("drift").size();
    Numbers diffusion = has("diffusion") ? symmetric("diffusion", d) : Numbers(d * d);
    NamedProblem given{problem_of(d, matrix("drift", d), std::move(diffusion), Numbers(d, 0.5)), 64,
                       5, 1, 0.01};
    given.problem.is_density = given.problem.diffuses();
    read_begin(given.problem);
    return given;
}

/// The Gaussian, as far as the study says it.
void IntegrationReader::read_begin(Problem& problem) const
{
    const std::size_t d = problem.dimensions;
    if (has("covariance")) {
        if (has("widths")) {
            refuse("widths", "found beside covariance; allowed: one of them");
        }
        problem.covariance = symmetric("covariance", d);
    } else if (has("widths")) {
        problem.covariance = along_axes(list("widths", d, {}));
    }
    const Eigen::LLT<Eigen::MatrixXd> root(Eigen::Map<const Eigen::MatrixXd>(
        problem.covariance.data(), static_cast<std::int64_t>(d), static_cast<std::int64_t>(d)));
    if (root.info() != Eigen::Success) {
        refuse("covariance",
               "found a matrix that no Gaussian has; allowed: positive definite ones");
    }
    problem.center = list("center", d, problem.center);
    problem.is_density = job_.value("density", problem.is_density);
}

/// Fields of the other steps mean nothing here.
void IntegrationReader::check_fields() const
{
    for (const char* field :
         {"tensor", "cores", "legs", "sizes", "kept", "tucker_ranks", "mera_ranks"}) {
        if (has(field)) {
            refuse(field, "found for step integrate; allowed: for the other steps");
        }
    }
}

void IntegrationReader::read_grid(const NamedProblem& named, IntegrationRequest& request) const
{
    request.points = job_.value("n", named.points);
    request.half_width = number("L", named.half_width);
    const double time = number("T", named.time);
    const double step = number("dt", named.time_step);
    const double steps = std::round(time / step);
    if (steps < 1 || steps > 1e6 || std::abs(steps * step - time) > 1e-9 * time) {
        refuse(has("dt") ? "dt" : "T", "found a step of " + Json(step).dump() + " for a time of " +
                                           Json(time).dump() +
                                           "; allowed: a whole number of steps, up to 1000000");
    }
    const double most = 1 << 24;
    if (!has("ranks") && !request.problem.begins_along_axes() &&
        numbers_of_tensor(request.sizes()) > most) {
        refuse("covariance", "found a Gaussian that is not along the axes on a grid of " +
                                 Json(numbers_of_tensor(request.sizes())).dump() +
                                 " points; allowed: up to " + Json(most).dump() +
                                 ", since its train is cut from all of them");
    }
    request.steps = static_cast<int>(steps);
    request.method.time_step = step;
    request.reports = std::min(request.steps, job_.value("reports", 10));
}

void IntegrationReader::read_method(IntegrationRequest& request) const
{
    request.method.tolerance = number("tolerance", 1e-8);
    request.method.stage_tolerance = number("stage_tolerance", request.method.tolerance / 1000);
    Adaptation& adaptation = request.method.adaptation;
    request.mode_name = job_.value("mode", std::string("full"));
    adaptation.mode = request.mode_name == "fixed"  ? CoordinateMode::fixed
                      : request.mode_name == "full" ? CoordinateMode::full
                                                    : CoordinateMode::rotation;
    adaptation.coarse_tolerance = number("coarse_tolerance", adaptation.coarse_tolerance);
    adaptation.tau = number("tau", adaptation.tau);
    adaptation.lambda = number("lambda", adaptation.lambda);
    request.rounding =
        job_.value("method", std::string("svd")) == "svd" ? Method::svd : Method::gramians;
    request.eigenvectors.products =
        job_.at("eigenvectors") == "products" ? job_.at("eigen_products").get<std::int64_t>() : 0;
    request.levels = job_.at("levels");
    request.in_f64 = job_.value("dtype", std::string("f64")) == "f64";
    request.passes = job_.at("passes");
}

std::vector<std::int64_t> IntegrationReader::ranks(const std::string& field,
                                                   const IntegrationRequest& of) const
{
    const std::size_t bonds = of.problem.dimensions - 1;
    const Json& found = job_.at(field);
    std::vector<std::int64_t> inner = found.is_array()
                                          ? found.get<std::vector<std::int64_t>>()
                                          : std::vector<std::int64_t>(bonds, found.get<int>());
    if (inner.size() != bonds) {
        refuse(field, "found a list of " + std::to_string(inner.size()) +
                          "; allowed: a number for each of " + std::to_string(bonds) +
                          " bonds between coordinates, or one for all");
    }
    std::vector<std::int64_t> all{1};
    for (std::size_t k = 0; k < bonds; ++k) {
        double most = 1;
        for (std::size_t leg = 0; leg < std::min(k + 1, bonds - k); ++leg) {
            most *= static_cast<double>(of.points);
        }
        if (static_cast<double>(inner[k]) > most) {
            refuse(field, "found " + std::to_string(inner[k]) +
                              "; allowed: at most the points on the shorter side of a bond, " +
                              Json(most).dump());
        }
        all.push_back(inner[k]);
    }
    all.push_back(1);
    return all;
}

void IntegrationReader::read_ranks(IntegrationRequest& request) const
{
    if (!has("ranks")) {
        if (has("coarse_ranks")) {
            refuse("coarse_ranks", "found without ranks; allowed: with them, where sizes are timed "
                                   "alone");
        }
        return;
    }
    request.ranks = ranks("ranks", request);
    if (has("coarse_ranks")) {
        request.coarse_ranks = ranks("coarse_ranks", request);
    } else {
        for (const std::int64_t rank : request.ranks) {
            request.coarse_ranks.push_back(std::max<std::int64_t>(1, rank / 2));
        }
    }
}

IntegrationRequest IntegrationReader::read() const
{
    check_fields();
    const NamedProblem named = problem();
    IntegrationRequest request;
    request.problem = named.problem;
    read_grid(named, request);
    read_method(request);
    read_ranks(request);
    Json key = job_;
    key.erase("levels");
    key.erase("reports");
    Sha256 sha;
    sha.add(key.dump());
    request.key = sha.digest();
    return request;
}

} // namespace

IntegrationRequest integration_request_of(const Json& study, const std::string& file)
{
    return IntegrationReader(study, file).read();
}

} // namespace alxsim::tensor_network
