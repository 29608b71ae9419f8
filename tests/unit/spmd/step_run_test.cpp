// SPDX-License-Identifier: Apache-2.0
#include "model/graph/op_graph.h"
#include "spmd/step_run.h"

#include "base/input_error.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>

namespace alxsim::spmd {
namespace {

/// Counts its steps; the second one's figure is no number.
class Counting : public StepRun {
public:
    explicit Counting(workloads::RunOptions options)
        : StepRun(std::make_shared<model::OpGraph>(), 4, std::move(options))
    {
        resume();
    }
    using StepRun::export_matrix;
    using StepRun::figures;

private:
    std::vector<double> compute(int step, HostPool&) override
    {
        ++moved()["sum"].calls;
        moved()["sum"].elements += 10;
        done_ += step;
        return {step == 2 ? std::numeric_limits<double>::quiet_NaN() : done_};
    }
    std::vector<MemoryPart> memory() override { return {memory_of(&done_, 1)}; }

    double done_ = 0;
};

TEST(StepRun, GoesOnWithItsFiguresAndCounts)
{
    const TemporaryFolder folder;
    workloads::RunOptions options;
    options.checkpoint = folder.path("kept");
    {
        Counting first(options);
        for (int step = 0; step < 3; ++step) {
            first.next();
        }
    }
    options.resume = true;
    Counting resumed(options);
    EXPECT_EQ(resumed.figures().size(), 3U);
    while (resumed.next()) {
    }
    ASSERT_EQ(resumed.figures().size(), 4U);
    EXPECT_EQ(resumed.figures()[0], std::vector<double>{1});
    EXPECT_TRUE(std::isnan(resumed.figures()[1].front()));
    EXPECT_EQ(resumed.figures()[2], std::vector<double>{6});
    EXPECT_EQ(resumed.figures()[3], std::vector<double>{10});
    EXPECT_EQ(resumed.counters().at("collectives").at("sum"),
              (Json{{"calls", 4}, {"elements", 40}}));
}

TEST(StepRun, RefusesAFolderOfExportsThatCannotBeMade)
{
    const TemporaryFolder folder;
    std::ofstream(folder.path("file")) << "no folder\n";
    workloads::RunOptions options;
    options.export_folder = folder.path("file/below");
    EXPECT_THROW(Counting(options).export_matrix("m", {1, 1, {1.0}}, NpyNumber::f8), InputError);
}

} // namespace
} // namespace alxsim::spmd
