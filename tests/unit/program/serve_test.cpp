// SPDX-License-Identifier: Apache-2.0
#include "base/work/stop.h"
#include "experiments/points/point.h"
#include "program/serve/playground.h"
#include "report/report.h"
#include "tests/temporary_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace alxsim::program {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

Study sparse_study()
{
    return study_of(parse_json(R"({
        "study": "sparse", "numerics": false, "fidelity": "analytic", "machine": {"chip": "tpu_v3"},
        "workload": {"dataset": {"webgraph": "sparse"}, "alx": {"dim": 128, "batch": "auto"}},
        "series": [{"name": "small", "sweep": {"/machine/cores": [64, 256]}},
                   {"name": "large", "sweep": {"/machine/cores": [1024]},
                    "set": {"/workload/alx/gather": "all_to_all"}}]})",
                               "sparse.json"),
                    "sparse.json");
}

/// What an InputError says.
template <class Function>
std::string refusal_of(const Function& function)
{
    try {
        function();
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

Json slider_of(const Json& controls, const std::string& key)
{
    for (const Json& slider : controls.at("sliders")) {
        if (slider.at("key") == key) {
            return slider;
        }
    }
    return nullptr;
}

/// As `run --fidelity analytic` has the points of a study's file.
std::vector<double> run_seconds(const Study& study)
{
    std::vector<double> seconds;
    for (const PointSpec& spec : expand(study)) {
        seconds.push_back(run_point(spec.study, {}).point.seconds());
    }
    return seconds;
}

TEST(Serve, ACurveIsWhatRunGivesToTheLastDigit)
{
    Playground playground(sparse_study(), {"", 2});
    const Json set{{"/machine/overrides/gather_row_s", 2.1e-8}, {"/workload/alx/dim", 64}};
    const Json curve = playground.curve({{"series", "small"}, {"set", set}});
    const Study run = study_of(parse_json(R"({
            "study": "small", "numerics": false, "fidelity": "analytic", "band": false,
            "machine": {"chip": "tpu_v3", "overrides": {"gather_row_s": 2.1e-8}},
            "workload": {"dataset": {"webgraph": "sparse"}, "alx": {"dim": 64, "batch": "auto"}},
            "sweep": {"/machine/cores": [64, 256]}})",
                                          "run.json"),
                               "run.json");
    const std::vector<double> seconds = run_seconds(run);
    ASSERT_EQ(curve.at("points").size(), 2u);
    EXPECT_EQ(curve.at("points").at(0).at("epoch_seconds"), seconds[0]);
    EXPECT_EQ(curve.at("points").at(1).at("epoch_seconds"), seconds[1]);
    EXPECT_EQ(curve.at("series").at("sweet_spot").at("cores"), 64);
    EXPECT_THAT(curve.at("words").get<std::string>(), HasSubstr("The sweet spot lies at"));
    EXPECT_THAT(curve.at("words").get<std::string>(), Not(HasSubstr("What would move")));
}

TEST(Serve, TheFullAnswerHasTheBandAndWhatIfs)
{
    Playground playground(sparse_study(), {"", 2});
    const Json curve = playground.curve({{"series", "small"}, {"detail", "full"}});
    for (const Json& point : curve.at("points")) {
        EXPECT_LT(point.at("epoch_seconds_p05"), point.at("epoch_seconds"));
        EXPECT_GT(point.at("epoch_seconds_p95"), point.at("epoch_seconds"));
    }
    EXPECT_THAT(curve.at("words").get<std::string>(), HasSubstr("What would move the sweet spot"));
}

TEST(Serve, SlidersGoOverTheBandOfUncertainValuesAndSelectorsOverTheJobsChoices)
{
    Playground playground(sparse_study(), {"", 2});
    const Json controls = playground.controls({{"series", "small"}});
    EXPECT_EQ(controls.at("curves"), Json({"small", "large"}));
    EXPECT_EQ(controls.at("cores"), Json({64, 256}));
    EXPECT_EQ(controls.at("fidelity"), "sampled");
    const Json gather = slider_of(controls, "dma_latency_s");
    ASSERT_FALSE(gather.is_null());
    EXPECT_EQ(gather.at("pointer"), "/machine/overrides/dma_latency_s");
    EXPECT_LT(gather.at("low"), gather.at("value"));
    EXPECT_GT(gather.at("high"), gather.at("value"));
    EXPECT_GT(gather.at("swing"), 1.1);
    const Json links = slider_of(controls, "ici_link_bw_oneway");
    ASSERT_FALSE(links.is_null());
    std::vector<std::string> names;
    for (const Json& selector : controls.at("selectors")) {
        names.push_back(selector.at("name"));
    }
    EXPECT_THAT(names, Contains("gather"));
    EXPECT_THAT(names, Contains("placement"));
    EXPECT_THAT(names, Not(Contains("slice"))) << "with two core counts";
}

TEST(Serve, WhatHostsReadHasASlider)
{
    Playground playground(sparse_study(), {"", 2});
    const std::string pointer = "/workload/alx/input/bytes_per_second";
    const Json reads =
        slider_of(playground.controls({{"series", "small"}}), "bytes that a host reads");
    ASSERT_FALSE(reads.is_null());
    EXPECT_EQ(reads.at("pointer"), pointer);
    EXPECT_EQ(reads.at("value"), 1e9);
    EXPECT_EQ(reads.at("low"), 1e8);
    EXPECT_EQ(reads.at("high"), 3e9);
    EXPECT_EQ(reads.at("uncertain"), true);
    const Json set =
        slider_of(playground.controls({{"series", "small"}, {"set", {{pointer, 5e8}}}}),
                  "bytes that a host reads");
    ASSERT_FALSE(set.is_null());
    EXPECT_EQ(set.at("value"), 5e8);
    EXPECT_EQ(set.at("uncertain"), false);
}

TEST(Serve, EveryOptionThatIsOfferedCanBeSet)
{
    Playground playground(sparse_study(), {"", 2});
    const Json controls = playground.controls({{"series", "large"}});
    for (const Json& selector : controls.at("selectors")) {
        for (const Json& option : selector.at("options")) {
            Json set = controls.at("pinned");
            set.update(option.at("set"));
            EXPECT_EQ(refusal_of([&] {
                          playground.save({{"series", "large"}, {"set", set}});
                      }),
                      "")
                << option.at("words");
        }
    }
}

TEST(Serve, ATransformerHasItsOwnChoicesThroughTheSeam)
{
    const Study study = study_of(parse_json(R"({
        "study": "gpt2", "numerics": false, "machine": {"chip": "tpu_v5e", "cores": 4},
        "workload": {"transformer": {"preset": "gpt2-small", "batch": 8}}})",
                                            "gpt2.json"),
                                 "gpt2.json");
    Playground playground(study, {"", 2});
    const Json controls = playground.controls(Json::object());
    std::vector<std::string> names;
    for (const Json& selector : controls.at("selectors")) {
        names.push_back(selector.at("name"));
    }
    EXPECT_THAT(names, Contains("sharding"));
    EXPECT_THAT(names, Contains("slice"));
    EXPECT_EQ(controls.at("interval"), "training step");
    const Json set{{"/sweep/~1machine~1cores", {2, 4}}};
    EXPECT_EQ(playground.curve({{"set", set}}).at("points").size(), 2u);
}

TEST(Serve, ABadValueIsRefusedInTheWordsOfCheck)
{
    Playground playground(sparse_study(), {"", 2});
    const auto set = [&](const std::string& pointer, const Json& value) {
        return refusal_of([&] { playground.curve({{"set", {{pointer, value}}}}); });
    };
    EXPECT_THAT(set("/workload/alx/gather", "all_too_all"),
                HasSubstr("sparse.json: /workload/alx/gather: "));
    EXPECT_THAT(set("/machine/overrides/gather_row", 1e-8), HasSubstr("gather_row_s"));
    EXPECT_THAT(set("machine", 1), HasSubstr("is no JSON pointer"));
    EXPECT_THAT(set("/machine/coers", 8), HasSubstr("unknown field 'coers'"));
    EXPECT_THAT(set("/sweep/~1machine~1cores", {63}), HasSubstr("cores"));
    EXPECT_THAT(refusal_of([&] {
                    playground.curve({{"series", "smal"}});
                }),
                HasSubstr("did you mean 'small'?"));
    EXPECT_THAT(refusal_of([&] {
                    playground.curve({{"sets", Json::object()}});
                }),
                HasSubstr("/sets: is unknown"));
    EXPECT_THAT(refusal_of([&] { playground.curve(Json::array()); }), HasSubstr("no JSON object"));
}

TEST(Serve, MorePointsThanAPageDrawsAreRefused)
{
    Playground playground(sparse_study(), {"", 2});
    Json many = Json::array();
    for (int i = 1; i <= 65; ++i) {
        many.push_back(1e-8 * i);
    }
    const Json set{{"/sweep/~1machine~1overrides~1gather_row_s", many}};
    EXPECT_THAT(refusal_of([&] { playground.curve({{"set", set}}); }), HasSubstr("at most 64"));
}

TEST(Serve, AStudyIsSavedWithWhatIsSet)
{
    const TemporaryFolder folder;
    folder.write("links.txt", "0 1\n1 2\n2 0\n");
    const std::string file = folder.path("study.json");
    const Study study = study_of(parse_json(R"({
        "study": "mine/1", "machine": {"chip": "tpu_v3", "cores": 1},
        "workload": {"dataset": {"file": "links.txt"}, "alx": {"dim": 8}}})",
                                            file),
                                 file);
    Playground playground(study, {"", 2});
    const Json set{{"/workload/alx/dim", 16}};
    const Json saved = playground.save({{"set", set}});
    EXPECT_EQ(saved.at("name"), "mine_1.json");
    const Json text = Json::parse(saved.at("text").get<std::string>());
    EXPECT_EQ(text.at(Json::json_pointer("/workload/alx/dim")), 16);
    EXPECT_EQ(text.at(Json::json_pointer("/workload/dataset/file")), folder.path("links.txt"))
        << "a download stands in another folder";
    EXPECT_THAT(folder.names(), Not(Contains("mine_1.json"))) << "nothing is written unless asked";

    EXPECT_EQ(playground.save({{"set", set}, {"file", "new.json"}}).at("name"),
              folder.path("new.json"));
    EXPECT_EQ(load_study(folder.path("new.json"), {}).document.at("workload").at("alx").at("dim"),
              16);
    for (const Json& name : {Json("new.json"), Json("../new2.json"), Json("/tmp/new2.json"),
                             Json("new2"), Json(""), Json(".json"), Json(1)}) {
        EXPECT_NE(refusal_of([&] { playground.save({{"file", name}}); }), "") << name;
    }
}

TEST(Serve, AQuickRequestSupersedesAFullOne)
{
    Playground playground(sparse_study(), {"", 1});
    std::atomic<bool> over{false};
    std::thread quick([&] {
        while (!over) {
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
            playground.curve({{"series", "small"}});
        }
    });
    EXPECT_THROW(playground.curve({{"series", "small"}, {"detail", "full"}}), Superseded);
    over = true;
    quick.join();
}

TEST(Serve, ACurveThatNobodyWaitsForEndsOnItsWay)
{
    CurveModel model(1);
    const std::vector<PointSpec> specs = points_of(study_in(sparse_study(), Scenario{}));
    std::atomic<int> looks{0};
    const StopScope scope([&] { return ++looks > 2; });
    EXPECT_THROW(model.points(specs), Stopped);
}

TEST(Serve, WhatTakesTooLongIsRefusedWithWhatToChange)
{
    Playground playground(sparse_study(), {"", 1, 0.05});
    const std::string words = refusal_of([&] {
        playground.curve({{"series", "small"}, {"detail", "full"}});
    });
    EXPECT_THAT(words, HasSubstr("sparse.json: takes longer than 0.05 s"));
    EXPECT_THAT(words, HasSubstr("fewer points"));
    EXPECT_THAT(words, HasSubstr("--curve-seconds 0.5"));
}

TEST(Serve, ItsEndStopsWhatIsAsked)
{
    Playground playground(sparse_study(), {"", 1});
    std::thread end([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        playground.end();
    });
    EXPECT_THROW(playground.curve({{"series", "small"}, {"detail", "full"}}), Superseded);
    end.join();
}

} // namespace
} // namespace alxsim::program
