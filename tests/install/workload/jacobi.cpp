// SPDX-License-Identifier: Apache-2.0
#include "jacobi.h"

#include <alxsim/base/input_error.h>
#include <alxsim/model/graph/effects.h>
#include <alxsim/model/graph/work_json.h>
#include <alxsim/spmd/step_run.h>
#include <alxsim/spmd/step_workload.h>

#include <cmath>
#include <numeric>

using namespace alxsim;

namespace {

struct Request {
    std::int64_t unknowns;
    int sweeps, devices;
    model::DType dtype;
    std::int64_t rows() const { return unknowns / devices; }
};

struct Arrays {
    spmd::Array matrix;   ///< [rows x unknowns]
    spmd::Array solution; ///< [unknowns x 1], the same on all devices
    spmd::Array error;    ///< [1 x 1]: of all rows, |1 - A x|^2 before the sweep
};

constexpr const char* axis = "rows";

Arrays add_sweep(spmd::StepBuilder& step, const Request& request)
{
    const std::int64_t n = request.unknowns;
    const std::int64_t rows = request.rows();
    const Arrays arrays{step.array("matrix", {rows, n}, request.dtype),
                        step.array("solution", {n, 1}, request.dtype),
                        step.array("error", {1, 1}, request.dtype)};
    const spmd::Array product = step.array("product", {rows, 1}, request.dtype);
    const spmd::Array next =
        request.devices == 1 ? arrays.solution : step.array("next", {rows, 1}, request.dtype);
    step.begin({"sweep", "all"});
    step.multiply("A x", "multiply", {arrays.matrix}, {arrays.solution}, {product});
    step.compute("update", "update", model::Vector{rows, 6}, {product, arrays.solution},
                 {next, arrays.error}, [=](const auto& on) {
                     on(arrays.error)[0] = 0;
                     for (std::int64_t i = 0; i < rows; ++i) {
                         const auto rest = 1 - on(product)[i];
                         on(next)[i] = on(arrays.solution)[on.device() * rows + i] + rest / 2;
                         on(arrays.error)[0] += rest * rest;
                     }
                 });
    step.collective("error", model::CollectiveKind::all_reduce, axis, arrays.error, arrays.error);
    step.collective("solution", model::CollectiveKind::all_gather, axis, next, arrays.solution);
    return arrays;
}

class Run : public spmd::StepRun {
public:
    Run(const Request& request, const spmd::StepWorkload& workload,
        const workloads::RunOptions& options)
        : StepRun(workload.graph(), request.sweeps, options),
          numbers_(request.devices, false),
          step_(spmd::DeviceMesh(axis, request.devices), &numbers_, &moved()),
          arrays_(add_sweep(step_, request)),
          graph_(step_.take("sweep"))
    {
        const std::int64_t n = request.unknowns;
        std::vector<double> whole;
        for (std::int64_t i = 0; i < n * n; ++i) {
            whole.push_back(matrix_entry(i / n, i % n, n));
        }
        numbers_.deal(arrays_.matrix, whole, {1, n, n}, request.dtype);
        resume();
    }

    Json results() const override
    {
        const std::vector<double> x = numbers_.read(arrays_.solution, 0);
        return {{"solution",
                 {{"first", x.front()}, {"sum", std::accumulate(x.begin(), x.end(), 0.0)}}}};
    }

private:
    std::vector<double> compute(int /*sweep*/, HostPool& pool) override
    {
        model::run_effects(graph_, numbers_.devices(), pool);
        return {std::sqrt(numbers_.read(arrays_.error, 0).front())};
    }
    std::vector<workloads::Metric> metrics_of(const std::vector<double>& figures) const override
    {
        return {{"residual_norm", figures.front()}};
    }
    std::vector<spmd::MemoryPart> memory() override { return numbers_.memory({arrays_.solution}); }

    spmd::Numbers numbers_;
    spmd::StepBuilder step_;
    Arrays arrays_;
    model::OpGraph graph_;
};

std::shared_ptr<const spmd::TimedStep> timed_sweep(const Request& request)
{
    spmd::StepBuilder step(spmd::DeviceMesh(axis, request.devices));
    add_sweep(step, request);
    return std::make_shared<const spmd::TimedStep>(step.take_step("sweep"));
}

class Jacobi : public spmd::StepWorkload {
public:
    Jacobi(const Request& request, const topologies::Machine& machine, const std::string& file)
        : StepWorkload(timed_sweep(request), request.sweeps, machine, file),
          request_(request)
    {
    }

    std::string interval() const override { return "sweep"; }
    std::unique_ptr<workloads::Run> start(const workloads::RunOptions& options) const override
    {
        return std::make_unique<Run>(request_, *this, options);
    }
    workloads::Choices choices() const override
    {
        workloads::Choices all;
        const Settings in_bf16{{"/workload/jacobi/dtype", "bf16"}};
        if (request_.dtype == model::DType::f32) {
            all.list = {{"dtype", {{}, {"dtype bf16", in_bf16, false, "half the bytes of A"}}}};
        }
        return all;
    }

private:
    Request request_;
};

Request request_of(const Json& job, const std::string& file, int devices)
{
    const Request request{job.at("unknowns"), job.at("sweeps"), devices,
                          model::dtype_named(job.at("dtype").get<std::string>())};
    if (request.unknowns % devices != 0) {
        throw InputError(file, "/workload/jacobi/unknowns",
                         "found " + std::to_string(request.unknowns) +
                             "; allowed: multiples of the devices, " + std::to_string(devices));
    }
    return request;
}

} // namespace

workloads::Kind jacobi_kind()
{
    workloads::Kind kind;
    kind.name = "jacobi";
    kind.fields["jacobi"] = Json::parse(R"({
        "description": "A x = 1 by Jacobi's method.", "type": "object",
        "required": ["unknowns", "sweeps"], "additionalProperties": false,
        "properties": {
            "unknowns": {"type": "integer", "minimum": 1, "maximum": 65536},
            "sweeps": {"type": "integer", "minimum": 1, "maximum": 1000},
            "target": {"description": "seconds_to_residual is the time to this norm.",
                       "type": "number", "exclusiveMinimum": 0},
            "dtype": {"enum": ["f32", "bf16"], "default": "f32"}}})");
    kind.make = [](const Json& study, const std::string& file, const topologies::Machine& machine) {
        return std::make_unique<Jacobi>(
            request_of(study.at("workload").at("jacobi"), file, machine.devices), machine, file);
    };
    kind.metrics = {{"residual_norm", "norm of the residual", "", workloads::Better::lower}};
    kind.target = {{"residual_norm", "residual", "/workload/jacobi/target"}};
    kind.findings = [](const Json& results) {
        return std::vector<std::string>{"x sums up to " + results.at("solution").at("sum").dump()};
    };
    kind.choices = {"dtype"};
    kind.help = "            jacobi {unknowns, sweeps, dtype f32|bf16}\n";
    return kind;
}
