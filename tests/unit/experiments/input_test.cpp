// SPDX-License-Identifier: Apache-2.0
// The input pipeline of hosts, as a study has it.
#include "experiments/points/point.h"
#include "experiments/points/study/job.h"
#include "experiments/points/uncertainty/uncertainty.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace alxsim::experiments {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr double links = 2e8;

Json alx_study(int cores, const Json& input)
{
    return {{"study", "input"},
            {"numerics", false},
            {"fidelity", "analytic"},
            {"band", false},
            {"machine", {{"chip", "tpu_v5e"}, {"cores", cores}}},
            {"workload",
             {{"dataset", {{"shape", {{"rows", 1e6}, {"columns", 1e6}, {"links", links}}}}},
              {"alx",
               {{"dim", 16},
                {"semantics", "alx"},
                {"gather", "replicated"},
                {"batch", {{"lines", 65536}, {"line_length", 16}, {"rows", 8192}}},
                {"input", input}}}}}};
}

report::Point point_of(const Json& study)
{
    return run_point(point_study(study, "study.json"), {}).point;
}

report::InputStages stages_of(const Json& study)
{
    return point_of(study).result.value().input.value();
}

/// Links of both halves that batches hold.
double read_links(const Json& study)
{
    const Json geometry = point_of(study).result.value().geometry.value();
    return links * (2 - geometry.at("batch").at("links_lost_share").get<double>() -
                    geometry.at("column_batch").at("links_lost_share").get<double>());
}

TEST(Input, OfTheReleasedCodeIsReadByEveryHost)
{
    for (const int cores : {8, 16, 64}) {
        const Json study = alx_study(cores, {{"bytes_per_second", 2e9}});
        const report::InputStages stages = stages_of(study);
        EXPECT_TRUE(stages.every_host_reads_all);
        EXPECT_NEAR(stages.read_seconds, read_links(study) * 8 / 2e9, 0.01 * stages.read_seconds);
        EXPECT_NEAR(stages.parse_seconds, read_links(study) / 1e8 / (cores / 8),
                    0.01 * stages.parse_seconds);
    }
}

TEST(Input, OfCleanSemanticsIsReadByItsOwnHost)
{
    Json study = alx_study(64, {{"bytes_per_second", 2e9}, {"ids_per_second", 5e7}});
    study["workload"]["alx"]["semantics"] = "clean";
    const report::InputStages stages = stages_of(study);
    EXPECT_FALSE(stages.every_host_reads_all);
    EXPECT_NEAR(stages.read_seconds, read_links(study) * 8 / 2e9 / 8, 0.01 * stages.read_seconds);
    EXPECT_NEAR(stages.parse_seconds, read_links(study) / 5e7 / 8, 0.01 * stages.parse_seconds);
}

TEST(Input, IsTheTimeWhereItIsSlowest)
{
    const Json slow = alx_study(64, {{"bytes_per_second", 1e8}});
    const report::Result result = point_of(slow).result.value();
    EXPECT_NEAR(result.epoch.seconds, result.input.value().read_seconds,
                0.05 * result.epoch.seconds);
    EXPECT_GT(result.epoch.phase("infeed"), 0.5 * result.epoch.seconds);
}

TEST(Input, CountsInSystemCAsInTheEstimate)
{
    for (const double rate : {1e8, 5e8, 1e10}) {
        Json study = alx_study(16, {{"bytes_per_second", rate}});
        const double estimated = point_of(study).seconds();
        study["fidelity"] = "detailed";
        EXPECT_NEAR(point_of(study).seconds(), estimated, 0.02 * estimated) << rate;
    }
}

TEST(Input, IsUncertainWhereTheStudyDoesNotSay)
{
    const auto names = [](const Json& input) {
        const UncertainJob job(job_of(point_study(alx_study(16, input), "study.json")));
        std::vector<std::string> found;
        for (const Unknown& one : job.unknowns()) {
            found.push_back(one.name);
        }
        return found;
    };
    EXPECT_THAT(names(Json::object()), Contains("ids that a host reads"));
    EXPECT_THAT(names(Json::object()), Contains("bytes that a host reads"));
    EXPECT_THAT(names({{"bytes_per_second", 1e9}}), Not(Contains("bytes that a host reads")));
    EXPECT_THAT(names({{"ids_per_second", 1e8}}), Not(Contains("ids that a host reads")));
}

TEST(Input, OfTheCentralWorldIsThatOfThePoint)
{
    const Job job = job_of(point_study(alx_study(64, Json::object()), "study.json"));
    const UncertainJob uncertain(job);
    const topologies::InputRates& drawn = uncertain.machine(uncertain.as_it_is()).host.input;
    EXPECT_EQ(job.machine.host.input.bytes_per_second, drawn.bytes_per_second);
    EXPECT_EQ(job.machine.host.input.ids_per_second, drawn.ids_per_second);
    EXPECT_GT(drawn.ids_per_second, 0);
}

Json transformer_study(const Json& input)
{
    Json study{
        {"study", "input"},
        {"numerics", false},
        {"fidelity", "analytic"},
        {"band", false},
        {"machine", {{"chip", "tpu_v5e"}, {"cores", 16}}},
        {"workload",
         {{"transformer", {{"preset", "gpt2-small"}, {"batch", 16}, {"mesh", {{"data", 16}}}}}}}};
    if (!input.is_null()) {
        study["workload"]["transformer"]["input"] = input;
    }
    return study;
}

TEST(Input, OfATransformerIsReadAtTheRateThatTheStudySays)
{
    const report::Point without = point_of(transformer_study(nullptr));
    EXPECT_FALSE(without.result.value().input);
    EXPECT_THAT(without.notes.at(0), HasSubstr("without an input pipeline: \"input\" in"));
    const report::Point fast = point_of(transformer_study({{"bytes_per_second", 1e9}}));
    EXPECT_EQ(fast.notes.at(0), "the time is that of a tuned, compiled step on the devices, with "
                                "its input pipeline");
    EXPECT_NEAR(fast.seconds(), without.seconds(), 0.01 * without.seconds());
    // Each of two hosts reads half of 16 sequences of 1,024 ids of 4 bytes: 32 kB.
    const report::Result slow =
        point_of(transformer_study({{"bytes_per_second", 3.2768e3}})).result.value();
    EXPECT_NEAR(slow.input.value().read_seconds, 10, 1e-6);
    EXPECT_NEAR(slow.epoch.seconds, 10, 0.5);
}

TEST(Input, OfAnOpGraphIsItsInfeed)
{
    const auto notes = [](const Json& ops) {
        return point_of({{"study", "input"},
                         {"numerics", false},
                         {"fidelity", "analytic"},
                         {"band", false},
                         {"machine", {{"chip", "tpu_v5e"}, {"cores", 4}}},
                         {"workload", {{"op_graph", {{"ops", ops}}}}}})
            .notes;
    };
    const Json product{{"work", "matmul"}, {"m", 1024}, {"k", 1024}, {"n", 1024}};
    EXPECT_THAT(notes(Json::array({product})),
                Contains(HasSubstr("without an input pipeline: an op with")));
    EXPECT_THAT(notes(Json::array({Json{{"work", "infeed"}, {"bytes", 1000}}, product})),
                Not(Contains(HasSubstr("without an input pipeline"))));
}

} // namespace
} // namespace alxsim::experiments
