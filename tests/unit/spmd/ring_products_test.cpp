// SPDX-License-Identifier: Apache-2.0
#include "spmd/ring_products.h"

#include "model/estimate.h"
#include "model/meshes/laid_program.h"
#include "tests/unit/model/building.h"

#include <gtest/gtest.h>

#include <cmath>
#include <ostream>
#include <stdexcept>

namespace alxsim::spmd {
namespace {

using model::DType;

/// Numbers without a pattern.
double number_at(std::int64_t seed, std::int64_t i)
{
    return std::sin(static_cast<double>(seed * 1009 + i * 37 % 1013));
}

/// Every group of `parts` devices has a matrix dealt by rows; two groups, each with its own.
class RingProduct : public testing::TestWithParam<int> {
protected:
    static constexpr std::int64_t rows = 3, inner = 4, columns = 5;

    int parts() const { return GetParam(); }
    std::int64_t all_rows() const { return rows * parts(); }

    Array array(const std::string& name, Shape shape)
    {
        return step.array(name, shape, DType::f64);
    }
    void fill(Array array, std::int64_t seed)
    {
        const std::int64_t elements = step.shape(array).elements();
        for (int device = 0; device < numbers.devices(); ++device) {
            std::vector<double> values;
            for (std::int64_t i = 0; i < elements; ++i) {
                values.push_back(number_at(seed + device, i));
            }
            numbers.write(array, device, values);
        }
    }
    void run()
    {
        HostPool pool(2);
        model::run_effects(step.take("step"), numbers.devices(), pool);
    }
    int first_of_group(int device) const { return device - device % parts(); }
    /// Row by row of all that the devices of a group have of `part`.
    double gathered(Array part, int device, std::int64_t row, std::int64_t column) const
    {
        const int owner = first_of_group(device) + static_cast<int>(row / rows);
        const std::int64_t width = step.shape(part).columns;
        return numbers.read(part, owner)[static_cast<std::size_t>(row % rows * width + column)];
    }
    double at(Array array, int device, std::int64_t row, std::int64_t column) const
    {
        return numbers.read(
            array, device)[static_cast<std::size_t>(row * step.shape(array).columns + column)];
    }
    std::int64_t permuted_elements() const
    {
        return moved.at("forward.layers permute tensor").elements;
    }

    DeviceMesh mesh = DeviceMesh(model::Mesh{{"data", 2}, {"tensor", GetParam()}});
    Numbers numbers{2 * GetParam(), true};
    MovedCounts moved;
    StepBuilder step{mesh, &numbers, &moved};
    RingProducts ring{step, "tensor"};
};

TEST_P(RingProduct, MultipliesWhatItGathers)
{
    const Array part = array("part", {rows, inner});
    const Array right = array("right", {columns, inner});
    const Array bias = array("bias", {1, columns});
    const Array result = array("result", {all_rows(), columns});
    fill(part, 1);
    fill(right, 100);
    fill(bias, 200);
    step.begin({"forward", "layers"});
    ring.multiply_gathered({"product", "forward"}, part, {right, true}, result, bias);
    run();
    for (int device = 0; device < numbers.devices(); ++device) {
        for (std::int64_t row = 0; row < all_rows(); ++row) {
            for (std::int64_t column = 0; column < columns; ++column) {
                double expected = at(bias, device, 0, column);
                for (std::int64_t k = 0; k < inner; ++k) {
                    expected += gathered(part, device, row, k) * at(right, device, column, k);
                }
                EXPECT_NEAR(at(result, device, row, column), expected, 1e-14);
            }
        }
    }
    EXPECT_EQ(permuted_elements(), (parts() - 1) * rows * inner) << "each part but one's own";
}

TEST_P(RingProduct, MultipliesOverTheRowsThatItGathers)
{
    for (const bool gathers_left : {true, false}) {
        const std::string name = gathers_left ? "left" : "right";
        const Array part = array("part", {rows, inner});
        const Array whole = array("whole", {all_rows(), inner});
        const Array result = array("result." + name, {inner, inner});
        const Array sums = array("sums." + name, {1, inner});
        fill(part, 1);
        fill(whole, 100);
        step.begin({"forward", "layers"});
        ring.multiply_over_rows({"product", "forward"},
                                gathers_left ? RingProducts::OverRows{part, whole, true}
                                             : RingProducts::OverRows{whole, part, false},
                                result, sums);
    }
    run();
    const Array part = array("part", {rows, inner});
    const Array whole = array("whole", {all_rows(), inner});
    for (int device = 0; device < numbers.devices(); ++device) {
        for (std::int64_t i = 0; i < inner; ++i) {
            double sum_of_whole = 0;
            double sum_of_parts = 0;
            for (std::int64_t row = 0; row < all_rows(); ++row) {
                sum_of_whole += at(whole, device, row, i);
                sum_of_parts += gathered(part, device, row, i);
            }
            EXPECT_NEAR(at(array("sums.left", {1, inner}), device, 0, i), sum_of_whole, 1e-13);
            EXPECT_NEAR(at(array("sums.right", {1, inner}), device, 0, i), sum_of_parts, 1e-13);
            for (std::int64_t j = 0; j < inner; ++j) {
                double expected = 0;
                for (std::int64_t row = 0; row < all_rows(); ++row) {
                    expected += gathered(part, device, row, i) * at(whole, device, row, j);
                }
                EXPECT_NEAR(at(array("result.left", {inner, inner}), device, i, j), expected,
                            1e-13);
                EXPECT_NEAR(at(array("result.right", {inner, inner}), device, j, i), expected,
                            1e-13);
            }
        }
    }
}

TEST_P(RingProduct, ScattersTheSumOfProducts)
{
    const Array left = array("left", {all_rows(), inner});
    const Array right = array("right", {inner, columns});
    const Array result = array("result", {rows, columns});
    fill(left, 1);
    fill(right, 100);
    step.begin({"forward", "layers"});
    ring.multiply_and_scatter({"product", "forward"}, left, {right}, result);
    run();
    for (int device = 0; device < numbers.devices(); ++device) {
        const int first = first_of_group(device);
        for (std::int64_t row = 0; row < rows; ++row) {
            for (std::int64_t column = 0; column < columns; ++column) {
                double expected = 0;
                for (int other = first; other < first + parts(); ++other) {
                    for (std::int64_t k = 0; k < inner; ++k) {
                        expected += at(left, other, (device - first) * rows + row, k) *
                                    at(right, other, k, column);
                    }
                }
                EXPECT_NEAR(at(result, device, row, column), expected, 1e-13);
            }
        }
    }
    EXPECT_EQ(permuted_elements(), (parts() - 1) * rows * columns);
}

TEST_P(RingProduct, MovesWhatItCounts)
{
    const Array part = array("part", {rows, inner});
    const Array right = array("right", {inner, columns});
    step.begin({"forward", "layers"});
    ring.multiply_gathered({"product", "forward"}, part, {right},
                           array("result", {all_rows(), columns}));
    std::int64_t counted = 0;
    for (const CollectiveUse& use : step.collectives()) {
        EXPECT_EQ(use.name(), "forward.layers permute tensor");
        EXPECT_EQ(use.bytes, Bytes(use.elements * 8));
        counted += use.elements;
    }
    const auto in_graph = [](const model::OpGraph& graph) {
        std::int64_t bytes = 0;
        for (const model::Op& op : graph.ops) {
            const auto* const collective = std::get_if<model::Collective>(&op.work);
            bytes += collective == nullptr ? 0 : collective->bytes.count();
        }
        return bytes;
    };
    const model::OpGraph graph = step.take("step");
    EXPECT_EQ(in_graph(graph), 8 * counted);
    HostPool pool(2);
    model::run_effects(graph, numbers.devices(), pool);
    EXPECT_EQ(permuted_elements(), counted);
}

INSTANTIATE_TEST_SUITE_P(Devices, RingProduct, testing::Values(2, 3, 4, 6, 8, 16),
                         [](const auto& one) { return std::to_string(one.param); });

TEST(RingProducts, RefusesOneDeviceAndMatricesThatDoNotFit)
{
    StepBuilder step(DeviceMesh(model::Mesh{{"data", 4}, {"tensor", 1}}));
    EXPECT_THROW(RingProducts(step, "tensor"), std::logic_error);
    RingProducts ring(step, "data");
    const Array part = step.array("part", {3, 4}, DType::f64);
    const Array right = step.array("right", {4, 5}, DType::f64);
    EXPECT_THROW(ring.multiply_gathered({"product", "forward"}, part, {right},
                                        step.array("short", {3, 5}, DType::f64)),
                 std::logic_error);
    EXPECT_THROW(ring.multiply_and_scatter({"product", "forward"}, part, {right},
                                           step.array("result", {1, 5}, DType::f64)),
                 std::logic_error);
    EXPECT_THROW(ring.multiply_over_rows({"product", "forward"}, {part, part}, right),
                 std::logic_error);
}

} // namespace
} // namespace alxsim::spmd
