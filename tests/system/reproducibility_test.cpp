// SPDX-License-Identifier: Apache-2.0
#include "program.h"

#include <gtest/gtest.h>

namespace alxsim::testing {
namespace {

/// The report without what may differ from run to run.
std::string lasting_part(const std::string& path)
{
    Json report = load_json(path);
    report.erase("host");
    return report.dump();
}

TEST(Reproducibility, AReportIsTheSameByteForByteWhateverJobsAndThreads)
{
    const TemporaryFolder folder;
    const std::string study = folder.write("s.json", small_study(folder).dump());
    const auto report_with = [&](const std::string& name, const std::vector<std::string>& options) {
        std::vector<std::string> arguments{"run", study, "-o", folder.path(name), "--quiet"};
        arguments.insert(arguments.end(), options.begin(), options.end());
        EXPECT_EQ(run_program(arguments).exit_code, 0);
        return lasting_part(folder.path(name + "/report.json"));
    };
    const std::string once = report_with("a", {"--jobs", "1", "--threads", "1"});
    EXPECT_EQ(once, report_with("b", {"--jobs", "3", "--threads", "1"}));
    EXPECT_EQ(once, report_with("c", {"--jobs", "1", "--threads", "4"}));
}

TEST(Reproducibility, AnotherSeedIsAnotherRun)
{
    const TemporaryFolder folder;
    const std::string study = folder.write("s.json", small_study(folder).dump());
    ASSERT_EQ(run_program({"run", study, "-o", folder.path("a"), "--quiet"}).exit_code, 0);
    ASSERT_EQ(run_program({"run", study, "-o", folder.path("b"), "--quiet", "--set", "/seed=2"})
                  .exit_code,
              0);
    const auto objective = [&](const char* path) {
        return load_json(folder.path(path))
            .at("points")
            .at(0)
            .at("quality")
            .at(0)
            .at("objective")
            .get<double>();
    };
    EXPECT_NE(objective("a/report.json"), objective("b/report.json"));
}

} // namespace
} // namespace alxsim::testing
