// SPDX-License-Identifier: Apache-2.0
#include "experiments/answers/infer/infer.h"

#include "base/input_error.h"
#include "experiments/answers/infer/drawn_worlds.h"
#include "experiments/answers/infer/posterior.h"
#include "experiments/answers/infer/sequential.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>

namespace alxsim::experiments {
namespace {

constexpr int few_draws = 600;

Study sparse_study(const Json& cores)
{
    return study_of({{"study", "sparse"},
                     {"numerics", false},
                     {"fidelity", "analytic"},
                     {"machine", {{"chip", "tpu_v3"}, {"cores", 256}}},
                     {"workload", {{"dataset", {{"webgraph", "sparse"}}}, {"alx", {{"dim", 128}}}}},
                     {"sweep", {{"/machine/cores", cores}}}},
                    "study.json");
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
    const TemporaryFolder folder;
    return read_statements(folder.write("statements.json", Json{{"statements", list}}.dump()),
                           single_point(study));
}

Json infer_few(const Json& list, int jobs = 1, int draws = few_draws)
{
    const Study study = sparse_study({64, 256});
    InferOptions options;
    options.draws = draws;
    options.jobs = jobs;
    return json_of(infer(study, statements_of(list, study), options));
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
        return point.at(which).at("p95").get<double>() / point.at(which).at("p05").get<double>();
    };
    EXPECT_GT(width("prior"), 3);
    EXPECT_LT(width("posterior"), 1.4);
    const std::string first = result.at("unknowns").at(0).at("name").get<std::string>();
    EXPECT_EQ(first.rfind("share of lines used", 0), 0u) << first << " moves furthest";
}

TEST(Infer, SaysHowFarAnotherSeedMayMoveItsBands)
{
    const Study study = sparse_study({256});
    const Statements statements = statements_of(Json::array({epoch_at(256, 1220, 0.1)}), study);
    std::vector<Json> results;
    for (const std::uint64_t seed : {1, 2}) {
        InferOptions options;
        options.draws = 4000;
        options.seed = seed;
        results.push_back(json_of(infer(study, statements, options)));
    }
    const auto low_of = [](const Json& result, const std::string& name) {
        for (const Json& unknown : result.at("unknowns")) {
            if (unknown.at("name") == name) {
                return unknown.at("posterior").at("p05").get<double>();
            }
        }
        return 0.0;
    };
    const Json& told = results[0].at("steadiness");
    EXPECT_GT(told.at("within"), 0);
    EXPECT_EQ(told.at("within").get<double>() > 0.15, told.contains("draws_for_15_percent"));
    // Two samples, each within that of the mean.
    EXPECT_NEAR(low_of(results[1], "dma_latency_s") / low_of(results[0], "dma_latency_s"), 1,
                2 * told.at("within").get<double>());
    // A quarter of the worlds: twice the error, for a normal one. Each tells it roughly, hence the
    // means of several seeds.
    const double many =
        (told.at("within").get<double>() + results[1].at("steadiness").at("within").get<double>()) /
        2;
    double within = 0;
    for (const std::uint64_t seed : {1, 2, 3, 4}) {
        InferOptions options;
        options.draws = 1000;
        options.seed = seed;
        const Json few = json_of(infer(study, statements, options));
        within += few.at("steadiness").at("within").get<double>() / 4;
    }
    EXPECT_NEAR(within / many, 2, 1.2);
}

TEST(Infer, AContradictionIsAnAnswerThatNamesWhatWouldHaveToLeaveItsRange)
{
    const Json result = infer_few(Json::array({epoch_at(256, 100)}));
    EXPECT_EQ(result.at("survivors"), 0);
    const Json& nowhere = result.at("contradiction").at("hold_nowhere").at(0);
    EXPECT_EQ(nowhere.at("statement"), "on 256");
    EXPECT_GT(nowhere.at("nearest"), 500);
    const std::string first = nowhere.at("beyond").at(0).at("name").get<std::string>();
    EXPECT_EQ(first.rfind("share of lines used", 0), 0u) << first;
    EXPECT_EQ(nowhere.at("beyond").at(0).at("end"), "high");
    const std::string words = document_of(value_of_json<Inferred>(result)).text();
    EXPECT_NE(words.find("beyond"), std::string::npos) << words; // names may go over two lines
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

/// Published of two runs: a pod's time on sparse links, a colab's on dense ones.
struct TwoRuns {
    Study study =
        study_of({{"study", "two webs"},
                  {"numerics", false},
                  {"fidelity", "analytic"},
                  {"machine", {{"chip", "tpu_v3"}, {"cores", 256}}},
                  {"workload", {{"dataset", {{"webgraph", "sparse"}}}, {"alx", {{"dim", 128}}}}},
                  {"series",
                   {{{"name", "sparse"}, {"sweep", {{"/machine/cores", {256}}}}},
                    {{"name", "dense"},
                     {"set", {{"/workload/dataset/webgraph", "dense"}}},
                     {"sweep", {{"/machine/cores", {8}}}}},
                    {{"name", "dense in German"},
                     {"set", {{"/workload/dataset/webgraph", "de-dense"}}},
                     {"sweep", {{"/machine/cores", {8}}}}}}}},
                 "study.json");
    Json colab{
        {"name", "a day"},
        {"run", "colab"},
        {"at", {{"machine", {{"cores", 8}}}, {"workload", {{"dataset", {{"webgraph", "dense"}}}}}}},
        {"times", 16},
        {"at_most", 86400}};

    std::map<std::string, std::string> runs_of(const Json& statements, const std::string& run) const
    {
        InferOptions options;
        options.draws = few_draws;
        options.run = run;
        std::map<std::string, std::string> runs;
        for (const SeriesBands& series :
             infer(study, statements_of(statements, study), options).series) {
            runs[series.name] = series.run;
        }
        return runs;
    }
};

TEST(Infer, ACurveIsOfTheRunThatStatementsAboutItsJobAreAbout)
{
    const TwoRuns two;
    const Json statements{epoch_at(256, 1220, 0.3), two.colab};
    using Runs = std::map<std::string, std::string>;
    const Runs own = two.runs_of(statements, "");
    EXPECT_EQ(own.at("sparse"), "pod");
    EXPECT_EQ(own.at("dense"), "colab");
    EXPECT_EQ(two.runs_of(statements, "pod"),
              (Runs{{"sparse", "pod"}, {"dense", "pod"}, {"dense in German", "pod"}}));
}

TEST(Infer, NamesTheRunOfACurveInItsWords)
{
    const Json result = infer_few(Json::array({epoch_at(256, 1220, 0.3)}));
    const std::string words = document_of(value_of_json<Inferred>(result)).text();
    EXPECT_NE(words.find("as run 'pod' has it"), std::string::npos) << words;
}

TEST(Infer, AStatementInPartIsToldByItsWeight)
{
    Json never = epoch_at(256, 100);
    never["name"] = "never so fast";
    never["weight"] = 0.5;
    const Json result = infer_few({epoch_at(256, 1220, 0.3), never});
    EXPECT_GT(result.at("survivors"), 0);
    EXPECT_EQ(result.at("agree_with_all"), 0) << "no draw meets the second";
    const Json& part = result.at("agree_in_part").at(0);
    EXPECT_EQ(part.at("but"), Json::array({"never so fast"}));
    EXPECT_EQ(part.at("weight"), 0.5);
    EXPECT_EQ(part.at("draws"), result.at("survivors"));
    const std::string words = document_of(value_of_json<Inferred>(result)).text();
    EXPECT_EQ(words.find("0 of 600 draws agree with all statements; " +
                         std::to_string(result.at("survivors").get<int>()) + " with all but"),
              0U)
        << words;
}

TEST(Infer, SaysWhereTheModelsOwnErrorWidensAStatement)
{
    const Json result = infer_few(Json::array({epoch_at(256, 1220, 0.05)}));
    const Json& one = result.at("statements").at(0);
    EXPECT_EQ(one.at("tolerance"), 0.05);
    EXPECT_NEAR(one.at("allowed").get<double>(), std::sqrt(0.05 * 0.05 + 0.1 * 0.1), 1e-6);
    const std::string words = document_of(value_of_json<Inferred>(result)).text();
    EXPECT_NE(words.find("(told to 5.0%; with the model's own error 11% is"), std::string::npos)
        << words;
}

TEST(Infer, RefusesTwoStatementsOfOneName)
{
    try {
        infer_few({epoch_at(256, 1220), epoch_at(256, 1300)});
        FAIL() << "accepted";
    } catch (const InputError& error) {
        const std::string words = error.what();
        EXPECT_NE(words.find("/statements/1/name: found 'on 256'"), std::string::npos) << words;
    }
}

TEST(Infer, LeavesAStatementOutByAPartOfItsNameThatNoOtherHas)
{
    const Study study = sparse_study({64, 256});
    Statements statements = statements_of({epoch_at(256, 1220), epoch_at(64, 2000)}, study);
    leave_out(statements, {"on 6"});
    ASSERT_EQ(statements.statements.size(), 1U);
    EXPECT_EQ(statements.statements.front().name, "on 256");
    for (const char* name : {"on", "on 64"}) {
        Statements both = statements_of({epoch_at(256, 1220), epoch_at(2048, 2000)}, study);
        try {
            leave_out(both, {name});
            FAIL() << "accepted " << name;
        } catch (const InputError& error) {
            const std::string words = error.what();
            EXPECT_NE(words.find("allowed is a part of just one of: 'on 256', 'on 2048'"),
                      std::string::npos)
                << words;
        }
    }
}

TEST(Infer, TellsTheEndsThatAreThePriorsOwn)
{
    // So fast that rows cost as little as they may: 5 % of all draws are faster.
    const Json before = infer_few(Json::array()).at("series").at(0).at("points").at(1).at("prior");
    const Json result =
        infer_few(Json::array({epoch_at(256, before.at("p05").get<double>(), 0.05)}), 1, 2000);
    ASSERT_GT(result.at("survivors"), 0);
    const Json& unknowns = result.at("unknowns");
    const auto rows = std::find_if(unknowns.begin(), unknowns.end(), [](const Json& unknown) {
        return unknown.at("name") == "dma_latency_s";
    });
    ASSERT_NE(rows, unknowns.end());
    EXPECT_EQ(rows->at("ends_of_prior"), Json::array({"low"}));
    EXPECT_EQ(rows->at("lowest"), 2e-7);
    const std::string words = document_of(value_of_json<Inferred>(result)).text();
    EXPECT_NE(words.find("is the prior's lower end"), std::string::npos) << words;
}

TEST(Infer, TakesStatementsOnLinksThatBatchesCutOff)
{
    const auto of = [](const char* figure) {
        return Json{{"name", figure}, {"run", "pod"}, {"figure", figure}};
    };
    Json few = of("links_lost_share");
    few["at_most"] = 0.02;
    Json fits = of("rows_fit");
    fits["is"] = true;
    const Json result = infer_few({few, fits}, 1, 2000);
    const Json& lost = result.at("statements").at(0);
    const Json& whole = result.at("statements").at(1);
    EXPECT_GT(whole.at("holds_in_prior"), 0);
    EXPECT_LT(whole.at("holds_in_prior"), 0.5) << "batches are mostly shorter than the longest row";
    EXPECT_LE(whole.at("holds_in_prior"), lost.at("holds_in_prior"));
    EXPECT_EQ(lost.at("others_predict").at("holds"), 1) << "where all rows fit, none is cut";
    EXPECT_EQ(lost.at("others_predict").at("figure").at("p95"), 0);
}

/// Statements made of three points of a drawn world lead back to it.
class InferSynthetic : public ::testing::Test {
protected:
    InferSynthetic() : drawn_(points()) {}

    std::vector<DrawnPoint> points() const
    {
        std::vector<DrawnPoint> points;
        for (const int cores : {32, 128, 1024}) {
            points.push_back({single_point(study_, {{"/machine/cores", cores}}), "pod"});
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
                list.push_back(epoch_at(all[i].study.machine.cores.value(),
                                        to_seconds(figures.epoch.total).count(), 0.05));
            }
        }
        return list;
    }

    /// Whether the band of a constrained unknown holds the truth.
    bool holds_truth(const Json& unknown, const DrawnWorlds::World& truth) const
    {
        const std::size_t column = column_of(unknown.at("name").get<std::string>());
        const Json& band = unknown.at("posterior");
        const double value = drawn_.unknowns()[column].unknown.at(truth[column]);
        return !band.at("p05").is_number() || (value >= band.at("p05").get<double>() * 0.9999 &&
                                               value <= band.at("p95").get<double>() * 1.0001);
    }

    /// What three epochs of the truth, each within 5 %, lead to.
    Json inferred_of(const DrawnWorlds::World& truth, std::uint64_t seed) const
    {
        InferOptions options;
        options.draws = 4000;
        options.seed = seed;
        options.jobs = 2;
        options.discrepancy = 0;
        return json_of(infer(study_, statements_of(statements_of_truth(truth), study_), options));
    }

    /// The largest relative change of an epoch where one unknown goes from end to end.
    double largest_change(DrawnWorlds::World world, const std::string& name) const
    {
        const std::size_t column = column_of(name);
        double largest = 0;
        for (std::size_t i = 0; i < points().size(); ++i) {
            world[column] = 0.01;
            const double low = to_seconds(drawn_.figures(i, world).epoch.total).count();
            world[column] = 0.99;
            const double high = to_seconds(drawn_.figures(i, world).epoch.total).count();
            largest = std::max(largest, std::abs(high - low) / std::max(1e-9, high));
        }
        return largest;
    }

    std::size_t column_of(const std::string& name) const
    {
        std::size_t column = 0;
        while (drawn_.unknowns().at(column).key != name) {
            ++column;
        }
        return column;
    }

    static double trues(const std::vector<bool>& all)
    {
        return static_cast<double>(std::count(all.begin(), all.end(), true));
    }

    Study study_ = sparse_study({256});
    DrawnWorlds drawn_;
};

/// Worlds, each told by three of its epochs within 5 %. Bands are of 90 %: of so many, some miss.
/// ALXSIM_SYNTHETIC_WORLDS=20 is what experiments/README.md has figures of; a few here.
TEST_F(InferSynthetic, TheTruthLiesInTheBandsOfWhatIsConstrained)
{
    const char* const many = std::getenv("ALXSIM_SYNTHETIC_WORLDS");
    std::map<std::string, std::vector<bool>> held; // [unknown that is constrained]
    std::vector<bool> kept;                        // of those that move no figure
    std::vector<DrawnWorlds::World> truths = drawn_.prior(20, 4711);
    truths.resize(many == nullptr ? 3 : std::stoul(many));
    for (const DrawnWorlds::World& truth : truths) {
        const Json result = inferred_of(truth, 1);
        EXPECT_FALSE(result.contains("contradiction"));
        for (const Json& unknown : result.at("unknowns")) {
            const std::string name = unknown.at("name").get<std::string>();
            if (unknown.at("constrained").get<bool>()) {
                held[name].push_back(holds_truth(unknown, truth));
            }
            if (largest_change(truth, name) < 1e-3) {
                kept.push_back(unknown.at("distance").get<double>() < constrained_distance);
            }
        }
    }
    double all_held = 0;
    double all = 0;
    for (const auto& [name, one] : held) {
        std::printf("%-44s %2.0f of %2zu bands hold the truth\n", name.c_str(), trues(one),
                    one.size());
        all_held += trues(one);
        all += static_cast<double>(one.size());
    }
    std::printf("%.0f of %.0f bands of 90 %%; %.0f of %zu unknowns without influence keep their "
                "prior\n",
                all_held, all, trues(kept), kept.size());
    EXPECT_GE(all, 2 * static_cast<double>(truths.size()));
    if (truths.size() >= 3) { // fewer have too few bands for a share
        EXPECT_GE(all_held, 0.8 * all);
    }
    EXPECT_GE(trues(kept), 0.9 * static_cast<double>(kept.size()));
}

/// Or the result says how many more draws it takes.
TEST_F(InferSynthetic, SeedsAgreeWithin15PercentOnTheBandsOfWhatIsConstrained)
{
    const DrawnWorlds::World truth = drawn_.prior(20, 4711).at(5);
    std::map<std::string, std::vector<std::pair<double, double>>> bands;
    bool more_draws = false;
    for (std::uint64_t seed = 1; seed <= 2; ++seed) {
        const Json result = inferred_of(truth, seed);
        more_draws = more_draws || result.contains("draws_for_enough_survivors");
        for (const Json& unknown : result.at("unknowns")) {
            const Json& band = unknown.at("posterior");
            if (unknown.at("constrained").get<bool>() && band.at("p05").is_number()) {
                bands[unknown.at("name").get<std::string>()].emplace_back(
                    band.at("p05").get<double>(), band.at("p95").get<double>());
            }
        }
    }
    EXPECT_FALSE(bands.empty());
    for (const auto& [name, all] : bands) {
        for (const auto& [low, high] : all) {
            std::printf("%-44s %g .. %g\n", name.c_str(), low, high);
            EXPECT_TRUE(more_draws || std::abs(low / all.front().first - 1) < 0.15) << name;
            EXPECT_TRUE(more_draws || std::abs(high / all.front().second - 1) < 0.15) << name;
        }
    }
}

/// Worlds whose first three quantiles add up to 0.5, nearly: their sum has density x^2 / 2, and
/// each of the three a mean of a sixth.
class SequentialDraw : public ::testing::Test {
protected:
    static constexpr double tolerance = 0.01;

    static double misfit(const DrawnWorlds::World& world, double /*most*/)
    {
        return std::abs(world[0] + world[1] + world[2] - 0.5) / tolerance;
    }

    static SequentialDraws draw(int threads, std::uint64_t seed = 1)
    {
        std::vector<DrawnWorlds::World> prior(4000, DrawnWorlds::World(12));
        std::vector<double> misfits;
        for (std::size_t column = 0; column < 12; ++column) {
            const auto quantiles = model::latin_column(4000, seed, std::to_string(column));
            for (std::size_t i = 0; i < prior.size(); ++i) {
                prior[i][column] = quantiles[i];
            }
        }
        for (const DrawnWorlds::World& world : prior) {
            misfits.push_back(misfit(world, 0));
        }
        HostPool pool(threads);
        return draw_sequentially(prior, misfits, misfit, {800, seed, {}}, pool);
    }

    static double mean_of(const SequentialDraws& draws, std::size_t column)
    {
        double sum = 0;
        for (const DrawnWorlds::World& world : draws.worlds) {
            sum += world[column];
        }
        return sum / static_cast<double>(draws.worlds.size());
    }
};

TEST_F(SequentialDraw, HasTheShareAndTheMeansOfTheClosedForm)
{
    const SequentialDraws draws = draw(2);
    ASSERT_EQ(draws.worlds.size(), 800U);
    EXPECT_NEAR(draws.share, 2 * tolerance * 0.5 * 0.5 / 2, 0.2 * draws.share);
    for (const std::size_t column : {0U, 1U, 2U}) {
        EXPECT_NEAR(mean_of(draws, column), 1.0 / 6, 0.02);
    }
    for (std::size_t column = 3; column < 12; ++column) {
        EXPECT_NEAR(mean_of(draws, column), 0.5, 0.05) << "nothing constrains it";
    }
    for (const DrawnWorlds::World& world : draws.worlds) {
        EXPECT_LE(misfit(world, 1), 1);
    }
}

TEST_F(SequentialDraw, IsTheSameForAnyNumberOfThreads)
{
    EXPECT_EQ(draw(1).worlds, draw(2).worlds);
    EXPECT_NE(draw(1, 1).worlds, draw(1, 2).worlds);
}

TEST_F(SequentialDraw, ReachesNoWorldWhereNoneAgrees)
{
    std::vector<DrawnWorlds::World> prior;
    std::vector<double> misfits;
    for (int i = 0; i < 1000; ++i) {
        prior.push_back({(i + 0.5) / 1000});
        misfits.push_back(100 + prior.back().front());
    }
    HostPool pool(1);
    const auto far = [](const DrawnWorlds::World& world, double) { return 100 + world.front(); };
    EXPECT_TRUE(draw_sequentially(prior, misfits, far, {}, pool).worlds.empty());
}

TEST(InferredBands, AreReadUnderTheirFormerNames)
{
    Band band;
    read_json(Json{{"low", 1.0}, {"median", 2.0}, {"high", 3.0}}, band);
    EXPECT_EQ(band.p05, 1);
    EXPECT_EQ(band.p50, 2);
    EXPECT_EQ(band.p95, 3);
    EXPECT_EQ(json_of(band).at("p95"), json_of(band).at("high"));
    ValueBand flags;
    read_json(Json{{"p05", false}, {"p50", true}, {"p95", true}}, flags);
    EXPECT_EQ(json_of(flags).at("low"), false);
}

} // namespace
} // namespace alxsim::experiments
