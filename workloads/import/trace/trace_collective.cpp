// SPDX-License-Identifier: Apache-2.0
#include "workloads/import/trace/trace_collective.h"

#include "base/input_error.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

namespace alxsim::traces {
namespace {

using model::CollectiveKind;

/// The dimensions of the trace's network that a node spans are axes of the slice, in their order;
/// where it spans all of them, all devices.
FoundGroups groups_by_dimensions(const Node& node, const Trace& trace,
                                 const topologies::Machine& machine)
{
    const std::vector<bool>& spanned = node.dimensions;
    if (std::find(spanned.begin(), spanned.end(), false) == spanned.end()) {
        return {};
    }
    const std::vector<std::string> names = machine.slice.axis_names();
    const bool rooted = node.exchange == Exchange::gather || node.exchange == Exchange::scatter;
    const bool none = std::find(spanned.begin(), spanned.end(), true) == spanned.end();
    if (spanned.size() != names.size() || none || rooted) {
        throw InputError(trace.file, "node " + std::to_string(node.id),
                         "found " +
                             (rooted ? name_of(node.exchange) + " over part of " : std::string()) +
                             std::to_string(spanned.size()) + " dimensions on a slice of " +
                             std::to_string(names.size()) +
                             " axes; allowed: one of several kinds but gather and scatter, over "
                             "some of as many dimensions as the slice has axes, or over all");
    }
    FoundGroups found;
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (spanned[i]) {
            found.axes.push_back(names[i]);
        }
    }
    found.note = "dimensions of the trace's network are taken as the slice's axes, in their order";
    return found;
}

/// The distance between ranks that are equally far apart; 0 if they are not.
int stride_of(const std::vector<int>& ranks)
{
    const int stride = ranks.size() < 2 ? 1 : ranks[1] - ranks[0];
    for (std::size_t i = 1; i < ranks.size(); ++i) {
        if (ranks[i] - ranks[i - 1] != stride) {
            return 0;
        }
    }
    return std::max(stride, 0);
}

Groups repeated(int size, int stride, int devices)
{
    Groups groups;
    for (int block = 0; block < devices; block += size * stride) {
        for (int first = block; first < block + stride; ++first) {
            groups.emplace_back();
            for (int i = 0; i < size; ++i) {
                groups.back().push_back(first + i * stride);
            }
        }
    }
    return groups;
}

/// Messages between the first of each group and the others.
std::shared_ptr<const std::vector<model::PairMessage>> with_first(const Groups& groups, Bytes bytes,
                                                                  bool to_first)
{
    auto messages = std::make_shared<std::vector<model::PairMessage>>();
    for (const std::vector<int>& group : groups) {
        for (std::size_t i = 1; i < group.size(); ++i) {
            messages->push_back(to_first ? model::PairMessage{group[i], group.front(), bytes}
                                         : model::PairMessage{group.front(), group[i], bytes});
        }
    }
    return messages;
}

CollectiveKind kind_of(Exchange exchange)
{
    switch (exchange) {
    case Exchange::reduce:
        return CollectiveKind::reduce;
    case Exchange::all_gather:
        return CollectiveKind::all_gather;
    case Exchange::gather:
    case Exchange::scatter:
        return CollectiveKind::permute;
    case Exchange::broadcast:
        return CollectiveKind::broadcast;
    case Exchange::all_to_all:
        return CollectiveKind::all_to_all;
    case Exchange::reduce_scatter:
    case Exchange::reduce_scatter_block:
        return CollectiveKind::reduce_scatter;
    default:
        return CollectiveKind::all_reduce;
    }
}

/// Takes, for a group of which only the size is known, as many devices beside each other.
FoundGroups neighbours(const Node& node, int size, const Trace& trace,
                       const topologies::Machine& machine)
{
    if (size == machine.devices) {
        return {};
    }
    if (size < 1 || machine.devices % size != 0) {
        throw InputError(trace.file, "node " + std::to_string(node.id),
                         "found a group of " + std::to_string(size) + " ranks on a machine of " +
                             std::to_string(machine.devices) +
                             " devices; allowed: groups that divide them");
    }
    return {repeated(size, 1, machine.devices),
            {},
            "who is in group " + node.group + " is not said: " + std::to_string(size) +
                " neighbours are taken, and so on over the machine"};
}

} // namespace

FoundGroups groups_of(const Node& node, const Trace& trace, const topologies::Machine& machine)
{
    if (!node.dimensions.empty()) {
        return groups_by_dimensions(node, trace, machine);
    }
    const auto sized = trace.sizes.find(node.group);
    if (sized != trace.sizes.end()) {
        return neighbours(node, sized->second, trace, machine);
    }
    const auto known = trace.groups.find(node.group);
    if (known == trace.groups.end()) {
        return {{},
                {},
                node.group.empty() ? ""
                                   : "the file does not say who is in group " + node.group +
                                         ": all devices are taken"};
    }
    std::vector<int> ranks = known->second;
    std::sort(ranks.begin(), ranks.end());
    const auto size = static_cast<int>(ranks.size());
    if (size == machine.devices) {
        return {};
    }
    const int stride = stride_of(ranks);
    if (stride == 0 || size > machine.devices / stride || machine.devices % (size * stride) != 0) {
        throw InputError(
            trace.file, "node " + std::to_string(node.id),
            "found a group of " + std::to_string(size) + " ranks on a machine of " +
                std::to_string(machine.devices) +
                " devices; allowed with the trace of one rank: evenly spaced ones that "
                "fill the machine with others like them; or the traces of all ranks");
    }
    return {repeated(size, stride, machine.devices),
            {},
            "group " + node.group +
                " is known of one rank: the other devices are taken to be in "
                "groups like it, " +
                std::to_string(size) + " ranks " + std::to_string(stride) + " apart"};
}

bool is_known(const Node& node)
{
    return node.has_exchange && (node.bytes > 0 || node.exchange == Exchange::barrier);
}

model::Collective collective_of(const Node& node, const FoundGroups& groups, int size,
                                const topologies::Machine& machine)
{
    model::Collective collective;
    collective.kind = kind_of(node.exchange);
    collective.bytes = Bytes(node.bytes);
    collective.overlap = model::Overlap::async; // the trace says what waits
    collective.group = groups.axes;
    if (!groups.groups.empty()) {
        collective.ranks = std::make_shared<const Groups>(groups.groups);
    }
    if (node.exchange == Exchange::all_gather) {
        collective.bytes = Bytes(node.bytes * size);
    } else if (node.exchange == Exchange::barrier) {
        collective.bytes = Bytes(4);
    } else if (node.exchange == Exchange::gather || node.exchange == Exchange::scatter) {
        Groups all = groups.groups;
        if (all.empty()) {
            all.emplace_back(static_cast<std::size_t>(machine.devices));
            std::iota(all.front().begin(), all.front().end(), 0);
        }
        const bool to_first = node.exchange == Exchange::gather;
        const Bytes part(to_first ? node.bytes : std::max<std::int64_t>(1, node.bytes / size));
        collective.messages = with_first(all, part, to_first);
        collective.bytes = Bytes(to_first ? node.bytes : part.count() * (size - 1));
        collective.ranks = nullptr;
        collective.group.clear();
    }
    return collective;
}

std::string name_of(Exchange exchange)
{
    static constexpr std::array names{
        "all_reduce", "reduce",         "all_gather",           "gather", "scatter", "broadcast",
        "all_to_all", "reduce_scatter", "reduce_scatter_block", "barrier"};
    return names.at(static_cast<std::size_t>(exchange));
}

} // namespace alxsim::traces
