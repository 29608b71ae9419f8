// SPDX-License-Identifier: Apache-2.0
#include "served_study.h"

#include "program.h"

#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <stdexcept>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace alxsim::testing {

ServedStudy::ServedStudy(const std::vector<std::string>& arguments)
{
    std::vector<std::string> words{program_path(), "serve"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> pointers;
    for (std::string& word : words) {
        pointers.push_back(word.data());
    }
    pointers.push_back(nullptr);
    const std::string output = folder_.path("output");
    const std::string errors = folder_.path("errors");
    process_ = fork();
    if (process_ == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
        dup2(open(output.c_str(), O_WRONLY | O_CREAT, 0600), STDOUT_FILENO);
        dup2(open(errors.c_str(), O_WRONLY | O_CREAT, 0600), STDERR_FILENO);
        execv(pointers.front(), pointers.data());
        _exit(127);
    }
    for (int tries = 0; tries < 600 && address_.empty(); ++tries) {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        const std::string text = read_file(output);
        if (!text.empty() && text.back() == '\n') {
            address_ = text.substr(0, text.find('\n'));
        }
    }
    if (address_.empty()) {
        end(SIGKILL);
        throw std::runtime_error("alxsim serve prints no address: " + read_file(errors));
    }
}

ServedStudy::~ServedStudy()
{
    if (process_ > 0) {
        end(SIGTERM);
    }
}

int ServedStudy::end(int signal)
{
    int status = 0;
    kill(process_, signal);
    waitpid(process_, &status, 0);
    process_ = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

} // namespace alxsim::testing
