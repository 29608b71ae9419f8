// SPDX-License-Identifier: Apache-2.0
#include "program.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <set>

namespace alxsim::testing {
namespace {

Json timing_study(const Json& extra = Json::object())
{
    Json study = Json::parse(R"({
        "study": "in-dense", "numerics": false, "fidelity": "analytic",
        "machine": {"chip": "tpu_v3", "cores": 16},
        "workload": {"dataset": {"webgraph": "in-dense"}, "alx": {"dim": 128, "semantics": "clean"}},
        "sweep": {"/machine/cores": [16, 64, 256]}})");
    study.merge_patch(extra);
    return study;
}

/// A report of a study, in a folder of its own.
class Reported {
public:
    explicit Reported(const Json& study)
    {
        const Outcome outcome = run_program({"run", folder_.write("study.json", study.dump()), "-o",
                                             folder_.path("out"), "--quiet"});
        EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
        report = load_json(path());
    }

    std::string path() const { return folder_.path("out/report.json"); }
    const TemporaryFolder& folder() const { return folder_; }

    Outcome explain(std::vector<std::string> more = {}) const
    {
        more.insert(more.begin(), {"explain", path()});
        return run_program(more);
    }

    /// What is told of the first series, as numbers.
    Json explained(std::vector<std::string> more = {}) const
    {
        more.emplace_back("--json");
        const Outcome outcome = explain(more);
        EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
        return Json::parse(outcome.output).at("series").at(0);
    }

    Json report;

private:
    TemporaryFolder folder_;
};

const Reported& in_dense()
{
    static const Reported reported(timing_study());
    return reported;
}

const Json& named(const Json& list, const std::string& key, const std::string& name)
{
    for (const Json& one : list) {
        if (one.at(key) == name) {
            return one;
        }
    }
    throw std::runtime_error("nothing is named " + name + " in " + list.dump());
}

TEST(Explain, SaysWhatTheDollarsOfABillCover)
{
    const Reported priced(timing_study({{"bill", {{"evaluation", false}}}}));
    const std::string words = priced.explain().output;
    const std::size_t hours = words.find("The whole job of ");
    ASSERT_NE(hours, std::string::npos) << words;
    std::string flat = words.substr(hours);
    std::replace(flat.begin(), flat.end(), '\n', ' ');
    for (const char* part : {"no storage", "no traffic", "no evaluation"}) {
        EXPECT_NE(flat.find(part), std::string::npos) << flat;
    }
}

TEST(Explain, NamesThePhasesWhoseFitsKeepTheirTime)
{
    const Json& report = in_dense().report;
    const Json& last = report.at("points").at(2);
    std::set<std::string> expected;
    for (const auto& [phase, fit] : report.at("series").at(0).at("fit").at("by_phase").items()) {
        const double stays =
            fit.at("constant").get<double>() + fit.at("per_core").get<double>() * 256;
        if (stays >= 0.01 * last.at("epoch_seconds").get<double>()) {
            expected.insert(phase);
        }
    }
    ASSERT_FALSE(expected.empty());
    std::set<std::string> named;
    const Json explained = in_dense().explained();
    for (const Json& term : explained.at("terms")) {
        named.insert(term.at("phase").get<std::string>());
    }
    EXPECT_EQ(named, expected);
    for (const Json& phase : explained.at("shrinking")) {
        EXPECT_EQ(expected.count(phase.get<std::string>()), 0U) << phase;
    }
}

/// Lookups of a core in an epoch if each step looks up the ids of all cores' batches.
double lookups_of_all_ids(const Json& point)
{
    const auto of_side = [&](const char* side, const char* batch) {
        const Json& geometry = point.at("geometry").at(batch);
        return point.at("counters").at(side).at("steps").get<double>() *
               geometry.at("lines").get<double>() * geometry.at("line_length").get<double>();
    };
    return point.at("machine").at("cores").get<double>() *
           (of_side("rows", "batch") + of_side("columns", "column_batch"));
}

TEST(Explain, CountsWhatACoreLooksUp)
{
    const Json& points = in_dense().report.at("points");
    const Json explained = in_dense().explained();
    const Json& work = named(explained.at("terms"), "phase", "gather.rows").at("work");
    const Json& all = named(work, "kind", "rows_looked_up");
    const Json& own = named(work, "kind", "own_rows_looked_up");
    EXPECT_DOUBLE_EQ(all.at("first").get<double>(), lookups_of_all_ids(points.at(0)));
    EXPECT_DOUBLE_EQ(all.at("last").get<double>(), lookups_of_all_ids(points.at(2)));
    EXPECT_NEAR(all.at("last").get<double>() / own.at("last").get<double>(), 256, 1);
    EXPECT_NE(in_dense().explain().output.find("every core looks up every core's ids"),
              std::string::npos);
}

TEST(Explain, AGatherWithoutForeignLookupsIsNotSaidToHaveThem)
{
    const Reported one_chip(timing_study({{"sweep", {{"/machine/cores", {1}}}}}));
    const Outcome outcome = one_chip.explain();
    EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
    EXPECT_EQ(outcome.output.find("every core's ids"), std::string::npos) << outcome.output;
}

TEST(Explain, AGatherThatAsksOwnersIsNotSaidToLookUpEveryCoresIds)
{
    const Reported asking(timing_study({{"workload", {{"alx", {{"gather", "all_to_all"}}}}}}));
    const Outcome outcome = asking.explain();
    EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
    EXPECT_EQ(outcome.output.find("every core's ids"), std::string::npos) << outcome.output;
    EXPECT_EQ(outcome.output.find("it holds one in"), std::string::npos) << outcome.output;
}

TEST(Explain, TriesTheOtherGathersScattersAndStatistics)
{
    const std::string text = in_dense().explain().output;
    for (const char* change :
         {"gather all_to_all in place of", "scatter all_to_all in place of",
          "scatter owner_computes in place of", "statistics batched_matmul in place of"}) {
        EXPECT_NE(text.find(change), std::string::npos) << change << " is not in\n" << text;
    }
}

TEST(Explain, NamesTheLongestCollectivesAlgorithmAndTriesTheFastest)
{
    const Json explained = in_dense().explained();
    const Json& last = explained.at("moments").back().at("longest_collective");
    EXPECT_EQ(last.at("op"), "combine rows");
    EXPECT_EQ(last.at("schedule").get<std::string>().rfind("XLA: nd_rings", 0), 0U) << last;
    const std::string words = in_dense().explain().output;
    EXPECT_NE(words.find("the fastest collectives known"), std::string::npos) << words;
    EXPECT_NE(words.find("'combine rows'"), std::string::npos) << words;
}

TEST(Explain, AChoiceThatFitsNowhereIsSaidNotToFit)
{
    const Reported sparse(timing_study({{"workload", {{"dataset", {{"webgraph", "sparse"}}}}}}));
    const Json ranked = sparse.explained().at("what_ifs").at("ranked");
    const Json& replicated = named(ranked, "name", "gather replicated in place of all_reduce_loop");
    EXPECT_EQ(replicated.at("does_not_fit"), Json({16, 64, 256}));
    EXPECT_FALSE(replicated.contains("refused"));
    EXPECT_NE(sparse.explain().output.find("does not fit at any point"), std::string::npos);
}

TEST(Explain, SaysWhatAPointThatDoesNotFitNeeds)
{
    const Reported large(timing_study(
        {{"sweep", nullptr},
         {"machine", {{"cores", 16}}},
         {"workload", {{"dataset", {{"webgraph", "sparse"}}}, {"alx", {{"dim", 2048}}}}}}));
    EXPECT_FALSE(large.report.at("points").at(0).at("fits").get<bool>());
    EXPECT_NE(large.explain().output.find("the point on 16 cores does not fit: a core needs "),
              std::string::npos)
        << large.explain().output;
    EXPECT_EQ(large.explained().at("does_not_fit").size(), 1U);
    EXPECT_FALSE(in_dense().explained().contains("does_not_fit"));
}

TEST(Explain, FindsTheFastestPointOfAReportThatDoesNotNameIt)
{
    const Reported dims(timing_study(
        {{"sweep", {{"/machine/cores", nullptr}, {"/workload/alx/dim", {32, 128, 16}}}}}));
    Json other = dims.report;
    ASSERT_EQ(other.at("series").at(0).at("fastest"), 2);
    other.at("series").at(0).erase("fastest");
    const std::string path = dims.folder().write("out/other.json", other.dump());
    const Outcome outcome = run_program({"explain", path});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
    EXPECT_EQ(outcome.output, dims.explain().output);
}

TEST(Explain, AWhatIfIsWhatARunWithThatValueSays)
{
    const Json outcome = named(in_dense().explained().at("what_ifs").at("ranked"), "name",
                               "half the cost of a gathered row");
    const Reported cheaper(
        timing_study({{"machine", {{"overrides", {{"gather_row_s", 6.5e-9}}}}}}));
    for (std::size_t i = 0; i < 3; ++i) {
        const double run = cheaper.report.at("points").at(i).at("epoch_seconds");
        EXPECT_DOUBLE_EQ(outcome.at("seconds").at(i).get<double>(), run);
    }
    EXPECT_EQ(outcome.at("sweet_spot").at("cores"),
              cheaper.report.at("series").at(0).at("sweet_spot").at("cores"));
}

TEST(Explain, OfAnAnalyticReportStartsItsWhatIfsFromTheReportsOwnTimes)
{
    const Json seconds = in_dense().explained().at("what_ifs").at("seconds");
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_DOUBLE_EQ(seconds.at(i).get<double>(),
                         in_dense().report.at("points").at(i).at("epoch_seconds").get<double>());
    }
    EXPECT_EQ(in_dense().explain().output.find("puts the last point at"), std::string::npos);
}

TEST(Explain, OfASimulatedReportSaysWhyTheModelHasAnotherTime)
{
    const TemporaryFolder data;
    Json study = small_study(data, {{"fidelity", "detailed"}});
    study["workload"]["dataset"]["file"] = data.path("graph.txt");
    const std::string text = Reported(study).explain().output;
    const bool differs = text.find("which puts the last point at") != std::string::npos;
    const bool reason = text.find("simulated in SystemC") != std::string::npos;
    EXPECT_EQ(differs, reason) << text;
    EXPECT_TRUE(differs) << text;
}

/// Where the time goes on `cores`, by what held it up: name -> entry.
Json mechanisms_on(const Json& series, int cores)
{
    const Json& moments = series.at("moments");
    const Json& moment = *std::find_if(moments.begin(), moments.end(), [cores](const Json& one) {
        return one.at("cores") == cores;
    });
    Json mechanisms = Json::object();
    for (const Json& part : moment.at("mechanisms")) {
        mechanisms[part.at("name").get<std::string>()] = part;
    }
    return mechanisms;
}

TEST(Explain, TellsTheIssueOfRowsFromTheBandwidthOfTheHbm)
{
    const Json series = in_dense().explained();
    const Json last = mechanisms_on(series, 256);
    const double hbm = in_dense().report.at("points").at(2).at("hbm_seconds").get<double>();
    EXPECT_DOUBLE_EQ(last.at("row issue").at("seconds").get<double>(),
                     in_dense().report.at("points").at(2).at("row_issue_seconds").get<double>());
    EXPECT_NEAR(last.at("row issue").at("seconds").get<double>() +
                    last.at("hbm").at("seconds").get<double>(),
                hbm, 1e-9 * hbm)
        << "both are what the report files under HBM";
    EXPECT_EQ(last.at("row issue").at("by").at(0), "gather_row_s");
    EXPECT_NE(in_dense().explain().output.find("set by gather_row_s"), std::string::npos);
    // A memory of twice the bandwidth cannot bring more than what is bandwidth.
    const Json& what_ifs = series.at("what_ifs");
    const double epoch = what_ifs.at("seconds").at(2);
    const Json& faster = named(what_ifs.at("ranked"), "name", "twice the HBM bandwidth");
    EXPECT_LT(epoch - faster.at("seconds").at(2).get<double>(),
              last.at("hbm").at("seconds").get<double>());
    const Json& cheaper = named(what_ifs.at("ranked"), "name", "half the cost of a gathered row");
    const double saved = epoch - cheaper.at("seconds").at(2).get<double>();
    EXPECT_GT(saved, 0.1 * epoch);
    EXPECT_LT(saved, last.at("row issue").at("seconds").get<double>() / 2)
        << "of which scattered rows are the rest";
}

TEST(Explain, TellsTheNotesOfItsPoints)
{
    const Reported hurt(timing_study({{"machine",
                                       {{"overrides", {{"peak_bf16_flops_chip", "x2"}}},
                                        {"faults", {{{"core", 3}, {"speed", 0.25}}}}}}}));
    const std::string text = hurt.explain().output;
    EXPECT_NE(text.find("Note: the override of peak_bf16_flops_chip changes nothing"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("Note: with faults the analytic model"), std::string::npos) << text;
    EXPECT_NE(text.find("By phase, each with the waiting in it: "), std::string::npos) << text;
    EXPECT_NE(text.find("no faults: cores, links and memory as the preset says: "),
              std::string::npos)
        << text;
}

TEST(Explain, WhatHelpsTheLastPointMostComesFirst)
{
    double before = 0;
    const Json what_ifs = in_dense().explained().at("what_ifs");
    ASSERT_GE(what_ifs.at("ranked").size(), 2U);
    for (const Json& outcome : what_ifs.at("ranked")) {
        if (outcome.contains("ratio_of_last")) {
            EXPECT_GE(outcome.at("ratio_of_last").get<double>(), before) << outcome;
            before = outcome.at("ratio_of_last").get<double>();
        }
    }
}

TEST(Explain, OnOneChipFasterLinksAreSaidToChangeNothing)
{
    const Reported one_chip(timing_study({{"sweep", {{"/machine/cores", {1, 2}}}}}));
    const Json idle = one_chip.explained().at("what_ifs").at("without_influence");
    const std::string links = "links of twice the bandwidth";
    EXPECT_NE(std::find(idle.begin(), idle.end(), links), idle.end()) << idle;
    const std::string text = one_chip.explain().output;
    EXPECT_LT(text.find("These change nothing"), text.find(links)) << text;
}

TEST(Explain, GoesOnWithoutWhatCannotBeBuiltAgain)
{
    const TemporaryFolder data;
    Json study = small_study(data, {{"fidelity", "analytic"}});
    study["workload"]["dataset"]["file"] = data.path("graph.txt");
    const Reported reported(study);
    EXPECT_FALSE(reported.explained().contains("not_rebuilt"));
    ASSERT_EQ(std::remove(data.path("graph.txt").c_str()), 0);
    const Json explained = reported.explained();
    EXPECT_NE(explained.at("not_rebuilt").get<std::string>().find("graph.txt"), std::string::npos);
    EXPECT_FALSE(explained.contains("what_ifs"));
    EXPECT_NE(reported.explain().output.find("cannot be built again"), std::string::npos);
}

Json first_series_explained(std::vector<std::string> arguments)
{
    arguments.emplace_back("--json");
    return Json::parse(run_program(arguments).output).at("series").at(0);
}

TEST(Explain, FindsDataNextToTheStudy)
{
    const TemporaryFolder data;
    const std::string study =
        data.write("study.json", small_study(data, {{"fidelity", "analytic"}}).dump());
    ASSERT_EQ(run_program({"run", study, "-o", data.path("out/deep"), "--quiet"}).exit_code, 0);
    EXPECT_TRUE(first_series_explained({"explain", data.path("out/deep/report.json")})
                    .contains("what_ifs"));
}

TEST(Explain, FindsDataNextToAStudyThatHasMovedWhereItIsTold)
{
    const TemporaryFolder data;
    const TemporaryFolder elsewhere;
    const std::string study =
        data.write("study.json", small_study(data, {{"fidelity", "analytic"}}).dump());
    const std::string report = elsewhere.path("report.json");
    ASSERT_EQ(run_program({"run", study, "-o", elsewhere.path("."), "--quiet"}).exit_code, 0);
    const std::string moved = data.path("moved.json");
    std::filesystem::rename(study, moved);
    EXPECT_TRUE(first_series_explained({"explain", report}).contains("not_rebuilt"));
    EXPECT_NE(run_program({"explain", report}).output.find("--study STUDY"), std::string::npos);
    EXPECT_TRUE(first_series_explained({"explain", report, "--study", moved}).contains("what_ifs"));
}

/// A sweep that is none over cores.
const Reported& widths()
{
    static const Reported reported(timing_study(
        {{"sweep", {{"/machine/cores", {16, 64}}, {"/workload/alx/dim", {16, 64, 2048}}}},
         {"workload", {{"dataset", {{"webgraph", "sparse"}}}}}}));
    return reported;
}

TEST(Explain, TellsWhatChangesBetweenTwoPointsOfAnySweptField)
{
    const Json between = widths()
                             .explained({"--from", "dim=16", "--from", "cores=16", "--to", "dim=64",
                                         "--to", "/machine/cores=16"})
                             .at("between")
                             .at(0);
    EXPECT_EQ(between.at("from"), Json({{"/machine/cores", 16}, {"/workload/alx/dim", 16}}));
    const double change =
        between.at("to_seconds").get<double>() - between.at("from_seconds").get<double>();
    for (const char* parts : {"resources", "phases"}) {
        double sum = 0;
        double before = 1e300;
        for (const Json& part : between.at(parts)) {
            const double one =
                part.at("to_seconds").get<double>() - part.at("from_seconds").get<double>();
            EXPECT_LE(std::abs(one), before) << "the largest come first";
            before = std::abs(one);
            sum += one;
        }
        EXPECT_NEAR(sum, change, 1e-9) << parts;
    }
    const Json& statistics = named(between.at("phases"), "name", "statistics");
    EXPECT_GT(named(statistics.at("work"), "kind", "matmul_flops").at("ratio").get<double>(), 4)
        << "products of four times the dimension";
}

TEST(Explain, ASeriesWithoutCoresTellsWhatChangesToItsFastestPointAndOn)
{
    const Reported dims(timing_study(
        {{"sweep", {{"/machine/cores", nullptr}, {"/workload/alx/dim", {32, 16, 128}}}}}));
    const std::string text = dims.explain().output;
    EXPECT_NE(text.find("From dim 32 to dim 16, an epoch takes "), std::string::npos) << text;
    EXPECT_NE(text.find("From dim 16 to dim 128, an epoch takes "), std::string::npos) << text;
    EXPECT_NE(text.find("By what it waits for, nothing grows; "), std::string::npos) << text;
}

/// Sweeps values of a preset: one that is x1, one at half of it.
Json swept_preset(const Json& sweep)
{
    return timing_study({{"sweep", {{"/machine/cores", nullptr}}}, {"band", false}})
        .patch(Json::array({{{"op", "replace"}, {"path", "/sweep"}, {"value", sweep}}}));
}

TEST(Explain, ASweepOfOverridesBeginsWithThePresetAndTellsTheOthersAgainstIt)
{
    const Reported reported(swept_preset(
        {{"/machine/overrides",
          {{{"ici_link_bw_oneway", "x2"}}, Json::object(), {{"ici_link_bw_oneway", "x0.5"}}}}}));
    const Json explained = reported.explained();
    ASSERT_EQ(explained.at("moments").size(), 1U);
    const Json& moment = explained.at("moments").at(0);
    EXPECT_EQ(moment.at("what"), "preset's");
    const Json& points = reported.report.at("points");
    const double preset = points.at(1).at("epoch_seconds").get<double>();
    EXPECT_EQ(moment.at("epoch_seconds").get<double>(), preset);
    const Json& others = explained.at("against_preset");
    ASSERT_EQ(others.size(), 2U);
    EXPECT_LT(others.at(0).at("ratio").get<double>(), 1);
    EXPECT_GT(others.at(1).at("ratio").get<double>(), 1);
    EXPECT_DOUBLE_EQ(others.at(1).at("ratio").get<double>(),
                     points.at(2).at("epoch_seconds").get<double>() / preset);
    const std::string text = reported.explain().output;
    EXPECT_NE(text.find("the preset's point"), std::string::npos) << text;
    EXPECT_NE(text.find("ici_link_bw_oneway x0.5: "), std::string::npos) << text;
}

TEST(Explain, FasterLinksMakeNothingComputeMoreSlowly)
{
    const Reported reported(Json::parse(R"({"study": "s", "numerics": false, "band": false,
        "fidelity": "analytic", "machine": {"chip": "v5e-64"},
        "workload": {"transformer": {"preset": "llama2-7b", "batch": 64, "sequence": 1024,
                                     "mesh": {"fsdp": 64}, "recomputation": "full"}},
        "sweep": {"/machine/overrides/ici_link_bw_oneway": ["x0.25", "x1", "x8"]}})"));
    const std::string text = reported.explain().output;
    EXPECT_NE(text.find("Nothing is computed more slowly"), std::string::npos) << text;
    const std::string dims = in_dense().explain().output;
    EXPECT_EQ(dims.find("Nothing is computed more slowly"), std::string::npos) << dims;
}

TEST(Explain, AValueThatIsThePresetsOwnIsKnown)
{
    const Reported reported(
        swept_preset({{"/machine/overrides/ici_link_bw_oneway", {4.1e10, 8.2e10}}}));
    EXPECT_EQ(reported.explained().at("moments").at(0).at("sweep").begin().value(), 8.2e10);
    const Reported none(swept_preset({{"/machine/overrides/ici_link_bw_oneway", {"x0.5", "x2"}}}));
    EXPECT_EQ(none.explained().at("moments").at(0).at("what"), "fastest");
    EXPECT_FALSE(none.explained().contains("against_preset"));
}

Json too_large_transformer()
{
    return Json::parse(R"({"study": "s", "numerics": false, "fidelity": "analytic", "band": false,
        "machine": {"chip": "tpu_v5e", "cores": 64},
        "workload": {"transformer": {"preset": "llama2-7b", "batch": 64, "mesh": {"fsdp": -1}}}})");
}

TEST(Explain, OfWhatDoesNotFitSaysWhatWould)
{
    const Reported reported(too_large_transformer());
    const Json would = reported.explained().at("fewest_cores");
    EXPECT_EQ(would.at("chip"), "tpu_v5e");
    EXPECT_FALSE(would.at("ways").at(0).contains("with")) << "as it is, first";
    Json tries = would.at("ways");
    tries.erase(0);
    const Json& full = named(tries, "with", "recomputation full");
    EXPECT_LE(full.at("cores").get<int>(), 64);
    const std::string text = reported.explain().output;
    EXPECT_NE(text.find("What would fit: fewest cores of tpu_v5e"), std::string::npos) << text;
    EXPECT_NE(text.find("recomputation full"), std::string::npos) << text;
}

TEST(Explain, OfRefusedPointsSaysWhy)
{
    const TemporaryFolder folder;
    Json study = too_large_transformer();
    study["workload"]["transformer"]["recomputation"] = "full";
    study["workload"]["transformer"]["mesh"] = {{"fsdp", 64}};
    study["sweep"] = {{"/machine/cores", {32, 64}}};
    const Outcome run = run_program(
        {"run", folder.write("s.json", study.dump()), "-o", folder.path("out"), "--quiet"});
    ASSERT_EQ(run.exit_code, 2) << run.errors;
    const std::string text = run_program({"explain", folder.path("out/report.json")}).output;
    EXPECT_NE(text.find("the point with cores 32 was refused: "), std::string::npos) << text;
}

TEST(Explain, EndsThatCannotBeExplainedAreRefusedByName)
{
    const auto refused = [](std::vector<std::string> ends) {
        const Outcome outcome = widths().explain(std::move(ends));
        EXPECT_EQ(outcome.exit_code, 2) << outcome.output;
        return outcome.errors;
    };
    const auto expect_words = [&](std::vector<std::string> ends, const std::string& words) {
        const std::string errors = refused(std::move(ends));
        EXPECT_NE(errors.find(words), std::string::npos) << errors;
    };
    expect_words({"--from", "dims=16", "--to", "dim=64"},
                 "which the series does not sweep; did you mean 'dim'?; allowed: cores, dim");
    expect_words({"--from", "dim=17", "--to", "dim=64"}, "allowed: dim of 16, 64, 2048");
    expect_words({"--from", "dim", "--to", "dim=64"}, "FIELD=VALUE, like cores=16");
    expect_words({"--from", "dim=16", "--to", "dim=64"},
                 "which are 2 points; allowed: one; say also cores");
    expect_words({"--from", "dim=16", "--from", "cores=16", "--to", "dim=2048", "--to", "cores=16"},
                 "does not fit into memory");
    expect_words({"--from", "dim=16", "--from", "cores=16", "--to", "dim=16", "--to", "cores=16"},
                 "the point of --from; allowed: another one");
    expect_words({"--from", "dim=16"}, "--to");
}

TEST(Explain, ASeriesThatIsNotThereIsRefused)
{
    const Outcome outcome = in_dense().explain({"--series", "in-dens"});
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_NE(outcome.errors.find("did you mean 'in-dense'?"), std::string::npos) << outcome.errors;
}

/// Runs the study with a claim on epoch times, strictly or not.
Outcome run_claiming(const std::string& is, bool strict, const TemporaryFolder& folder,
                     const std::string& value = "epoch_seconds")
{
    const Json study = timing_study({{"sweep", {{"/machine/cores", {16, 32}}}},
                                     {"hypotheses",
                                      {{{"name", "lightning"},
                                        {"claim", "An epoch takes no time."},
                                        {"series", "in-dense"},
                                        {"value", value},
                                        {"is", is},
                                        {"than", 1e-9}}}}});
    std::vector<std::string> arguments{"run", folder.write("study.json", study.dump()), "-o",
                                       folder.path("out"), "--quiet"};
    if (strict) {
        arguments.emplace_back("--strict");
    }
    return run_program(arguments);
}

/// Timed by closed forms with a gather.
Json gathering(const char* gather, const std::vector<int>& cores)
{
    return timing_study({{"workload", {{"alx", {{"gather", gather}}}}},
                         {"band", false},
                         {"sweep", {{"/machine/cores", cores}}}});
}

TEST(MovedSpot, IsToldByRunReportAndExplainAndTrueWhenRun)
{
    const std::vector<int> cores{4, 8, 16, 32, 64, 128};
    const TemporaryFolder folder;
    const Outcome run =
        run_program({"run", folder.write("s.json", gathering("all_reduce_loop", cores).dump()),
                     "-o", folder.path("out"), "--quiet"});
    ASSERT_EQ(run.exit_code, 0) << run.errors;
    const Json series = load_json(folder.path("out/report.json")).at("series").at(0);
    ASSERT_EQ(series.at("moved_by").size(), 1U);
    const Json& moved = series.at("moved_by").at(0);
    EXPECT_EQ(moved.at("set"), Json({{"/workload/alx/gather", "all_to_all"}}));
    EXPECT_EQ(moved.at("own_cores"), series.at("sweet_spot").at("cores"));

    const Reported other(gathering("all_to_all", cores));
    EXPECT_EQ(other.report.at("series").at(0).at("sweet_spot").at("cores"), moved.at("cores"));
    const auto place = std::find(cores.begin(), cores.end(), moved.at("compared_at").get<int>());
    const Json& there =
        other.report.at("points").at(static_cast<std::size_t>(place - cores.begin()));
    EXPECT_NEAR(there.at("epoch_seconds").get<double>(), moved.at("seconds").get<double>(),
                1e-9 * moved.at("seconds").get<double>());

    const std::string words = "With gather all_to_all the sweet spot is " +
                              moved.at("cores").dump() + " cores, not " +
                              moved.at("own_cores").dump();
    EXPECT_NE(
        run.output.find(words + ": by closed forms an epoch on " + moved.at("compared_at").dump()),
        std::string::npos)
        << run.output;
    const Outcome explained = run_program({"explain", folder.path("out/report.json")});
    EXPECT_NE(explained.output.find(words), std::string::npos) << explained.output;
}

TEST(MovedSpot, IsToldOfTheScatterToo)
{
    const Reported reported(gathering("all_to_all", {64, 128, 256, 512, 1024, 2048}));
    const Json& all = reported.report.at("series").at(0).at("moved_by");
    const auto scatter = std::find_if(all.begin(), all.end(), [](const Json& moved) {
        return moved.at("set") == Json({{"/workload/alx/scatter", "all_to_all"}});
    });
    ASSERT_NE(scatter, all.end()) << all;
    EXPECT_LT(scatter->at("seconds"), scatter->at("own_seconds"));
}

TEST(MovedSpot, IsNotToldWhereTheStudyComparesTheGathersItself)
{
    Json study = gathering("all_reduce_loop", {4, 8, 16, 32, 64, 128});
    study["series"] = {
        {{"name", "released"}},
        {{"name", "asks owners"}, {"set", {{"/workload/alx/gather", "all_to_all"}}}}};
    const Reported both(study);
    for (const Json& series : both.report.at("series")) {
        EXPECT_FALSE(series.contains("moved_by")) << series.at("name");
    }
}

TEST(MovedSpot, IsNotToldWhereTheOtherGatherLeavesIt)
{
    const Reported few(gathering("all_reduce_loop", {1, 2}));
    EXPECT_FALSE(few.report.at("series").at(0).contains("moved_by"));
}

TEST(Strict, ARefutedHypothesisIsExitCodeThreeAfterAllIsWritten)
{
    const TemporaryFolder folder;
    const Outcome refuted = run_claiming("<", true, folder);
    EXPECT_EQ(refuted.exit_code, 3);
    EXPECT_NE(refuted.errors.find("hypothesis 'lightning': True in 0.0%"), std::string::npos)
        << refuted.errors;
    EXPECT_FALSE(load_json(folder.path("out/report.json")).at("hypotheses").empty());
}

TEST(Strict, OnlyRefutedHypothesesCountAndOnlyIfAskedFor)
{
    const TemporaryFolder folder;
    EXPECT_EQ(run_claiming("<", false, folder).exit_code, 0);
    EXPECT_EQ(run_claiming(">", true, folder).exit_code, 0);
}

TEST(Strict, AClaimThatCannotBeJudgedIsNotHeld)
{
    const TemporaryFolder folder;
    const Outcome mistyped = run_claiming(">", true, folder, "communication.dtaa.total");
    EXPECT_EQ(mistyped.exit_code, 3);
    EXPECT_NE(mistyped.errors.find("communication.dtaa.total"), std::string::npos)
        << mistyped.errors;
    EXPECT_EQ(run_claiming(">", false, folder, "communication.dtaa.total").exit_code, 0);
}

TEST(Strict, NoCurveIsJudgedByAClaimThatNobodyMade)
{
    const TemporaryFolder folder;
    const Outcome outcome = run_program({"run", folder.write("study.json", timing_study().dump()),
                                         "-o", folder.path("out"), "--quiet", "--strict"});
    EXPECT_EQ(load_json(folder.path("out/report.json")).at("hypotheses"), Json::array());
    EXPECT_EQ(outcome.exit_code, 0);
}

} // namespace
} // namespace alxsim::testing
