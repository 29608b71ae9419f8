// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/registry.h"

namespace alxsim::projection {

/// "projection": vectors by random matrices, of which those in tensor-train format are never
/// formed.
workloads::Kind projection_kind();

} // namespace alxsim::projection
