// SPDX-License-Identifier: Apache-2.0
#include "base/input_error.h"
#include "base/paths.h"
#include "base/resource.h"
#include "model/graph/effects.h"
#include "model/graph/work_json.h"
#include "spmd/input_matrix.h"
#include "spmd/linear/random_projection.h"
#include "spmd/projection_ops.h"
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
                         "found a list of " + std::to_string(m.size()) +
                             "; allowed: as many numbers as in n, " + std::to_string(n.size()));
    }
    double products = static_cast<double>(vectors);
    for (std::size_t mode = 0; mode < n.size(); ++mode) {
        products *= static_cast<double>(n[mode]) * static_cast<double>(m[mode]);
    }
    if (products > 1e18) {
        throw InputError(file, place,
                         "found sizes beyond those that can be counted; allowed: vectors x N x M "
                         "up to 1e18");
    }
    if (!is_train()) {
        const spmd::RandomProjection all = projection();
        n = {all.numbers()};
        m = {all.kept()};
    }
    if (n.front() % devices != 0) {
        throw InputError(file, place + "/n",
                         "found " + std::to_string(n.front()) +
                             (is_train() ? " as the first mode" : " in all") +
                             "; allowed: multiples of " + std::to_string(devices) +
                             ", the devices that share it");
    }
}

std::vector<double> vectors_of(const Request& request)
{
    return spmd::input_matrix(request.data, request.vectors, request.projection().numbers(), 77)
        .values;
}

constexpr const char* axis = "mode";

class Run : public spmd::StepRun {
public:
    Run(const Request& request, const spmd::StepWorkload& workload,
        const workloads::RunOptions& options)
        : StepRun(workload.graph(), request.draws, options),
          request_(request),
          x_(vectors_of(request)),
          numbers_(workload.devices(), request.dtype == model::DType::f64),
          step_(spmd::DeviceMesh(axis, workload.devices()), &numbers_, &moved()),
          arrays_(spmd::add_projection(step_, request.projection(), request.vectors, request.dtype,
                                       axis)),
          graph_(step_.take("projection"))
    {
        const std::int64_t n = request.n.front();
        numbers_.deal(arrays_.x, x_, {request.vectors, n, request.projection().numbers() / n},
                      request.dtype);
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
        export_array("projected", numbers_, arrays_.projected, {request_.vectors, kept});
    }

private:
    std::vector<double> compute(int draw, HostPool& pool) override
    {
        const spmd::RandomProjection projection = request_.projection(draw);
        numbers_.deal(arrays_.matrices.front(), projection.matrix(0),
                      {request_.m.front(), request_.n.front(), 1}, request_.dtype);
        for (std::size_t mode = 1; mode < projection.modes(); ++mode) {
            numbers_.copy(arrays_.matrices[mode], projection.matrix(mode), request_.dtype);
        }
        model::run_effects(graph_, numbers_.devices(), pool);
        return spmd::norm_ratios(x_, numbers_.read(arrays_.projected, 0), request_.vectors);
    }
    std::vector<workloads::Metric> metrics_of(const std::vector<double>& figures) const override
    {
        const double ratio = figures.front();
        return {{"squared_norm_ratio",
                 std::isfinite(ratio) ? std::optional<double>(ratio) : std::nullopt}};
    }
    std::vector<spmd::MemoryPart> memory() override { return numbers_.memory({arrays_.projected}); }

    const Request& request_;
    std::vector<double> x_; ///< [vectors x N]
    spmd::Numbers numbers_;
    spmd::StepBuilder step_;
    spmd::ProjectionArrays arrays_;
    model::OpGraph graph_;
};

std::shared_ptr<const spmd::TimedStep> timed_step(const Request& request, int devices)
{
    spmd::StepBuilder step(spmd::DeviceMesh(axis, devices));
    spmd::add_projection(step, request.projection(), request.vectors, request.dtype, axis);
    return std::make_shared<const spmd::TimedStep>(step.take_step("projection"));
}

class Projection : public spmd::StepWorkload {
public:
    Projection(const Request& request, const topologies::Machine& machine, const std::string& file)
        : StepWorkload(timed_step(request, machine.devices), request.draws, machine, file),
          request_(request)
    {
    }

    std::string interval() const override { return "draw"; }
    std::unique_ptr<workloads::Run> start(const workloads::RunOptions& options) const override
    {
        return std::make_unique<Run>(request_, *this, options);
    }
    void check_start() const override { vectors_of(request_); }
    std::vector<std::string> notes() const override
    {
        if (request_.method != "very_sparse") {
            return {};
        }
        return {"the zeros of \"very_sparse\" are multiplied like other numbers: a matrix unit "
                "skips none, so that it takes as long as \"gaussian\""};
    }
    /// Numbers of bf16 are f32 here, and the vectors are there once more, in f64.
    Bytes host_memory() const override
    {
        return StepWorkload::host_memory() * (request_.dtype == model::DType::bf16 ? 2 : 1) +
               Bytes(request_.vectors * request_.projection().numbers() * 8);
    }
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
    kind.metrics = {
        {"squared_norm_ratio", "ratio of squared norms", "", workloads::Better::neither}};
    kind.help =
        "            projection {method tt_rademacher|tt_gaussian|gaussian|very_sparse, n "
        "[28, 28], m [8, 8],\n                 vectors, dtype bf16|f32|f64, draws, data FILE}\n";
    return kind;
}

} // namespace alxsim::projection
