// SPDX-License-Identifier: Apache-2.0
#include "experiments/processes/kept_points.h"

#include "tests/temporary_folder.h"

#include <gtest/gtest.h>

namespace alxsim::experiments {
namespace {

/// A job with numbers, split and band; `alx`: more of its fields.
PointSpec point_with(const Json& alx)
{
    Json study = Json::parse(R"({"study": "kept", "machine": {"chip": "tpu_v3", "cores": 4},
        "workload": {"dataset": {"generate": {"rows": 300, "columns": 200, "links": 3000,
                                              "locality": 0.4}},
                     "split": {},
                     "alx": {"dim": 8, "epochs": 1, "batch": {"lines": 64, "line_length": 8}}}})");
    study["workload"]["alx"].update(alx);
    return {"kept", {}, point_study(study, "s.json")};
}

TEST(KeptPoints, AreFoundAgainWithoutLosingAField)
{
    const TemporaryFolder folder;
    const KeptPoints kept(folder.path("kept"));
    const PointSpec point = point_with(Json::object());
    const PointResult result = run_point(point.study, {});
    kept.keep(0, point, result);
    const std::optional<PointResult> found = kept.find(0, point);
    ASSERT_TRUE(found);
    EXPECT_EQ(json_of(*found).dump(), json_of(result).dump());
    EXPECT_EQ(found->point.result->drawn->phases.size(), result.point.result->epoch.phases.size())
        << "verdicts need the draws of each phase";
    kept.discard();
}

TEST(KeptPoints, AreThoseOfAStudyThatSpellsADefaultOut)
{
    const TemporaryFolder folder;
    const KeptPoints kept(folder.path("kept"));
    const PointSpec point = point_with(Json::object());
    kept.keep(0, point, {});
    EXPECT_TRUE(kept.find(0, point_with({{"gather", "all_reduce_loop"}, {"alpha", 0.01}})));
    EXPECT_FALSE(kept.find(0, point_with({{"gather", "all_reduce"}})));
    kept.discard();
}

} // namespace
} // namespace alxsim::experiments
