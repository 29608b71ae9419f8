// SPDX-License-Identifier: Apache-2.0
#include "base/input_error.h"
#include "base/paths.h"
#include "base/resource.h"
#include "model/graph/effects.h"
#include "model/graph/work_json.h"
#include "spmd/input_matrix.h"
#include "spmd/linear/random_projection.h"
#include "spmd/step_run.h"
#include "spmd/step_workload.h"
#include "workloads/projection/kind.h"

#include <cmath>

namespace alxsim::projection {

const Resources& resources();

namespace {

struct Request {
    Request(const Json& job, const std::string& file, std::uint64_t seed, int devices);

    std::string method;
    std::vector<std::int64_t> n, m; ///< one mode where there is one matrix
    std::int64_t vectors;
    model::DType dtype;
    int draws;
    std::uint64_t stream;
    std::string data; ///< a file; "": random numbers

    bool is_train() const { return method.rfind("tt_", 0) == 0; }
    spmd::RandomProjection projection(int draw = 1) const
    {
        using spmd::RandomEntries;
        const RandomEntries entries = method == "tt_rademacher" ? RandomEntries::signs
                                      : method == "very_sparse" ? RandomEntries::very_sparse
                                                                : RandomEntries::normal;
        return {entries, n, m, stream + static_cast<std::uint64_t>(draw - 1) * n.size()};
    }
};

Request::Request(const Json& job, const std::string& file, std::uint64_t seed, int devices)
    : method(job.at("method")),
      n(job.at("n").get<std::vector<std::int64_t>>()),
      m(job.at("m").get<std::vector<std::int64_t>>()),
      vectors(job.at("vectors")),
      dtype(model::dtype_named(job.at("dtype").get<std::string>())),
      draws(job.at("draws")),
      stream((seed - 1) * 65536 + job.at("stream").get<std::uint64_t>()),
      data(job.contains("data") ? resolve_path(job.at("data").get<std::string>(), file) : "")
{
    const std::string place = "/workload/projection";
    if (n.size() != m.size()) {
        throw InputError(file, place + "/m",
                         "found " + std::to_string(m.size()) +
                             " modes; allowed: as many as in n, " + std::to_string(n.size()));
    }
    if (!is_train()) {
        const spmd::RandomProjection all = projection();
        n = {all.numbers()};
        m = {all.kept()};
    }
    if (n.front() % devices != 0) {
        throw InputError(file, place + "/n",
                         "found " + std::to_string(n.front()) + "; allowed " +
                             (is_train() ? "first" : "in all") + ": multiples of " +
                             std::to_string(devices) + ", the devices");
    }
}

std::vector<double> vectors_of(const Request& request)
{
    return spmd::input_matrix(request.data, request.vectors, request.projection().numbers(), 77)
        .values;
}

/// The ops of a draw, and the arrays in which its numbers stand.
struct Step {
    Step(const Request& request, int devices, spmd::Numbers* numbers = nullptr,
         spmd::MovedCounts* moved = nullptr)
        : builder(spmd::DeviceMesh("mode", devices), numbers, moved),
          matrices(request.n.size())
    {
        const std::int64_t vectors = request.vectors;
        const std::int64_t columns = request.projection().numbers() / devices;
        x = builder.array("vectors", {vectors, columns}, request.dtype);
        projected = x;
        spmd::ModeShape shape{vectors * columns, 1, 1};
        // The mode that devices share comes last: what they have then is as small as it gets.
        for (std::size_t mode = matrices.size(); mode-- > 0;) {
            const std::string number = std::to_string(mode + 1);
            const std::int64_t m = request.m[mode];
            const std::int64_t length = request.n[mode] / (mode == 0 ? devices : 1);
            shape = {shape.outer / length, length, shape.inner};
            matrices[mode] = builder.array("matrix." + number, {m, length}, request.dtype);
            // Sums of bf16 numbers are f32 until the last is added.
            const auto dtype = mode == 0 && request.dtype == model::DType::bf16 ? model::DType::f32
                                                                                : request.dtype;
            const spmd::Array next = builder.array(
                "projected." + number, {vectors, shape.outer * m * shape.inner / vectors}, dtype);
            builder.multiply_mode("mode " + number, "mode." + number, matrices[mode], projected,
                                  shape, next,
                                  mode == 0 ? spmd::SumOrder::in_pairs : spmd::SumOrder::ascending);
            shape.inner *= m;
            projected = next;
        }
        builder.collective("sum", model::CollectiveKind::all_reduce, "mode", projected, projected,
                           0, spmd::Combine::sum_in_pairs);
        timed = std::make_shared<const spmd::TimedStep>(builder.take_step("projection"));
    }

    spmd::StepBuilder builder;
    spmd::Array x, projected;
    std::vector<spmd::Array> matrices;
    std::shared_ptr<const spmd::TimedStep> timed;
};

class Run : public spmd::StepRun {
public:
    Run(const Request& request, const spmd::StepWorkload& workload,
        const workloads::RunOptions& options)
        : StepRun(workload.graph(), request.draws, options),
          request_(request),
          numbers_(workload.devices(), request.dtype == model::DType::f64),
          step_(request, workload.devices(), &numbers_, &moved()),
          x_(vectors_of(request))
    {
        deal(step_.x, x_, request.vectors);
        resume();
    }

    Json results() const override
    {
        const auto exact = spmd::exact_ratio_deviation(request_.projection(), x_, request_.vectors);
        return {{"squared_norm_ratio", spmd::ratios_json(figures(), exact)}};
    }
    void write_exports() const override
    {
        const std::int64_t kept = request_.projection().kept();
        export_array("projected", numbers_, step_.projected, {request_.vectors, kept});
    }

private:
    std::vector<double> compute(int draw, HostPool& pool) override
    {
        const spmd::RandomProjection projection = request_.projection(draw);
        deal(step_.matrices.front(), projection.matrix(0), request_.m.front());
        for (std::size_t mode = 1; mode < projection.modes(); ++mode) {
            numbers_.copy(step_.matrices[mode], projection.matrix(mode), request_.dtype);
        }
        model::run_effects(*step_.timed->graph, numbers_.devices(), pool);
        return spmd::norm_ratios(x_, numbers_.read(step_.projected, 0), request_.vectors);
    }
    std::vector<workloads::Metric> metrics_of(const std::vector<double>& figures) const override
    {
        return {{"squared_norm_ratio", "", figures.front()}};
    }
    std::vector<spmd::MemoryPart> memory() override { return numbers_.memory({step_.projected}); }

    /// An array [outer x n_1 x ...], by the mode that devices share.
    void deal(spmd::Array array, const std::vector<double>& whole, std::int64_t outer)
    {
        const std::int64_t n = request_.n.front();
        const auto inner = static_cast<std::int64_t>(whole.size()) / outer / n;
        numbers_.deal(array, whole, {outer, n, inner}, request_.dtype);
    }

    const Request& request_;
    spmd::Numbers numbers_;
    Step step_;
    std::vector<double> x_; ///< [vectors x N]
};

class Projection : public spmd::StepWorkload {
public:
    Projection(const Request& request, const topologies::Machine& machine, const std::string& file)
        : StepWorkload(Step(request, machine.devices).timed, request.draws, machine, file),
          request_(request)
    {
    }

    std::string interval() const override { return "draw"; }
    std::unique_ptr<workloads::Run> start(const workloads::RunOptions& options) const override
    {
        return std::make_unique<Run>(request_, *this, options);
    }
    void check_start() const override { vectors_of(request_); }
    workloads::Description describe() const override
    {
        const spmd::RandomProjection projection = request_.projection();
        workloads::Description description = StepWorkload::describe();
        description.input = {{"vectors", request_.vectors},
                             {"numbers", projection.numbers()},
                             {"kept", projection.kept()}};
        return description;
    }

private:
    Request request_;
};

} // namespace

workloads::Kind projection_kind()
{
    workloads::Kind kind;
    kind.name = "projection";
    kind.fields["projection"] =
        parse_json(resources().get("schema/projection.schema.json"), "projection.schema.json");
    kind.make = [](const Json& study, const std::string& file, const topologies::Machine& machine) {
        const Request request(study.at("workload").at("projection"), file,
                              study.value("seed", std::uint64_t{1}), machine.devices);
        return std::make_unique<Projection>(request, machine, file);
    };
    kind.exports = {"projected"};
    kind.help =
        "            projection {method tt_rademacher|tt_gaussian|gaussian|very_sparse, n "
        "[28, 28], m [8, 8],\n                 vectors, dtype bf16|f32|f64, draws, data FILE}\n";
    return kind;
}

} // namespace alxsim::projection
