// SPDX-License-Identifier: Apache-2.0
#include "base/input_error.h"
#include "model/graph/check.h"
#include "model/graph/check_work.h"
#include "model/graph/collective_json.h"
#include "model/graph/message_order.h"

#include <optional>
#include <set>

namespace alxsim::model {
namespace {

/// As many devices in each group, and none in two.
void check_ranks(const std::vector<std::vector<int>>& groups, const GraphPlace& place)
{
    std::set<int> seen;
    for (std::size_t i = 0; i < groups.size(); ++i) {
        if (groups[i].size() != groups.front().size()) {
            place.at("ranks", i)
                .refuse(std::to_string(groups[i].size()) + " devices",
                        "as many as in the first group, " + std::to_string(groups.front().size()));
        }
        for (const int device : groups[i]) {
            if (!seen.insert(device).second) {
                place.at("ranks", i)
                    .refuse("device " + std::to_string(device) + " a second time",
                            "every device at most once");
            }
        }
    }
}

void check_messages(const Collective& collective, const GraphPlace& place)
{
    const std::vector<PairMessage>& messages = *collective.messages;
    const CollectiveKind kind = collective.kind;
    const bool ordered = collective.after != nullptr;
    if (!ordered && kind != CollectiveKind::permute && kind != CollectiveKind::all_to_all) {
        place.at("messages")
            .refuse("messages for " + name_of(kind),
                    "for all_to_all and permute only, unless each says what it is \"after\"");
    }
    if (ordered && collective.after->size() != messages.size()) {
        place.at("messages")
            .refuse("an order of " + std::to_string(collective.after->size()) + " messages",
                    "of all " + std::to_string(messages.size()));
    }
    for (std::size_t i = 0; i < messages.size(); ++i) {
        place.at("messages", i).expect("bytes", messages[i].bytes.count(), 0, graph_limits::count);
    }
    if (ordered) {
        if (const std::optional<OrderProblem> found = problem_of(messages, *collective.after)) {
            place.at("messages", found->message).at("after").refuse(found->problem);
        }
    }
}

} // namespace

void check_collective(const Collective& collective, const GraphPlace& place)
{
    place.expect("bytes", collective.bytes.count(), 0, graph_limits::count);
    const std::vector<std::string>& group = collective.group;
    if (std::set<std::string>(group.begin(), group.end()).size() != group.size()) {
        place.at("group").refuse(Json(group).dump(), "every axis at most once");
    }
    if (collective.ranks) {
        check_ranks(*collective.ranks, place.at("group"));
    }
    if (collective.root != 0 && !has_root(collective.kind)) {
        place.at("root").refuse("one for " + name_of(collective.kind),
                                "for broadcast and reduce only");
    }
    if (collective.messages) {
        check_messages(collective, place);
    }
}

} // namespace alxsim::model
