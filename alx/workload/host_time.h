// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/workload/job.h"
#include "base/units.h"

namespace alxsim::alx {

/// What the numbers of a job with real links, all its epochs, take one core of the host that
/// simulates it, about: operations and links counted, at rates measured on one x86-64 core with
/// AVX-512 (docs/performance.md has its peak). Nothing for a job without links.
Seconds host_time(const Job& job);

} // namespace alxsim::alx
