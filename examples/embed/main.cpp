// SPDX-License-Identifier: Apache-2.0
// A program that asks the simulator: how long does this step take on 64 cores of a v3?
#include <alxsim/model/estimate.h>
#include <alxsim/model/graph/op_graph.h>
#include <alxsim/sim/simulator.h>
#include <alxsim/topologies/machine.h>

#include <iostream>
#include <memory>
#include <utility>

using namespace alxsim;

/// A job of a single step.
class OneStep : public model::StepSource {
public:
    explicit OneStep(model::Step step) : step_(std::move(step)) {}
    std::optional<model::Step> next() override { return std::exchange(step_, std::nullopt); }

private:
    std::optional<model::Step> step_;
};

int main()
{
    topologies::SliceRequest slice;
    slice.cores = 64;
    const topologies::Machine machine =
        topologies::make_machine(topologies::Preset::load("tpu_v3"), slice);

    // Every core multiplies, then all sum up what came out; `Op` and its kin say the same in C++.
    const Json ops = Json::parse(R"({"ops": [
        {"work": "matmul", "m": 4096, "k": 1024, "n": 1024, "phase": "forward"},
        {"work": "collective", "kind": "all_reduce", "bytes": 4194304, "phase": "gradients", "after": [0]}]})");
    const model::Step step{
        std::make_shared<model::OpGraph>(model::op_graph_from_json(ops, "the step")), {}};

    const model::StepEstimate estimate = model::AnalyticModel(machine).step(step);
    OneStep job(step);
    const sim::EpochTiming timing = sim::Simulator(machine).run(job).epochs.at(0);

    std::cout << "estimated: " << to_seconds(estimate.on_device.total).count() << " s\n"
              << "simulated: " << to_seconds(timing.finish).count() << " s, launch included\n";
    for (const auto& [phase, time] : timing.breakdown.phases) {
        std::cout << "    " << phase << ": " << to_seconds(time).count() << " s\n";
    }
}
