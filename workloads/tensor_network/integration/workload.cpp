// SPDX-License-Identifier: Apache-2.0
#include "workloads/tensor_network/integration/workload.h"

#include "model/meshes/laid_program.h"
#include "spmd/step_run.h"
#include "spmd/step_workload.h"
#include "workloads/tensor_network/choices.h"
#include "workloads/tensor_network/integration/integration.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace alxsim::tensor_network {
namespace {

/// A request with what its numbers decide about the shapes of each step.
struct Planned {
    IntegrationRequest request;
    std::shared_ptr<const IntegrationRecord> record; ///< null without numbers
    std::vector<StepDecisions> decisions;            ///< [step]; of equal steps, one

    std::size_t dimensions() const { return request.problem.dimensions; }
    std::vector<std::int64_t> ranks_before(std::size_t step) const
    {
        if (!request.has_numbers()) {
            return request.ranks;
        }
        return step == 0 ? std::vector<std::int64_t>(dimensions() + 1, 1)
                         : ranks_after(decisions[step - 1], dimensions());
    }
    /// The one with the highest ranks in sum.
    std::size_t largest() const
    {
        const auto sum = [](const StepDecisions& of) {
            return std::accumulate(of.begin(), of.end(), std::int64_t{0});
        };
        return static_cast<std::size_t>(
            std::max_element(
                decisions.begin(), decisions.end(),
                [&](const StepDecisions& a, const StepDecisions& b) { return sum(a) < sum(b); }) -
            decisions.begin());
    }
    std::size_t largest_state() const
    {
        std::size_t most = 0;
        for (const std::vector<double>& state : record->states) {
            most = std::max(most, state.size());
        }
        return most;
    }
    std::shared_ptr<const spmd::TimedStep> timed(std::size_t step, int devices) const
    {
        return timed_time_step(request, devices, ranks_before(step), decisions[step]);
    }
};

Planned planned(IntegrationRequest request)
{
    Planned plan{std::move(request), nullptr, {}};
    if (plan.request.has_numbers()) {
        plan.record = integration_record_of(plan.request);
        plan.decisions = plan.record->decisions;
    } else {
        plan.decisions = {assumed_step_decisions(plan.request)};
    }
    return plan;
}

/// As the schema has it.
constexpr std::size_t most_dimensions = 6;

std::string gamma_name(std::size_t row, std::size_t column)
{
    return "gamma_" + std::to_string(row + 1) + "_" + std::to_string(column + 1);
}

std::int64_t largest_of(const std::vector<std::int64_t>& ranks)
{
    return *std::max_element(ranks.begin(), ranks.end());
}

std::vector<workloads::Metric> metrics_of_report(const DensityReport& report)
{
    std::vector<workloads::Metric> metrics;
    const auto add = [&](const std::string& name, double value) {
        metrics.push_back({name, value});
    };
    add("rank_1e_6", static_cast<double>(largest_of(report.ranks_fine)));
    add("rank_1e_3", static_cast<double>(largest_of(report.ranks_coarse)));
    if (std::isfinite(report.error)) {
        add("error", report.error);
    }
    if (std::isfinite(report.normal_before)) {
        add("normal_before", report.normal_before);
        add("normal_after", report.normal_after);
        const auto d = static_cast<std::size_t>(std::llround(std::sqrt(report.gamma.size())));
        for (std::size_t i = 0; i < d * d; ++i) {
            add(gamma_name(i / d, i % d), report.gamma[i]);
        }
    }
    return metrics;
}

class IntegrationWorkload;

/// Time steps one after the other, each with the graph of its own ranks.
class IntegrationRun : public spmd::StepRun {
public:
    IntegrationRun(const Planned& plan, const IntegrationWorkload& workload,
                   const workloads::RunOptions& options);

    Json results() const override;
    void write_exports() const override;

private:
    std::vector<double> compute(int step, HostPool& pool) override;
    std::vector<workloads::Metric> metrics_of(const std::vector<double>& figures) const override
    {
        return figures.empty() ? std::vector<workloads::Metric>{}
                               : metrics_of_report(DensityReport::of(figures, plan_.dimensions()));
    }
    std::shared_ptr<const model::OpGraph> graph_of(int step) override;
    std::vector<spmd::MemoryPart> memory() override
    {
        return {spmd::memory_of(state_.data(), state_.size())};
    }

    const Planned& plan_;
    const IntegrationWorkload& workload_;
    Integration integration_;
    std::vector<double> state_; ///< as a checkpoint keeps it, zeros behind
    DensityReport begun_;
    std::map<std::vector<std::int64_t>, std::shared_ptr<const model::OpGraph>> graphs_;
};

class IntegrationWorkload : public spmd::StepWorkload {
public:
    IntegrationWorkload(Planned plan, const topologies::Machine& machine, const std::string& file)
        : StepWorkload(plan.timed(plan.largest(), machine.devices), plan.request.steps, machine,
                       file),
          plan_(std::move(plan)),
          file_(file)
    {
    }

    std::string interval() const override { return "time step"; }
    std::unique_ptr<workloads::Run> start(const workloads::RunOptions& options) const override
    {
        return plan_.request.has_numbers() ? std::make_unique<IntegrationRun>(plan_, *this, options)
                                           : nullptr;
    }
    workloads::Choices choices() const override
    {
        return choices_with(plan_.request.has_numbers()
                                ? std::optional(plan_.request.method.tolerance)
                                : std::nullopt);
    }
    std::vector<std::string> notes() const override;
    workloads::Description describe() const override;
    Bytes host_memory() const override
    {
        return StepWorkload::host_memory() * (plan_.request.in_f64 ? 2 : 1);
    }

    /// The graph of a step, laid out; counted from 0.
    std::shared_ptr<const model::OpGraph> graph_of_step(std::size_t step) const
    {
        const model::Program program{{{plan_.timed(step, devices())->graph, {}, 1}, 1}};
        return model::laid_out(program, machine(), file_).front().step.graph;
    }

private:
    Planned plan_;
    std::string file_;
};

IntegrationRun::IntegrationRun(const Planned& plan, const IntegrationWorkload& workload,
                               const workloads::RunOptions& options)
    : StepRun(workload.graph(), plan.request.steps, options),
      plan_(plan),
      workload_(workload),
      integration_(plan.request, workload.devices()),
      state_(plan.largest_state())
{
    HostPool pool(options.threads);
    begun_ = integration_.report(pool);
    resume();
    if (!figures().empty()) {
        integration_.set_state(state_, static_cast<int>(figures().size()));
    }
}

std::vector<double> IntegrationRun::compute(int step, HostPool& pool)
{
    const std::size_t index = static_cast<std::size_t>(step) - 1;
    if (workload_.devices() == 1) { // these are the numbers by which decisions were found
        integration_.set_state(plan_.record->states[index], step);
    } else {
        integration_.advance(pool, &plan_.decisions[index]);
    }
    for (const auto& [name, count] : integration_.take_moved()) {
        moved()[name].calls += count.calls;
        moved()[name].elements += count.elements;
    }
    const std::vector<double> state = integration_.state();
    std::fill(std::copy(state.begin(), state.end(), state_.begin()), state_.end(), 0.0);
    return plan_.request.is_reported(step) ? integration_.report(pool).figures()
                                           : std::vector<double>{};
}

/// Steps of equal ranks have one graph.
std::shared_ptr<const model::OpGraph> IntegrationRun::graph_of(int step)
{
    const auto index = static_cast<std::size_t>(step) - 1;
    std::vector<std::int64_t> shapes = plan_.ranks_before(index);
    const StepDecisions& decisions = plan_.decisions[index];
    shapes.insert(shapes.end(), decisions.begin(), decisions.end());
    std::shared_ptr<const model::OpGraph>& graph = graphs_[shapes];
    if (graph == nullptr) {
        graph = workload_.graph_of_step(index);
    }
    return graph;
}

Json IntegrationRun::results() const
{
    Json reports = Json::array();
    std::int64_t fine = 0;
    std::int64_t coarse = 0;
    const auto add = [&](const DensityReport& report) {
        reports.push_back(report.json());
        fine = std::max(fine, largest_of(report.ranks_fine));
        coarse = std::max(coarse, largest_of(report.ranks_coarse));
    };
    add(begun_);
    for (const std::vector<double>& of_step : figures()) {
        if (!of_step.empty()) {
            add(DensityReport::of(of_step, plan_.dimensions()));
        }
    }
    return {{"mode", plan_.request.mode_name},
            {"largest_rank_1e_6", fine},
            {"largest_rank_1e_3", coarse},
            {"ranks", integration_.train().ranks},
            {"numbers", numbers_of_train(integration_.train().sizes, integration_.train().ranks)},
            {"tensor_numbers", numbers_of_tensor(integration_.train().sizes)},
            {"reports", reports}};
}

void IntegrationRun::write_exports() const
{
    const HostTrain& train = integration_.train();
    for (std::size_t k = 0; k < train.legs(); ++k) {
        const std::vector<std::int64_t> shape{train.ranks[k], train.sizes[k], train.ranks[k + 1]};
        export_matrix(of_core("core", k),
                      NpyMatrix{shape[0] * shape[1], shape[2], train.cores[k], shape},
                      plan_.request.in_f64 ? NpyNumber::f8 : NpyNumber::f4);
    }
}

std::vector<std::string> IntegrationWorkload::notes() const
{
    const IntegrationRequest& request = plan_.request;
    std::vector<std::string> notes;
    if (request.has_numbers()) {
        notes.emplace_back("ranks change from step to step as the numbers have them; an estimate "
                           "and what fits in memory are those of the step with the highest ranks");
        notes.emplace_back("a compiled program has static shapes, and the time in which a host "
                           "decides on ranks between cuts is left out");
    }
    if (request.in_f64) {
        notes.emplace_back("numbers are in f64, times are those of f32: no chip multiplies f64");
    }
    if (request.rounding == Method::gramians && request.method.stage_tolerance < 1e-8) {
        notes.emplace_back("a Gramian loses half of the digits: what is below 3e-8 of the largest "
                           "singular value is dropped, whatever the tolerance");
    }
    return notes;
}

workloads::Description IntegrationWorkload::describe() const
{
    const IntegrationRequest& request = plan_.request;
    workloads::Description description = StepWorkload::describe();
    const std::size_t largest = plan_.largest();
    description.input = {
        {"step", "integrate"},
        {"mode", request.mode_name},
        {"sizes", request.sizes()},
        {"time_steps", request.steps},
        {"ranks", plan_.ranks_before(largest)},
        {"tensor_numbers", numbers_of_tensor(request.sizes())},
        {"train_numbers", numbers_of_train(request.sizes(), plan_.ranks_before(largest))}};
    return description;
}

} // namespace

std::unique_ptr<workloads::Workload>
integration_workload(const Json& study, const std::string& file, const topologies::Machine& machine)
{
    return std::make_unique<IntegrationWorkload>(planned(integration_request_of(study, file)),
                                                 machine, file);
}

std::vector<workloads::MetricKind> integration_metrics()
{
    using workloads::Better;
    std::vector<workloads::MetricKind> metrics{
        {"rank_1e_6", "largest rank at 1e-6", "", Better::lower},
        {"rank_1e_3", "largest rank at 1e-3", "", Better::lower},
        {"error", "error of the result", "", Better::lower},
        {"normal_before", "normal component before", "", Better::neither},
        {"normal_after", "normal component after", "", Better::lower}};
    for (std::size_t i = 0; i < most_dimensions * most_dimensions; ++i) {
        metrics.push_back(
            {gamma_name(i / most_dimensions, i % most_dimensions), "", "", Better::neither});
    }
    return metrics;
}

} // namespace alxsim::tensor_network
