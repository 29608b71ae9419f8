// SPDX-License-Identifier: Apache-2.0
#include "workloads/tensor_network/kind.h"

#include "base/memo.h"
#include "base/resource.h"
#include "model/meshes/laid_program.h"
#include "spmd/step_run.h"
#include "spmd/step_workload.h"
#include "workloads/tensor_network/choices.h"
#include "workloads/tensor_network/findings.h"
#include "workloads/tensor_network/integration/workload.h"
#include "workloads/tensor_network/program.h"

#include <cmath>
#include <limits>

namespace alxsim::tensor_network {

const Resources& resources();

namespace {

class Run : public spmd::StepRun {
public:
    Run(const Request& request, const spmd::StepWorkload& workload,
        const workloads::RunOptions& options)
        : StepRun(workload.graph(), 1, options),
          request_(request),
          devices_(workload.devices())
    {
    }

    Json results() const override { return results_; }
    void write_exports() const override
    {
        for (const auto& [name, array] : computed_->arrays()) {
            export_matrix(name, array, request_.in_f64 ? NpyNumber::f8 : NpyNumber::f4);
        }
    }

private:
    std::vector<workloads::Metric> metrics_of(const std::vector<double>& figures) const override
    {
        const double error = figures.front();
        return {{"error", std::isfinite(error) ? std::optional<double>(error) : std::nullopt}};
    }
    std::vector<double> compute(int /*step*/, HostPool& pool) override
    {
        computed_ = std::make_unique<Computed>(
            request_, devices_, pool,
            request_.data != nullptr ? decisions_of(request_) : assumed_decisions(request_));
        moved() = computed_->moved();
        results_ = computed_->results();
        return {results_.value("error", std::numeric_limits<double>::quiet_NaN())};
    }
    std::vector<spmd::MemoryPart> memory() override { return {}; }

    const Request& request_;
    int devices_;
    std::unique_ptr<Computed> computed_;
    Json results_;
};

class TensorNetwork : public spmd::StepWorkload {
public:
    TensorNetwork(Request request, const Timed& timed, const topologies::Machine& machine,
                  const std::string& file)
        : StepWorkload(timed.step, 1, machine, file),
          request_(std::move(request)),
          file_(file),
          storage_(timed.storage)
    {
    }

    std::string interval() const override { return "step"; }
    std::unique_ptr<workloads::Run> start(const workloads::RunOptions& options) const override
    {
        return std::make_unique<Run>(request_, *this, options);
    }
    std::vector<std::string> notes() const override;
    workloads::Choices choices() const override { return choices_of(request_); }
    std::vector<workloads::Unknown> unknowns() const override { return unknowns_of(request_); }
    model::Program drawn(const workloads::DrawnValues& values) const override;
    Bytes host_memory() const override
    {
        return StepWorkload::host_memory() * (request_.in_f64 ? 2 : 1);
    }
    workloads::Description describe() const override
    {
        workloads::Description description = StepWorkload::describe();
        description.input = {{"step", request_.step_name}, {"sizes", request_.sizes}};
        if (!request_.ranks.empty()) {
            description.input["ranks"] = request_.ranks;
        }
        description.input.update(storage_);
        return description;
    }

private:
    Request request_;
    std::string file_;
    Json storage_;
    /// By products and iterations: whole numbers, of which draws have few.
    mutable Memo<std::pair<std::int64_t, std::int64_t>, model::Program> drawn_{1024};
};

model::Program TensorNetwork::drawn(const workloads::DrawnValues& values) const
{
    const Request request = drawn_request(request_, values);
    return drawn_.get({request.eigenvectors.products, request.iterations}, [&] {
        const Timed timed = timed_step(request, devices());
        return model::laid_out({{{timed.step->graph, {}, 1}, 1}}, machine(), file_);
    });
}

std::vector<std::string> TensorNetwork::notes() const
{
    std::vector<std::string> notes;
    const bool has_gramians = request_.method == Method::gramians;
    if (has_gramians && request_.eigenvectors.products > 0) {
        notes.push_back("eigenvectors of a Gramian are assumed to take " +
                        std::to_string(request_.eigenvectors.products) +
                        " products of its size (\"eigenvectors\": \"jax\" times what JAX does)");
    }
    if (request_.data != nullptr) {
        notes.emplace_back("ranks are those that the data have at this tolerance: a compiled "
                           "program has static shapes, and the time in which a host decides on "
                           "them between cuts is left out");
    }
    if (request_.step == StepKind::mera && request_.data == nullptr) {
        notes.push_back("each disentangler is assumed to be found at the first start, after " +
                        std::to_string(request_.iterations) + " iterations");
    }
    if (request_.in_f64) {
        notes.emplace_back("numbers are in f64, times are those of f32: no chip multiplies f64");
    }
    return notes;
}

} // namespace

workloads::Kind tensor_network_kind()
{
    workloads::Kind kind;
    kind.name = "tensor_network";
    kind.fields["tensor_network"] = parse_json(resources().get("schema/tensor_network.schema.json"),
                                               "tensor_network.schema.json");
    kind.metrics = integration_metrics();
    kind.make = [](const Json& study, const std::string& file,
                   const topologies::Machine& machine) -> std::unique_ptr<workloads::Workload> {
        if (study.at("workload").at("tensor_network").at("step") == "integrate") {
            return integration_workload(study, file, machine);
        }
        Request request = request_of(study, file);
        const Timed timed = timed_step(request, machine.devices);
        return std::make_unique<TensorNetwork>(std::move(request), timed, machine, file);
    };
    kind.exports = {"arrays"};
    kind.choices = choice_names();
    kind.findings = findings_of;
    kind.help =
        "            tensor_network {step svd|round|tucker|mera, tensor FILE | cores [FILE..] |\n"
        "                 sizes, ranks, tolerance, method gramians|svd, dtype f32|f64}\n"
        "            or {step integrate, problem NAME | drift, diffusion, widths, mode\n"
        "                 fixed|full|rotation, n, L, T, dt}\n";
    return kind;
}

} // namespace alxsim::tensor_network
