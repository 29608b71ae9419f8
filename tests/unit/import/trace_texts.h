// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "topologies/machine.h"
#include "topologies/preset.h"
#include "workloads/import/chakra/chakra_file.h"
#include "workloads/import/trace/trace_graph.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

/// Chakra traces of our own, as protobuf has them, for tests.
namespace alxsim::traces {

inline std::string varint(std::uint64_t value)
{
    std::string bytes;
    for (; value >= 0x80; value >>= 7) {
        bytes.push_back(static_cast<char>(value | 0x80));
    }
    bytes.push_back(static_cast<char>(value));
    return bytes;
}

inline std::string counted(const std::string& bytes)
{
    return varint(bytes.size()) + bytes;
}

inline std::string number_field(int field, std::uint64_t value)
{
    return varint(static_cast<std::uint64_t>(field) << 3) + varint(value);
}

inline std::string bytes_field(int field, const std::string& bytes)
{
    return varint(static_cast<std::uint64_t>(field) << 3 | 2) + counted(bytes);
}

/// With an int64 of that name.
inline std::string attribute(const std::string& name, std::uint64_t value)
{
    return bytes_field(10, bytes_field(1, name) + number_field(9, value));
}

inline std::string text_attribute(const std::string& name, const std::string& value)
{
    return bytes_field(10, bytes_field(1, name) + bytes_field(29, value));
}

/// `type`: 2 load, 3 store, 4 computation, 5 send, 6 receive, 7 collective.
inline std::string node(std::uint64_t id, int type, const std::vector<std::uint64_t>& after = {},
                        const std::string& more = "")
{
    std::string dependencies;
    for (const std::uint64_t other : after) {
        dependencies += varint(other);
    }
    return counted(number_field(1, id) + number_field(3, static_cast<std::uint64_t>(type)) +
                   (after.empty() ? "" : bytes_field(5, dependencies)) + more);
}

inline std::string microseconds(std::uint64_t duration)
{
    return number_field(7, duration);
}

inline std::string message(bool sends, int peer, std::uint64_t bytes)
{
    return attribute(sends ? "comm_dst" : "comm_src", static_cast<std::uint64_t>(peer)) +
           attribute("comm_size", bytes) + attribute("comm_type", sends ? 5 : 6);
}

/// Behind the metadata.
inline std::string trace_of(const std::vector<std::string>& nodes)
{
    std::string bytes = counted(bytes_field(1, "0.0.4"));
    for (const std::string& one : nodes) {
        bytes += one;
    }
    return bytes;
}

inline topologies::Machine v5e(int cores, const std::string& slice)
{
    topologies::SliceRequest request;
    request.cores = cores;
    request.shape = slice;
    return topologies::make_machine(topologies::Preset::load("tpu_v5e"), request);
}

/// Each the trace of a rank.
inline TraceGraph graph_of_bytes(const std::vector<std::string>& ranks,
                                 const topologies::Machine& machine)
{
    std::vector<Trace> traces;
    for (const std::string& bytes : ranks) {
        traces.push_back(read_chakra(bytes, "rank" + std::to_string(traces.size()) + ".et"));
    }
    return graph_of(traces, machine);
}

} // namespace alxsim::traces
