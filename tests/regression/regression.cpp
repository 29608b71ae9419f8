// SPDX-License-Identifier: Apache-2.0
#include "base/input_error.h"
#include "base/numbers/mix64.h"
#include "model/graph/effects.h"
#include "model/graph/op_graph.h"
#include "model/graph/work_json.h"
#include "spmd/step_run.h"
#include "spmd/step_workload.h"
#include "workloads/registry.h"

#include <numeric>

/// A small workload of another kind, by which the tests hold the seam: data-parallel linear
/// regression by gradient descent. Rows are dealt to the devices, every step all-reduces the
/// gradient. A study says `"regression": {"rows", "features", "steps", "dtype"}`.
namespace alxsim::testing {
namespace {

struct Request {
    std::int64_t rows, features;
    int steps, devices;
    model::DType dtype;
    std::int64_t shard_rows() const { return rows / devices; }
};

/// Number i of a row, in [-1, 1); row -1 has the weights that made the labels.
double value_of(std::int64_t row, std::size_t i)
{
    const std::uint64_t bits = mix64(mix64(static_cast<std::uint64_t>(row)) + i);
    return static_cast<double>(bits >> 11) * 0x1p-52 - 1;
}

struct Arrays {
    spmd::Array data;    ///< [shard rows x features]
    spmd::Array labels;  ///< [shard rows x 1]
    spmd::Array weights; ///< [features x 1], the same on all devices
    spmd::Array loss;    ///< [1 x 1]: the sum of squared errors before the step, of all rows
};

constexpr const char* axis = "reduction";

/// Errors in place of predictions, and the sum of their squares.
void add_errors(spmd::StepBuilder& step, const Arrays& arrays, spmd::Array error, std::int64_t rows)
{
    step.compute("errors", "gradient", model::Vector{rows, 3}, {error, arrays.labels},
                 {error, arrays.loss}, [=](const auto& on) {
                     on(arrays.loss)[0] = 0;
                     for (std::int64_t row = 0; row < rows; ++row) {
                         on(error)[row] -= on(arrays.labels)[row];
                         on(arrays.loss)[0] += on(error)[row] * on(error)[row];
                     }
                 });
}

void add_update(spmd::StepBuilder& step, const Request& request, spmd::Array gradient,
                spmd::Array weights)
{
    const std::int64_t features = request.features;
    const double rate = 0.1 / static_cast<double>(request.rows);
    step.compute("update", "update", model::Vector{features, 2}, {gradient, weights}, {weights},
                 [=](const auto& on) {
                     using Real = typename std::decay_t<decltype(on)>::Number;
                     for (std::int64_t i = 0; i < features; ++i) {
                         on(weights)[i] -= static_cast<Real>(rate) * on(gradient)[i];
                     }
                 });
}

Arrays add_step(spmd::StepBuilder& step, const Request& request)
{
    const std::int64_t rows = request.shard_rows();
    const Arrays arrays{step.array("data", {rows, request.features}, request.dtype),
                        step.array("labels", {rows, 1}, request.dtype),
                        step.array("weights", {request.features, 1}, request.dtype),
                        step.array("loss", {1, 1}, request.dtype)};
    const spmd::Array error = step.array("errors", {rows, 1}, request.dtype);
    const spmd::Array gradient = step.array("gradient", {request.features, 1}, request.dtype);
    step.multiply("predictions", "gradient", {arrays.data}, {arrays.weights}, {error});
    add_errors(step, arrays, error, rows);
    step.multiply("gradient", "gradient", {arrays.data, true}, {error}, {gradient});
    for (const spmd::Array sum : {gradient, arrays.loss}) {
        step.collective("sum", model::CollectiveKind::all_reduce, axis, sum, sum);
    }
    add_update(step, request, gradient, arrays.weights);
    return arrays;
}

class Run : public spmd::StepRun {
public:
    Run(const Request& request, const spmd::StepWorkload& workload,
        const workloads::RunOptions& options)
        : StepRun(workload.graph(), request.steps, options),
          request_(request),
          numbers_(request.devices, request.dtype == model::DType::f64),
          step_(spmd::DeviceMesh(axis, request.devices), &numbers_, &moved()),
          arrays_(add_step(step_, request)),
          graph_(step_.take("regression"))
    {
        deal_data();
        resume();
    }

    Json results() const override
    {
        const std::vector<double> weights = numbers_.read(arrays_.weights, 0);
        const double norm =
            std::inner_product(weights.begin(), weights.end(), weights.begin(), 0.0);
        return {{"norm", norm}, {"weights", weights}};
    }

private:
    void deal_data()
    {
        std::vector<double> data;
        std::vector<double> labels;
        for (std::int64_t row = 0; row < request_.rows; ++row) {
            labels.push_back(0);
            for (std::int64_t i = 0; i < request_.features; ++i) {
                const auto at = static_cast<std::size_t>(i);
                data.push_back(value_of(row, at));
                labels.back() += data.back() * value_of(-1, at);
            }
        }
        numbers_.deal(arrays_.data, data, {1, request_.rows, request_.features}, request_.dtype);
        numbers_.deal(arrays_.labels, labels, {1, request_.rows, 1}, request_.dtype);
    }

    std::vector<double> compute(int /*step*/, HostPool& pool) override
    {
        model::run_effects(graph_, request_.devices, pool);
        return {numbers_.read(arrays_.loss, 0).front() / static_cast<double>(request_.rows)};
    }
    std::vector<workloads::Metric> metrics_of(const std::vector<double>& figures) const override
    {
        return {{"loss", figures.front()}};
    }
    std::vector<spmd::MemoryPart> memory() override { return numbers_.memory({arrays_.weights}); }

    Request request_;
    spmd::Numbers numbers_;
    spmd::StepBuilder step_;
    Arrays arrays_;
    model::OpGraph graph_;
};

std::shared_ptr<const spmd::TimedStep> timed_step(const Request& request)
{
    spmd::StepBuilder step(spmd::DeviceMesh(axis, request.devices));
    add_step(step, request);
    return std::make_shared<const spmd::TimedStep>(step.take_step("regression"));
}

class Regression : public spmd::StepWorkload {
public:
    Regression(const Request& request, const topologies::Machine& machine, const std::string& file)
        : StepWorkload(timed_step(request), request.steps, machine, file),
          request_(request)
    {
    }

    /// Irregular, so that nobody puts an s behind it.
    std::string interval() const override { return "pass"; }
    std::string interval_plural() const override { return "passes"; }
    std::unique_ptr<workloads::Run> start(const workloads::RunOptions& options) const override
    {
        return std::make_unique<Run>(request_, *this, options);
    }
    workloads::Choices choices() const override
    {
        workloads::Choices all;
        all.list = {{"dtype", {{}, {"dtype bf16", in_bf16, false, "half the bytes of data"}}}};
        return all;
    }
    std::vector<workloads::Unknown> unknowns() const override
    {
        const auto rows = static_cast<double>(request_.rows);
        return {workloads::number_unknown("rows of data", {rows / 2, rows, 2 * rows}, "rows",
                                          workloads::UnknownOf::run)};
    }
    model::Program drawn(const workloads::DrawnValues& values) const override
    {
        Request request = request_;
        request.rows = static_cast<std::int64_t>(values.at(0).value_or(request.rows));
        return Regression(request, machine(), "").program();
    }

private:
    const Settings in_bf16{{"/workload/regression/dtype", "bf16"}};
    Request request_;
};

std::unique_ptr<workloads::Workload> make_regression(const Json& study, const std::string& file,
                                                     const topologies::Machine& machine)
{
    const Json& job = study.at("workload").at("regression");
    const Request request{job.at("rows"), job.at("features"), job.at("steps"), machine.devices,
                          model::dtype_named(job.at("dtype").get<std::string>())};
    if (request.rows % request.devices != 0) {
        throw InputError(file, "/workload/regression/rows",
                         "found " + std::to_string(request.rows) + "; allowed: multiples of " +
                             std::to_string(request.devices) + ", the devices");
    }
    return std::make_unique<Regression>(request, machine, file);
}

} // namespace

workloads::Kind regression_kind()
{
    workloads::Kind kind;
    kind.name = "regression";
    kind.fields["regression"] = Json::parse(R"({"type": "object", "required": ["rows", "features"],
        "properties": {"rows": {}, "features": {}, "steps": {"default": 1},
                       "target": {}, "dtype": {"default": "f32"}}})");
    kind.make = make_regression;
    kind.metrics = {{"loss", "mean squared error", "", workloads::Better::lower}};
    kind.target = {{"loss", "fit", "/workload/regression/target"}};
    kind.findings = [](const Json& results) {
        return std::vector<std::string>{"squared norm of the weights: " +
                                        results.at("norm").dump()};
    };
    kind.choices = {"dtype"};
    return kind;
}

} // namespace alxsim::testing
