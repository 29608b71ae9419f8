// SPDX-License-Identifier: Apache-2.0
#include "spmd/step_builder.h"

#include "model/estimate.h"
#include "model/graph/for_each_op.h"
#include "model/graph/memory.h"
#include "model/meshes/laid_program.h"
#include "tests/unit/model/building.h"

#include <gtest/gtest.h>

#include <map>
#include <stdexcept>

namespace alxsim::spmd {
namespace {

using model::CollectiveKind;
using model::DType;
using model::Residency;
using Order = StepBuilder::Order;

/// A step with its numbers in f64, run once.
struct WithNumbers {
    explicit WithNumbers(model::Mesh mesh)
        : mesh(std::move(mesh)),
          numbers(this->mesh.devices(), true),
          step(this->mesh, &numbers, &moved)
    {
    }
    void run()
    {
        HostPool pool(2);
        model::run_effects(step.take("step"), numbers.devices(), pool);
    }
    double at(Array array, int device) const { return numbers.read(array, device).front(); }

    DeviceMesh mesh;
    Numbers numbers;
    MovedCounts moved;
    StepBuilder step;
};

/// What ops of a graph move, all iterations together: by the kind of the op.
std::map<std::string, std::int64_t> counted_in(const model::OpGraph& graph)
{
    std::map<std::string, std::int64_t> counts;
    model::for_each_op(
        graph, std::int64_t{1}, model::RoundsOfFirstDevice{{}},
        [&](const model::Op& op, std::int64_t times) { counts[op.name.text()] += times; });
    return counts;
}

void expect_counts_are_moves(StepBuilder& timed, const MovedCounts& moved)
{
    MovedCounts counted;
    const auto add = [&](const auto& use) {
        MovedCount& count = counted[use.name()];
        count.calls += use.times;
        count.elements += use.times * use.elements;
    };
    for (const CollectiveUse& use : timed.collectives()) {
        add(use);
    }
    for (const TransferUse& use : timed.transfers()) {
        add(use);
    }
    EXPECT_EQ(counts_json(counted), counts_json(moved));
    EXPECT_FALSE(moved.empty());
}

void add_one(StepBuilder& step, const std::string& name, Array from, Array to)
{
    model::Vector work;
    work.elements = step.shape(to).elements();
    step.compute(name, "work", work, {from}, {to},
                 [=](const auto& on) { *on(to) = *on(from) + 1; });
}

TEST(StepBuilder, CountsTheCollectivesOfARepeatInARepeat)
{
    const auto build = [](StepBuilder& step) {
        const Array x = step.array("x", {1, 1}, DType::f64);
        step.begin({"forward", "layers"});
        step.layers("microbatches", "control", 3, Order::up, [&](std::int64_t) {
            step.layers("layers", "control", 5, Order::up, [&](std::int64_t) {
                add_one(step, "layer", x, x);
                step.collective("sum", CollectiveKind::all_reduce, "data", x, x);
            });
            step.collective("sum of one", CollectiveKind::all_reduce, "data", x, x);
        });
        step.collective("sum of all", CollectiveKind::all_reduce, "data", x, x);
        return x;
    };
    StepBuilder timed(DeviceMesh("data", 2));
    build(timed);
    WithNumbers real({{"data", 2}});
    const Array x = build(real.step);
    real.run();
    expect_counts_are_moves(timed, real.moved);
    double expected = 0;
    for (int microbatch = 0; microbatch < 3; ++microbatch) {
        for (int layer = 0; layer < 5; ++layer) {
            expected = 2 * (expected + 1);
        }
        expected *= 2;
    }
    EXPECT_EQ(real.at(x, 1), 2 * expected);
    const auto in_graph = counted_in(timed.take("step"));
    EXPECT_EQ(in_graph.at("sum"), 15);
    EXPECT_EQ(in_graph.at("sum of one"), 3);
    EXPECT_EQ(in_graph.at("sum of all"), 1);
}

TEST(StepBuilder, MovesNumbersRoundAnAxisAndAlongIt)
{
    WithNumbers real({{"data", 2}, {"sequence", 4}});
    const Array x = real.step.array("x", {1, 3}, DType::f64);
    const Array next = real.step.array("next", {1, 3}, DType::f64);
    const Array before = real.step.array("before", {1, 3}, DType::f64);
    for (int device = 0; device < 8; ++device) {
        real.numbers.write(x, device, {1.0 * device, 0, 0});
        real.numbers.write(before, device, {-1, -1, -1});
    }
    real.step.begin({"forward", "layers"});
    real.step.permute("round", "sequence", x, next);
    real.step.permute("along", "sequence", next, before, -1, false);
    real.step.permute("in place", "sequence", x, x, 2);
    EXPECT_THROW(real.step.permute("to itself", "sequence", x, x, 4), std::logic_error);
    real.run();
    for (int device = 0; device < 8; ++device) {
        const int place = device % 4;
        const int first = device - place;
        EXPECT_EQ(real.at(next, device), first + (place + 3) % 4);
        EXPECT_EQ(real.at(before, device), place == 3 ? -1 : first + place);
        EXPECT_EQ(real.at(x, device), first + (place + 2) % 4);
    }
    expect_counts_are_moves(real.step, real.moved);
    const MovedCount& count = real.moved.at("forward.layers permute sequence");
    EXPECT_EQ(count.calls, 3);
    EXPECT_EQ(count.elements, 9);
}

TEST(StepBuilder, LaysAPermuteRoundAnAxisOnTheTorus)
{
    // Four of a 4 x 4 torus in a row, each to the next: the wire's time of one link.
    const topologies::Machine machine = model::easy_machine(16, "4x4", {true, true});
    StepBuilder step(DeviceMesh({{"sequence", 4}, {"data", 4}}));
    const Array x = step.array("x", {1, 25'000}, DType::f32);
    const Array next = step.array("next", {1, 25'000}, DType::f32);
    step.permute("round", "sequence", x, next);
    const auto graph = std::make_shared<const model::OpGraph>(step.take("step"));
    const model::Program laid = model::laid_out({{{graph, {}, 1}, 1}}, machine, "study.json");
    const auto time = [&](const std::shared_ptr<const model::OpGraph>& of) {
        return model::AnalyticModel(machine).step({of, {}, 1}).on_device.total;
    };
    EXPECT_EQ(time(laid.front().step.graph) - to_picoseconds(machine.device.collective_launch),
              model::nanoseconds(100'000 + 1000));
}

TEST(StepBuilder, SendsAsManyRowsToEachAsNumbersSay)
{
    WithNumbers with(model::Mesh{{"data", 2}, {"expert", 2}});
    StepBuilder& step = with.step;
    const Array from = step.array("from", {3, 2}, DType::f64);
    const Array to = step.array("to", {6, 2}, DType::f64);
    const Array rows = step.array("rows", {1, 2}, DType::i32);
    step.ragged_all_to_all("rows", "expert", from, to, rows, {3}, [rows](const auto& on) {
        return std::vector<std::int64_t>{static_cast<std::int64_t>(on(rows)[0]),
                                         static_cast<std::int64_t>(on(rows)[1])};
    });
    for (int device = 0; device < 4; ++device) {
        const double d = 10 * device;
        with.numbers.write(from, device, {d + 1, d + 1.5, d + 2, d + 2.5, d + 3, d + 3.5});
        with.numbers.write(rows, device,
                           device % 2 == 0 ? std::vector<double>{1, 2} : std::vector<double>{0, 3});
    }
    with.run();
    EXPECT_EQ(with.numbers.read(to, 2),
              (std::vector<double>{21, 21.5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
    EXPECT_EQ(with.numbers.read(to, 3),
              (std::vector<double>{22, 22.5, 23, 23.5, 31, 31.5, 32, 32.5, 33, 33.5, 0, 0}));
    expect_counts_are_moves(step, with.moved);
    ASSERT_EQ(step.collectives().size(), 1u);
    EXPECT_EQ(step.collectives().front().elements, 6);
}

TEST(StepBuilder, RefusesRowsForWhichThereIsNoRoom)
{
    WithNumbers with(model::Mesh{{"expert", 2}});
    StepBuilder& step = with.step;
    const Array from = step.array("from", {2, 1}, DType::f64);
    const Array to = step.array("to", {3, 1}, DType::f64);
    step.ragged_all_to_all("rows", "expert", from, to, from, {2}, [](const auto&) {
        return std::vector<std::int64_t>{2, 0};
    });
    EXPECT_THROW(with.run(), std::logic_error);
}

TEST(StepBuilder, CopiesToTheHostBesideWhatItComputes)
{
    const topologies::Machine machine = model::machine_of("tpu_v5e", 1);
    const auto step_time = [&](bool copies, bool computes) {
        StepBuilder step(DeviceMesh("data", 1));
        const Shape shape{1, 4 << 20};
        const Array here = step.array("here", shape, DType::f32, {1, 0, Residency::hbm});
        const Array there = step.array("there", shape, DType::f32, {1, 0, Residency::host});
        const Array x = step.array("x", {1, 1}, DType::f32);
        if (copies) {
            step.transfer("copy", "copies", here, there);
        }
        if (computes) {
            step.compute("work", "work", model::Vector{4 << 20, 2000.0}, {}, {x},
                         [](const auto&) {});
        }
        const auto graph = std::make_shared<const model::OpGraph>(step.take("step"));
        EXPECT_EQ(model::memory_fit({{{graph, {}, 1}, 1}}, machine).host_needed, Bytes(16 << 20));
        return model::AnalyticModel(machine).step({graph, {}, 1}).on_device.total;
    };
    const Picoseconds copying = step_time(true, false);
    const Picoseconds computing = step_time(false, true);
    EXPECT_GT(copying, Picoseconds(0));
    EXPECT_EQ(step_time(true, true), std::max(copying, computing));
}

TEST(StepBuilder, MovesNumbersToTheHostAndBack)
{
    const auto build = [](StepBuilder& step) {
        const Array x = step.array("x", {1, 2}, DType::f64);
        const Array kept = step.array("kept", {1, 2}, DType::f64, {1, 0, Residency::host});
        step.begin({"forward", "layers"});
        step.transfer("away", "copies", x, kept);
        add_one(step, "other", x, x);
        step.begin({"backward", "layers"});
        step.layers("twice", "control", 2, Order::up,
                    [&](std::int64_t) { step.transfer("back", "copies", kept, x); });
        EXPECT_THROW(step.transfer("nowhere", "copies", x, x), std::logic_error);
        return x;
    };
    WithNumbers real({{"data", 2}});
    const Array x = build(real.step);
    real.numbers.write(x, 1, {7, 8});
    real.run();
    EXPECT_EQ(real.numbers.read(x, 1), (std::vector<double>{7, 8}));
    StepBuilder timed(DeviceMesh("data", 2));
    build(timed);
    expect_counts_are_moves(timed, real.moved);
    EXPECT_EQ(real.moved.at("backward.layers copy from host").elements, 4);
    EXPECT_TRUE(counts_json(real.moved).at("copies").contains("forward.layers copy to host"));
}

/// Layers whose weights are gathered before they are used and whose gradients are scattered behind
/// them: what a layer adds is one of its own.
struct Ahead {
    Ahead(StepBuilder& step, std::int64_t layers, Order order, bool fetches, bool drains)
    {
        const auto of_layer = [&](const std::string& name, std::int64_t length,
                                  std::int64_t layer) {
            return step.array(name, {1, length}, DType::f64, {layers, layer, Residency::hbm});
        };
        const auto in_turn = [&](const std::string& name, std::int64_t layer) {
            return step.array(name, {1, 2}, DType::f64, {2, layer, Residency::hbm, true});
        };
        sum = step.array("sum", {1, 1}, DType::f64);
        for (std::int64_t i = 0; i < layers; ++i) {
            weights.push_back(of_layer("weight", 1, i));
            gradients.push_back(of_layer("gradient", 1, i));
        }
        const StepBuilder::OfLayer fetch = [&](std::int64_t i) {
            step.collective("gather", CollectiveKind::all_gather, "data", of_layer("weight", 1, i),
                            in_turn("whole", i));
        };
        const StepBuilder::OfLayer drain = [&](std::int64_t i) {
            step.collective("scatter", CollectiveKind::reduce_scatter, "data", in_turn("part", i),
                            of_layer("gradient", 1, i));
        };
        step.begin({"forward", "layers"});
        StepBuilder::LayerParts parts;
        parts.fetch = fetches ? fetch : StepBuilder::OfLayer();
        parts.drain = drains ? drain : StepBuilder::OfLayer();
        parts.body = [&](std::int64_t i) { body(step, in_turn("whole", i), in_turn("part", i)); };
        step.layers_ahead("layers", "control", layers, order, parts);
    }

    void body(StepBuilder& step, Array whole, Array part)
    {
        model::Vector work;
        work.elements = 1 << 20;
        work.ops_per_element = 1000;
        const Array total = sum;
        step.compute("body", "work", work, {whole, total}, {part, total}, [=](const auto& on) {
            *on(total) = 2 * *on(total) + on(whole)[0] + on(whole)[1];
            on(part)[0] = on(part)[1] = *on(total);
        });
    }

    Array sum;
    std::vector<Array> weights, gradients;
};

TEST(StepBuilder, FetchesAndDrainsBesideLayersWithTheRightNumbers)
{
    for (const std::int64_t layers : {0, 1, 2, 3, 4, 7}) {
        for (const Order order : {Order::up, Order::down}) {
            WithNumbers real({{"data", 2}});
            const Ahead ahead(real.step, layers, order, true, true);
            for (std::int64_t i = 0; i < layers; ++i) {
                for (int device = 0; device < 2; ++device) {
                    real.numbers.write(ahead.weights[static_cast<std::size_t>(i)], device,
                                       {10.0 * static_cast<double>(i) + device});
                }
            }
            real.run();
            double sum = 0;
            for (std::int64_t place = 0; place < layers; ++place) {
                const std::int64_t i = order == Order::up ? place : layers - 1 - place;
                sum = 2 * sum + 20.0 * static_cast<double>(i) + 1;
                EXPECT_EQ(real.at(ahead.gradients[static_cast<std::size_t>(i)], 1), 2 * sum);
            }
            EXPECT_EQ(real.at(ahead.sum, 0), sum);
            StepBuilder timed(DeviceMesh("data", 2));
            const Ahead same(timed, layers, order, true, true);
            if (layers > 0) {
                expect_counts_are_moves(timed, real.moved);
            }
            auto in_graph = counted_in(timed.take("step"));
            EXPECT_EQ(in_graph["body"], layers);
            EXPECT_EQ(in_graph["gather"], layers);
            EXPECT_EQ(in_graph["scatter"], layers);
        }
    }
}

TEST(StepBuilder, HidesWhatItFetchesBehindAllLayersButOne)
{
    // The collectives are short: the first gather and the last scatter alone can be seen.
    topologies::Machine machine = model::machine_of("tpu_v5e", 2);
    machine.network.collectives_overlap_compute = true;
    const auto time = [&](std::int64_t layers, bool fetches, bool drains) {
        StepBuilder step(DeviceMesh("data", 2));
        const Ahead ahead(step, layers, Order::up, fetches, drains);
        const auto graph = std::make_shared<const model::OpGraph>(step.take("step"));
        const model::Breakdown found = model::AnalyticModel(machine).step({graph, {}, 1}).on_device;
        const auto control = found.phases.find("control");
        return found.total - (control == found.phases.end() ? Picoseconds(0) : control->second);
    };
    const Picoseconds body = time(1, false, false);
    const Picoseconds gather = time(1, true, false) - body;
    const Picoseconds scatter = time(1, false, true) - body;
    EXPECT_GT(gather, Picoseconds(0));
    EXPECT_GT(scatter, Picoseconds(0));
    ASSERT_LT(gather + scatter, body);
    for (const std::int64_t layers : {2, 3, 6, 9}) {
        EXPECT_EQ(time(layers, true, true), gather + body * layers + scatter) << layers;
        EXPECT_EQ(time(layers, true, false), gather + body * layers) << layers;
        EXPECT_EQ(time(layers, false, true), body * layers + scatter) << layers;
    }
}

/// Stages that each add one to what the one before sends, and sum it up over their devices; the
/// first and last add up what they have in the end.
struct Stages {
    explicit Stages(StepBuilder& step, int stages, int microbatches)
    {
        step.begin_roles("pipeline");
        for (int stage = 0; stage < stages; ++stage) {
            step.role(stage);
            step.chunk(1); // arrays of the same names that are others
            step.array("x", {1, 2}, DType::f64);
            step.chunk(0);
            xs.push_back(step.array("x", {1, 1}, DType::f64));
            totals.push_back(step.array("total", {1, 1}, DType::f64));
        }
        for (int microbatch = 0; microbatch < microbatches; ++microbatch) {
            for (int stage = 0; stage < stages; ++stage) {
                step.role(stage);
                step.begin({"forward", "layers"});
                const Array x = xs[static_cast<std::size_t>(stage)];
                const Array total = totals[static_cast<std::size_t>(stage)];
                if (stage > 0) {
                    step.receive("to " + std::to_string(stage), stage - 1, x);
                }
                add_one(step, "layer", x, x);
                step.collective("sum", CollectiveKind::all_reduce, "data", x, x);
                step.compute("total", "work", model::Vector{1, 1.0}, {x, total}, {total},
                             [=](const auto& on) { *on(total) += *on(x); });
                if (stage + 1 < stages) {
                    step.send("to " + std::to_string(stage + 1), stage + 1, x);
                }
            }
        }
        for (const int stage : {0, stages - 1}) {
            step.role(stage);
            const Array total = totals[static_cast<std::size_t>(stage)];
            step.collective_of_roles("ends", CollectiveKind::all_reduce, {0, stages - 1}, total,
                                     total);
        }
    }
    std::vector<Array> xs, totals; ///< [stage]
};

TEST(StepBuilder, GivesRolesProgramsAndNumbersOfTheirOwn)
{
    const int stages = 3;
    const int microbatches = 4;
    WithNumbers real({{"pipeline", stages}, {"data", 2}});
    const Stages built(real.step, stages, microbatches);
    real.run();
    std::vector<double> totals(stages);
    double first = 0; // the first stage goes on with what it has
    for (int microbatch = 0; microbatch < microbatches; ++microbatch) {
        first = 2 * (first + 1);
        double x = first;
        totals[0] += x;
        for (int stage = 1; stage < stages; ++stage) {
            x = 2 * (x + 1);
            totals[static_cast<std::size_t>(stage)] += x;
        }
    }
    for (int device = 0; device < 6; ++device) {
        const int stage = device / 2;
        EXPECT_EQ(real.at(built.totals[static_cast<std::size_t>(stage)], device),
                  stage == 1 ? totals[1] : totals[0] + totals[2]);
    }
    StepBuilder timed(DeviceMesh({{"pipeline", stages}, {"data", 2}}));
    const Stages same(timed, stages, microbatches);
    expect_counts_are_moves(timed, real.moved);
    EXPECT_EQ(real.moved.at("forward.layers permute pipeline").calls, 2 * microbatches);

    const auto graph = std::make_shared<const model::OpGraph>(timed.take("step"));
    ASSERT_EQ(graph->roles.size(), 3u);
    EXPECT_EQ(graph->roles[1].devices, (std::vector<int>{2, 3}));
    for (const model::Role& role : graph->roles) {
        EXPECT_EQ(role.graph->buffers.size(), 3u);
    }
    const topologies::Machine machine = model::machine_of("tpu_v5e", 6);
    EXPECT_GT(model::AnalyticModel(machine).step({graph, {}, 1}).on_device.total, Picoseconds(0));
}

TEST(StepBuilder, BuildsWhatIsDoneAgainOnceAndCountsItEachTime)
{
    const auto build = [](StepBuilder& step, int& built) {
        const Array x = step.array("x", {1, 1}, DType::f64);
        step.begin({"forward", "layers"});
        for (int microbatch = 0; microbatch < 4; ++microbatch) {
            step.again("microbatch", "control", [&] {
                ++built;
                step.layers("layers", "control", 3, Order::up, [&](std::int64_t) {
                    add_one(step, "layer", x, x);
                    step.collective("sum", CollectiveKind::all_reduce, "data", x, x);
                });
            });
        }
        return x;
    };
    int built = 0;
    StepBuilder timed(DeviceMesh("data", 2));
    build(timed, built);
    EXPECT_EQ(built, 1);
    WithNumbers real({{"data", 2}});
    const Array x = build(real.step, built);
    EXPECT_EQ(built, 5);
    real.run();
    double expected = 0;
    for (int i = 0; i < 12; ++i) {
        expected = 2 * (expected + 1);
    }
    EXPECT_EQ(real.at(x, 1), expected);
    expect_counts_are_moves(timed, real.moved);
    const model::OpGraph graph = timed.take("step");
    EXPECT_EQ(counted_in(graph)["sum"], 12);
    ASSERT_EQ(graph.ops.size(), 4u);
    EXPECT_EQ(graph.ops[3].after, std::vector<int>{2});
    EXPECT_EQ(std::get<model::Repeat>(graph.ops[0].work).body,
              std::get<model::Repeat>(graph.ops[3].work).body);
}

TEST(StepBuilder, LetsALoopBeginAndEndWithWhatIsSent)
{
    StepBuilder step(DeviceMesh({{"pipeline", 2}, {"data", 2}}));
    step.begin_roles("pipeline");
    step.role(1);
    const Array x = step.array("x", {1, 1}, DType::f64);
    const auto in_turn = [&](const std::string& name, int microbatch) {
        return step.array(name, {1, 1}, DType::f64, {2, microbatch, Residency::any, true});
    };
    for (int microbatch = 0; microbatch < 3; ++microbatch) {
        const Array got = in_turn("got", microbatch);
        const Array sent = in_turn("sent", microbatch);
        step.receive("forward", 0, got);
        step.between(got, sent, [&] {
            step.layers("layers", "control", 2, Order::up,
                        [&](std::int64_t) { add_one(step, "layer", x, x); });
        });
        step.send("back", 0, sent);
    }
    const auto graph = step.take("step").roles[1].graph;
    ASSERT_EQ(graph->ops.size(), 9u);
    const auto after = [&](std::size_t op) { return graph->ops[op].after; };
    EXPECT_EQ(after(0), std::vector<int>{});
    EXPECT_EQ(after(1), std::vector<int>{0});
    EXPECT_EQ(after(2), std::vector<int>{1});
    EXPECT_EQ(after(3), std::vector<int>{});             // beside the first microbatch
    EXPECT_EQ(after(4), (std::vector<int>{1, 3}));       // and sent beside the second
    EXPECT_EQ(after(6), (std::vector<int>{0, 1}));       // into the first one's array
    EXPECT_EQ(after(7), (std::vector<int>{1, 2, 4, 6})); // when that is sent
}

TEST(StepBuilder, MultipliesFp8OfBothTypesAtTheRateOfE4m3)
{
    const DType e4m3 = DType::fp8_e4m3;
    const DType e5m2 = DType::fp8_e5m2;
    const auto type_of_product = [](DType left, DType right) {
        StepBuilder step(DeviceMesh({{"data", 1}}));
        StepBuilder::Fused fused;
        fused.quantized = std::pair(left, right);
        step.multiply("product", "work", {step.array("left", {8, 16}, DType::bf16)},
                      {step.array("right", {16, 4}, DType::bf16)},
                      {step.array("result", {8, 4}, DType::bf16)}, fused);
        return std::get<model::Matmul>(step.take("step").ops.back().work).dtype;
    };
    EXPECT_EQ(type_of_product(e4m3, e4m3), e4m3);
    EXPECT_EQ(type_of_product(e5m2, e5m2), e5m2);
    EXPECT_EQ(type_of_product(e4m3, e5m2), e4m3);
    EXPECT_EQ(type_of_product(e5m2, e4m3), e4m3);
    EXPECT_EQ(type_of_product(DType::i8, DType::i8), DType::i8);
}

TEST(StepBuilder, RefusesRolesThatCannotBe)
{
    StepBuilder step(DeviceMesh({{"pipeline", 2}, {"data", 2}}));
    EXPECT_THROW(step.role(1), std::logic_error);
    step.begin_roles("pipeline");
    const Array x = step.array("x", {1, 1}, DType::f64);
    EXPECT_THROW(step.begin_roles("pipeline"), std::logic_error);
    EXPECT_THROW(step.role(2), std::logic_error);
    EXPECT_THROW(step.collective("sum", CollectiveKind::all_reduce, "pipeline", x, x),
                 std::logic_error);
    EXPECT_THROW(step.collective_of_roles("sum", CollectiveKind::all_reduce, {1}, x, x),
                 std::logic_error);
}

} // namespace
} // namespace alxsim::spmd
