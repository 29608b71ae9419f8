// SPDX-License-Identifier: Apache-2.0
#include "spmd/linear/svd.h"
#include "tests/unit/tensor_network/jobs.h"

#include <gtest/gtest.h>

#include <cmath>

namespace alxsim::tensor_network {
namespace {

/// The file of a golden case's tensor.
std::string tensor_of(const TemporaryFolder& folder, const std::string& name)
{
    return name.rfind("hilbert", 0) == 0 ? write_hilbert(folder, 8, 4) : write_sine(folder, 6, 5);
}

/// Errors of 1e-15 are rounding; others are the references' to a part in a million.
void expect_error(const Json& found, const Json& expected)
{
    EXPECT_NEAR(found.get<double>(), expected.get<double>(),
                std::max(1e-6 * expected.get<double>(), 2e-14));
}

TEST(TensorTrain, OfATensorIsTheReferences)
{
    const TemporaryFolder folder;
    const Json cases = golden().at("tt_svd");
    ASSERT_GT(cases.size(), 1U);
    for (const Json& expected : cases) {
        const std::string tensor = tensor_of(folder, expected.at("tensor"));
        for (const std::string method : {"svd", "gramians"}) {
            for (const int devices : {1, 4, 16}) {
                const Json found = results_of({{"step", "svd"},
                                               {"tensor", tensor},
                                               {"tolerance", expected.at("eps")},
                                               {"method", method}},
                                              devices);
                EXPECT_EQ(found.at("ranks"), expected.at("ranks")) << method << devices;
                EXPECT_EQ(found.at("numbers"), expected.at("numel"));
                EXPECT_EQ(found.at("tensor_numbers"), expected.at("full"));
                expect_error(found.at("error"), expected.at("error"));
            }
        }
    }
}

/// Singular values of a tensor's unfolding by leg k, by one SVD. Legs are alike.
std::vector<double> unfolding_values(const std::vector<double>& tensor, std::int64_t size)
{
    const std::int64_t columns = static_cast<std::int64_t>(tensor.size()) / size;
    std::vector<double> u(static_cast<std::size_t>(size * size)), s(static_cast<std::size_t>(size)),
        vt(tensor.size());
    spmd::svd(tensor.data(), size, columns, u.data(), s.data(), vt.data());
    return s;
}

TEST(Tucker, OfATensorIsTheReferences)
{
    const TemporaryFolder folder;
    const Json cases = golden().at("tucker");
    ASSERT_GT(cases.size(), 1U);
    for (const Json& expected : cases) {
        const std::string name = expected.at("tensor");
        const std::string tensor = tensor_of(folder, name);
        for (const int devices : {1, 4, 16}) {
            const Json found = results_of(
                {{"step", "tucker"}, {"tensor", tensor}, {"tolerance", expected.at("eps")}},
                devices);
            EXPECT_EQ(found.at("tucker_ranks"), expected.at("tucker_ranks")) << devices;
            EXPECT_EQ(found.at("core_ranks"), expected.at("core_tt_ranks"));
            EXPECT_EQ(found.at("numbers"), expected.at("numel"));
            EXPECT_LT(found.at("orthogonality").get<double>(), 1e-13);
            expect_error(found.at("error"), expected.at("error"));
        }
    }
}

/// The centre's singular values are those of the tensor's unfolding by its leg.
TEST(Tucker, HasTheSingularValuesOfTheFirstUnfolding)
{
    const TemporaryFolder folder;
    const std::vector<std::int64_t> sizes{6, 6, 6, 6};
    const HostTrain train = random_train(300, sizes, {1, 5, 7, 4, 1});
    const Json found = results_of(
        {{"step", "tucker"}, {"cores", write_cores(folder, "c", train)}, {"tolerance", 1e-12}}, 4);
    const std::vector<double> exact = unfolding_values(full_tensor(train), 6);
    const Json& values = found.at("mode_singular_values").at(0);
    ASSERT_GE(values.size(), 5U);
    for (std::size_t i = 0; i < values.size() && i < exact.size(); ++i) {
        EXPECT_NEAR(values.at(i).get<double>(), exact[i], 1e-12 * exact.front());
    }
}

TEST(Rounding, OfSumsIsTheReferences)
{
    const TemporaryFolder folder;
    const std::vector<std::int64_t> sizes{5, 5, 5, 5};
    const HostTrain a = random_train(100, sizes, {1, 3, 4, 3, 1});
    const HostTrain b = random_train(110, sizes, {1, 2, 2, 2, 1});
    const std::vector<std::vector<std::string>> cases{
        write_cores(folder, "a", sum(a, 1, a)),
        write_cores(folder, "b", sum(a, 1e-6 * norm(a) / norm(b), b))};
    const std::vector<double> tolerances{1e-12, 1e-5};
    const Json expected = golden().at("rounding");
    for (std::size_t i = 0; i < cases.size(); ++i) {
        for (const std::string method : {"svd", "gramians"}) {
            for (const int devices : {1, 4, 16}) {
                const Json found = results_of({{"step", "round"},
                                               {"cores", cases[i]},
                                               {"tolerance", tolerances[i]},
                                               {"method", method}},
                                              devices);
                EXPECT_EQ(found.at("ranks"), expected.at(i).at("after")) << method << devices;
                expect_error(found.at("error"), expected.at(i).at("error"));
            }
        }
    }
}

/// Iterations of starts that converge are the references', too: the same method.
TEST(Mera, OfATensorThatIsOneIsFound)
{
    const TemporaryFolder folder;
    const Json cases = golden().at("mera");
    ASSERT_GT(cases.size(), 1U);
    for (const Json& expected : cases) {
        const std::int64_t size = expected.at("n");
        const std::size_t legs = expected.at("N");
        const std::vector<std::int64_t> ranks = expected.at("rho");
        const std::string tensor = write_tensor(
            folder, "mera", std::vector<std::int64_t>(legs, size), mera_tensor(size, legs, ranks));
        const Json found = results_of(
            {{"step", "mera"}, {"tensor", tensor}, {"mera_ranks", ranks}, {"tolerance", 1e-10}});
        const Json& reference = expected.at("meracle");
        EXPECT_EQ(found.at("ranks"), expected.at("tt_ranks"));
        EXPECT_EQ(found.at("mera_ranks"), reference.at("isometry_ranks"));
        EXPECT_EQ(found.at("numbers"), expected.at("mera_numel"));
        EXPECT_LT(found.at("error").get<double>(), 1e-10);
        EXPECT_LT(found.at("orthogonality").get<double>(), 1e-11);
        const Json& first = reference.at("layers").at(0).at(0);
        const Json& search = found.at("starts").at(0);
        EXPECT_EQ(search.at("bond"), first.at("bond"));
        EXPECT_EQ(search.at("before"), first.at("before"));
        EXPECT_NEAR(search.at("iterations").back().get<double>(),
                    first.at("iterations").get<double>(), 3);
    }
}

} // namespace
} // namespace alxsim::tensor_network
