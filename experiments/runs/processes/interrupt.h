// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <csignal>

namespace alxsim::experiments {

/// Catches Ctrl-C and termination while it lives, so that what was found so far can be kept and
/// told. A second signal ends the program at once. There may be one inside another.
class InterruptWatch {
public:
    InterruptWatch();
    ~InterruptWatch();
    InterruptWatch(const InterruptWatch&) = delete;
    InterruptWatch& operator=(const InterruptWatch&) = delete;

private:
    struct sigaction old_interrupt_ {};
    struct sigaction old_terminate_ {};
};

/// Whether a signal came since the outermost watch began.
bool interrupted();

} // namespace alxsim::experiments
