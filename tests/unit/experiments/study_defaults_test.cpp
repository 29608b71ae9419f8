// SPDX-License-Identifier: Apache-2.0
#include "alx/workload/job.h"
#include "experiments/points/study/machine_request.h"
#include "experiments/points/study/study_schema.h"

#include <gtest/gtest.h>

namespace alxsim::experiments {
namespace {

Json study_with(const char* workload)
{
    return {{"study", "s"},
            {"machine", {{"chip", "tpu_v3"}, {"cores", 2}}},
            {"workload", Json::parse(workload)}};
}

const char* const small_job =
    R"({"dataset": {"generate": {"rows": 100, "columns": 80, "links": 500}}})";

TEST(DefaultsOfAStudy, AreFilledInWithTheWorkloadsOwn)
{
    const Json filled = with_study_defaults(study_with(small_job));
    EXPECT_EQ(filled.at("fidelity"), "sampled");
    EXPECT_EQ(filled.at("sampling").at("confidence"), 0.95);
    EXPECT_EQ(filled.at("machine").at("twisted"), false);
    EXPECT_EQ(filled.at("workload").at("alx").at("gather"), "all_reduce_loop");
    EXPECT_EQ(filled.at("workload").at("dataset").at("generate").at("locality"), 0.8);
    EXPECT_EQ(filled.at("workload").at("evaluation").at("every"), 1);
}

TEST(DefaultsOfAStudy, AreThoseOfTheAlgorithmsOwnTypes)
{
    const Json filled = with_study_defaults(study_with(small_job));
    const auto machine = value_of_json<MachineRequest>(filled.at("machine"));
    const alx::AlxConfig read =
        alx::job_of(alx::point_request(filled), "s.json", machine_of(machine, "s.json")).config;
    const alx::AlxConfig own;
    EXPECT_EQ(read.dim, own.dim);
    EXPECT_EQ(read.epochs, own.epochs);
    EXPECT_EQ(read.reg, own.reg);
    EXPECT_EQ(read.alpha, own.alpha);
    EXPECT_EQ(read.solver, own.solver);
    EXPECT_EQ(read.cg.tolerance, own.cg.tolerance);
    EXPECT_EQ(read.cg.max_iterations, own.cg.max_iterations);
    EXPECT_EQ(read.table_dtype, own.table_dtype);
    EXPECT_EQ(read.solve_dtype, own.solve_dtype);
    EXPECT_EQ(read.gather, own.gather);
    EXPECT_EQ(read.scatter, own.scatter);
    EXPECT_EQ(read.placement, own.placement);
    EXPECT_EQ(read.statistics, own.statistics);
    EXPECT_EQ(read.prefetch_depth, own.prefetch_depth);
    EXPECT_EQ(read.assumed_traffic.distinct_factor, own.assumed_traffic.distinct_factor);
    EXPECT_EQ(read.initial.stddev, own.initial.stddev);
    EXPECT_EQ(read.initial.divide_by_sqrt_dim, own.initial.divide_by_sqrt_dim);
    EXPECT_EQ(read.initial.tied, own.initial.tied);
    EXPECT_EQ(read.evaluation.every, own.evaluation.every);
    EXPECT_EQ(read.evaluation.top_k, own.evaluation.top_k);
    EXPECT_EQ(read.evaluation.approximate, own.evaluation.approximate);
    EXPECT_EQ(read.long_rows, own.long_rows);
    EXPECT_EQ(read.seed, own.seed);
}

TEST(DefaultsOfAStudy, MakeAStudyThatSpellsThemOutTheSameOne)
{
    Json spelt_out = study_with(small_job);
    spelt_out["workload"]["alx"] = {{"epochs", 16}, {"dim", 128}};
    spelt_out["seed"] = 1;
    EXPECT_EQ(with_study_defaults(spelt_out), with_study_defaults(study_with(small_job)));
    EXPECT_EQ(with_study_defaults(with_study_defaults(spelt_out)), with_study_defaults(spelt_out));
}

TEST(DefaultsOfAStudy, StayAwayWhereAnotherFieldSettlesThem)
{
    const Json split = with_study_defaults(
        study_with(R"({"dataset": {"file": "a.txt"}, "split": {"test_file": "t.txt"}})"));
    EXPECT_EQ(split.at("workload").at("split"),
              Json::parse(R"({"test_file": "t.txt", "validation": false})"));
    const Json whole = with_study_defaults(study_with(small_job));
    EXPECT_FALSE(whole.at("workload").contains("split")) << "without it all rows are trained on";
    EXPECT_FALSE(whole.at("workload").at("alx").contains("column_batch")) << "as batch";
}

TEST(DefaultsOfAStudy, CompleteABatchOfWhichAPartIsGiven)
{
    const Json filled = with_study_defaults(
        study_with(R"({"alx": {"batch": {"lines": 512}, "column_batch": {"lines": 256}}})"));
    const Json& alx = filled.at("workload").at("alx");
    EXPECT_EQ(alx.at("batch"), Json::parse(R"({"lines": 512, "line_length": 16, "rows": 64})"));
    EXPECT_EQ(alx.at("column_batch"), Json::parse(R"({"lines": 256})")) << "the rest is batch's";
}

TEST(DefaultsOfAStudy, AreThoseOfItsOwnKindOfWorkload)
{
    const Json graph = with_study_defaults(study_with(R"({"op_graph": "g.json"})"));
    EXPECT_EQ(graph.at("workload"), Json::parse(R"({"op_graph": "g.json"})"));
    const Json none = with_study_defaults(study_with("{}"));
    EXPECT_TRUE(none.at("workload").empty()) << "its series name the kind";
}

} // namespace
} // namespace alxsim::experiments
