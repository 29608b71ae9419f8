// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/workload/job.h"
#include "workloads/choices.h"

#include <string>
#include <vector>

namespace alxsim::alx {

/// Gather, scatter, statistics, which torus axes share the tables, placement, overlap, batches.
/// `torus_axes`: of the slice.
workloads::Choices choices_of(const Job& job, int torus_axes);

/// Names of these choices, in order; they are the study's own names of what is chosen.
std::vector<std::string> choice_names();

/// Each other gather, scatter and statistics, and twice the lines and rows in a batch.
std::vector<workloads::Alternative> alternatives_of(const Job& job);

} // namespace alxsim::alx
