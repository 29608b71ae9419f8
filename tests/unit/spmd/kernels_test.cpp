// SPDX-License-Identifier: Apache-2.0
#include "spmd/kernels/kernels.h"

#include "base/numbers/random.h"
#include "spmd/buffer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

namespace alxsim::spmd {
namespace {

/// What a kernel wrote, bit for bit.
using Bits = std::vector<std::uint8_t>;

template <class Number>
void append(Bits& bits, const Buffer<Number>& numbers)
{
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(numbers.data());
    bits.insert(bits.end(), bytes, bytes + numbers.size() * sizeof(Number));
}

/// Equal to the baseline's on every level that this CPU has.
template <class Run>
void expect_same_bits(const Run& run)
{
    const Bits baseline = run(kernels_of(CpuLevel::baseline));
    for (const CpuLevel level : cpu_levels()) {
        EXPECT_TRUE(run(kernels_of(level)) == baseline) << name_of(level);
    }
}

template <class Real>
Buffer<Real> random_numbers(std::size_t count, std::uint64_t seed, bool bf16 = false)
{
    Buffer<Real> numbers(count);
    for (std::size_t i = 0; i < count; ++i) {
        const auto value = static_cast<float>(normal(seed * 1'000'003 + i));
        numbers[i] = static_cast<Real>(bf16 ? to_float(to_bf16(value)) : value);
    }
    return numbers;
}

/// A symmetric positive definite matrix and a right-hand side, padded with zeros.
template <class Real>
struct System {
    int dim;
    int stride = padded(dim);
    Buffer<Real> matrix = Buffer<Real>(static_cast<std::size_t>(stride) * stride, Real(0));
    Buffer<Real> rhs = Buffer<Real>(static_cast<std::size_t>(stride), Real(0));
    Buffer<Real> solution = Buffer<Real>(static_cast<std::size_t>(stride), Real(7));
    Buffer<Real> scratch = Buffer<Real>(scratch_numbers(stride), Real(0));

    explicit System(int wanted) : dim(wanted)
    {
        const auto n = static_cast<std::size_t>(dim);
        const Buffer<double> rows = random_numbers<double>(2 * n * n, 5);
        for (std::size_t i = 0; i < n; ++i) {
            rhs[i] = static_cast<Real>(normal(99 + i));
            for (std::size_t j = 0; j < n; ++j) {
                double sum = i == j ? 0.1 : 0;
                for (std::size_t k = 0; k < 2 * n; ++k) {
                    sum += rows[k * n + i] * rows[k * n + j];
                }
                matrix[i * static_cast<std::size_t>(stride) + j] = static_cast<Real>(sum);
            }
        }
    }

    LinearSystemOf<Real> view()
    {
        return {dim, stride, matrix.data(), rhs.data(), solution.data()};
    }
};

TEST(Kernels, SumOuterProductsToTheSameBitsOnAllLevels)
{
    for (const int stride : {16, 48, 128}) {
        for (const bool bf16 : {false, true}) {
            const auto numbers = static_cast<std::size_t>(stride * 37);
            const auto left = random_numbers<float>(numbers, 1, bf16);
            const auto right = random_numbers<float>(numbers, 2, bf16);
            expect_same_bits([&](const Kernels& kernels) {
                auto matrix = random_numbers<float>(
                    static_cast<std::size_t>(stride) * static_cast<std::size_t>(stride), 3);
                kernels.add_outer_products(left.data(), right.data(), 37, stride, matrix.data());
                auto other = random_numbers<float>(matrix.size(), 4);
                kernels.add_and_mirror(other.data(), stride, matrix.data()); // hides lower garbage
                Bits bits;
                append(bits, matrix);
                return bits;
            });
        }
    }
}

TEST(Kernels, SplitNumbersIntoBf16PartsThatAddUpToThem)
{
    auto numbers = random_numbers<float>(51, 1);
    numbers[3] = std::numeric_limits<float>::infinity();
    numbers[4] = std::numeric_limits<float>::quiet_NaN();
    numbers[5] = -0.0F;
    numbers[6] = std::numeric_limits<float>::denorm_min();
    numbers[7] = std::numeric_limits<float>::max(); // rounds to infinity
    for (const int parts : {1, 2, 3}) {
        expect_same_bits([&](const Kernels& kernels) {
            FloatBuffer split(numbers.size() * static_cast<std::size_t>(parts));
            kernels.split_into_bf16(numbers.data(), 51, parts, split.data());
            Bits bits;
            append(bits, split);
            return bits;
        });
    }
    FloatBuffer split(3 * numbers.size());
    kernels().split_into_bf16(numbers.data(), 51, 3, split.data());
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        EXPECT_EQ(to_bf16(split[i]), to_bf16(numbers[i])) << numbers[i];
        if (std::isnormal(numbers[i]) && std::abs(numbers[i]) < 1e30F) {
            EXPECT_EQ(split[i] + (split[51 + i] + split[102 + i]), numbers[i]);
        }
    }
}

TEST(Kernels, SetOuterProductsToWhatTheyAddToZeros)
{
    for (const CpuLevel level : cpu_levels()) {
        const Kernels& kernels = kernels_of(level);
        const auto left = random_numbers<float>(48 * 5, 1);
        const auto right = random_numbers<float>(48 * 5, 2);
        FloatBuffer added(48 * 48, 0.0F);
        FloatBuffer set(48 * 48, 7.0F);
        const FloatBuffer zeros(48 * 48, 0.0F);
        kernels.add_outer_products(left.data(), right.data(), 5, 48, added.data());
        kernels.set_outer_products(left.data(), right.data(), 5, 48, set.data());
        kernels.add_and_mirror(zeros.data(), 48, added.data()); // hides lower garbage
        kernels.add_and_mirror(zeros.data(), 48, set.data());
        EXPECT_EQ(set, added) << name_of(level);
    }
}

TEST(Kernels, MirrorTheUpperTriangleOfTheSum)
{
    for (const CpuLevel level : cpu_levels()) {
        auto matrix = random_numbers<float>(48 * 48, 1);
        const auto other = random_numbers<float>(48 * 48, 2);
        const auto before = matrix;
        kernels_of(level).add_and_mirror(other.data(), 48, matrix.data());
        for (std::size_t i = 0; i < 48; ++i) {
            for (std::size_t j = i; j < 48; ++j) {
                const float sum = before[i * 48 + j] + other[i * 48 + j];
                EXPECT_EQ(matrix[i * 48 + j], sum) << name_of(level);
                EXPECT_EQ(matrix[j * 48 + i], sum) << name_of(level);
            }
        }
    }
}

TEST(Kernels, CompleteBlocksOnTheDiagonalAlone)
{
    for (const CpuLevel level : cpu_levels()) {
        const auto before = random_numbers<float>(48 * 48, 1);
        const auto other = random_numbers<float>(48 * 48, 2);
        auto upper = before;
        auto both = before;
        kernels_of(level).add_upper(other.data(), 48, upper.data());
        kernels_of(level).add_and_mirror(other.data(), 48, both.data());
        for (std::size_t i = 0; i < 48; ++i) {
            for (std::size_t j = 0; j < 48; ++j) {
                const std::size_t at = i * 48 + j;
                EXPECT_EQ(upper[at], j / block_edge < i / block_edge ? before[at] : both[at])
                    << name_of(level) << ", row " << i << ", column " << j;
            }
        }
    }
}

/// With numbers below the blocks on the diagonal that would spoil any sum.
TEST(Kernels, FactorTheUpperTriangleAlone)
{
    for (const CpuLevel level : cpu_levels()) {
        for (const int dim : {16, 23, 128}) {
            System<float> whole(dim);
            System<float> upper(dim);
            for (std::int64_t i = 0; i < upper.stride; ++i) {
                std::fill_n(upper.matrix.begin() + i * upper.stride, i / block_edge * block_edge,
                            std::numeric_limits<float>::quiet_NaN());
            }
            for (System<float>* system : {&whole, &upper}) {
                kernels_of(level).f32.cholesky(system->view(), system->scratch.data());
            }
            EXPECT_EQ(upper.solution, whole.solution) << name_of(level) << ", dim " << dim;
        }
    }
}

TEST(Kernels, SumOuterProductsInF64ToTheSameBitsOnAllLevels)
{
    for (const double scale : {1.0, 1.0 / 3}) { // f32 numbers, and others
        auto rows = random_numbers<double>(48 * 37, 1);
        for (double& number : rows) {
            number *= scale;
        }
        expect_same_bits([&](const Kernels& kernels) {
            Buffer<double> matrix(48 * 48, 0.5);
            kernels.add_outer_products_f64(rows.data(), 37, 48, matrix.data());
            for (std::size_t i = 0; i < 48; ++i) {
                std::fill_n(matrix.begin() + static_cast<std::ptrdiff_t>(i * 48), i, 0.0);
            }
            Bits bits;
            append(bits, matrix);
            return bits;
        });
    }
}

TEST(Kernels, SolveToTheSameBitsOnAllLevels)
{
    const auto solve = [](auto real, int dim) {
        using Real = decltype(real);
        expect_same_bits([&](const Kernels& kernels) {
            const auto& solvers = [&]() -> const SolverKernels<Real>& {
                if constexpr (std::is_same_v<Real, float>) {
                    return kernels.f32;
                } else {
                    return kernels.f64;
                }
            }();
            Bits bits;
            for (const auto direct : {solvers.cholesky, solvers.lu, solvers.qr}) {
                System<Real> system(dim);
                direct(system.view(), system.scratch.data());
                append(bits, system.solution);
            }
            System<Real> system(dim);
            const std::int64_t iterations = solvers.conjugate_gradients(
                system.view(), static_cast<Real>(1e-5), 10 * dim, system.scratch.data());
            append(bits, system.solution);
            bits.push_back(static_cast<std::uint8_t>(iterations));
            return bits;
        });
    };
    for (const int dim : {1, 7, 8, 9, 16, 23, 64, 128, 131}) {
        solve(0.0F, dim);
        solve(0.0, dim);
    }
}

TEST(Kernels, ConjugateGradientsOfTwoGiveTheBitsOfEach)
{
    for (const CpuLevel level : cpu_levels()) {
        for (const int dim : {1, 9, 23, 64, 131}) {
            const auto& solvers = kernels_of(level).f32;
            std::array<System<float>, 2> alone{System<float>(dim), System<float>(dim)};
            std::fill(alone[1].rhs.begin() + 1, alone[1].rhs.end(), 0.0F);
            std::array<System<float>, 2> together = alone;
            for (const std::int64_t limit : {0, 3, 10 * dim}) {
                std::array<std::int64_t, 2> expected{};
                for (const std::size_t i : {0, 1}) {
                    expected[i] = solvers.conjugate_gradients(alone[i].view(), 1e-4F, limit,
                                                              alone[i].scratch.data());
                }
                for (const std::size_t first : {0, 1}) { // whichever is done first
                    const std::array<LinearSystem, 2> both{together[first].view(),
                                                           together[1 - first].view()};
                    std::array<std::int64_t, 2> iterations{-1, -1};
                    solvers.conjugate_gradients_of_two(
                        both.data(), 1e-4F, limit, together[0].scratch.data(), iterations.data());
                    EXPECT_EQ(iterations[first], expected[0]) << name_of(level) << ", dim " << dim;
                    EXPECT_EQ(iterations[1 - first], expected[1]) << name_of(level);
                    EXPECT_EQ(together[0].solution, alone[0].solution) << name_of(level);
                    EXPECT_EQ(together[1].solution, alone[1].solution) << name_of(level);
                }
            }
        }
    }
}

TEST(Kernels, ScoreToTheSameBitsOnAllLevels)
{
    constexpr std::size_t dim = 33;
    constexpr std::size_t rows = 31;
    constexpr std::size_t queries = 64;
    for (const bool bf16 : {false, true}) {
        const auto table = random_numbers<float>(rows * dim, 1, bf16);
        const auto of_queries = random_numbers<float>(queries * dim, 2, bf16);
        expect_same_bits([&](const Kernels& kernels) {
            const auto width = static_cast<std::size_t>(kernels.panel_width);
            Buffer<float> scores(rows * queries);
            for (std::size_t first = 0; first < queries; first += width) {
                Buffer<float> panel(dim * width);
                for (std::size_t i = 0; i < panel.size(); ++i) {
                    panel[i] = of_queries[(first + i % width) * dim + i / width];
                }
                Buffer<float> found(rows * width);
                kernels.score_rows(table.data(), rows, panel.data(), dim, bf16, found.data());
                for (std::size_t i = 0; i < found.size(); ++i) {
                    scores[i / width * queries + first + i % width] = found[i];
                }
            }
            Bits bits;
            append(bits, scores);
            return bits;
        });
    }
}

TEST(Kernels, FindWhatIsGreaterThanTheBoundOfItsQuery)
{
    constexpr std::size_t rows = 9;
    constexpr float infinity = std::numeric_limits<float>::infinity();
    for (const CpuLevel level : cpu_levels()) {
        const Kernels& kernels = kernels_of(level);
        const auto width = static_cast<std::size_t>(kernels.panel_width);
        auto scores = random_numbers<float>(rows * width, 3);
        auto bounds = random_numbers<float>(width, 4);
        bounds[0] = -infinity;
        bounds[width - 1] = infinity;
        scores[0] = -infinity;
        scores[1] = std::numeric_limits<float>::quiet_NaN();
        scores[2] = bounds[2];
        std::vector<std::int32_t> expected;
        for (std::size_t i = 0; i < scores.size(); ++i) {
            if (scores[i] > bounds[i % width]) {
                expected.push_back(static_cast<std::int32_t>(i));
            }
        }
        std::vector<std::int32_t> places(scores.size());
        places.resize(static_cast<std::size_t>(
            kernels.find_above(scores.data(), rows, bounds.data(), places.data())));
        EXPECT_EQ(places, expected) << name_of(level);
    }
}

/// a b + c as a sum of two outer products, the first of which is 1 c.
float fused_on(const Kernels& kernels, float a, float b, float c)
{
    Buffer<float> left(2 * 16, 0.0F);
    Buffer<float> right(2 * 16, 0.0F);
    Buffer<float> matrix(16 * 16, 0.0F);
    left[0] = 1;
    right[0] = c;
    left[16] = a;
    right[16] = b;
    kernels.add_outer_products(left.data(), right.data(), 2, 16, matrix.data());
    return matrix[0];
}

/// Where the product and the sum need more bits than one or the other rounding keeps, subnormal
/// and huge results among them.
TEST(Kernels, FuseAProductWithItsSumAsTheStandardSaysOnEveryLevel)
{
    std::mt19937_64 bits(7);
    const auto number = [&](int spread) {
        const auto mantissa = static_cast<float>(bits() >> 40 | 1U << 23);
        const int exponent = static_cast<int>(bits() % static_cast<unsigned>(2 * spread)) - spread;
        return std::ldexp(bits() & 1 ? mantissa : -mantissa, exponent - 23);
    };
    for (int i = 0; i < 300'000; ++i) {
        const int spread = i % 3 == 0 ? 3 : i % 3 == 1 ? 30 : 74;
        const float a = number(spread);
        const float b = number(spread);
        // Often close to minus the product, so that much cancels.
        const float c = i % 2 == 0 ? number(2 * spread) : std::nextafter(-a * b, number(1));
        const float expected = std::fma(a, b, c);
        for (const CpuLevel level : cpu_levels()) {
            const float fused = fused_on(kernels_of(level), a, b, c);
            ASSERT_EQ(std::memcmp(&fused, &expected, sizeof fused), 0)
                << a << " * " << b << " + " << c << " on " << name_of(level) << ": found " << fused
                << ", not " << expected;
        }
    }
}

TEST(Kernels, KnowBf16NumbersWhoseProductsF32Holds)
{
    const float tiny = std::ldexp(1.0F, -64);
    const float infinite = std::numeric_limits<float>::infinity();
    for (const CpuLevel level : cpu_levels()) {
        const Kernels& kernels = kernels_of(level);
        for (const float right : {0.0F, -0.0F, 1.0F, -0.5F, 2 * tiny, 1.0F + 1.0F / 128}) {
            EXPECT_TRUE(kernels.are_bf16(&right, 1)) << right;
        }
        for (const float wrong : {tiny, infinite, std::nanf(""), 1.0F + 1.0F / 256, 1e30F}) {
            EXPECT_FALSE(kernels.are_bf16(&wrong, 1)) << wrong;
        }
    }
}

} // namespace
} // namespace alxsim::spmd
