// SPDX-License-Identifier: Apache-2.0
#include "alx/solvers/solver.h"
#include "alx/workload/definite.h"
#include "alx/workload/numbered_works.h"
#include "alx/workload/resources.h"
#include "base/input_error.h"
#include "base/npy.h"
#include "model/graph/op_graph.h"

#include <algorithm>
#include <cmath>
#include <memory>

namespace alxsim::alx {
namespace {

/// n systems of dim d, as the files hold them.
struct Systems {
    std::int64_t count = 0;
    int dim = 0;
    bool single = false; ///< both files are f4
    NpyMatrix matrices;  ///< [n, d, d]
    NpyMatrix rhs;       ///< [n, d]
};

/// What solving them yields.
struct Solved {
    std::vector<double> solutions; ///< [n x d]
    std::vector<std::int64_t> iterations;
    std::vector<double> residuals; ///< |A x - b| / |b|
};

/// Reads a file of finite numbers.
NpyMatrix read_finite(const std::string& path)
{
    NpyMatrix array = read_npy_array(path);
    for (std::size_t i = 0; i < array.values.size(); ++i) {
        if (!std::isfinite(array.values[i])) {
            throw InputError(path, "",
                             "number " + std::to_string(i) + " (in C order) is " +
                                 std::to_string(array.values[i]) + "; needed: finite numbers");
        }
    }
    return array;
}

/// Throws InputError unless the matrices are [n, d, d] or [d, d] and the right-hand sides [n, d] or
/// [d].
Systems read_systems(const Json& op)
{
    const auto matrices = op.at("matrices").get<std::string>();
    const auto rhs = op.at("rhs").get<std::string>();
    Systems systems{0, 0, false, read_finite(matrices), read_finite(rhs)};
    const std::vector<std::int64_t>& shape = systems.matrices.shape;
    constexpr std::int64_t largest_dim = 1 << 15;
    if (shape.size() < 2 || shape.back() != shape[shape.size() - 2] || shape.back() < 1 ||
        shape.back() > largest_dim || shape.front() < 1) {
        throw InputError(matrices, "",
                         "found the shape " + npy_shape_text(shape) +
                             "; needed: (n, d, d), or (d, d) for one system, with n from 1 and d "
                             "from 1 to " +
                             std::to_string(largest_dim));
    }
    systems.dim = static_cast<int>(shape.back());
    systems.count = shape.size() == 3 ? shape.front() : 1;
    const bool one_dimension = systems.rhs.shape.size() == 1 && systems.count == 1;
    if ((systems.rhs.shape.size() != 2 && !one_dimension) || systems.rhs.rows != systems.count ||
        systems.rhs.columns != systems.dim) {
        throw InputError(rhs, "",
                         "found the shape " + npy_shape_text(systems.rhs.shape) +
                             "; needed: " + npy_shape_text({systems.count, systems.dim}) +
                             (systems.count == 1 ? " or " + npy_shape_text({systems.dim}) : "") +
                             " beside the matrices " + npy_shape_text(shape) + " of " + matrices);
    }
    systems.single =
        systems.matrices.number == NpyNumber::f4 && systems.rhs.number == NpyNumber::f4;
    return systems;
}

AlxConfig solve_config(const Json& op, int dim)
{
    AlxConfig config;
    config.dim = dim;
    config.solver = op.value("solver", config.solver);
    config.cg.tolerance = op.value("tolerance", config.cg.tolerance);
    config.cg.max_iterations = op.value("max_iterations", config.cg.max_iterations);
    return config;
}

/// |A x - b| / |b| of system `s`, in f64; |A x| where b is zero.
double residual_of(const Systems& systems, std::size_t s, const double* x)
{
    const auto dim = static_cast<std::size_t>(systems.dim);
    const double* matrix = systems.matrices.values.data() + s * dim * dim;
    const double* rhs = systems.rhs.values.data() + s * dim;
    double residual = 0;
    double norm = 0;
    for (std::size_t i = 0; i < dim; ++i) {
        double difference = -rhs[i];
        for (std::size_t j = 0; j < dim; ++j) {
            difference += matrix[i * dim + j] * x[j];
        }
        residual += difference * difference;
        norm += rhs[i] * rhs[i];
    }
    return std::sqrt(residual) / (norm > 0 ? std::sqrt(norm) : 1.0);
}

/// Solves every system in `Real`.
template <class Real>
Solved solve_all(const Systems& systems, const AlxConfig& config)
{
    const auto solver = solvers().create(config.solver);
    const auto dim = static_cast<std::size_t>(systems.dim);
    const auto stride = static_cast<std::size_t>(spmd::padded(systems.dim));
    spmd::Buffer<Real> matrix(stride * stride);
    spmd::Buffer<Real> rhs(stride, Real(0));
    spmd::Buffer<Real> solution(stride);
    spmd::Buffer<Real> scratch;
    Solved solved;
    for (std::size_t s = 0; s < static_cast<std::size_t>(systems.count); ++s) {
        std::fill(matrix.begin(), matrix.end(), Real(0)); // a solver may have overwritten it
        for (std::size_t i = 0; i < dim; ++i) {
            for (std::size_t j = 0; j < dim; ++j) {
                matrix[i * stride + j] =
                    static_cast<Real>(systems.matrices.values[(s * dim + i) * dim + j]);
            }
            rhs[i] = static_cast<Real>(systems.rhs.values[s * dim + i]);
        }
        solved.iterations.push_back(
            solver->solve(spmd::LinearSystemOf<Real>{systems.dim, static_cast<int>(stride),
                                                     matrix.data(), rhs.data(), solution.data()},
                          config, scratch));
        solved.solutions.insert(solved.solutions.end(), solution.begin(),
                                solution.begin() + systems.dim);
        solved.residuals.push_back(
            residual_of(systems, s, solved.solutions.data() + solved.solutions.size() - dim));
    }
    return solved;
}

/// The solver's ops, whose loops over a system's iterations run `iterations` times.
model::OpGraph solver_graph(const AlxConfig& config, std::int64_t systems, std::int64_t iterations)
{
    const auto solver = solvers().create(config.solver);
    model::OpGraph graph;
    graph.name = "solve";
    graph.add({}); // add_ops wants an op to follow
    solver->add_ops(graph, config, {systems, iterations}, 0, nullptr);
    graph.ops.erase(graph.ops.begin());
    for (model::Op& op : graph.ops) {
        op.after.erase(std::remove(op.after.begin(), op.after.end(), 0), op.after.end());
        for (int& earlier : op.after) {
            --earlier;
        }
        auto* repeat = std::get_if<model::Repeat>(&op.work);
        if (repeat != nullptr && !repeat->counter.empty() && repeat->counter == solver->counter()) {
            repeat->times = iterations;
            repeat->counter.clear(); // the same on every device
        }
    }
    return graph;
}

/// Adds which matrices the solver cannot take for what they are, if any, and a sentence on them.
void tell_not_definite(const Systems& systems, const std::string& solver, Json& numbers)
{
    if (solver != "cg" && solver != "cholesky") {
        return;
    }
    Json found = Json::array();
    std::string first;
    const auto dim = static_cast<std::size_t>(systems.dim);
    for (std::size_t s = 0; s < static_cast<std::size_t>(systems.count); ++s) {
        const std::string why =
            why_not_definite(systems.matrices.values.data() + s * dim * dim, systems.dim);
        if (!why.empty()) {
            first = found.empty() ? "of system " + std::to_string(s) + " " + why : first;
            found.push_back(s);
        }
    }
    if (!found.empty()) {
        numbers["not_positive_definite"] = found;
        numbers["note"] = std::to_string(found.size()) + " of " + std::to_string(systems.count) +
                          (systems.count == 1 ? " matrix" : " matrices") +
                          (found.size() == 1 ? " is" : " are") + " not what " + solver +
                          " solves, symmetric positive definite: " + first +
                          "; lu and qr take any matrix that has an inverse";
    }
}

/// Solves the systems of `op`; writes the solutions to `output` unless it is empty.
workloads::NumberedWork::Result solve(const Json& op, const std::string& output)
{
    const Systems systems = read_systems(op);
    const AlxConfig config = solve_config(op, systems.dim);
    const Solved solved =
        systems.single ? solve_all<float>(systems, config) : solve_all<double>(systems, config);
    if (!output.empty()) {
        const NpyMatrix solutions{systems.count, systems.dim, solved.solutions, systems.rhs.shape};
        write_npy(output, solutions, systems.single ? NpyNumber::f4 : NpyNumber::f8);
    }
    const std::int64_t slowest =
        *std::max_element(solved.iterations.begin(), solved.iterations.end());
    Json numbers{{"solver", config.solver},
                 {"dtype", systems.single ? "f4" : "f8"},
                 {"iterations", solved.iterations},
                 {"max_iterations_of_batch", slowest},
                 {"residuals", solved.residuals}};
    tell_not_definite(systems, config.solver, numbers);
    return {numbers,
            std::make_shared<const model::OpGraph>(solver_graph(config, systems.count, slowest))};
}

} // namespace

workloads::NumberedWork solve_work()
{
    return {std::string(resources().get("workload/schema/op_solve.schema.json")), true, solve,
            "  solve        matrices (n, d, d) rhs (n, d), or (d, d) and (d,): iterations and "
            "residual\n"
            "               of each A x = b, and the time of the solver's ops on a device that has "
            "all\n"
            "               n; in f4 if both files are, else f8; [solver cg|cholesky|lu|qr]\n"
            "               [tolerance 1e-5], of |b - A x| over |b|, [max_iterations 0]: 10 d;\n"
            "               not_positive_definite: systems that cg and cholesky do not solve;\n"
            "               --output x.npy writes the solutions, which are not printed\n"
            "               like: alxsim op '{\"work\":\"solve\",\"matrices\":\"A.npy\",\"rhs\":"
            "\"b.npy\"}' --output x.npy\n"};
}

} // namespace alxsim::alx
