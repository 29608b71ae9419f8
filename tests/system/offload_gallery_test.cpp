// SPDX-License-Identifier: Apache-2.0
#include "base/json_document.h"
#include "experiments/points/study/job.h"
#include "experiments/points/study/study.h"
#include "experiments/points/timing/overlapping_steps.h"
#include "model/job_estimate.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

/// The claims of experiments/galleries/offload: what input without copies and the order of the
/// optimizer bring, against the batch.
namespace alxsim::experiments {
namespace {

const std::string root = ALXSIM_SOURCE_DIR;

/// "edf, user" -> the job of a series and batch.
std::map<std::string, PointStudy> studies_of(const std::string& series, int batch)
{
    const std::string offload = "/workload/offload/";
    std::map<std::string, PointStudy> studies;
    for (const PointSpec& spec :
         expand(load_study(root + "/experiments/galleries/offload/study.json", {}))) {
        if (spec.series == series && *spec.sweep.find(offload + "batch") == batch) {
            studies.emplace(spec.sweep.find(offload + "schedule")->get<std::string>() + ", " +
                                spec.sweep.find(offload + "io")->get<std::string>(),
                            whole_study(spec));
        }
    }
    return studies;
}

double seconds_of(const PointStudy& study)
{
    const Job job = job_of(study);
    return to_seconds(model::estimate(job.workload->program(), job.machine).total).count();
}

/// Returns that of `sync` through the kernel over another way.
double gain(const std::string& series, int batch, const std::string& way)
{
    const std::map<std::string, PointStudy> studies = studies_of(series, batch);
    return seconds_of(studies.at("sync, kernel")) / seconds_of(studies.at(way));
}

constexpr const char* half = "v5e at half its peak";

TEST(OffloadGallery, BothTogetherCrossWhatHiTrainPublishedBetweenTwoBatches)
{
    constexpr double published = 1.49; // doi 10.7544/issn1000-1239.202550478
    EXPECT_LT(gain(half, 4, "edf, user"), published);
    EXPECT_GT(gain(half, 8, "edf, user"), published);
    EXPECT_LT(gain("v5e", 8, "edf, user"), published);
    EXPECT_GT(gain("v5e", 16, "edf, user"), published);
    EXPECT_LT(gain("v5p", 16, "edf, user"), published);
    EXPECT_GT(gain("v5p", 32, "edf, user"), published);
}

TEST(OffloadGallery, HaveAPeakWhereComputingAndWritingTakeAsLong)
{
    EXPECT_GT(gain(half, 32, "edf, user"), gain(half, 16, "edf, user"));
    EXPECT_GT(gain(half, 32, "edf, user"), gain(half, 64, "edf, user"));
    EXPECT_GT(gain("v5p", 128, "edf, user"), gain("v5p", 64, "edf, user"));
    EXPECT_GT(gain("v5p", 128, "edf, user"), gain("v5p", 256, "edf, user"));
}

// Half the peak, and 60 GB/s of host memory, is what that simulation assumed; attention, norms and
// what is not part of a layer are not in it, so that more is computed here.
TEST(OffloadGallery, TakesWhatAnIndependentEventSimulationSays)
{
    const Json golden = load_json(root + "/tests/golden/data/workloads/offload.json");
    int compared = 0;
    for (const Json& one : golden.at("ten_billion")) {
        if (one.at("chip") != "tpu_v5e") {
            continue;
        }
        const auto studies = studies_of(half, one.at("batch"));
        for (const auto& [io, name] : {std::pair("kernel", "kernel, bounce copy"),
                                       std::pair("user", "user space, no copy")}) {
            for (const auto& [schedule, seconds] : one.at(name).items()) {
                const double ours = seconds_of(studies.at(schedule + ", " + io));
                EXPECT_NEAR(ours / seconds.get<double>(), 1, 0.03)
                    << one.at("batch") << " " << schedule << " " << io;
                ++compared;
            }
        }
    }
    EXPECT_EQ(compared, 24);
}

TEST(OffloadGallery, IsTimedAlikeByBothEngines)
{
    const PointStudy study = studies_of("v5e", 8).at("edf, user");
    const Job job = job_of(study);
    const Timing simulated = simulate_overlapping(job.workload->program(), job.machine, nullptr);
    EXPECT_NEAR(to_seconds(simulated.total.total).count() / seconds_of(study), 1, 0.02);
}

} // namespace
} // namespace alxsim::experiments
