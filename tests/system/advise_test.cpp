// SPDX-License-Identifier: Apache-2.0
#include "advised_web.h"

#include <cmath>
#include <set>
#include <string>
#include <utility>

/// Advice on a small web, as a user asks for it.
namespace alxsim::testing {
namespace {

/// The point of a study, with a plan's values set, as `run` has it.
Json rerun(const TemporaryFolder& folder, const std::string& study, const Json& plan)
{
    std::vector<std::string> arguments{"run", study, "-o", folder.path("out"), "--quiet"};
    for (const auto& [pointer, value] : plan.at("set").items()) {
        arguments.insert(arguments.end(), {"--set", pointer + "=" + value.dump()});
    }
    const Outcome outcome = run_program(arguments);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
    const Json report = Json::parse(read_file(folder.path("out/report.json")));
    EXPECT_EQ(report.at("points").size(), 1U);
    return report.at("points").at(0);
}

TEST(Advise, DrawsNoWorldsWhereTheStudyWantsNoBand)
{
    const TemporaryFolder folder;
    const Json with = advice_on(web(folder));
    const Json without = advice_on(web(folder, {{"band", false}}));
    ASSERT_EQ(without.at("plans").size(), with.at("plans").size());
    double shares = 0;
    for (std::size_t i = 0; i < with.at("plans").size(); ++i) {
        const Json& drawn = with.at("plans").at(i);
        const Json& plan = without.at("plans").at(i);
        shares += drawn.at("best_in_draws").get<double>();
        EXPECT_TRUE(plan.at("best_in_draws").is_null());
        EXPECT_FALSE(plan.at("simulated").contains("epoch_seconds_low"));
        EXPECT_EQ(simulated(plan), simulated(drawn));
    }
    EXPECT_NEAR(shares, 1, 1e-12);
}

TEST(Advise, FindsAPlanNoSlowerThanTheStudysOwnAndRanksBySimulatedTime)
{
    const TemporaryFolder folder;
    const Json advice = advice_on(web(folder));
    ASSERT_TRUE(advice.at("confirmed").at("complete"));
    const Json& plans = advice.at("plans");
    ASSERT_GE(plans.size(), 2U);
    for (std::size_t i = 0; i < plans.size(); ++i) {
        EXPECT_EQ(plans.at(i).at("rank"), i + 1);
        EXPECT_GE(simulated(plans.at(i)), simulated(plans.at(0)));
        EXPECT_DOUBLE_EQ(plans.at(i).at("speedup"),
                         simulated(released_of(advice)) / simulated(plans.at(i)));
    }
    EXPECT_LT(simulated(plans.at(0)), simulated(released_of(advice)))
        << "small batches are far from the best on 8 cores";
}

TEST(Advise, IsTheSameTwiceWhateverTheJobs)
{
    const TemporaryFolder folder;
    const std::string study = web(folder);
    Json one = advice_on(study, {"--jobs=1"});
    Json three = advice_on(study, {"--jobs=3"});
    ASSERT_TRUE(one.at("search").at("complete"));
    ASSERT_TRUE(three.at("search").at("complete"));
    one.erase("host");
    three.erase("host");
    EXPECT_EQ(one.dump(), three.dump());
}

TEST(Advise, GivesPlansThatRunAgainToTheSameTimeAndBand)
{
    const TemporaryFolder folder;
    const std::string study =
        web(folder, {{"fidelity", "analytic"}, {"sweep", {{"/machine/cores", {8, 16}}}}});
    const Json advice = advice_on(study, {"--keep-cores"});
    ASSERT_EQ(advice.at("plans").size(), 2U);
    for (const Json& plan : advice.at("plans")) {
        const Json point = rerun(folder, study, plan);
        for (const char* figure : {"epoch_seconds", "epoch_seconds_low", "epoch_seconds_high"}) {
            EXPECT_EQ(point.at(figure), plan.at("simulated").at(figure)) << plan.at("changes");
        }
    }
}

TEST(Advise, WritesTheBestPlanAsAStudyOfItsOwn)
{
    const TemporaryFolder folder;
    const std::string best = folder.path("best.json");
    const Json advice = advice_on(web(folder), {"--write-study", best});
    const Outcome outcome = run_program({"run", best, "-o", folder.path("out"), "--quiet"});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.errors;
    const Json report = Json::parse(read_file(folder.path("out/report.json")));
    EXPECT_EQ(report.at("points").at(0).at("epoch_seconds"), simulated(advice.at("plans").at(0)));
}

TEST(Advise, ChoosesFewCoresWhereCostCountsAndManyWhereTimeDoes)
{
    const TemporaryFolder folder;
    const std::string study = web(folder, {{"sweep", {{"/machine/cores", {2, 32}}}}});
    const auto cores = [&](const char* objective) {
        const Json advice = advice_on(study, {"--optimise", objective, "--choices=slice"});
        EXPECT_TRUE(advice.at("search").at("complete"));
        return advice.at("plans").at(0).at("machine").at("cores").get<int>();
    };
    const int cheapest = cores("cost");
    const int fastest = cores("time");
    EXPECT_LT(cheapest, fastest);
}

TEST(Advise, OffersPlansOnTheCoresThatWereAskedForAlone)
{
    const TemporaryFolder folder;
    const Json advice = advice_on(web(folder, {{"machine", {{"cores", 32}}}}),
                                  {"--cores=4", "--choices=slice"}, "--top=3");
    ASSERT_TRUE(advice.at("search").at("complete"));
    for (const Json& plan : advice.at("plans")) {
        const bool own = plan.at("released").get<bool>();
        EXPECT_EQ(plan.at("machine").at("cores"), own ? 32 : 4);
        EXPECT_EQ(plan.at("rank").is_null(), own) << "32 cores are there to be compared with";
    }
    EXPECT_EQ(advice.at("plans").at(0).at("rank"), 1);
}

TEST(Advise, OffersSlicesThatAreRentedUnlessAskedForAny)
{
    const TemporaryFolder folder;
    const std::string study = web(folder, {{"machine", {{"chip", "v5e-64"}, {"cores", 64}}}});
    const auto slices = [&](const std::vector<std::string>& more) {
        std::vector<std::string> arguments{"--choices=slice"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        std::set<std::string> found;
        const Json advice = advice_on(study, arguments, "--top=5");
        for (const Json& plan : advice.at("plans")) {
            found.insert(plan.at("machine").at("slice").get<std::string>());
        }
        return found;
    };
    EXPECT_EQ(slices({}), std::set<std::string>{"8x8"}) << "nobody rents 4x16";
    EXPECT_EQ(slices({"--cores=32,64"}), (std::set<std::string>{"4x8", "8x8"}));
    EXPECT_EQ(slices({"--any-slice"}).count("4x16"), 1U);
    EXPECT_EQ(slices({"--chips=v5litepod-16,v4-32"}),
              (std::set<std::string>{"8x8", "4x4", "2x2x4"}));
}

TEST(Advise, OfAStudyOnOneCoreOffersPlansOnManyCores)
{
    const TemporaryFolder folder;
    const Json advice =
        advice_on(web(folder, {{"machine", {{"cores", 1}}}}), {"--cores=8", "--choices=slice"});
    EXPECT_EQ(advice.at("plans").at(0).at("machine").at("cores"), 8);
}

TEST(Advise, RefusesACoreCountThatNoSliceHasAndNamesOneThatWorks)
{
    const TemporaryFolder folder;
    const Outcome outcome =
        run_program({"advise", web(folder), "--quiet", budget, "--cores=1000000"});
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_THAT(outcome.errors, ::testing::HasSubstr("1000000 cores are 500000 chips"));
    EXPECT_THAT(outcome.errors, ::testing::HasSubstr("nearest that work: 2048"));
}

TEST(Advise, RefusesACoreCountThatDoesNotGoWithTheStudysFaults)
{
    const TemporaryFolder folder;
    const Json machine{{"faults", {{{"core", 7}, {"speed", 0.5}}}}};
    const Outcome outcome = run_program(
        {"advise", web(folder, {{"machine", machine}}), "--quiet", budget, "--cores=4"});
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_THAT(outcome.errors, ::testing::HasSubstr("no slice of so many cores goes with the "
                                                     "faults of the study"));
}

TEST(Advise, LeavesOutWhatDoesNotFitAndSaysWhatIsInTheWay)
{
    const TemporaryFolder folder;
    const Json overrides{{"hbm_bytes_chip", 16'000'000}};
    const Json advice =
        advice_on(web(folder, {{"machine", {{"overrides", overrides}}}}), {"--choices=batch"});
    const Json& large = advice.at("search").at("too_large");
    EXPECT_GT(large.at("plans"), 0);
    EXPECT_GT(large.at("best").at("memory").at("bytes_per_core"),
              large.at("best").at("memory").at("capacity_bytes"));
    for (const Json& plan : advice.at("plans")) {
        EXPECT_TRUE(plan.at("fits"));
    }
}

TEST(Advise, EndsWithTheCommandThatRunsTheBestPlan)
{
    const TemporaryFolder folder;
    const std::string study = web(folder);
    const Outcome outcome =
        run_program({"advise", study, "--quiet", budget, few_choices, "--top=1"});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.errors;
    const std::size_t last = outcome.output.rfind("alxsim run '" + study + "' --set '/");
    ASSERT_NE(last, std::string::npos) << outcome.output;
    EXPECT_EQ(outcome.output.find('\n', last), outcome.output.size() - 1);
    EXPECT_NE(outcome.output.find(" -o out/best\n", last), std::string::npos) << outcome.output;
}

TEST(Advise, OffersNoChangeThatBringsNothingAndTellsMfuOfATransformer)
{
    const TemporaryFolder folder;
    const Json study = Json::parse(R"({
        "study": "gpt", "numerics": false, "fidelity": "analytic",
        "machine": {"chip": "tpu_v5e", "cores": 64},
        "workload": {"transformer": {"preset": "gpt2-medium", "batch": 128, "mesh": {"data": 64}}}})");
    const std::string path = folder.write("gpt.json", study.dump());
    const Outcome told = run_program({"advise", path, "--quiet", "--budget=15"});
    ASSERT_EQ(told.exit_code, 0) << told.errors;
    EXPECT_NE(told.output.find(" MFU "), std::string::npos) << told.output;
    EXPECT_EQ(told.output.find("hides nothing"), std::string::npos) << told.output;
    const Outcome numbers = run_program({"advise", path, "--quiet", "--budget=15", "--json"});
    const Json best = Json::parse(numbers.output).at("plans").at(0);
    const Json& figures = best.at("simulated");
    EXPECT_GT(figures.at("mfu").get<double>(), 0.1);
    EXPECT_NEAR(figures.at("mfu").get<double>() / best.at("analytic").at("mfu").get<double>(),
                best.at("analytic").at("epoch_seconds").get<double>() /
                    figures.at("epoch_seconds").get<double>(),
                1e-9);
}

/// Leaves the caller's settings out that the plan has replaced.
TEST(Advise, SetsAPlaceOnceInItsCommand)
{
    const TemporaryFolder folder;
    const Outcome outcome =
        run_program({"advise", web(folder), "--quiet", budget, few_choices, "--top=1", "--set",
                     "/machine/chip=v3", "--set", "/machine/cores=32"});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.errors;
    const std::string command = outcome.output.substr(outcome.output.rfind("alxsim run '"));
    for (const char* place : {"'/machine/chip=", "'/machine/cores="}) {
        EXPECT_EQ(command.find(place), command.rfind(place)) << command;
    }
}

TEST(Advise, SaysWhenItsBudgetWasTooSmall)
{
    const TemporaryFolder folder;
    const Outcome outcome =
        run_program({"advise", web(folder), "--quiet", "--budget=0.001", "--json"});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.errors;
    EXPECT_FALSE(Json::parse(outcome.output).at("search").at("complete"));
}

TEST(Advise, ChangesNothingButTheChoicesItIsLeft)
{
    const TemporaryFolder folder;
    const Json advice = advice_on(web(folder), {}, "--top=4");
    std::set<std::string> roles;
    for (const Json& plan : advice.at("plans")) {
        roles.insert(plan.at("role").get<std::string>());
        for (const auto& [pointer, value] : plan.at("set").items()) {
            EXPECT_THAT(pointer,
                        ::testing::AnyOf("/workload/alx/gather", "/workload/alx/scatter",
                                         "/workload/alx/overlap", "/workload/alx/column_batch"));
        }
    }
    EXPECT_EQ(roles.size(), advice.at("plans").size()) << "each is listed for a reason of its own";
    EXPECT_TRUE(roles.count("best by the model") == 1 &&
                roles.count("best by the model with another gather") == 1);
}

TEST(Advise, TeachesWhatMayBeChosen)
{
    const TemporaryFolder folder;
    const std::string study = web(folder);
    const Outcome unknown = run_program({"advise", study, "--choices", "gathr"});
    EXPECT_EQ(unknown.exit_code, 2);
    EXPECT_NE(unknown.errors.find("did you mean 'gather'"), std::string::npos) << unknown.errors;
    const Outcome cores = run_program({"advise", study, "--choices", "gather", "--cores", "8,16"});
    EXPECT_EQ(cores.exit_code, 2);
    EXPECT_NE(cores.errors.find("--choices needs slice"), std::string::npos) << cores.errors;
}

TEST(Advise, IsRefusedForASeriesThatIsNotThere)
{
    const TemporaryFolder folder;
    const Outcome series = run_program({"advise", web(folder), "--series", "none"});
    EXPECT_EQ(series.exit_code, 2);
    EXPECT_NE(series.errors.find("--series: none: found, but the study has no series; allowed: "
                                 "leave it out"),
              std::string::npos)
        << series.errors;
}

double dollars(const Json& plan)
{
    return plan.at("simulated").at("cost_usd").get<double>();
}

std::set<std::string> chips_of(const Json& plans)
{
    std::set<std::string> chips;
    for (const Json& plan : plans) {
        chips.insert(plan.at("machine").at("chip").get<std::string>());
    }
    return chips;
}

TEST(Advise, ChoosesAmongChipsAndItsBestPlanRunsAsPredicted)
{
    const TemporaryFolder folder;
    const std::string study = web(folder);
    const std::vector<std::string> chips{"--choices=slice", "--chips=tpu_v3,tpu_v5e", "--cores=4,8",
                                         "--optimise=cost"};
    const Json plans = advice_on(study, chips, "--top=4").at("plans");
    EXPECT_EQ(chips_of(plans), (std::set<std::string>{"tpu_v3", "tpu_v5e"}));
    const Json& best = plans.at(0);
    for (const Json& plan : plans) {
        EXPECT_LE(dollars(best), dollars(plan));
    }
    EXPECT_EQ(best.at("machine").at("chip"), "tpu_v5e") << "its price is lower, its matmuls faster";
    EXPECT_EQ(rerun(folder, study, best).at("epoch_seconds"), simulated(best));
}

TEST(Advise, KeepsADeadline)
{
    const TemporaryFolder folder;
    const std::string study = web(folder);
    const std::vector<std::string> cheapest{"--choices=slice", "--cores=2,4,8,16",
                                            "--optimise=cost"};
    const Json free = advice_on(study, cheapest).at("plans").at(0);
    std::vector<std::string> words = cheapest;
    const double deadline = 0.8 * simulated(free);
    words.push_back("--deadline=" + std::to_string(deadline));
    const Json advice = advice_on(study, words, "--top=3");
    const Json& best = advice.at("plans").at(0);
    ASSERT_EQ(best.at("rank"), 1);
    EXPECT_LE(simulated(best), deadline);
    EXPECT_GT(dollars(best), dollars(free)) << "speed has its price";
    EXPECT_NEAR(advice.at("limits").at("deadline_seconds").get<double>(), deadline, 1e-6);
}

TEST(Advise, SaysThatNothingKeepsALimitAndListsWhatComesNearest)
{
    const TemporaryFolder folder;
    const std::string study = web(folder);
    const Json advice = advice_on(study, {"--max-cost=1e-12"});
    for (const Json& plan : advice.at("plans")) {
        EXPECT_TRUE(plan.at("rank").is_null());
        EXPECT_TRUE(plan.at("beyond_limits"));
    }
    const Outcome text = run_program(
        {"advise", study, "--quiet", budget, few_choices, "--top=1", "--max-cost=1e-12"});
    EXPECT_THAT(text.output, ::testing::HasSubstr("None of the plans that were tried"));
}

TEST(Advise, RefusesChipsThatTheStudyCannotHave)
{
    const TemporaryFolder folder;
    const auto refused = [&](const std::string& study, const std::string& chips) {
        const Outcome outcome = run_program({"advise", study, "--quiet", chips});
        EXPECT_EQ(outcome.exit_code, 2);
        return outcome.errors;
    };
    EXPECT_THAT(refused(web(folder), "--chips=tpu_v33"),
                ::testing::HasSubstr("did you mean 'tpu_v3'?"));
    const Json override_of_v4{
        {"machine", {{"chip", "tpu_v4"}, {"overrides", {{"sparsecore_gather_row_s", 1e-8}}}}}};
    EXPECT_THAT(refused(web(folder, override_of_v4), "--chips=tpu_v3"),
                ::testing::HasSubstr("sparsecore_gather_row_s"));
}

TEST(Advise, TakesTimesInWordsAndRefusesOthersInAShortSentence)
{
    const TemporaryFolder folder;
    const std::string study = web(folder);
    const Json advice = advice_on(study, {"--deadline=10min"});
    EXPECT_EQ(advice.at("limits").at("deadline_seconds"), 600);
    for (const char* bad :
         {"--deadline=soon", "--deadline=-1", "--budget=10x", "--max-cost=1min"}) {
        const Outcome outcome = run_program({"advise", study, "--quiet", bad});
        EXPECT_EQ(outcome.exit_code, 2) << bad;
        EXPECT_LT(outcome.errors.size(), 250U) << outcome.errors;
        EXPECT_THAT(outcome.errors, ::testing::HasSubstr("allowed: "));
    }
}

TEST(Advise, HasATableOfTheBestPlanForEachChipAndCount)
{
    const TemporaryFolder folder;
    const Json advice = advice_on(
        web(folder), {"--table", "--choices=slice", "--chips=tpu_v3,tpu_v5e", "--cores=4,8"});
    std::set<std::pair<std::string, int>> machines;
    double best = HUGE_VAL;
    for (const Json& row : advice.at("table")) {
        const Json& plan = row.at("plan");
        machines.insert({row.at("chip").get<std::string>(), row.at("cores").get<int>()});
        EXPECT_EQ(plan.at("machine").at("chip"), row.at("chip"));
        EXPECT_EQ(plan.at("machine").at("cores"), row.at("cores"));
        best = std::min(best, plan.at("analytic").at("epoch_seconds").get<double>());
    }
    EXPECT_EQ(machines, (std::set<std::pair<std::string, int>>{
                            {"tpu_v3", 4}, {"tpu_v3", 8}, {"tpu_v5e", 4}, {"tpu_v5e", 8}}));
    for (const Json& plan : advice.at("plans")) {
        if (!plan.at("rank").is_null()) {
            EXPECT_GE(plan.at("analytic").at("epoch_seconds").get<double>(), best);
        }
    }
    const Outcome text = run_program({"advise", web(folder), "--quiet", budget, "--table",
                                      "--choices=slice", "--cores=4,8", "--top=1"});
    EXPECT_THAT(text.output, ::testing::HasSubstr("The best plan for each chip and count"));
}

TEST(Advise, TellsInItsTableWhatAMillionTokensCost)
{
    const TemporaryFolder folder;
    const std::string study = folder.write("gpt2.json", R"({"study": "s", "numerics": false,
        "fidelity": "analytic", "machine": {"chip": "tpu_v5e", "cores": 8},
        "workload": {"transformer": {"preset": "gpt2-small", "batch": 8}}})");
    const Outcome text =
        run_program({"advise", study, "--quiet", budget, "--table", "--choices=batch", "--top=1"});
    const std::size_t table = text.output.find("The best plan for each chip and count");
    ASSERT_NE(table, std::string::npos) << text.output << text.errors;
    EXPECT_NE(text.output.find("tokens/s  a million tokens", table), std::string::npos)
        << "its plans have other batches: " << text.output;
}

TEST(Advise, TakesCgIterationsFromAFinishedReport)
{
    const TemporaryFolder folder;
    const Json training{
        {"fidelity", "analytic"}, {"band", false}, {"sweep", {{"/machine/cores", nullptr}}}};
    const std::string study = folder.write("trained.json", small_study(folder, training).dump());
    const Outcome run = run_program({"run", study, "-o", folder.path("out"), "--quiet"});
    ASSERT_EQ(run.exit_code, 0) << run.errors;
    const std::string report = folder.path("out/report.json");
    const Json counters = load_json(report).at("points").at(0).at("counters");
    const Json advice = advice_on(study, {"--like", report});
    const Json iterations =
        released_of(advice).at("study").at("workload").at("alx").at("cg").at("assumed_iterations");
    for (const char* half : {"rows", "columns"}) {
        const double counted = counters.at(half).at("cg_iterations_mean_of_slowest").get<double>();
        EXPECT_EQ(iterations.at(half), std::llround(counted));
        EXPECT_LE(counters.at(half).at("cg_iterations_mean").get<double>(), counted);
        EXPECT_LE(counted, counters.at(half).at("cg_iterations_max").get<double>());
    }
    EXPECT_THAT(advice.at("counted").get<std::string>(),
                ::testing::HasSubstr("CG iterations in the row half"));
    const Outcome other = run_program(
        {"advise", study, "--like", report, "--quiet", budget, "--set", "/workload/alx/reg=0.5"});
    EXPECT_EQ(other.exit_code, 2);
    EXPECT_THAT(other.errors, ::testing::HasSubstr("/workload/alx/reg"));
    const Outcome none = run_program(
        {"run", web(folder, {{"fidelity", "analytic"}}), "-o", folder.path("timed"), "--quiet"});
    ASSERT_EQ(none.exit_code, 0) << none.errors;
    const Outcome uncounted = run_program(
        {"advise", web(folder), "--like", folder.path("timed/report.json"), "--quiet", budget});
    EXPECT_EQ(uncounted.exit_code, 2);
    EXPECT_THAT(uncounted.errors, ::testing::HasSubstr("has no point that counted"));
}

} // namespace
} // namespace alxsim::testing
