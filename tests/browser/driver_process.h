// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/temporary_folder.h"

#include <string>
#include <sys/types.h>

namespace alxsim::testing {

/// Whether a program of this name is in PATH.
bool in_path(const std::string& program);

/// A chromedriver on a port that it chose itself. It and its browsers write into folder() alone and
/// end with this, or with the test.
class DriverProcess {
public:
    /// Throws std::runtime_error if it is not there after some seconds.
    DriverProcess();
    ~DriverProcess();
    DriverProcess(const DriverProcess&) = delete;
    DriverProcess& operator=(const DriverProcess&) = delete;

    int port() const { return port_; }
    const TemporaryFolder& folder() const { return folder_; }

private:
    TemporaryFolder folder_;
    pid_t process_ = 0;
    int port_ = 0;
};

} // namespace alxsim::testing
