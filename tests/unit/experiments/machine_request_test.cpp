// SPDX-License-Identifier: Apache-2.0
#include "experiments/machine_request.h"
#include "report/point_fields.h"

#include <gtest/gtest.h>

namespace alxsim::experiments {
namespace {

Json told(const Json& machine)
{
    const auto request = value_of_json<MachineRequest>(machine);
    return json_of(machine_told(machine_of(request, "study.json"), request));
}

TEST(ASliceInAReport, IsSaidToBeAskedForWhereTheStudyNamesOneThatIsNotListed)
{
    const Json asked = told({{"chip", "tpu_v3"}, {"cores", 32}, {"slice", "2x8"}});
    EXPECT_TRUE(asked.at("slice_assumed"));
    EXPECT_TRUE(asked.at("slice_asked")) << "4x4 is listed, and has so many cores";
    const Json wrapped =
        told({{"chip", "tpu_v3"}, {"cores", 32}, {"slice", "4x4"}, {"wrap", {true, true}}});
    EXPECT_TRUE(wrapped.at("slice_asked"));
}

TEST(ASliceInAReport, IsNotSaidToBeAskedForWhereItFollowsFromTheCores)
{
    const Json assumed = told({{"chip", "tpu_v3"}, {"cores", 4}});
    EXPECT_TRUE(assumed.at("slice_assumed"));
    EXPECT_FALSE(assumed.contains("slice_asked"));
    const Json listed = told({{"chip", "tpu_v3"}, {"cores", 32}, {"slice", "4x4"}});
    EXPECT_FALSE(listed.at("slice_assumed"));
    EXPECT_FALSE(listed.contains("slice_asked")) << "asked for, and listed";
}

} // namespace
} // namespace alxsim::experiments
