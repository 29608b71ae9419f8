// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/registry.h"

namespace alxsim::workloads {

/// A program of one's own, timed without numbers: `"op_graph": PATH`, where the file has the ops of
/// a step, {"ops": [...]}, or several graphs in a row, {"steps": [{"graph": PATH or {"ops": [...]},
/// "times": 100}]}; that object may also stand in the study in place of the path. Paths in a file
/// are relative to its folder.
Kind op_graph_kind();

} // namespace alxsim::workloads
