// SPDX-License-Identifier: Apache-2.0
#include "model/graph/collective_json.h"

#include "base/input_error.h"
#include "model/graph/message_order.h"

#include <algorithm>
#include <map>

namespace alxsim::model {

// Not in the unnamed namespace, where the library would not find them and write numbers.
NLOHMANN_JSON_SERIALIZE_ENUM(CollectiveKind, {{CollectiveKind::all_gather, "all_gather"},
                                              {CollectiveKind::reduce_scatter, "reduce_scatter"},
                                              {CollectiveKind::all_reduce, "all_reduce"},
                                              {CollectiveKind::all_to_all, "all_to_all"},
                                              {CollectiveKind::permute, "permute"},
                                              {CollectiveKind::broadcast, "broadcast"},
                                              {CollectiveKind::reduce, "reduce"}})
NLOHMANN_JSON_SERIALIZE_ENUM(ScheduleAlgorithm, {{ScheduleAlgorithm::any, "any"},
                                                 {ScheduleAlgorithm::axes, "axes"},
                                                 {ScheduleAlgorithm::routed, "routed"}})
NLOHMANN_JSON_SERIALIZE_ENUM(Overlap, {{Overlap::async, "async"}, {Overlap::sync, "sync"}})

namespace {

ScheduleOptions read_schedule(const Json& json)
{
    if (json.is_string()) {
        ScheduleOptions options;
        options.choice = json.get<std::string>() == "xla" ? topologies::ScheduleChoice::xla
                                                          : topologies::ScheduleChoice::fastest;
        return options;
    }
    return {json.value("colours", 0), json.value("directions", 0),
            json.value("algorithm", ScheduleAlgorithm::any)};
}

/// Null unless the group is one of lists.
std::shared_ptr<const std::vector<std::vector<int>>> read_ranks(const Json& json)
{
    return json.is_object() ? std::make_shared<const std::vector<std::vector<int>>>(
                                  json.at("ranks").get<std::vector<std::vector<int>>>())
                            : nullptr;
}

std::vector<std::string> read_group(const Json& json)
{
    return json.is_array() ? json.get<std::vector<std::string>>()
                           : std::vector<std::string>(); // "all", or ranks
}

/// The mesh that names all axes of a group; null if the torus or the network does.
std::shared_ptr<const Mesh> mesh_of(const std::vector<std::string>& group, const JsonPlace& place)
{
    const std::vector<std::string> network{"x", "y", "z", "dcn"};
    std::vector<std::string> mesh;
    for (std::size_t i = 0; place.mesh && i < place.mesh->axes.size(); ++i) {
        mesh.push_back(place.mesh->axes[i].name);
    }
    const auto all_in = [&group](const std::vector<std::string>& names) {
        return std::all_of(group.begin(), group.end(), [&names](const std::string& axis) {
            return std::find(names.begin(), names.end(), axis) != names.end();
        });
    };
    if (all_in(network)) {
        return nullptr;
    }
    if (!all_in(mesh)) {
        throw InputError(place.file, place.pointer,
                         "found " + join(group) + "; allowed: axes of " + join(network) +
                             (mesh.empty() ? "" : ", or of the mesh: " + join(mesh)));
    }
    return place.mesh;
}

PairMessage read_message(const Json& json)
{
    const auto field = [&json](const char* key, std::size_t place) {
        return json.is_object() ? json.at(key) : json.at(place);
    };
    return {field("source", 0).get<int>(), field("destination", 1).get<int>(),
            Bytes(field("bytes", 2).get<std::int64_t>())};
}

/// What each message waits for; null where they are lists.
std::shared_ptr<const MessageOrder> read_after(const Json& json)
{
    if (!json.front().is_object()) {
        return nullptr;
    }
    auto after = std::make_shared<MessageOrder>();
    for (const Json& message : json) {
        after->push_back(message.value("after", std::vector<int>()));
    }
    return after;
}

std::shared_ptr<const std::vector<PairMessage>> read_messages(const Json& json,
                                                              const JsonPlace& place)
{
    const bool ordered = json.front().is_object();
    auto messages = std::make_shared<std::vector<PairMessage>>();
    for (const Json& message : json) {
        if (message.is_object() != ordered) {
            throw InputError(place.file, place.pointer + "/" + std::to_string(messages->size()),
                             "found " + message.dump() +
                                 "; allowed: the form of the first, a list or an object");
        }
        messages->push_back(read_message(message));
    }
    return messages;
}

int read_root(const Json& json, CollectiveKind kind, const JsonPlace& place)
{
    if (json.contains("root") && !has_root(kind)) {
        throw InputError(place.file, place.pointer,
                         "found for " + Json(kind).get<std::string>() +
                             "; allowed: for broadcast and reduce only");
    }
    return json.value("root", 0);
}

std::optional<Overlap> read_overlap(const Json& json, const JsonPlace& place)
{
    const Json overlap = json.value("overlap", Json());
    if (overlap.is_null()) {
        return std::nullopt;
    }
    if (overlap != "async" && overlap != "sync") {
        throw InputError(place.file, place.pointer,
                         "found " + overlap.dump() + "; allowed of a collective: async, sync");
    }
    return overlap.get<Overlap>();
}

Json messages_to_json(const std::vector<PairMessage>& messages, const MessageOrder* after)
{
    Json json = Json::array();
    for (std::size_t i = 0; i < messages.size(); ++i) {
        const PairMessage& message = messages[i];
        if (after == nullptr) {
            json.push_back(
                Json::array({message.source, message.destination, message.bytes.count()}));
        } else {
            json.push_back({{"source", message.source},
                            {"destination", message.destination},
                            {"bytes", message.bytes.count()},
                            {"after", (*after)[i]}});
        }
    }
    return json;
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

Collective collective_from_json(const Json& json, const JsonPlace& place)
{
    Collective result;
    result.kind = json.at("kind").get<CollectiveKind>();
    result.schedule = read_schedule(json.value("schedule", Json::object()));
    const Json group = json.value("group", Json("all"));
    result.group = read_group(group);
    result.mesh = mesh_of(result.group, place.at("/group"));
    result.ranks = read_ranks(group);
    result.listed = result.ranks && group.value("order", "best") == "listed";
    if (json.contains("dtype")) {
        result.dtype = json.at("dtype").get<DType>();
    }
    result.across_chips = json.value("across_chips", false);
    result.overlap = read_overlap(json, place.at("/overlap"));
    result.launched = json.value("launch", true);
    result.root = read_root(json, result.kind, place.at("/root"));
    if (json.contains("messages")) {
        result.messages = read_messages(json.at("messages"), place.at("/messages"));
        result.after = read_after(json.at("messages"));
    }
    if (!json.contains("bytes") && !result.messages) {
        throw InputError(place.file, place.pointer,
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
    if (options.choice) {
        json["schedule"] = *options.choice == topologies::ScheduleChoice::xla ? "xla" : "fastest";
    }
    if (options.colours != 0) {
        json["schedule"]["colours"] = options.colours;
    }
    if (options.directions != 0) {
        json["schedule"]["directions"] = options.directions;
    }
    if (options.algorithm != ScheduleAlgorithm::any) {
        json["schedule"]["algorithm"] = options.algorithm;
    }
    if (collective.dtype != DType::f32) {
        json["dtype"] = collective.dtype;
    }
    if (!collective.group.empty()) {
        json["group"] = collective.group;
    }
    if (collective.ranks) {
        json["group"]["ranks"] = *collective.ranks;
    }
    if (collective.listed) {
        json["group"]["order"] = "listed";
    }
    if (collective.across_chips) {
        json["across_chips"] = true;
    }
    if (collective.overlap) {
        json["overlap"] = *collective.overlap;
    }
    if (!collective.launched) {
        json["launch"] = false;
    }
    if (collective.root != 0) {
        json["root"] = collective.root;
    }
    if (collective.messages) {
        json["messages"] = messages_to_json(*collective.messages, collective.after.get());
    }
    return json;
}

std::string name_of(CollectiveKind kind)
{
    return Json(kind).get<std::string>();
}

} // namespace alxsim::model
