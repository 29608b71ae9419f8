// SPDX-License-Identifier: Apache-2.0
#include "experiments/runs/processes/child_process.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace alxsim::experiments {
namespace {

struct Pipe {
    int read_end = -1;
    int write_end = -1;
};

Pipe make_pipe()
{
    std::array<int, 2> ends{};
    // Close-on-exec: a sibling started later must not hold our ends open.
    if (pipe2(ends.data(), O_CLOEXEC) != 0) {
        throw std::runtime_error(std::string("cannot make a pipe: ") + std::strerror(errno));
    }
    return {ends[0], ends[1]};
}

/// While it lives, a child that dies before it has read its input does not take this program along:
/// SIGPIPE is kept from this thread, whatever the program does about it elsewhere.
class BrokenPipeGuard {
public:
    BrokenPipeGuard()
    {
        sigset_t pending;
        sigpending(&pending);
        was_pending_ = sigismember(&pending, SIGPIPE) == 1;
        sigemptyset(&signals_);
        sigaddset(&signals_, SIGPIPE);
        pthread_sigmask(SIG_BLOCK, &signals_, &old_mask_);
    }
    ~BrokenPipeGuard()
    {
        const timespec at_once{};
        while (!was_pending_ && sigtimedwait(&signals_, nullptr, &at_once) == -1 &&
               errno == EINTR) {
        }
        pthread_sigmask(SIG_SETMASK, &old_mask_, nullptr);
    }
    BrokenPipeGuard(const BrokenPipeGuard&) = delete;
    BrokenPipeGuard& operator=(const BrokenPipeGuard&) = delete;

private:
    sigset_t signals_{};
    sigset_t old_mask_{};
    bool was_pending_ = false;
};

void write_all(int descriptor, const std::string& text)
{
    const BrokenPipeGuard guard;
    std::size_t written = 0;
    while (written < text.size()) {
        const ssize_t count = write(descriptor, text.data() + written, text.size() - written);
        if (count < 0 && errno != EINTR) {
            return; // the child is gone; its exit code tells
        }
        written += count > 0 ? static_cast<std::size_t>(count) : 0;
    }
}

Program& started_as()
{
    // Not where it was found: something else may stand there before the next point.
    static Program program("/proc/self/exe");
    return program;
}

} // namespace

ChildProcess::ChildProcess(const Program& program, const std::vector<std::string>& arguments)
{
    const Pipe in = make_pipe();
    const Pipe out = make_pipe();
    const Pipe err = make_pipe();
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in.read_end, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out.write_end, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, err.write_end, STDERR_FILENO);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    // A group of its own: Ctrl-C comes to us alone, and we end the children.
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setpgroup(&attributes, 0);
    std::vector<char*> words{const_cast<char*>(program.name.c_str())};
    for (const std::vector<std::string>* const some : {&program.arguments, &arguments}) {
        for (const std::string& argument : *some) {
            words.push_back(const_cast<char*>(argument.c_str()));
        }
    }
    words.push_back(nullptr);
    const int failure =
        posix_spawn(&process_, program.path.c_str(), &actions, &attributes, words.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    close(in.read_end);
    close(out.write_end);
    close(err.write_end);
    input_ = in.write_end;
    output_ = out.read_end;
    error_ = err.read_end;
    if (failure != 0) {
        close_all();
        throw std::runtime_error("cannot start " + program.path + ": " + std::strerror(failure));
    }
}

void ChildProcess::close_all()
{
    for (int* descriptor : {&input_, &output_, &error_}) {
        if (*descriptor >= 0) {
            close(*descriptor);
            *descriptor = -1;
        }
    }
}

void ChildProcess::write_input(const std::string& text)
{
    write_all(input_, text);
}

void ChildProcess::close_input()
{
    if (input_ >= 0) {
        close(input_);
        input_ = -1;
    }
}

ChildProcess::~ChildProcess()
{
    if (process_ > 0) {
        kill(process_, SIGKILL);
        wait();
    }
    close_all();
}

void ChildProcess::read_into(int& descriptor, std::string& text)
{
    std::array<char, 65536> buffer; // what is not read is not looked at
    const ssize_t count = read(descriptor, buffer.data(), buffer.size());
    if (count > 0) {
        text.append(buffer.data(), static_cast<std::size_t>(count));
    } else if (count == 0 || errno != EINTR) {
        close(descriptor);
        descriptor = -1;
    }
}

void ChildProcess::read_output()
{
    read_into(output_, output_text_);
}

void ChildProcess::read_error()
{
    read_into(error_, error_text_);
}

std::vector<std::string> ChildProcess::take_lines()
{
    std::vector<std::string> lines;
    std::size_t begin = 0;
    for (std::size_t end = output_text_.find('\n'); end != std::string::npos;
         end = output_text_.find('\n', begin)) {
        lines.push_back(output_text_.substr(begin, end - begin));
        begin = end + 1;
    }
    output_text_.erase(0, begin);
    return lines;
}

int ChildProcess::wait()
{
    int status = 0;
    while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
    process_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

Program own_program()
{
    return started_as();
}

void be_started_as(Program program)
{
    started_as() = std::move(program);
}

} // namespace alxsim::experiments
