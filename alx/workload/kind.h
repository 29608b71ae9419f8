// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/registry.h"

namespace alxsim::alx {

/// ALX as a kind of workload: the fields dataset, split, alx and evaluation of a study.
workloads::Kind alx_kind();

} // namespace alxsim::alx
