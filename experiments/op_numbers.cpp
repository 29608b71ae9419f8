// SPDX-License-Identifier: Apache-2.0
#include "experiments/op_numbers.h"

#include "alx/solver.h"
#include "alx/top_k.h"
#include "base/input_error.h"
#include "base/npy.h"
#include "experiments/resources.h"
#include "model/bounds.h"
#include "model/compiled_graph.h"
#include "model/estimate.h"
#include "model/group_source.h"
#include "sim/simulator.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>

namespace alxsim::experiments {
namespace {

const char* const command_line = "OP"; ///< names the op's JSON in errors

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

alx::AlxConfig config_of(const Json& op, int dim)
{
    alx::AlxConfig config;
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
Solved solve_all(const Systems& systems, const alx::AlxConfig& config)
{
    const auto solver = alx::solvers().create(config.solver);
    const auto dim = static_cast<std::size_t>(systems.dim);
    const auto stride = static_cast<std::size_t>(alx::padded(systems.dim));
    alx::Buffer<Real> matrix(stride * stride);
    alx::Buffer<Real> rhs(stride, Real(0));
    alx::Buffer<Real> solution(stride);
    alx::Buffer<Real> scratch;
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
            solver->solve(alx::LinearSystemOf<Real>{systems.dim, static_cast<int>(stride),
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
model::OpGraph solver_graph(const alx::AlxConfig& config, std::int64_t systems,
                            std::int64_t iterations)
{
    const auto solver = alx::solvers().create(config.solver);
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

/// Adds up, by mechanism, what sets the time of each op of a graph that runs `times` times.
void add_mechanisms(const model::CompiledGraph& graph, const topologies::Machine& machine,
                    std::int64_t times, std::map<std::string, Picoseconds>& mechanisms)
{
    for (const model::CompiledOp& op : graph.ops) {
        if (op.body) {
            const std::int64_t inner = times * std::get<model::Repeat>(op.op->work).times;
            mechanisms["loop control"] += op.cost.launch * inner;
            add_mechanisms(*op.body, machine, inner, mechanisms);
            continue;
        }
        mechanisms["op overhead"] += op.cost.launch * times;
        const Picoseconds hbm = model::hbm_time(op.cost.hbm, machine) - op.cost.first_tile;
        if (op.cost.hbm.bytes > Bytes(0)) {
            mechanisms["DMA latency"] += (op.cost.fill - op.cost.first_tile) * times;
            mechanisms[model::hbm_limit(op.cost.hbm, machine)] += op.cost.first_tile * times;
        }
        const bool hbm_longer = op.cost.hbm.bytes > Bytes(0) && hbm > op.cost.body;
        mechanisms[hbm_longer ? model::hbm_limit(op.cost.hbm, machine) : op.cost.limited_by] +=
            (hbm_longer ? hbm : op.cost.body) * times;
    }
}

/// The largest mechanism, and a sentence about all of them.
Json limit_of(const std::map<std::string, Picoseconds>& mechanisms)
{
    std::vector<std::pair<std::string, Picoseconds>> parts(mechanisms.begin(), mechanisms.end());
    std::stable_sort(parts.begin(), parts.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    std::vector<std::string> texts;
    for (const auto& [mechanism, time] : parts) {
        if (time > Picoseconds(0)) {
            char text[48];
            std::snprintf(text, sizeof text, " %.4g us", to_seconds(time).count() * 1e6);
            texts.push_back(mechanism + text);
        }
    }
    return {{"limited_by", parts.front().first},
            {"why", parts.front().first + " takes longest: " + join(texts)}};
}

/// What solving takes on each device of the machine, if it has all of the systems. The bound is the
/// largest of the ops'.
Json solver_time(const model::OpGraph& ops, const topologies::Machine& machine, sim::HbmModel hbm)
{
    const auto graph = std::make_shared<const model::OpGraph>(ops);
    const model::Placement placement = model::place(*graph, model::usable_vmem(machine.device));
    double bound = 0;
    for (const model::Op& op : graph->ops) {
        bound = std::max(bound, model::physical_bound(op, placement, machine).count());
    }
    model::Step step;
    step.graph = graph;
    const Picoseconds closed_form = model::AnalyticModel(machine).step(step).on_device.total;
    model::PhaseNames phases;
    std::map<std::string, Picoseconds> mechanisms;
    add_mechanisms(*model::compile(*graph, placement, machine, phases), machine, 1, mechanisms);
    Json time{{"bound_seconds", bound},
              {"closed_form_seconds", to_seconds(closed_form).count()},
              {"simulated_seconds", to_seconds(simulated_time(graph, machine, hbm)).count()}};
    time.update(limit_of(mechanisms));
    return time;
}

/// What a top_k is asked for.
struct TopKRequest {
    int k = 0;
    bool approximate = false;
    std::int64_t shards = 1;
    bool merge = false;
    std::int64_t shard_columns = 0; ///< of each shard
};

/// How the columns are cut: M shards of n / M + 1. Throws InputError for what the released code
/// cannot do.
TopKRequest top_k_request(const Json& op, const NpyMatrix& scores, const std::string& path)
{
    TopKRequest request{op.at("k").get<int>(), op.value("approximate", false),
                        op.value("shards", std::int64_t{1}), false, scores.columns};
    request.merge = op.value("merge", request.shards > 1);
    if (!request.merge && request.shards > 1) {
        throw InputError(command_line, "/merge",
                         "found false with " + std::to_string(request.shards) +
                             " shards; allowed: true, or one shard");
    }
    const std::int64_t columns = op.value("columns", scores.columns);
    if (request.shards > 1) {
        request.shard_columns = columns / request.shards + 1;
    }
    const std::int64_t most =
        op.contains("columns") ? request.shards * (columns / request.shards + 1) : columns;
    if (scores.columns < columns || scores.columns > most) {
        throw InputError(path, "",
                         "found the shape " + npy_shape_text(scores.shape) + "; needed: " +
                             std::to_string(columns) + " to " + std::to_string(most) +
                             " columns (\"columns\", and the phantom ones of the shards)");
    }
    if (!request.approximate && request.k > request.shard_columns) {
        throw InputError(command_line, "/k",
                         "found " + std::to_string(request.k) + "; allowed: up to " +
                             std::to_string(request.shard_columns) + ", the columns of a shard");
    }
    return request;
}

/// The best of one shard's scores, whose first column is `first`.
std::vector<alx::Scored> best_of(const std::vector<float>& scores, const TopKRequest& request,
                                 std::int64_t first)
{
    const auto offset = static_cast<std::int32_t>(first);
    if (request.approximate) {
        std::vector<alx::Scored> best = alx::approximate_top_k(scores, request.k);
        for (alx::Scored& one : best) {
            one.id += offset;
        }
        return best;
    }
    alx::TopK top(request.k);
    for (std::size_t i = 0; i < scores.size(); ++i) {
        top.offer(scores[i], offset + static_cast<std::int32_t>(i));
    }
    return top.take();
}

/// The best of one row. Columns that the last shards have too many score -inf.
std::vector<alx::Scored> best_of_row(const float* row, std::int64_t columns,
                                     const TopKRequest& request)
{
    std::vector<std::vector<alx::Scored>> lists;
    for (std::int64_t shard = 0; shard < request.shards; ++shard) {
        const std::int64_t first = shard * request.shard_columns;
        const std::int64_t begin = std::min(first, columns);
        std::vector<float> scores(row + begin,
                                  row + std::min(first + request.shard_columns, columns));
        scores.resize(static_cast<std::size_t>(request.shard_columns),
                      -std::numeric_limits<float>::infinity());
        lists.push_back(best_of(scores, request, first));
    }
    return request.merge ? alx::merge_shards(lists, request.k) : lists.front();
}

/// The scores as f32. Throws InputError unless they are [q, n] of f4 without NaN.
std::vector<float> scores_of(const NpyMatrix& array, const std::string& path)
{
    if (array.shape.size() != 2 || array.columns < 1 || array.number != NpyNumber::f4 ||
        array.columns > std::numeric_limits<std::int32_t>::max() / 2) {
        throw InputError(path, "",
                         "found the shape " + npy_shape_text(array.shape) + " of " +
                             (array.number == NpyNumber::f4 ? "f4" : "f8") +
                             "; needed: (queries, columns) of f4");
    }
    for (std::size_t i = 0; i < array.values.size(); ++i) {
        if (std::isnan(array.values[i])) {
            const auto columns = static_cast<std::size_t>(array.columns);
            throw InputError(path, "",
                             "row " + std::to_string(i / columns) + ", column " +
                                 std::to_string(i % columns) + " is NaN, which has no rank");
        }
    }
    return {array.values.begin(), array.values.end()};
}

} // namespace

Picoseconds simulated_time(std::shared_ptr<const model::OpGraph> graph,
                           const topologies::Machine& machine, sim::HbmModel hbm)
{
    model::StepGroup group;
    group.step.graph = std::move(graph);
    model::GroupSource source({group});
    sim::SimulatorOptions options;
    options.hbm = hbm;
    return sim::Simulator(machine, options).run(source).epochs.front().finish;
}

bool computes_numbers(const Json& op)
{
    const auto is = [&](const char* work) {
        return op.is_object() && op.value("work", Json()) == work;
    };
    return is("solve") || is("top_k");
}

Json solve_numbers(const Json& op, const topologies::Machine& machine, sim::HbmModel hbm,
                   const std::string& output)
{
    validate_json(op, resources().get("schema/op_solve.schema.json"), command_line);
    const Systems systems = read_systems(op);
    const alx::AlxConfig config = config_of(op, systems.dim);
    const Solved solved =
        systems.single ? solve_all<float>(systems, config) : solve_all<double>(systems, config);
    if (!output.empty()) {
        const NpyMatrix solutions{systems.count, systems.dim, solved.solutions, systems.rhs.shape};
        write_npy(output, solutions, systems.single ? NpyNumber::f4 : NpyNumber::f8);
    }
    const std::int64_t slowest =
        *std::max_element(solved.iterations.begin(), solved.iterations.end());
    Json result{{"solver", config.solver},
                {"dtype", systems.single ? "f4" : "f8"},
                {"iterations", solved.iterations},
                {"max_iterations_of_batch", slowest},
                {"residuals", solved.residuals}};
    result.update(solver_time(solver_graph(config, systems.count, slowest), machine, hbm));
    return result;
}

Json top_k_numbers(const Json& op)
{
    validate_json(op, resources().get("schema/op_top_k.schema.json"), command_line);
    const auto path = op.at("scores").get<std::string>();
    const NpyMatrix array = read_npy_array(path);
    const std::vector<float> scores = scores_of(array, path);
    const TopKRequest request = top_k_request(op, array, path);
    Json result{{"ids", Json::array()}, {"scores", Json::array()}};
    for (std::int64_t row = 0; row < array.rows; ++row) {
        Json ids = Json::array();
        Json best = Json::array();
        for (const alx::Scored& one :
             best_of_row(scores.data() + row * array.columns, array.columns, request)) {
            ids.push_back(one.id);
            best.push_back(one.score);
        }
        result["ids"].push_back(ids);
        result["scores"].push_back(best);
    }
    return result;
}

} // namespace alxsim::experiments
