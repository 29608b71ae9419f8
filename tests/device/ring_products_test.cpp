// SPDX-License-Identifier: Apache-2.0
// Products beside permutes of their factors, against their closed forms, in both engines.
#include "spmd/ring_products.h"

#include "model/meshes/laid_program.h"
#include "tests/device/running.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

namespace alxsim::sim {
namespace {

using model::DType;
using spmd::Array;
using spmd::StepBuilder;
using topologies::Machine;

/// A ring along an axis of a 1xP slice whose links carry a byte a nanosecond, so that products of
/// many columns hide the permutes and those of few do not.
struct Ring {
    int parts;
    std::int64_t columns;
    bool scatters;
    bool wraps = true;

    static constexpr std::int64_t rows = 1024, inner = 2048;

    Machine machine() const
    {
        return easy_machine(parts, "1x" + std::to_string(parts), {wraps, wraps});
    }

    std::shared_ptr<const model::OpGraph> graph() const
    {
        StepBuilder step(spmd::DeviceMesh("tensor", parts));
        const Array part = step.array("part", {rows, inner}, DType::bf16);
        const Array weight = step.array("weight", {inner, columns}, DType::bf16);
        const Array whole = step.array("whole", {parts * rows, columns}, DType::bf16);
        spmd::RingProducts ring(step, "tensor");
        if (scatters) {
            ring.multiply_and_scatter({"product", "work"}, whole, {weight, true}, part);
        } else {
            ring.multiply_gathered({"product", "work"}, part, {weight}, whole);
        }
        const model::Program program = model::laid_out(
            {{{std::make_shared<const model::OpGraph>(step.take("ring")), {}, 1}, 1}}, machine(),
            "");
        return program.front().step.graph;
    }
};

double ring_seconds(Picoseconds time)
{
    return static_cast<double>(time.count()) * 1e-12;
}

template <class Time>
double time_of_one(const model::OpGraph& graph, const model::Op& op, const Time& time)
{
    model::OpGraph alone;
    alone.buffers = graph.buffers;
    alone.mesh = graph.mesh;
    alone.ops = {op};
    alone.ops.front().after.clear();
    return ring_seconds(time(std::make_shared<const model::OpGraph>(std::move(alone))));
}

struct Parts {
    double products = 0, permutes = 0, sums = 0; ///< all of them, one after the other
    double closed = 0;
};

/// By what each op takes alone: a product runs beside the permute before it, the rest does not.
template <class Time>
Parts parts_of(const Ring& ring, const Time& time)
{
    const auto graph = ring.graph();
    Parts parts;
    double step = 0; // the permute that is under way
    for (const model::Op& op : graph->ops) {
        const double alone = time_of_one(*graph, op, time);
        if (std::holds_alternative<model::Collective>(op.work)) {
            parts.permutes += alone;
            parts.closed += step; // beside no product
            step = alone;
        } else if (std::holds_alternative<model::Matmul>(op.work)) {
            parts.products += alone;
            parts.closed += std::max(alone, step);
            step = 0;
        } else {
            parts.sums += alone;
            parts.closed += step + alone;
            step = 0;
        }
    }
    parts.closed += step;
    return parts;
}

void expect_closed_form(const Ring& ring)
{
    SCOPED_TRACE(testing::Message() << ring.parts << " devices, " << ring.columns << " columns"
                                    << (ring.scatters ? ", scattered" : ", gathered"));
    const Machine machine = ring.machine();
    const auto expect = [&](const auto& time) {
        const Parts parts = parts_of(ring, time);
        const double whole = ring_seconds(time(ring.graph()));
        EXPECT_NEAR(whole / parts.closed, 1, 0.01);
        EXPECT_LE(whole, 1.0001 * (parts.products + parts.permutes + parts.sums));
        EXPECT_GE(whole, parts.products + parts.sums);
        // A permute to a neighbour: its bytes over a link, a hop, and its launch.
        const double permute =
            Ring::rows * Ring::inner * 2 * 1e-9 + 1e-6 + machine.device.collective_launch.count();
        const int permutes = ring.parts % 4 == 0 ? ring.parts / 2 : ring.parts - 1;
        EXPECT_NEAR(parts.permutes / (permutes * permute), 1, 0.001);
    };
    expect([&](const auto& graph) { return estimated(machine, graph); });
    expect([&](const auto& graph) { return simulated(machine, graph); });
}

TEST(RingProductTime, IsThatOfTheLongerOfProductsAndPermutesAndOfTheEnds)
{
    for (const int parts : {2, 3, 4, 8}) {
        for (const std::int64_t columns : {256, 65536}) {
            for (const bool scatters : {false, true}) {
                expect_closed_form({parts, columns, scatters});
            }
        }
    }
}

// The estimate has each permute take what its longest way takes, from one end to the other; in
// SystemC devices in the middle go ahead of that, and the next permutes are under way meanwhile.
TEST(RingProductTime, OnALineIsEstimatedToTakeLongerByAFifthAtMost)
{
    for (const int parts : {2, 4, 8}) {
        for (const std::int64_t columns : {256, 65536}) {
            for (const bool scatters : {false, true}) {
                const Ring ring{parts, columns, scatters, false};
                const double estimate = ring_seconds(estimated(ring.machine(), ring.graph()));
                const double simulation = ring_seconds(simulated(ring.machine(), ring.graph()));
                SCOPED_TRACE(testing::Message() << parts << " devices, " << columns << " columns");
                EXPECT_LE(simulation, 1.01 * estimate);
                EXPECT_GE(simulation, 0.8 * estimate);
            }
        }
    }
}

} // namespace
} // namespace alxsim::sim
