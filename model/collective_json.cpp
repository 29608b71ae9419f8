// SPDX-License-Identifier: Apache-2.0
#include "model/collective_json.h"

#include "base/input_error.h"
#include "model/collective_group.h"

#include <algorithm>
#include <map>
#include <set>

namespace alxsim::model {

// Not in the unnamed namespace, where the library would not find them and write numbers.
NLOHMANN_JSON_SERIALIZE_ENUM(CollectiveKind, {{CollectiveKind::all_gather, "all_gather"},
                                              {CollectiveKind::reduce_scatter, "reduce_scatter"},
                                              {CollectiveKind::all_reduce, "all_reduce"},
                                              {CollectiveKind::all_to_all, "all_to_all"},
                                              {CollectiveKind::permute, "permute"},
                                              {CollectiveKind::broadcast, "broadcast"},
                                              {CollectiveKind::reduce, "reduce"}})
NLOHMANN_JSON_SERIALIZE_ENUM(CollectiveAlgorithm, {{CollectiveAlgorithm::any, "any"},
                                                   {CollectiveAlgorithm::axes, "axes"},
                                                   {CollectiveAlgorithm::routed, "routed"}})

namespace {

ScheduleOptions read_schedule(const Json& json)
{
    return {json.value("colours", 0), json.value("directions", 0),
            json.value("algorithm", CollectiveAlgorithm::any)};
}

/// Null unless the group is one of lists.
std::shared_ptr<const std::vector<std::vector<int>>>
read_ranks(const Json& json, const std::string& file, const std::string& place)
{
    if (!json.is_object()) {
        return nullptr;
    }
    auto groups = std::make_shared<std::vector<std::vector<int>>>();
    std::set<int> seen;
    for (const Json& members : json.at("ranks")) {
        const std::string here = place + "/ranks/" + std::to_string(groups->size());
        groups->push_back(members.get<std::vector<int>>());
        if (groups->back().size() != groups->front().size()) {
            throw InputError(file, here,
                             "found " + std::to_string(groups->back().size()) +
                                 " devices; allowed: as many as in the first group, " +
                                 std::to_string(groups->front().size()));
        }
        for (const int device : groups->back()) {
            if (!seen.insert(device).second) {
                throw InputError(file, here,
                                 "found device " + std::to_string(device) +
                                     " a second time; allowed: every device at most once");
            }
        }
    }
    return groups;
}

std::vector<std::string> read_group(const Json& json, const std::string& file,
                                    const std::string& place)
{
    if (!json.is_array()) {
        return {}; // "all", or ranks
    }
    const auto axes = json.get<std::vector<std::string>>();
    if (std::set<std::string>(axes.begin(), axes.end()).size() != axes.size()) {
        throw InputError(file, place,
                         "found " + json.dump() + "; allowed: every axis at most once");
    }
    return axes;
}

/// A permute takes every device's array to at most one other.
void check_permute(const std::vector<PairMessage>& messages, const std::string& file,
                   const std::string& place)
{
    std::set<int> sources;
    std::set<int> destinations;
    for (std::size_t i = 0; i < messages.size(); ++i) {
        const bool new_source = sources.insert(messages[i].source).second;
        if (!new_source || !destinations.insert(messages[i].destination).second) {
            const int device = new_source ? messages[i].destination : messages[i].source;
            throw InputError(file, place + "/" + std::to_string(i),
                             "found a second message " + std::string(new_source ? "to" : "from") +
                                 " device " + std::to_string(device) +
                                 "; allowed: of a permute, one from and one to each");
        }
    }
}

std::shared_ptr<const std::vector<PairMessage>> read_messages(const Json& json, CollectiveKind kind,
                                                              const std::string& file,
                                                              const std::string& place)
{
    if (kind != CollectiveKind::permute && kind != CollectiveKind::all_to_all) {
        throw InputError(file, place,
                         "found messages for " + Json(kind).get<std::string>() +
                             "; allowed: for all_to_all and permute only");
    }
    auto messages = std::make_shared<std::vector<PairMessage>>();
    for (const Json& message : json) {
        messages->push_back({message.at(0).get<int>(), message.at(1).get<int>(),
                             Bytes(message.at(2).get<std::int64_t>())});
    }
    if (kind == CollectiveKind::permute) {
        check_permute(*messages, file, place);
    }
    return messages;
}

int read_root(const Json& json, CollectiveKind kind, const std::string& file,
              const std::string& place)
{
    if (json.contains("root") && !has_root(kind)) {
        throw InputError(file, place,
                         "found for " + Json(kind).get<std::string>() +
                             "; allowed: for broadcast and reduce only");
    }
    return json.value("root", 0);
}

/// What the device sends that sends most.
Bytes most_sent(const std::vector<PairMessage>& messages)
{
    std::map<int, Bytes> sent;
    Bytes most(0);
    for (const PairMessage& message : messages) {
        most = std::max(most, sent[message.source] += message.bytes);
    }
    return most;
}

} // namespace

Collective collective_from_json(const Json& json, const std::string& file, const std::string& place)
{
    Collective result;
    result.kind = json.at("kind").get<CollectiveKind>();
    result.schedule = read_schedule(json.value("schedule", Json::object()));
    result.group = read_group(json.value("group", Json("all")), file, place + "/group");
    result.ranks = read_ranks(json.value("group", Json("all")), file, place + "/group");
    result.across_chips = json.value("across_chips", false);
    result.root = read_root(json, result.kind, file, place + "/root");
    if (json.contains("messages")) {
        result.messages =
            read_messages(json.at("messages"), result.kind, file, place + "/messages");
    }
    if (!json.contains("bytes") && !result.messages) {
        throw InputError(file, place,
                         "work 'collective' needs the field 'bytes', unless it has messages");
    }
    result.bytes = json.contains("bytes") ? Bytes(json.at("bytes").get<std::int64_t>())
                                          : most_sent(*result.messages);
    return result;
}

Json to_json(const Collective& collective)
{
    Json json{
        {"work", "collective"}, {"kind", collective.kind}, {"bytes", collective.bytes.count()}};
    const ScheduleOptions& options = collective.schedule;
    if (options.colours != 0) {
        json["schedule"]["colours"] = options.colours;
    }
    if (options.directions != 0) {
        json["schedule"]["directions"] = options.directions;
    }
    if (options.algorithm != CollectiveAlgorithm::any) {
        json["schedule"]["algorithm"] = options.algorithm;
    }
    if (!collective.group.empty()) {
        json["group"] = collective.group;
    }
    if (collective.ranks) {
        json["group"]["ranks"] = *collective.ranks;
    }
    if (collective.across_chips) {
        json["across_chips"] = true;
    }
    if (collective.root != 0) {
        json["root"] = collective.root;
    }
    if (collective.messages) {
        json["messages"] = Json::array();
        for (const PairMessage& message : *collective.messages) {
            json["messages"].push_back(
                Json::array({message.source, message.destination, message.bytes.count()}));
        }
    }
    return json;
}

std::string name_of(CollectiveKind kind)
{
    return Json(kind).get<std::string>();
}

} // namespace alxsim::model
