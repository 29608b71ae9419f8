// SPDX-License-Identifier: Apache-2.0
#include "workloads/import/chakra/node_attributes.h"

#include "base/input_error.h"
#include "base/json_document.h"

#include <algorithm>
#include <utility>

namespace alxsim::traces {
namespace {

// NodeType and CollectiveCommType of et_def.proto.
constexpr std::int64_t metadata_node = 1, mem_load = 2, mem_store = 3, comp = 4, comm_send = 5,
                       comm_recv = 6, comm_coll = 7, last_type = 10, barrier = 9;

void expect(std::int64_t value, std::int64_t most, const char* field, const RawNode& raw,
            const std::string& file)
{
    if (value < 0 || value > most) {
        throw InputError(file, raw.place,
                         std::string("found ") + field + " " + std::to_string(value) + " of node " +
                             std::to_string(raw.id) + "; allowed: 0 to " + std::to_string(most));
    }
}

NodeKind kind_of(const RawNode& raw)
{
    if (raw.on_cpu) {
        return NodeKind::dropped;
    }
    switch (raw.type) {
    case mem_load:
        return NodeKind::load;
    case mem_store:
        return NodeKind::store;
    case comp:
        return NodeKind::compute;
    case comm_send:
        return NodeKind::send;
    case comm_recv:
        return NodeKind::receive;
    case comm_coll:
        return NodeKind::collective;
    default:
        return NodeKind::dropped;
    }
}

void set_peer(Node& node, const RawNode& raw, const std::string& file)
{
    const bool sends = node.kind == NodeKind::send;
    const std::optional<std::int64_t>& peer = sends ? raw.destination : raw.source;
    if (!peer) {
        throw InputError(file, raw.place,
                         "found no " + std::string(sends ? "comm_dst" : "comm_src") + " of node " +
                             std::to_string(raw.id) + "; allowed: the rank of the other side");
    }
    expect(*peer, most_ranks, sends ? "comm_dst" : "comm_src", raw, file);
    node.peer = static_cast<int>(*peer);
}

} // namespace

Node node_of(RawNode raw, const std::string& file)
{
    expect(raw.type, last_type, "node type", raw, file);
    expect(raw.microseconds, most_microseconds, "duration_micros", raw, file);
    expect(raw.tensor_size, most_bytes_of_node, "tensor_size", raw, file);
    expect(raw.comm_size, most_bytes_of_node, "comm_size", raw, file);
    if (!(raw.operations >= 0 && raw.operations <= 1e30)) {
        throw InputError(file, raw.place,
                         "found num_ops " + std::to_string(raw.operations) + " of node " +
                             std::to_string(raw.id) + "; allowed: 0 to 1e30");
    }
    Node node;
    node.id = raw.id;
    node.kind = kind_of(raw);
    node.seconds = static_cast<double>(raw.microseconds) / 1e6;
    node.operations = raw.operations;
    const bool communicates = node.kind == NodeKind::collective || node.kind == NodeKind::send ||
                              node.kind == NodeKind::receive;
    node.bytes = communicates ? raw.comm_size : raw.tensor_size;
    node.tag = raw.tag;
    if (node.kind == NodeKind::collective && raw.comm_type) {
        expect(*raw.comm_type, barrier, "comm_type", raw, file);
        node.exchange = static_cast<Exchange>(*raw.comm_type);
        node.has_exchange = true;
    }
    if (node.kind == NodeKind::send || node.kind == NodeKind::receive) {
        set_peer(node, raw, file);
    }
    node.name = std::move(raw.name);
    node.after = std::move(raw.after);
    node.group = std::move(raw.group);
    node.dimensions = std::move(raw.dimensions);
    return node;
}

bool is_metadata(const RawNode& raw)
{
    return raw.type == metadata_node;
}

std::map<std::string, std::vector<int>> groups_in(const std::string& text)
{
    std::map<std::string, std::vector<int>> groups;
    const std::size_t begin = text.find("[{");
    const std::size_t end = text.rfind("}]");
    if (begin == std::string::npos || end == std::string::npos || end < begin) {
        return groups;
    }
    try {
        for (const Json& group : parse_json(text.substr(begin, end + 2 - begin), "groups")) {
            const Json& ranks = group.at("ranks");
            const bool known =
                ranks.is_array() && !ranks.empty() &&
                std::all_of(ranks.begin(), ranks.end(), [](const Json& rank) {
                    return rank.is_number_integer() && rank >= 0 && rank <= most_ranks;
                });
            if (known && group.at("pg_name").is_string()) {
                groups[group.at("pg_name").get<std::string>()] = ranks.get<std::vector<int>>();
            }
        }
    } catch (const InputError&) { // another kind of metadata
        return {};
    } catch (const Json::exception&) {
        return {};
    }
    return groups;
}

} // namespace alxsim::traces
