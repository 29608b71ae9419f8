// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/import/trace/trace.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace alxsim::traces {

/// What a file says of a node, whatever its form, before it is looked at.
struct RawNode {
    std::string place; ///< for errors
    std::uint64_t id = 0;
    std::string name;
    std::int64_t type = 0; ///< NodeType of the schema
    std::vector<std::uint64_t> after;
    std::int64_t microseconds = 0;
    bool on_cpu = false;
    double operations = 0;
    std::int64_t tensor_size = 0;
    std::optional<std::int64_t> comm_type;
    std::int64_t comm_size = 0;
    std::optional<std::int64_t> source, destination;
    std::int64_t tag = 0;
    std::string group;
    std::vector<bool> dimensions;
};

/// Throws InputError for values that no trace may have.
Node node_of(RawNode raw, const std::string& file);

/// Whether the type is that of metadata, which has process groups.
bool is_metadata(const RawNode& raw);

/// The process groups in a metadata node's text: [{"pg_name": "0", "ranks": [0, 1]}], within quotes
/// and brackets of any kind; nothing where it is another text.
std::map<std::string, std::vector<int>> groups_in(const std::string& text);

} // namespace alxsim::traces
