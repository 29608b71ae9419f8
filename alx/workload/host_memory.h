// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/data/predicted_size.h"
#include "alx/workload/job.h"
#include "base/units.h"

namespace alxsim::alx {

/// What a run of a job with real links keeps in the memory of the host that simulates it: the links
/// from both sides, both tables, and the solutions of each half's largest step. Measured peaks are
/// at most a tenth above, and the program's own 20 MB. Nothing for a job without links.
Bytes host_memory(const Job& job);

/// The same before the job is made, from the sizes of its matrix: links from both sides and tables,
/// as predicted.
Bytes host_memory_of(const MatrixSize& size, const AlxConfig& config);

/// The same before its data is read, as predicted_size() has it; nothing for a study without
/// numerics.
Bytes predicted_host_memory(const PointRequest& point, const std::string& file);

} // namespace alxsim::alx
