// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/advise/space.h"
#include "topologies/machine.h"

namespace alxsim::experiments {

/// Batch geometries to choose among, for each half; the first of each changes nothing.
struct BatchOptions {
    std::vector<Option> rows;
    std::vector<Option> columns;
    /// The column half's geometry spelt out, which would else follow a change of the row half's.
    Json pinned = Json::object();
};

/// "auto", and 64 to 16384 lines of 8, 16 and 32 ids with as many rows as their slots hold of mean
/// length, half and twice as many. Throws InputError for a study that is no ALX job.
BatchOptions batch_options(const Study& released, const topologies::Machine& machine);

} // namespace alxsim::experiments
