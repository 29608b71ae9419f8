// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/temporary_folder.h"

#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace alxsim::testing {

/// `alxsim serve` in a process of its own, ended with this.
class ServedStudy {
public:
    /// Throws std::runtime_error if it does not print an address.
    explicit ServedStudy(const std::vector<std::string>& arguments);
    ~ServedStudy();
    ServedStudy(const ServedStudy&) = delete;
    ServedStudy& operator=(const ServedStudy&) = delete;

    const std::string& address() const { return address_; }
    pid_t process() const { return process_; }
    /// The process, which the caller then waits for.
    pid_t leave() { return std::exchange(process_, 0); }
    /// Sends a signal and waits; the exit code, or minus the signal that ended it.
    int end(int signal);

private:
    TemporaryFolder folder_;
    pid_t process_ = 0;
    std::string address_;
};

} // namespace alxsim::testing
