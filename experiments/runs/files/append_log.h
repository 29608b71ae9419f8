// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace alxsim::experiments {

/// A file of lines that only grows, by one system call a line: a process that is killed, or a full
/// disk, leaves at most the last one torn, and the next then begins on a line of its own.
class AppendLog {
public:
    /// Makes the file, where there is none. Throws std::runtime_error if it cannot be written.
    explicit AppendLog(std::string path);
    ~AppendLog();
    AppendLog(const AppendLog&) = delete;
    AppendLog& operator=(const AppendLog&) = delete;
    AppendLog(AppendLog&&) = delete;
    AppendLog& operator=(AppendLog&&) = delete;

    /// `line`: without a line break. Throws std::runtime_error if it cannot be written.
    void append(std::string_view line);
    /// Returns when all lines are on the disk, so that they outlast the machine.
    void sync();

private:
    bool ends_with_a_line() const;

    std::string path_;
    int descriptor_;
    bool torn_; ///< its last line
};

} // namespace alxsim::experiments
