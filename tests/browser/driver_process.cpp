// SPDX-License-Identifier: Apache-2.0
#include "driver_process.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace alxsim::testing {
namespace {

std::string content_of(const std::string& path)
{
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

/// "ChromeDriver was started successfully on port 43675."; 0 as long as it does not say so.
int port_in(const std::string& output)
{
    const std::string words = "successfully on port ";
    const std::size_t at = output.find(words);
    return at == std::string::npos ? 0 : std::atoi(output.c_str() + at + words.size());
}

[[noreturn]] void become_driver(const std::string& folder)
{
    prctl(PR_SET_PDEATHSIG, SIGTERM); // a test that is killed leaves no browser
    setpgid(0, 0);
    // Profiles and caches: not in the home folder, and gone with the test.
    for (const char* name : {"TMPDIR", "HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"}) {
        setenv(name, folder.c_str(), 1);
    }
    const int output = open((folder + "/output").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    execlp("chromedriver", "chromedriver", "--port=0", nullptr);
    _exit(127);
}

} // namespace

bool in_path(const std::string& program)
{
    const char* path = std::getenv("PATH");
    std::istringstream folders(path != nullptr ? path : "");
    for (std::string folder; std::getline(folders, folder, ':');) {
        if (access((std::filesystem::path(folder) / program).c_str(), X_OK) == 0) {
            return true;
        }
    }
    return false;
}

DriverProcess::DriverProcess()
{
    process_ = fork();
    if (process_ == 0) {
        become_driver(folder_.path());
    }
    for (int tries = 0; tries < 300 && port_ == 0; ++tries) {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        port_ = port_in(content_of(folder_.path("output")));
    }
    if (port_ == 0) {
        const std::string output = content_of(folder_.path("output"));
        kill(-process_, SIGKILL);
        waitpid(process_, nullptr, 0);
        throw std::runtime_error("chromedriver does not start: " + output);
    }
}

DriverProcess::~DriverProcess()
{
    kill(-process_, SIGTERM);
    for (int tries = 0; tries < 50; ++tries) {
        if (waitpid(process_, nullptr, WNOHANG) == process_) {
            return;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    kill(-process_, SIGKILL);
    waitpid(process_, nullptr, 0);
}

} // namespace alxsim::testing
