// SPDX-License-Identifier: Apache-2.0
#include "base/input_error.h"
#include "tests/temporary_folder.h"
#include "tests/unit/model/building.h"
#include "workloads/tensor_network/integration/integration.h"
#include "workloads/tensor_network/kind.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace alxsim::tensor_network {
namespace {

/// A study with an integration, and what schemas add to it.
Json integration(const Json& fields)
{
    Json all = {
        {"step", "integrate"}, {"eigenvectors", "products"}, {"eigen_products", 30}, {"levels", 1},
        {"passes", 6},         {"iterations", 400},          {"stream", 100}};
    all.merge_patch(fields);
    return {{"workload", {{"tensor_network", all}}}};
}

std::unique_ptr<workloads::Workload> integrating(const Json& fields, int devices)
{
    return tensor_network_kind().make(integration(fields), "study.json",
                                      model::machine_of("tpu_v5e", devices));
}

Json found_by(const Json& fields, int devices = 1)
{
    const auto workload = integrating(fields, devices);
    const auto run = workload->start({});
    while (run->next()) {
    }
    return run->results();
}

Json cases()
{
    return load_json(ALXSIM_SOURCE_DIR "/tests/golden/data/workloads/coordinates.json");
}

/// Ranks within 1, errors within a factor of 2.
void expect_alike(const Json& found, const Json& expected)
{
    EXPECT_NEAR(found.at("t").get<double>(), expected.at("t").get<double>(), 1e-9);
    for (const char* ranks : {"ranks_1e_6", "ranks_1e_3"}) {
        ASSERT_EQ(found.at(ranks).size(), expected.at(ranks).size());
        for (std::size_t k = 0; k < found.at(ranks).size(); ++k) {
            EXPECT_NEAR(found.at(ranks).at(k).get<double>(), expected.at(ranks).at(k).get<double>(),
                        1)
                << ranks;
        }
    }
    const double error = found.at("error");
    const double of_reference = expected.at("error");
    EXPECT_LE(error, 2 * of_reference + 1e-14);
    EXPECT_GE(error, of_reference / 2);
}

/// The same coordinates, and the same normal components but for what rounding leaves of small ones.
void expect_same_coordinates(const Json& found, const Json& expected)
{
    for (std::size_t i = 0; i < expected.at("gamma").size(); ++i) {
        for (std::size_t j = 0; j < expected.at("gamma").size(); ++j) {
            EXPECT_NEAR(found.at("gamma").at(i).at(j).get<double>(),
                        expected.at("gamma").at(i).at(j).get<double>(), 1e-6);
        }
    }
    const double before = expected.at("normal").at(0);
    EXPECT_NEAR(found.at("normal").at(0).get<double>(), before, 1e-5 * before);
    EXPECT_NEAR(found.at("normal").at(1).get<double>(), expected.at("normal").at(1).get<double>(),
                1e-3 * expected.at("normal").at(1).get<double>() + 5e-7);
}

void expect_reduced(const Json& reports)
{
    for (const Json& report : reports) {
        EXPECT_GT(report.at("normal").at(0).get<double>(),
                  1e4 * report.at("normal").at(1).get<double>());
    }
}

Json reports_of(const std::string& problem, const std::string& mode, const Json& expected)
{
    Json fields = {{"problem", problem}, {"mode", mode}, {"reports", expected.at(mode).size() - 1}};
    Json reports = found_by(fields).at("reports");
    EXPECT_EQ(reports.size(), expected.at(mode).size());
    for (std::size_t i = 0; i < reports.size(); ++i) {
        SCOPED_TRACE(problem + " " + mode + " " + std::to_string(i));
        expect_alike(reports.at(i), expected.at(mode).at(i));
    }
    return reports;
}

TEST(Coordinates, OfARotationAreTheReferences)
{
    const Json expected = cases().at("liouville 2d, rotation").at("modes");
    const Json fixed = reports_of("rotation_2d", "fixed", expected);
    EXPECT_TRUE(fixed.back().at("normal").is_null());
    for (const std::string mode : {"full", "rotation"}) {
        const Json reports = reports_of("rotation_2d", mode, expected);
        expect_reduced(reports);
        for (std::size_t i = 0; i < reports.size(); ++i) {
            SCOPED_TRACE(mode + " " + std::to_string(i));
            expect_same_coordinates(reports.at(i), expected.at(mode).at(i));
        }
    }
}

TEST(Coordinates, OfCorrelatedNoiseAreTheReferences)
{
    const Json expected = cases().at("fokker-planck 2d, ornstein-uhlenbeck").at("modes");
    reports_of("ornstein_uhlenbeck", "fixed", expected);
    const Json full = reports_of("ornstein_uhlenbeck", "full", expected);
    expect_reduced(full);
    for (std::size_t i = 0; i < full.size(); ++i) {
        expect_same_coordinates(full.at(i), expected.at("full").at(i));
    }
}

/// An isotropic Gaussian shows no rotation a direction, and noise then turns it too late.
TEST(Coordinates, ThatOnlyRotateAreTheWrongChoiceForCorrelatedNoise)
{
    const Json expected = cases().at("fokker-planck 2d, ornstein-uhlenbeck").at("modes");
    const Json reports = reports_of("ornstein_uhlenbeck", "rotation", expected);
    for (std::size_t i = 1; i < reports.size(); ++i) {
        const double before = reports.at(i).at("normal").at(0);
        const double after = reports.at(i).at("normal").at(1);
        EXPECT_NEAR(before / after, 11, 2);
    }
}

/// By its matrices, as by its name.
TEST(Coordinates, OfAGivenProblemAreThoseOfTheNamedOne)
{
    const Json expected = cases().at("fokker-planck 2d, ornstein-uhlenbeck");
    const Json more = {{"T", 0.05}, {"dt", expected.at("dt")}, {"n", 32}, {"L", expected.at("L")}};
    Json given = {{"drift", expected.at("A")},
                  {"diffusion", expected.at("D")},
                  {"covariance", expected.at("S0")}};
    Json named = {{"problem", "ornstein_uhlenbeck"}};
    given.merge_patch(more);
    named.merge_patch(more);
    EXPECT_EQ(found_by(given), found_by(named));
}

/// A Gaussian that is turned in the beginning: its train is cut from all points. Free coordinates
/// move with what leaves the tangent space, and that is not smooth in time.
TEST(Coordinates, FollowAGaussianThatIsNotAlongTheAxes)
{
    for (const auto& [mode, most] : {std::pair{"fixed", 1e-7}, std::pair{"full", 1e-5}}) {
        const Json reports = found_by({{"problem", "rotation_2d"},
                                       {"mode", mode},
                                       {"covariance", {{0.35, 0.2}, {0.2, 0.35}}},
                                       {"center", {0.5, -0.25}},
                                       {"n", 48},
                                       {"T", 0.25},
                                       {"reports", 2}})
                                 .at("reports");
        EXPECT_GT(reports.at(0).at("ranks_1e_6").at(0).get<int>(), 5);
        for (const Json& report : reports) {
            EXPECT_LT(report.at("error").get<double>(), most) << mode;
        }
    }
}

/// Liouville's equation of three coordinates.
TEST(Coordinates, OfARotationAboutADiagonalKeepRankOne)
{
    const Json fields = {{"problem", "rotation_3d"}, {"T", 0.2}, {"reports", 2}};
    const Json reports = found_by(fields).at("reports");
    expect_reduced(reports);
    for (const Json& report : reports) {
        EXPECT_EQ(report.at("ranks_1e_6"), Json({1, 1}));
        EXPECT_LT(report.at("error").get<double>(), 1e-6);
    }
    const Json fixed = found_by({{"problem", "rotation_3d"}, {"T", 0.2}, {"mode", "fixed"}});
    EXPECT_GT(fixed.at("largest_rank_1e_6").get<int>(), 3);
}

const Json short_run = {{"problem", "rotation_2d"}, {"n", 32}, {"T", 0.1}, {"dt", 0.025}};

Json with(Json fields, const Json& more)
{
    fields.merge_patch(more);
    return fields;
}

/// What makes every motion infinitely dear: C is 0, and all that follows from it has the same bits.
TEST(Coordinates, ThatDoNotMoveHaveTheBitsOfFixedOnes)
{
    for (const Json& more :
         {Json::object(), Json{{"problem", "pendulum"}}, Json{{"problem", "ornstein_uhlenbeck"}}}) {
        std::vector<std::vector<double>> states;
        for (const std::string mode : {"fixed", "full", "rotation"}) {
            IntegrationRequest request = integration_request_of(
                integration(with(with(short_run, more), {{"mode", mode}})), "study.json");
            request.method.adaptation.lambda = std::numeric_limits<double>::infinity();
            Integration run(request, 1);
            HostPool pool(1);
            for (int step = 0; step < request.steps; ++step) {
                run.advance(pool, nullptr);
            }
            states.push_back(run.state());
        }
        EXPECT_EQ(states[0], states[1]);
        EXPECT_EQ(states[0], states[2]);
    }
}

/// Devices make the QRs of their own rows and then those of their Rs: other sums of the same
/// numbers, a few rounding errors of 1e-16 in each of some hundred decompositions.
TEST(Coordinates, OnSeveralDevicesDifferByRounding)
{
    for (const Json& more : {Json{{"mode", "fixed"}}, Json{{"mode", "full"}},
                             Json{{"problem", "rotation_3d"}, {"n", 16}, {"T", 0.05}}}) {
        const Json one = found_by(with(short_run, more));
        for (const int devices : {4, 16}) {
            const Json several = found_by(with(short_run, more), devices);
            ASSERT_EQ(several.at("reports").size(), one.at("reports").size());
            EXPECT_EQ(several.at("ranks"), one.at("ranks"));
            for (std::size_t i = 0; i < one.at("reports").size(); ++i) {
                const Json& a = one.at("reports").at(i);
                const Json& b = several.at("reports").at(i);
                EXPECT_EQ(a.at("ranks_1e_6"), b.at("ranks_1e_6"));
                EXPECT_EQ(a.at("ranks_1e_3"), b.at("ranks_1e_3"));
                EXPECT_NEAR(a.at("error").get<double>(), b.at("error").get<double>(), 1e-11);
                EXPECT_NEAR(a.at("gamma").at(0).at(1).get<double>(),
                            b.at("gamma").at(0).at(1).get<double>(), 1e-10);
            }
        }
    }
}

TEST(Coordinates, GoOnFromACheckpointAsIfTheyHadNeverStopped)
{
    const TemporaryFolder folder;
    const auto workload = integrating(short_run, 4);
    const auto results = [&](workloads::RunOptions options, int steps) {
        options.checkpoint = folder.path("checkpoint");
        const auto run = workload->start(options);
        for (int step = 0; step < steps && run->next(); ++step) {
        }
        return run->results();
    };
    workloads::RunOptions options;
    results(options, 2);
    options.resume = true;
    const Json resumed = results(options, 100);
    EXPECT_EQ(resumed, found_by(short_run, 4));
}

/// What moves is the same with numbers and without.
TEST(Coordinates, TimedAloneMoveAsMuchAsWithNumbers)
{
    const auto workload = integrating(with(short_run, {{"T", 0.025}}), 4);
    const auto run = workload->start({});
    while (run->next()) {
    }
    EXPECT_FALSE(run->counters().empty());
    EXPECT_EQ(run->counters(), workload->describe().counters);
    const auto alone = integrating({{"problem", "rotation_3d"}, {"n", 4096}, {"ranks", 8}}, 4);
    EXPECT_EQ(alone->start({}), nullptr);
    EXPECT_FALSE(alone->program().front().step.graph->ops.empty());
}

std::string refusal_of(const Json& fields)
{
    try {
        integration_request_of(integration(fields), "study.json");
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

TEST(Coordinates, RefuseWhatIsNoProblem)
{
    const auto expect = [](const Json& fields, const std::string& place, const std::string& found) {
        const std::string refusal = refusal_of(fields);
        EXPECT_NE(refusal.find("/workload/tensor_network" + place), std::string::npos) << refusal;
        EXPECT_NE(refusal.find(found), std::string::npos) << refusal;
    };
    const Json drift = {{0, -1}, {1, 0}};
    expect(Json::object(), "", "found no problem");
    expect({{"problem", "pendulum"}, {"drift", drift}}, "/drift", "found beside problem");
    expect({{"drift", {{0, 1}, {1}}}}, "/drift", "found a row of 1 numbers");
    expect({{"drift", drift}, {"diffusion", {{1, 2}, {3, 1}}}}, "/diffusion", "not symmetric");
    expect({{"drift", drift}, {"covariance", {{1, 2}, {2, 1}}}}, "/covariance", "no Gaussian");
    expect({{"drift", drift}, {"widths", {1, 2, 3}}}, "/widths", "found a list of 3");
    expect({{"problem", "rotation_2d"}, {"dt", 0.4}}, "/dt", "found a step of 0.4");
    expect({{"problem", "rotation_2d"}, {"sizes", 4}}, "/sizes", "found for step integrate");
    expect({{"problem", "rotation_2d"}, {"coarse_ranks", 4}}, "/coarse_ranks", "without ranks");
    expect({{"problem", "rotation_2d"}, {"n", 8}, {"ranks", 9}}, "/ranks", "found 9");
    EXPECT_EQ(refusal_of({{"problem", "rotation_2d"}, {"n", 8}, {"ranks", 8}}), "");
}

TEST(Coordinates, OfAPendulumKeepRanksLower)
{
    const Json fields = {{"problem", "pendulum"}, {"n", 48}, {"T", 1.0}, {"dt", 0.02}};
    const Json fixed = found_by(with(fields, {{"mode", "fixed"}})).at("reports").back();
    const Json full = found_by(with(fields, {{"mode", "full"}})).at("reports").back();
    EXPECT_LT(full.at("ranks_1e_6").at(0), fixed.at("ranks_1e_6").at(0));
    EXPECT_LT(full.at("ranks_1e_3").at(0), fixed.at("ranks_1e_3").at(0));
    EXPECT_LT(fixed.at("error").get<double>(), 1e-5);
    EXPECT_LT(full.at("error").get<double>(), 1e-4);
}

} // namespace
} // namespace alxsim::tensor_network
