// SPDX-License-Identifier: Apache-2.0
#include "experiments/infer/infer.h"

#include "experiments/infer/drawn_worlds.h"
#include "experiments/infer/posterior.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

namespace alxsim::experiments {
namespace {

constexpr int few_draws = 600;

Study sparse_study(const Json& cores)
{
    return {{{"study", "sparse"},
             {"numerics", false},
             {"fidelity", "analytic"},
             {"machine", {{"chip", "tpu_v3"}, {"cores", 256}}},
             {"workload", {{"dataset", {{"webgraph", "sparse"}}}, {"alx", {{"dim", 128}}}}},
             {"sweep", {{"/machine/cores", cores}}}},
            "study.json"};
}

Json epoch_at(int cores, double seconds, double tolerance = 0.05)
{
    return {{"name", "on " + std::to_string(cores)},
            {"run", "pod"},
            {"at", {{"machine", {{"cores", cores}}}}},
            {"value", seconds},
            {"tolerance", tolerance}};
}

Statements statements_of(const Json& list, const Study& study)
{
    const std::string path = ::testing::TempDir() + "/statements.json";
    std::ofstream(path) << Json{{"statements", list}};
    return read_statements(path, study);
}

Json infer_few(const Json& list, int jobs = 1, int draws = few_draws)
{
    const Study study = sparse_study({64, 256});
    InferOptions options;
    options.draws = draws;
    options.jobs = jobs;
    return infer(study, statements_of(list, study), options);
}

TEST(Infer, NoStatementLeavesThePriorAsItIs)
{
    const Json result = infer_few(Json::array());
    EXPECT_EQ(result.at("survivors"), few_draws);
    for (const Json& point : result.at("series").at(0).at("points")) {
        EXPECT_EQ(point.at("prior"), point.at("posterior"));
    }
    for (const Json& unknown : result.at("unknowns")) {
        EXPECT_LT(unknown.at("distance"), 0.01) << unknown.at("name");
    }
}

TEST(Infer, TheOrderOfStatementsAndTheThreadsDoNotMatter)
{
    const Json one = epoch_at(64, 2800, 0.2);
    const Json two = epoch_at(256, 2300, 0.2);
    Json first = infer_few({one, two}, 1);
    Json second = infer_few({two, one}, 2);
    EXPECT_GT(first.at("survivors"), 0);
    for (Json* result : {&first, &second}) {
        result->erase("statements"); // listed as they come
    }
    EXPECT_EQ(first, second);
}

TEST(Infer, AFigureNarrowsItsOwnBandAndMovesWhatItDependsOn)
{
    const Json result = infer_few(Json::array({epoch_at(256, 1220, 0.1)}));
    const Json& point = result.at("series").at(0).at("points").at(1);
    const auto width = [&](const char* which) {
        return point.at(which).at("high").get<double>() / point.at(which).at("low").get<double>();
    };
    EXPECT_GT(width("prior"), 3);
    EXPECT_LT(width("posterior"), 1.4);
    EXPECT_EQ(result.at("unknowns").at(0).at("name"), "gather_row_s") << "it moves furthest";
}

TEST(Infer, AContradictionIsAnAnswerThatNamesWhatWouldHaveToLeaveItsRange)
{
    const Json result = infer_few(Json::array({epoch_at(256, 100)}));
    EXPECT_EQ(result.at("survivors"), 0);
    const Json& nowhere = result.at("contradiction").at("hold_nowhere").at(0);
    EXPECT_EQ(nowhere.at("statement"), "on 256");
    EXPECT_GT(nowhere.at("nearest"), 500);
    EXPECT_EQ(nowhere.at("beyond").at(0).at("name"), "gather_row_s");
    EXPECT_EQ(nowhere.at("beyond").at(0).at("end"), "low");
    EXPECT_NE(inferred_in_words(result).find("gather_row_s beyond 8.00e-09"), std::string::npos)
        << inferred_in_words(result);
}

TEST(Infer, StatementsThatExcludeEachOtherAreNamed)
{
    Json slow = epoch_at(256, 4000);
    slow["name"] = "slow";
    const Json result = infer_few({epoch_at(256, 1300), slow});
    const Json& pairs = result.at("contradiction").at("exclude_each_other");
    ASSERT_EQ(pairs.size(), 1U);
    EXPECT_EQ(pairs.at(0), (Json{"on 256", "slow"}));
}

/// Statements made of three points of a drawn world lead back to it.
class InferSynthetic : public ::testing::Test {
protected:
    InferSynthetic() : drawn_(points(), study_.file) {}

    std::vector<DrawnPoint> points() const
    {
        std::vector<DrawnPoint> points;
        for (const int cores : {32, 128, 1024}) {
            Json document = study_.document;
            document.erase("sweep");
            document["machine"]["cores"] = cores;
            points.push_back({document, "pod"});
        }
        return points;
    }

    Json statements_of_truth(const DrawnWorlds::World& truth) const
    {
        Json list = Json::array();
        const std::vector<DrawnPoint> all = points();
        for (std::size_t i = 0; i < all.size(); ++i) {
            const PointFigures figures = drawn_.figures(i, truth);
            if (figures.fits) {
                list.push_back(epoch_at(all[i].study.at("machine").at("cores").get<int>(),
                                        to_seconds(figures.epoch.total).count(), 0.2));
            }
        }
        return list;
    }

    /// Whether the band of a constrained unknown holds the truth.
    bool holds_truth(const Json& unknown, const DrawnWorlds::World& truth) const
    {
        std::size_t column = 0;
        while (drawn_.unknowns()[column].key != unknown.at("name")) {
            ++column;
        }
        const Json& band = unknown.at("posterior");
        const double value = drawn_.unknowns()[column].unknown.at(truth[column]);
        return !band.at("low").is_number() || (value >= band.at("low").get<double>() * 0.9999 &&
                                               value <= band.at("high").get<double>() * 1.0001);
    }

    Study study_ = sparse_study({256});
    DrawnWorlds drawn_;
};

TEST_F(InferSynthetic, TheTruthLiesInTheBandsOfWhatIsConstrained)
{
    int held = 0;
    int constrained = 0;
    for (const DrawnWorlds::World& truth : drawn_.prior(8, 4711)) {
        InferOptions options;
        options.draws = 6000;
        options.jobs = 2;
        options.discrepancy = 0;
        const Json result =
            infer(study_, statements_of(statements_of_truth(truth), study_), options);
        if (result.at("effective").get<double>() < enough_survivors / 2) {
            continue; // the result says how many more draws it needs
        }
        for (const Json& unknown : result.at("unknowns")) {
            if (unknown.at("constrained").get<bool>()) {
                ++constrained;
                held += holds_truth(unknown, truth) ? 1 : 0;
            }
        }
        std::printf("%s of 6000, effective %s\n", result.at("survivors").dump().c_str(),
                    result.at("effective").dump().c_str());
    }
    std::printf("%d of %d bands of 90 %% hold the truth\n", held, constrained);
    EXPECT_GE(constrained, 4);
    EXPECT_GE(held, 0.75 * constrained);
}

TEST(WeightedQuantile, CountsWeights)
{
    EXPECT_EQ(weighted_quantile({1, 2, 3}, {1, 1, 1}, 0.5), 2);
    EXPECT_EQ(weighted_quantile({3, 1, 2}, {8, 1, 1}, 0.5), 3);
    EXPECT_THROW(weighted_quantile({}, {}, 0.5), std::invalid_argument);
}

TEST(DistanceToPrior, IsThatOfKolmogorovAndSmirnov)
{
    EXPECT_NEAR(distance_to_prior({0.125, 0.375, 0.625, 0.875}, {1, 1, 1, 1}), 0.125, 1e-12);
    EXPECT_NEAR(distance_to_prior({0.05, 0.1}, {1, 1}), 0.9, 1e-12) << "all below 0.1";
}

TEST(Survivors, OfUnequalWeightsTellAsMuchAsFewerEqualOnes)
{
    EXPECT_DOUBLE_EQ((Survivors{{0, 1, 2}, {1, 1, 1}}.effective()), 3);
    EXPECT_NEAR((Survivors{{0, 1, 2}, {1, 0.001, 0.001}}.effective()), 1, 0.01);
}

} // namespace
} // namespace alxsim::experiments
