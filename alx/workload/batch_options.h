// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/workload/job.h"
#include "workloads/choices.h"

#include <vector>

namespace alxsim::alx {

/// Batch geometries to choose among, for each half; the first of each changes nothing.
struct BatchOptions {
    std::vector<workloads::Option> rows;
    std::vector<workloads::Option> columns;
    /// The column half's geometry spelt out, which would else follow a change of the row half's.
    Settings pinned;
};

/// "auto", and lines_to_choose_from() of 8, 16 and 32 ids with as many rows as their slots hold of
/// mean length, half and twice as many; none that cuts off more links than the job's own.
BatchOptions batch_options(const Job& job);

} // namespace alxsim::alx
