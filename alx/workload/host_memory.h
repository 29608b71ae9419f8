// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/workload/job.h"
#include "base/units.h"

namespace alxsim::alx {

/// What a run of a job with real links keeps in the memory of the host that simulates it: the links
/// from both sides, both tables, and the solutions of each half's largest step. Measured peaks are
/// at most a tenth above, and the program's own 20 MB. Nothing for a job without links.
Bytes host_memory(const Job& job);

} // namespace alxsim::alx
