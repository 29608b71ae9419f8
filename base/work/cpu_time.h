// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/units.h"

#include <ctime>

namespace alxsim {

/// CPU time so far: of all threads of this process, or of the calling thread alone.
enum class CpuTimeOf : clockid_t {
    process = CLOCK_PROCESS_CPUTIME_ID,
    thread = CLOCK_THREAD_CPUTIME_ID
};

inline Seconds cpu_time(CpuTimeOf whose)
{
    timespec time{};
    clock_gettime(static_cast<clockid_t>(whose), &time);
    return Seconds(static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec));
}

} // namespace alxsim
