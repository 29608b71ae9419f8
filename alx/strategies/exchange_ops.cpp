// SPDX-License-Identifier: Apache-2.0
#include "alx/strategies/exchange_ops.h"

#include "model/graph/op_graph.h"

#include <algorithm>
#include <map>

namespace alxsim::alx {
namespace {

using model::Collective;
using model::CollectiveKind;
using model::PairMessage;

std::shared_ptr<const std::vector<PairMessage>> messages_of(const RowExchange& exchange,
                                                            Bytes row_bytes, Direction direction)
{
    auto messages = std::make_shared<std::vector<PairMessage>>();
    for (const RowExchange::Between& pair : exchange.between) {
        const bool forward = direction == Direction::to_asker;
        messages->push_back({forward ? pair.source : pair.destination,
                             forward ? pair.destination : pair.source, row_bytes * pair.rows});
    }
    return messages;
}

Bytes most_sent(const std::vector<PairMessage>& messages)
{
    std::map<int, Bytes> sent;
    for (const PairMessage& message : messages) {
        sent[message.source] += message.bytes;
    }
    Bytes most(0);
    for (const auto& [device, bytes] : sent) {
        most = std::max(most, bytes);
    }
    return most;
}

model::Work with_rows(model::Work work, std::int64_t rows)
{
    if (auto* gather = std::get_if<model::RowGather>(&work)) {
        gather->rows = rows;
        gather->owned_rows = rows;
    } else {
        std::get<model::RowScatter>(work).rows = rows;
    }
    return work;
}

} // namespace

Collective over_rows(CollectiveKind kind, Bytes bytes, const DeviceMesh& mesh)
{
    Collective collective{kind, bytes};
    collective.group = mesh.row_axes;
    return collective;
}

Collective over_embedding(CollectiveKind kind, Bytes bytes, const DeviceMesh& mesh)
{
    Collective collective{kind, bytes};
    collective.group = mesh.embedding_axes;
    collective.across_chips = true;
    return collective;
}

Collective over_replicas(CollectiveKind kind, Bytes bytes, const DeviceMesh& mesh)
{
    Collective collective{kind, bytes};
    collective.group = mesh.replica_axes;
    collective.across_chips = true;
    return collective;
}

Collective over_solutions(CollectiveKind kind, Bytes bytes, const DeviceMesh& mesh)
{
    Collective collective{kind, bytes};
    if (mesh.embedding_shards > 1) {
        collective.group = mesh.row_axes;
        collective.group.insert(collective.group.end(), mesh.replica_axes.begin(),
                                mesh.replica_axes.end());
    }
    return collective;
}

Collective all_to_all(const RowExchange& exchange, Bytes row_bytes, Direction direction,
                      const Collective& members, int group_devices)
{
    Collective collective = members;
    collective.kind = CollectiveKind::all_to_all;
    if (exchange.alike) {
        // The part for oneself counts, too.
        const std::int64_t others = std::max(1, group_devices - 1);
        const Bytes part(ceil_divide((row_bytes * exchange.sent).count(), others));
        collective.bytes = part * group_devices;
        return collective;
    }
    collective.messages = messages_of(exchange, row_bytes, direction);
    collective.bytes = most_sent(*collective.messages);
    collective.group.clear();
    return collective;
}

std::int64_t largest(const std::vector<std::int64_t>& sizes)
{
    return sizes.empty() ? 0 : *std::max_element(sizes.begin(), sizes.end());
}

void set_rows(model::Op& op, const std::vector<std::int64_t>& rows)
{
    op.work = with_rows(op.work, largest(rows));
    if (rows.size() < 2) {
        return;
    }
    auto works = std::make_shared<std::vector<model::Work>>();
    for (const std::int64_t each : rows) {
        works->push_back(with_rows(op.work, each));
    }
    op.work_of_device = std::move(works);
}

} // namespace alxsim::alx
