// SPDX-License-Identifier: Apache-2.0
#include "spmd/decomposition_ops.h"

#include "spmd/linear/random.h"
#include "spmd/linear/svd.h"
#include "spmd/linear/tall_qr.h"

#include <gtest/gtest.h>

#include <cmath>

namespace alxsim::spmd {
namespace {

constexpr std::int64_t rows = 320;
constexpr std::int64_t columns = 12;

std::vector<double> matrix()
{
    std::vector<double> numbers;
    for (std::int64_t i = 0; i < rows * columns; ++i) {
        numbers.push_back(random_normal(901, i));
    }
    return numbers;
}

/// A step on a mesh, with its numbers, run once.
struct OnMesh {
    explicit OnMesh(model::Mesh mesh)
        : numbers(DeviceMesh(mesh).devices(), true),
          step(DeviceMesh(std::move(mesh)), &numbers, &moved),
          a(step.array("a", {rows / step.mesh().devices(), columns}, model::DType::f32))
    {
        for (const model::MeshAxis& axis : step.mesh().mesh()->axes) {
            axes.emplace_back(axis.name);
        }
    }
    void run()
    {
        HostPool pool(2);
        numbers.deal(a, matrix(), {1, rows, columns}, model::DType::f32);
        model::run_effects(step.take("decompose"), numbers.devices(), pool);
    }
    /// Puts an array together that is dealt by rows.
    std::vector<double> whole(Array array) const
    {
        std::vector<double> all;
        for (int device = 0; device < numbers.devices(); ++device) {
            const std::vector<double> part = numbers.read(array, device);
            all.insert(all.end(), part.begin(), part.end());
        }
        return all;
    }
    void expect_same_on_all(Array array) const
    {
        for (int device = 1; device < numbers.devices(); ++device) {
            EXPECT_EQ(numbers.read(array, device), numbers.read(array, 0)) << "device " << device;
        }
    }

    Numbers numbers;
    MovedCounts moved;
    StepBuilder step;
    Array a;
    std::vector<std::string> axes;
};

void expect_near(const std::vector<double>& found, const std::vector<double>& expected,
                 double tolerance)
{
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
        EXPECT_NEAR(found[i], expected[i], tolerance) << i;
    }
}

class ShardedDecompositions : public testing::TestWithParam<model::Mesh> {};

TEST_P(ShardedDecompositions, OfQrAgreeToRounding)
{
    OnMesh on(GetParam());
    const TallQr qr = add_tall_qr(on.step, "qr", on.a, on.axes);
    on.run();
    std::vector<double> q(rows * columns);
    std::vector<double> r(columns * columns);
    tall_qr(matrix().data(), rows, columns, q.data(), r.data());
    expect_near(on.whole(qr.q), q, 1e-13);
    expect_near(on.numbers.read(qr.r, 0), r, 1e-12);
    on.expect_same_on_all(qr.r);
}

TEST_P(ShardedDecompositions, OfSingularValuesAgreeToRounding)
{
    OnMesh on(GetParam());
    const TallSvd all = add_tall_svd(on.step, "svd", on.a, on.axes);
    on.run();
    std::vector<double> u(rows * columns);
    std::vector<double> s(columns);
    std::vector<double> vt(columns * columns);
    svd(matrix().data(), rows, columns, u.data(), s.data(), vt.data());
    expect_near(on.whole(all.u), u, 1e-12);
    expect_near(on.numbers.read(all.s, 0), s, 1e-12);
    expect_near(on.numbers.read(all.vt, 0), vt, 1e-12);
    on.expect_same_on_all(all.s);
    on.expect_same_on_all(all.vt);
}

TEST_P(ShardedDecompositions, OfAGramianAreTheSameBits)
{
    OnMesh one(model::Mesh{{"rows", 1}});
    OnMesh on(GetParam());
    std::vector<std::vector<double>> found;
    for (OnMesh* mesh : {&one, &on}) {
        const Array gramian = add_gramian(mesh->step, "gramian", mesh->a, mesh->axes);
        const EigenPairs all = add_eigen(mesh->step, "eigen", gramian, {});
        mesh->run();
        found.push_back(mesh->numbers.read(all.values, 0));
        found.push_back(mesh->numbers.read(all.vectors, 0));
        mesh->expect_same_on_all(all.vectors);
    }
    EXPECT_EQ(found[0], found[2]);
    EXPECT_EQ(found[1], found[3]);
}

INSTANTIATE_TEST_SUITE_P(Meshes, ShardedDecompositions,
                         testing::Values(model::Mesh{{"rows", 1}}, model::Mesh{{"rows", 4}},
                                         model::Mesh{{"rows", 16}},
                                         model::Mesh{{"slow", 4}, {"fast", 4}}));

TEST(ShardedDecompositions, MoveOneTriangleADeviceAndLevel)
{
    OnMesh on(model::Mesh{{"slow", 2}, {"fast", 8}});
    add_tall_qr(on.step, "qr", on.a, on.axes);
    ASSERT_EQ(on.step.collectives().size(), 2U);
    EXPECT_EQ(on.step.collectives()[0].elements, 2 * columns * columns);
    EXPECT_EQ(on.step.collectives()[1].elements, 8 * columns * columns);
}

/// 10 rows of 12 columns on each device: the R of a part has rows of zeros.
TEST(ShardedDecompositions, OfFewerRowsADeviceThanColumnsAgreeToRounding)
{
    OnMesh on(model::Mesh{{"slow", 2}, {"fast", 16}});
    const TallQr qr = add_tall_qr(on.step, "qr", on.a, on.axes);
    on.run();
    std::vector<double> q(rows * columns);
    std::vector<double> r(columns * columns);
    tall_qr(matrix().data(), rows, columns, q.data(), r.data());
    expect_near(on.whole(qr.q), q, 1e-13);
    expect_near(on.numbers.read(qr.r, 0), r, 1e-12);
}

} // namespace
} // namespace alxsim::spmd
