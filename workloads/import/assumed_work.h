// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/import/hlo/lowering/lowering.h"
#include "workloads/workload.h"

namespace alxsim::hlo {

/// The ops of a program whose cost is assumed (OpOrigin::assumed).
workloads::AssumedWork assumed_work(const Lowered& program);

} // namespace alxsim::hlo
