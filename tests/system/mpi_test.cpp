// SPDX-License-Identifier: Apache-2.0
#include "program.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <sys/wait.h>

/// The points of a study on the ranks of an MPI job.
namespace alxsim::testing {
namespace {

/// The exit code of mpirun.
int run_ranks(const TemporaryFolder& folder, int ranks, const std::string& study,
              const std::string& out)
{
    std::vector<std::string> words = mpirun_in(folder.path());
    for (const std::string& word :
         {std::string("-n"), std::to_string(ranks), program_path(), std::string("run"),
          std::string("--mpi"), study, std::string("-o"), out}) {
        words.push_back(word);
    }
    int status = 0;
    waitpid(start_command(words), &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::string report_of(const std::string& folder)
{
    Json report = load_json(folder + "/report.json");
    report.erase("host");
    return report.dump();
}

TEST(Mpi, HasTheSameReportForAnyNumberOfRanksAndInOneProcess)
{
    if (!has_mpi()) {
        GTEST_SKIP() << "no MPI here";
    }
    const TemporaryFolder folder;
    const std::string study = folder.write("s.json", small_study(folder, Json::parse(R"({
        "series": [{"name": "trained"},
                   {"name": "timed", "set": {"/numerics": false, "/fidelity": "analytic"},
                    "sweep": {"/machine/cores": [1, 2, 4, 8], "/workload/alx/dim": [8, 16]}}]})"))
                                                         .dump());
    const auto out = [&](const std::string& name) { return folder.path(name); };
    ASSERT_EQ(run_program({"run", study, "-o", out("here"), "--quiet", "--in-process"}).exit_code,
              0);
    for (const int ranks : {1, 2, 4}) {
        const std::string name = out(std::to_string(ranks));
        EXPECT_EQ(run_ranks(folder, ranks, study, name), 0);
        EXPECT_EQ(report_of(name), report_of(out("here"))) << ranks;
        EXPECT_FALSE(std::filesystem::exists(name + "/.finished-points"));
    }
}

TEST(Mpi, EndsEveryRankWhereTheStudyIsBad)
{
    if (!has_mpi()) {
        GTEST_SKIP() << "no MPI here";
    }
    const TemporaryFolder folder;
    EXPECT_EQ(run_ranks(folder, 2, folder.path("none.json"), folder.path("out")), 2);
}

} // namespace
} // namespace alxsim::testing
