// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/import/trace/trace.h"

#include <string>
#include <string_view>

namespace alxsim::traces {

/// Reads a trace of one rank that the PyTorch profiler wrote (Kineto's JSON, {"traceEvents": [..]};
/// also compressed by gzip). Taken are complete events ("ph": "X") with "ts" and "dur" (us) of
/// "cat" kernel, gpu_memcpy and gpu_memset, whose args say "stream". A kernel with args of
/// "Collective name" is a collective of NCCL (names of these: pytorch, torch/csrc/profiler/util.h):
/// "In msg nelems", "dtype" ("Float", "BFloat16", ..), "Group size", "Process Group Name", "Process
/// Group Ranks", of a message "Src Rank", "Dst Rank". Older files have them in the event
/// record_param_comms of the same "External id". A copy has args of "bytes".
///
/// Streams are queues. A kernel also waits for what on other streams had ended when it began: what
/// overlapped may overlap. All else (CPU, Python, gaps) is left out.
///
/// Throws InputError naming file and JSON pointer.
Trace read_kineto(std::string_view bytes, const std::string& file);
Trace read_kineto_file(const std::string& path);

} // namespace alxsim::traces
