// SPDX-License-Identifier: Apache-2.0
#include "tests/system/program.h"

#include <gtest/gtest.h>

#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

namespace alxsim {
namespace {

using testing::program_path;

/// What the program writes to a terminal of 200 columns.
std::string on_a_terminal(std::vector<std::string> arguments)
{
    arguments.insert(arguments.begin(), program_path());
    std::vector<char*> words;
    for (std::string& argument : arguments) {
        words.push_back(argument.data());
    }
    words.push_back(nullptr);
    winsize size{};
    size.ws_col = 200;
    size.ws_row = 25;
    int terminal = -1;
    const pid_t child = forkpty(&terminal, nullptr, nullptr, &size);
    if (child == 0) {
        execv(words.front(), words.data());
        _exit(127);
    }
    std::string text;
    char piece[4096];
    for (ssize_t got = 0; (got = read(terminal, piece, sizeof piece)) > 0;) {
        text.append(piece, static_cast<std::size_t>(got));
    }
    int status = 0;
    waitpid(child, &status, 0);
    close(terminal);
    EXPECT_EQ(status, 0) << text;
    return text;
}

bool says(const std::string& text, const std::string& words)
{
    return text.find(words) != std::string::npos;
}

TEST(ProgressOnATerminal, SaysHowFarTheDataAre)
{
    const TemporaryFolder folder;
    const Json study{
        {"study", "large"},
        {"band", false},
        {"fidelity", "analytic"},
        {"machine", {{"chip", "tpu_v3"}, {"cores", 8}}},
        {"workload",
         {{"dataset", {{"generate", {{"rows", 200000}, {"columns", 200000}, {"links", 10000000}}}}},
          {"alx", {{"dim", 8}, {"epochs", 1}}}}}};
    const std::string file = folder.write("study.json", study.dump());
    const std::string generating = "generating 10000000 links, ";
    const std::string check = on_a_terminal({"check", file});
    EXPECT_TRUE(says(check, "\r\033[K" + generating)) << check;
    EXPECT_TRUE(says(check, "\r\033[Kseries")) << "something is left of the line: " << check;
    const std::string run = on_a_terminal({"run", file, "-o", folder.path("out")});
    EXPECT_TRUE(says(run, " to go; large: " + generating)) << run;
}

} // namespace
} // namespace alxsim
