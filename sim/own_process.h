// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>

namespace alxsim::sim {

/// Ends the process that was created last when its module ends. SystemC would do it with its
/// context, but looks through all processes for each: time that grows with their square. It looks
/// from the newest on, so modules end in reverse.
class OwnProcess {
public:
    OwnProcess() = default;
    OwnProcess(const OwnProcess&) = delete;
    OwnProcess& operator=(const OwnProcess&) = delete;
    ~OwnProcess()
    {
        if (handle_.valid() && sc_core::sc_is_running()) {
            handle_.kill();
        }
    }

    /// After SC_METHOD and what belongs to it.
    void is_last_created() { handle_ = sc_core::sc_get_last_created_process_handle(); }

private:
    sc_core::sc_process_handle handle_;
};

} // namespace alxsim::sim
