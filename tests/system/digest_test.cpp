// SPDX-License-Identifier: Apache-2.0
// The default study's numbers on this CPU, whatever it is: without child processes, so that an
// emulator can run it.
#include "experiments/runs/runner.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace alxsim::experiments {
namespace {

TEST(Digest, OfTheDefaultStudyOnOneCoreIsTheCommittedOne)
{
    const std::string source = ALXSIM_SOURCE_DIR;
    const Study study = load_study(source + "/experiments/studies/default.json", {});
    const Json expected = load_json(source + "/tests/system/default_study_expected.json").at(0);
    std::vector<PointSpec> points = expand(study);
    points.resize(1);
    ASSERT_EQ(points.front().series, expected.at("series"));

    RunnerOptions options;
    options.quiet = true;
    const std::vector<PointResult> results = run_points(points, options);
    const Json found = json_of(results.at(0).point);
    for (const char* field : {"tables_digest", "quality", "epoch_seconds"}) {
        EXPECT_EQ(found.at(field), expected.at(field)) << field;
    }
}

} // namespace
} // namespace alxsim::experiments
