// SPDX-License-Identifier: Apache-2.0
#include "alx/requests/shared_dataset.h"
#include "base/host_pool.h"
#include "experiments/points/study/study_schema.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace alxsim::experiments {
namespace {

alx::PointRequest study_with(int seed)
{
    const Json links{{"rows", 3000}, {"columns", 2500}, {"links", 60000}};
    return alx::point_request(
        with_study_defaults({{"study", "s"},
                             {"seed", seed},
                             {"machine", {{"chip", "tpu_v3"}, {"cores", 2}}},
                             {"workload", {{"dataset", {{"generate", links}}}}}}));
}

TEST(SharedDataset, IsMadeOnceForAllThatAskAtTheSameTime)
{
    const alx::PointRequest study = study_with(1);
    std::vector<std::shared_ptr<const alx::Dataset>> got(8);
    HostPool pool(8);
    pool.for_chunks(8, 1, [&](std::int64_t begin, std::int64_t /*end*/) {
        got[static_cast<std::size_t>(begin)] = alx::shared_dataset_of(study, "s.json");
    });
    for (const auto& data : got) {
        EXPECT_EQ(data, got.front());
    }
}

TEST(SharedDataset, IsNotThatOfAnotherSeed)
{
    EXPECT_NE(alx::shared_dataset_of(study_with(1), "s.json"),
              alx::shared_dataset_of(study_with(2), "s.json"));
}

TEST(SharedDataset, IsForgottenWhenNobodyHoldsIt)
{
    const std::weak_ptr<const alx::Dataset> once = alx::shared_dataset_of(study_with(1), "s.json");
    EXPECT_TRUE(once.expired());
}

} // namespace
} // namespace alxsim::experiments
