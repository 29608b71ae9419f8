// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/units.h"
#include "topologies/machine.h"
#include "workloads/import/hlo/lowering/lowering.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace alxsim::hlo {

/// What an op takes by itself in a step, all its iterations together.
struct TimedOp {
    std::string name;
    std::string phase;
    std::string work; ///< matmul, vector, collective, ...
    std::int64_t times = 0;
    double seconds = 0;
};

/// A program on a machine, by the closed forms of the analytic model.
struct ProgramTimes {
    double step_seconds = 0;             ///< with what overlaps
    std::vector<TimedOp> ops;            ///< without loops; the longest first
    double product_flops = 0;            ///< of all matmuls, batch x m x k x n x 2
    double products_at_peak_seconds = 0; ///< these at the arrays' full rate: no step takes less
};

ProgramTimes times_of(const Lowered& program, const topologies::Machine& machine);

/// The same of any graph; of one with roles, ops are those of the role whose ops take longest.
ProgramTimes times_of(const std::shared_ptr<const model::OpGraph>& graph,
                      const topologies::Machine& machine);

} // namespace alxsim::hlo
