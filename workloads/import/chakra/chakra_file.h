// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/import/trace/trace.h"

#include <string>
#include <string_view>

namespace alxsim::traces {

/// Reads a Chakra execution trace of one rank: protobuf messages, each behind its length, first
/// GlobalMetadata, then Nodes (mlcommons/chakra, schema/protobuf/et_def.proto), or JSON of the form
/// {"workload_graph": [{"Id": 1, "NodeType": 4, ..}]} (src/feeder/json_node.cpp there). Also
/// compressed by gzip.
///
/// Taken: id, name, type, ctrl_deps, data_deps, duration_micros (JSON: runtime), and the attributes
/// is_cpu_op, num_ops, tensor_size, comm_type, comm_size, comm_src, comm_dst, comm_tag, pg_name and
/// involved_dim. What runs on the CPU, and metadata, storage, batches and checkpoints, is dropped.
/// A metadata node's list of process groups ([{"pg_name": "0", "ranks": [0, 1]}]) is read.
///
/// Throws InputError naming the file, the byte or the JSON pointer, what was found and what is
/// allowed.
Trace read_chakra(std::string_view bytes, const std::string& file);
Trace read_chakra_file(const std::string& path);

} // namespace alxsim::traces
