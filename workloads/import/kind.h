// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/registry.h"

namespace alxsim::hlo {

/// A program that XLA compiled, timed without numbers: `"program": {"hlo": PATH}`, the text of
/// compiled.as_text() (plain or by gzip) with NAME.json beside it; or a file for each number of
/// devices, {"8": PATH, "64": PATH}. The machine is the study's: as many devices as the program has
/// partitions; on a chip other than the one that it was compiled for, the same code runs.
workloads::Kind program_kind();

} // namespace alxsim::hlo
