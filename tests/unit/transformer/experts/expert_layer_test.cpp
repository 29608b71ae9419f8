// SPDX-License-Identifier: Apache-2.0
// A mixture of experts dealt to devices against one device, and against finite differences.
#include "base/numbers/random.h"
#include "model/graph/effects.h"
#include "model/graph/for_each_op.h"
#include "workloads/transformer/experts/expert_layer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <ostream>

namespace alxsim::transformer {
namespace {

using Matrix = std::vector<double>;

constexpr std::int64_t hidden = 6;
constexpr std::int64_t width = 4; // of an expert
constexpr std::int64_t sequence = 8;
constexpr std::int64_t sequences = 8; // of all devices
constexpr std::int64_t experts = 4;

struct Case {
    std::string name;
    int data, expert, tensor;
    double capacity = 0;
    bool gated = true;
};

std::ostream& operator<<(std::ostream& out, const Case& one)
{
    return out << one.name;
}

Matrix randoms(std::int64_t count, std::uint64_t stream)
{
    Matrix numbers;
    for (std::int64_t i = 0; i < count; ++i) {
        numbers.push_back(normal((stream << 32) + static_cast<std::uint64_t>(i)));
    }
    return numbers;
}

/// Rows and columns of a matrix of `columns` columns.
Matrix cut(const Matrix& whole, std::int64_t columns, const std::vector<std::int64_t>& rows,
           const std::vector<std::int64_t>& chosen)
{
    Matrix part;
    for (const std::int64_t row : rows) {
        for (const std::int64_t column : chosen) {
            part.push_back(whole[static_cast<std::size_t>(row * columns + column)]);
        }
    }
    return part;
}

std::vector<std::int64_t> range(std::int64_t first, std::int64_t count)
{
    std::vector<std::int64_t> all;
    for (std::int64_t i = first; i < first + count; ++i) {
        all.push_back(i);
    }
    return all;
}

/// The numbers of a block: what goes in, of all devices.
struct Inputs {
    std::int64_t fc1_width;
    Matrix x = randoms(sequences * sequence * hidden, 1);
    Matrix dy = randoms(sequences * sequence * hidden, 2);
    Matrix router = randoms(hidden * experts, 3);
    Matrix fc1, fc2;

    explicit Inputs(bool gated)
        : fc1_width(gated ? 2 * width : width),
          fc1(randoms(experts * hidden * fc1_width, 4)),
          fc2(randoms(experts * width * hidden, 5))
    {
    }
};

/// What comes out, of all devices.
struct Results {
    Matrix y, dx, router, fc1, fc2;
};

ExpertBlock block_of(const Case& one, model::DType dtype)
{
    ExpertBlock block;
    block.experts = {experts, 2, width, one.capacity};
    block.gated = one.gated;
    block.hidden = hidden;
    block.length = sequence;
    block.tokens = sequences * sequence / (one.data * one.expert);
    block.width = width / one.tensor;
    block.dtype = dtype;
    block.expert_axis = one.expert > 1 ? "expert" : "";
    block.tensor_axis = one.tensor > 1 ? "tensor" : "";
    return block;
}

spmd::DeviceMesh mesh_of(const Case& one)
{
    return spmd::DeviceMesh(
        model::Mesh{{"data", one.data}, {"expert", one.expert}, {"tensor", one.tensor}});
}

/// A forward and a backward of it on all devices.
class Job {
public:
    Job(const Case& one, model::DType dtype, Numbers* numbers, MovedCounts* moved)
        : case_(one),
          block_(block_of(one, dtype)),
          builder_(mesh_of(one), numbers, moved),
          layer_(block_, builder_)
    {
        const std::int64_t here = experts / one.expert;
        const Shape stream{block_.tokens, hidden};
        x_ = builder_.array("x", stream, dtype);
        y_ = builder_.array("y", stream, dtype);
        dy_ = builder_.array("dy", stream, dtype);
        dx_ = builder_.array("dx", stream, dtype);
        weights_.router = weight("router", {hidden, experts}, dtype);
        weights_.fc1 = weight("fc1", {here * hidden, block_.fc1_width()}, dtype);
        weights_.fc2 = weight("fc2", {here * block_.width, hidden}, dtype);
        const auto kept = [this](const std::string& name, Shape shape, model::DType type) {
            return builder_.array("activations." + name, shape, type);
        };
        builder_.begin({"forward", "layers"});
        layer_.forward(weights_, kept, x_, y_, {});
        if (one.tensor > 1) {
            builder_.collective("y", model::CollectiveKind::all_reduce, "tensor", y_, y_);
        }
        builder_.begin({"backward", "layers"});
        layer_.backward(weights_, kept, x_, dy_, dx_);
        if (one.tensor > 1) {
            builder_.collective("dx", model::CollectiveKind::all_reduce, "tensor", dx_, dx_);
        }
        collectives_ = builder_.collectives();
        graph_ = builder_.take("experts");
    }

    const model::OpGraph& graph() const { return graph_; }
    const std::vector<CollectiveUse>& collectives() const { return collectives_; }
    const ExpertLayer& layer() const { return layer_; }

    Results run(Numbers& numbers, const Inputs& inputs)
    {
        for (int device = 0; device < numbers.devices(); ++device) {
            write(numbers, inputs, device);
        }
        HostPool pool(2);
        model::run_effects(graph_, numbers.devices(), pool);
        Results results;
        results.router.resize(inputs.router.size());
        results.fc1.resize(inputs.fc1.size());
        results.fc2.resize(inputs.fc2.size());
        for (int device = 0; device < numbers.devices(); ++device) {
            read(numbers, device, results);
        }
        return results;
    }

private:
    Weight weight(const std::string& name, Shape shape, model::DType dtype)
    {
        return {builder_.array("weights." + name, shape, dtype),
                builder_.array("gradients." + name, shape, dtype)};
    }
    std::int64_t at(int device, const std::string& axis) const
    {
        return builder_.mesh().position(device, axis);
    }
    std::vector<std::int64_t> tokens(int device) const
    {
        const std::int64_t part = at(device, "data") * case_.expert + at(device, "expert");
        return range(part * block_.tokens, block_.tokens);
    }
    /// Lists those of fc1: all rows of the experts here, its part of gate and up.
    std::vector<std::int64_t> fc1_rows(int device) const
    {
        const std::int64_t rows = experts / case_.expert * hidden;
        return range(at(device, "expert") * rows, rows);
    }
    std::vector<std::int64_t> fc1_columns(int device) const
    {
        std::vector<std::int64_t> columns;
        for (std::int64_t group = 0; group < (case_.gated ? 2 : 1); ++group) {
            const auto part =
                range(group * width + at(device, "tensor") * block_.width, block_.width);
            columns.insert(columns.end(), part.begin(), part.end());
        }
        return columns;
    }
    std::vector<std::int64_t> fc2_rows(int device) const
    {
        std::vector<std::int64_t> rows;
        const std::int64_t here = experts / case_.expert;
        for (std::int64_t expert = at(device, "expert") * here;
             here > 0 && rows.size() < static_cast<std::size_t>(here * block_.width); ++expert) {
            const auto part =
                range(expert * width + at(device, "tensor") * block_.width, block_.width);
            rows.insert(rows.end(), part.begin(), part.end());
        }
        return rows;
    }

    void write(Numbers& numbers, const Inputs& inputs, int device) const
    {
        const auto all = range(0, hidden);
        numbers.write(x_, device, cut(inputs.x, hidden, tokens(device), all));
        numbers.write(dy_, device, cut(inputs.dy, hidden, tokens(device), all));
        numbers.write(weights_.router.value, device, inputs.router);
        numbers.write(weights_.fc1.value, device,
                      cut(inputs.fc1, inputs.fc1_width, fc1_rows(device), fc1_columns(device)));
        numbers.write(weights_.fc2.value, device, cut(inputs.fc2, hidden, fc2_rows(device), all));
    }

    static void add(const Matrix& part, std::int64_t columns, const std::vector<std::int64_t>& rows,
                    const std::vector<std::int64_t>& chosen, Matrix& whole)
    {
        std::size_t i = 0;
        for (const std::int64_t row : rows) {
            for (const std::int64_t column : chosen) {
                whole[static_cast<std::size_t>(row * columns + column)] += part[i++];
            }
        }
    }

    void read(Numbers& numbers, int device, Results& results) const
    {
        const auto all = range(0, hidden);
        if (at(device, "tensor") == 0) {
            const Matrix y = numbers.read(y_, device);
            const Matrix dx = numbers.read(dx_, device);
            results.y.insert(results.y.end(), y.begin(), y.end());
            results.dx.insert(results.dx.end(), dx.begin(), dx.end());
            add(numbers.read(weights_.router.gradient, device), experts, range(0, hidden),
                range(0, experts), results.router);
        }
        const std::int64_t fc1_width = case_.gated ? 2 * width : width;
        add(numbers.read(weights_.fc1.gradient, device), fc1_width, fc1_rows(device),
            fc1_columns(device), results.fc1);
        add(numbers.read(weights_.fc2.gradient, device), hidden, fc2_rows(device), all,
            results.fc2);
    }

    Case case_;
    ExpertBlock block_;
    StepBuilder builder_;
    ExpertLayer layer_;
    Array x_, y_, dy_, dx_;
    ExpertWeights weights_;
    std::vector<CollectiveUse> collectives_;
    model::OpGraph graph_;
};

Results results_of(const Case& one, const Inputs& inputs)
{
    Numbers numbers(one.data * one.expert * one.tensor, true);
    Job job(one, model::DType::f64, &numbers, nullptr);
    return job.run(numbers, inputs);
}

void expect_close(const Matrix& found, const Matrix& expected, double tolerance)
{
    ASSERT_EQ(found.size(), expected.size());
    double scale = 0;
    for (const double number : expected) {
        scale = std::max(scale, std::abs(number));
    }
    for (std::size_t i = 0; i < found.size(); ++i) {
        ASSERT_NEAR(found[i], expected[i], tolerance * scale) << i;
    }
}

class ExpertMesh : public testing::TestWithParam<Case> {};

TEST_P(ExpertMesh, HasTheNumbersOfOneDevice)
{
    const Case& one = GetParam();
    const Inputs inputs(one.gated);
    const Results found = results_of(one, inputs);
    const Results expected = results_of({"", 1, 1, 1, one.capacity, one.gated}, inputs);
    expect_close(found.y, expected.y, 1e-13);
    expect_close(found.dx, expected.dx, 1e-13);
    expect_close(found.router, expected.router, 1e-13);
    expect_close(found.fc1, expected.fc1, 1e-13);
    expect_close(found.fc2, expected.fc2, 1e-13);
}

TEST_P(ExpertMesh, CountsTheBytesThatMove)
{
    const Case& one = GetParam();
    Numbers numbers(one.data * one.expert * one.tensor, true);
    MovedCounts moved;
    Job job(one, model::DType::f64, &numbers, &moved);
    job.run(numbers, Inputs(one.gated));
    std::map<std::string, std::int64_t> counted;
    for (const CollectiveUse& use : job.collectives()) {
        counted[use.name()] += use.elements;
    }
    ASSERT_EQ(moved.size(), counted.size());
    for (const auto& [name, count] : moved) {
        EXPECT_EQ(count.elements, counted[name]) << name;
    }
    // And so does the graph that is timed.
    const Job timed(one, model::DType::f64, nullptr, nullptr);
    ASSERT_EQ(timed.collectives().size(), job.collectives().size());
    for (std::size_t i = 0; i < timed.collectives().size(); ++i) {
        EXPECT_EQ(timed.collectives()[i].bytes, job.collectives()[i].bytes);
    }
}

TEST_P(ExpertMesh, SendsEveryTokenToItsExperts)
{
    const Case& one = GetParam();
    const Job timed(one, model::DType::bf16, nullptr, nullptr);
    std::int64_t times = 0;
    for_each_op(timed.graph(), [&](const model::Op& op) {
        const auto* const collective = std::get_if<model::Collective>(&op.work);
        if (collective == nullptr || collective->kind != model::CollectiveKind::all_to_all) {
            return;
        }
        ++times;
        const std::int64_t tokens = sequences * sequence / (one.data * one.expert);
        const std::int64_t places = capacity_of(one.capacity, sequence, 2, experts);
        const std::int64_t rows =
            one.capacity > 0 ? tokens / sequence * experts * places : tokens * 2;
        EXPECT_EQ(collective->bytes, Bytes(rows * hidden * 2));
    });
    EXPECT_EQ(times, one.expert > 1 ? 4 : 0);
}

INSTANTIATE_TEST_SUITE_P(
    Meshes, ExpertMesh,
    testing::Values(Case{"alone", 1, 1, 1}, Case{"expert2", 1, 2, 1}, Case{"expert4", 1, 4, 1},
                    Case{"data2_expert2", 2, 2, 1}, Case{"expert2_tensor2", 1, 2, 2},
                    Case{"data2_expert2_tensor4", 2, 2, 4}, Case{"tensor2", 1, 1, 2},
                    Case{"drops_expert2", 1, 2, 1, 0.75}, Case{"drops_expert4", 1, 4, 1, 1.25},
                    Case{"drops_data2_expert4_tensor2", 2, 4, 2, 1},
                    Case{"plain", 1, 2, 1, 0, false}, Case{"drops_tensor4", 1, 1, 4, 0.5, false}),
    [](const auto& one) { return one.param.name; });

/// Returns the change of the block's y times dy in one of its inputs, where numbers change by
/// little.
double changed(const Case& one, const Inputs& inputs)
{
    const Results results = results_of(one, inputs);
    double sum = 0;
    for (std::size_t i = 0; i < results.y.size(); ++i) {
        sum += results.y[i] * inputs.dy[i];
    }
    return sum;
}

void expect_gradient(const Case& one, Matrix Inputs::*input, const Matrix& gradient)
{
    constexpr double step = 1e-6;
    Inputs inputs(one.gated);
    Matrix& numbers = inputs.*input;
    for (std::size_t i = 0; i < numbers.size(); i += 7) {
        const double before = numbers[i];
        numbers[i] = before + step;
        const double above = changed(one, inputs);
        numbers[i] = before - step;
        const double below = changed(one, inputs);
        numbers[i] = before;
        EXPECT_NEAR((above - below) / (2 * step), gradient[i], 2e-6) << i;
    }
}

class ExpertGradient : public testing::TestWithParam<double> {};

TEST_P(ExpertGradient, IsThatOfDifferences)
{
    const Case one{"", 1, 1, 1, GetParam()};
    const Results results = results_of(one, Inputs(true));
    expect_gradient(one, &Inputs::x, results.dx);
    expect_gradient(one, &Inputs::router, results.router);
    expect_gradient(one, &Inputs::fc1, results.fc1);
    expect_gradient(one, &Inputs::fc2, results.fc2);
}

INSTANTIATE_TEST_SUITE_P(Capacities, ExpertGradient, testing::Values(0, 0.75, 2));

TEST(ExpertLayer, RowsOfABlockThatSeveralExpertsShareAreComputedForEach)
{
    EXPECT_EQ(rows_in_blocks(4096, 1), 4096);
    EXPECT_EQ(rows_in_blocks(4096, 8), 4096 + 7 * 512);
    EXPECT_EQ(rows_in_blocks(4097, 1), 4608);
    EXPECT_EQ(rows_in_blocks(100, 2), 2 * 64 + 64);
    EXPECT_EQ(rows_in_blocks(8, 128), 8 * 8); // eight experts with a row each
}

} // namespace
} // namespace alxsim::transformer
