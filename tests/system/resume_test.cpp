// SPDX-License-Identifier: Apache-2.0
#include "program.h"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <sys/wait.h>
#include <thread>

/// Runs that are killed, as machines do it: without a warning.
namespace alxsim::testing {
namespace {

/// Starts the program and kills it after `milliseconds`; whether it had finished by then.
bool finishes_within(const std::vector<std::string>& arguments, int milliseconds)
{
    const pid_t child = start_program(arguments);
    for (int i = 0; i < milliseconds; ++i) {
        if (waitpid(child, nullptr, WNOHANG) == child) {
            return true;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    return false;
}

Json report_without_host(const std::string& folder)
{
    Json report = Json::parse(read_file(folder + "/report.json"));
    report.erase("host");
    return report;
}

TEST(Resume, AfterAnyNumberOfKillsComesToTheSameBitsAndTimes)
{
    const TemporaryFolder folder;
    const std::string study = folder.write("s.json", small_study(folder, Json::parse(R"({
        "sweep": {"/machine/cores": [2, 4]},
        "workload": {"alx": {"dim": 32, "epochs": 240, "solver": "cg"}}})"))
                                                         .dump());
    const std::string unbroken = folder.path("unbroken");
    ASSERT_EQ(run_program({"run", study, "-o", unbroken}).exit_code, 0);

    const std::string killed = folder.path("killed");
    int kills = 0;
    // Later and later, so that it comes to an end on any host.
    while (!finishes_within({"run", study, "-o", killed, "--resume"}, 100 + 37 * kills)) {
        ++kills;
        ASSERT_LT(kills, 200);
    }
    EXPECT_GT(kills, 2) << "too fast to be killed: give it more epochs";
    EXPECT_EQ(report_without_host(killed), report_without_host(unbroken));
}

TEST(Resume, ComputesAnewWhatADamagedCheckpointHad)
{
    const TemporaryFolder folder;
    const std::string study = folder.write("s.json", small_study(folder, Json::parse(R"({
        "sweep": {"/machine/cores": [2]}, "workload": {"alx": {"dim": 32, "epochs": 400}}})"))
                                                         .dump());
    const std::string out = folder.path("out");
    int milliseconds = 200;
    while (read_file(out + "/.finished-points/0.checkpoint").empty()) {
        ASSERT_FALSE(finishes_within({"run", study, "-o", out}, milliseconds));
        milliseconds += 100;
    }
    // A checkpoint that is not what was written is not used, and costs nothing but time.
    const std::string checkpoint = out + "/.finished-points/0.checkpoint";
    std::string bytes = read_file(checkpoint);
    bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
    folder.write("out/.finished-points/0.checkpoint", bytes);
    const Outcome resumed = run_program({"run", study, "-o", out, "--resume"});
    EXPECT_EQ(resumed.exit_code, 0) << resumed.errors;
    EXPECT_NE(resumed.errors.find("checkpoint is damaged: its checksum is wrong; computed from the "
                                  "beginning"),
              std::string::npos)
        << resumed.errors;
    const std::string unbroken = folder.path("unbroken");
    ASSERT_EQ(run_program({"run", study, "-o", unbroken}).exit_code, 0);
    EXPECT_EQ(report_without_host(out), report_without_host(unbroken));
}

} // namespace
} // namespace alxsim::testing
