// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace alxsim::experiments {

/// A program that is started, and the words before those that each start has.
struct Program {
    Program() = default;
    Program(std::string file) : path(std::move(file)) {} // NOLINT: a path says it all
    Program(const char* file) : path(file) {}            // NOLINT: likewise

    bool empty() const { return path.empty(); }

    std::string path;
    std::vector<std::string> arguments;
    std::string name = "alxsim"; ///< by which it is told what it is
};

/// Another process of ours, given input on stdin; its stdout and stderr are read as they come.
class ChildProcess {
public:
    /// Starts `program` with `arguments`. Throws std::runtime_error if it cannot.
    ChildProcess(const Program& program, const std::vector<std::string>& arguments);
    /// Ends the child if it still runs.
    ~ChildProcess();
    ChildProcess(const ChildProcess&) = delete;
    ChildProcess& operator=(const ChildProcess&) = delete;

    /// Waits until the child has read all but what a pipe holds (64 KiB), or is gone.
    void write_input(const std::string& text);
    /// The child reads the end of its input.
    void close_input();

    /// To poll(): readable when there is output or the child is over; -1 once closed.
    int output_descriptor() const { return output_; }
    int error_descriptor() const { return error_; }
    /// Reads what is there; closes a descriptor at its end.
    void read_output();
    void read_error();
    bool closed() const { return output_ < 0 && error_ < 0; }

    /// Complete lines that came on stdout since the last call.
    std::vector<std::string> take_lines();
    const std::string& errors() const { return error_text_; }
    void forget_errors() { error_text_.clear(); }

    /// Waits for the end; the exit code, or minus the signal that ended it.
    int wait();

private:
    void close_all();
    static void read_into(int& descriptor, std::string& text);

    pid_t process_ = -1;
    int input_ = -1;
    int output_ = -1;
    int error_ = -1;
    std::string output_text_;
    std::string error_text_;
};

/// The running program, to start a copy of it: the same even if its file is replaced meanwhile.
/// Where this is a library in another program (be_started_as), what that said.
Program own_program();
/// How a program that has this as a library starts `alxsim`. Before anything runs.
void be_started_as(Program program);

} // namespace alxsim::experiments
