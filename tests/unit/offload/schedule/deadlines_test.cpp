// SPDX-License-Identifier: Apache-2.0
// The order that a replay finds is the one in which the engine's drives would take layers up.
#include "free_transfers.h"
#include "sim/observe/observer.h"
#include "workloads/offload/layer_ops.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace alxsim::offload {
namespace {

constexpr int steps = 4;
constexpr int step_looked_at = 2;  ///< of the last one nobody waits for updates
constexpr double tolerance = 2e-5; ///< seconds: launches that a replay does not know

struct Span {
    double start = 0, finish = 0;
};

/// When ops of a name ran, in program order.
class Spans : public sim::Observer {
public:
    void finished(const sim::FinishedActivity& activity) override
    {
        if (activity.run.op != nullptr) {
            spans_[activity.run.name()][activity.run.op->place] = {
                to_seconds(activity.run.start).count(),
                to_seconds(activity.activity.finish).count()};
        }
    }
    std::vector<Span> of(const std::string& name) const
    {
        std::vector<Span> spans;
        for (const auto& [place, span] : spans_.at(name)) {
            spans.push_back(span);
        }
        return spans;
    }

private:
    std::map<std::string, std::map<int, Span>> spans_;
};

std::vector<std::size_t> order_in(const OptimizerOrder& order, OptimizerPart part)
{
    std::vector<std::size_t> layers;
    for (const OptimizerTask& task : order) {
        if (task.part == part) {
            layers.push_back(static_cast<std::size_t>(task.layer));
        }
    }
    return layers;
}

struct Reads {
    std::vector<std::size_t> order;
    std::vector<double> started, possible; ///< [layer]
};

/// Reads of one step: when each layer was read, and since when that was possible.
Reads reads_of(const OffloadConfig& config, const topologies::Machine& machine)
{
    const StepOps ops = step_ops(config);
    const OptimizerOrder order = optimizer_order(config.shape(), ops, machine);
    Spans spans;
    sim::ListedSteps source({{std::make_shared<const model::OpGraph>(
                                  offloaded_steps(config.shape(), ops, order, steps)),
                              {},
                              1}});
    sim::Simulator simulator(machine);
    simulator.attach(spans);
    simulator.run(source);
    const auto layers = static_cast<std::size_t>(config.shape().layers);
    const std::size_t first = layers * step_looked_at;
    Reads reads{order_in(order, OptimizerPart::read), std::vector<double>(layers),
                std::vector<double>(layers)};
    const std::vector<std::size_t> written = order_in(order, OptimizerPart::write);
    for (std::size_t i = 0; i < layers; ++i) {
        reads.started[reads.order[i]] = spans.of("optimizer.read").at(first + i).start;
        double& of_write = reads.possible[written[i]];
        of_write = std::max(of_write, spans.of("optimizer.write").at(first - layers + i).finish);
        double& of_gradient = reads.possible[layers - 1 - i];
        of_gradient = std::max(of_gradient, spans.of("gradients.unload").at(first + i).finish);
    }
    return reads;
}

/// Expects that no layer was read while a lower one could have been. Returns how many higher ones
/// were left for later.
int looked_at(const Reads& reads)
{
    int left_for_later = 0;
    for (std::size_t i = 0; i < reads.order.size(); ++i) {
        const std::size_t taken = reads.order[i];
        for (std::size_t k = i + 1; k < reads.order.size(); ++k) {
            const std::size_t left = reads.order[k];
            left_for_later += left > taken ? 1 : 0;
            if (left < taken) {
                EXPECT_GT(reads.possible[left], reads.started[taken] - tolerance)
                    << taken << " was read before " << left;
            }
        }
    }
    return left_for_later;
}

TEST(OptimizerOrders, AreThoseOfTheEngineWhereInputsOfLayersGoToTheHost)
{
    const topologies::Machine machine =
        one_chip({{"chips_per_host", 1}, {"storage_block_bytes", 1 << 24}});
    int out_of_order = 0;
    for (int batch = 4; batch <= 100; batch += 8) {
        for (const int buffers : {2, 4}) {
            for (const int prefetch : {1, 2, 4}) {
                OffloadConfig config;
                config.model.size = {12, 512, 8, 4096, 1024};
                config.model.batch = batch;
                config.model.recomputation =
                    transformer::Recomputation({}, {transformer::Activations::layer_input});
                config.buffers = buffers;
                config.prefetch = prefetch;
                SCOPED_TRACE(testing::Message() << "batch " << batch << ", buffers " << buffers
                                                << ", prefetch " << prefetch);
                out_of_order += looked_at(reads_of(config, machine));
            }
        }
    }
    EXPECT_GT(out_of_order, 0); // else that of gradients would do
}

} // namespace
} // namespace alxsim::offload
