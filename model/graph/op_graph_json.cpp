// SPDX-License-Identifier: Apache-2.0
#include "base/input_error.h"
#include "model/graph/check.h"
#include "model/graph/default_operands.h"
#include "model/graph/op_graph.h"
#include "model/graph/resources.h"
#include "model/graph/size_expression.h"
#include "model/graph/work_json.h"

#include <map>
#include <set>
#include <sstream>
#include <utility>

namespace alxsim::model {

// Not in the unnamed namespace, where the library would not find it and write numbers.
NLOHMANN_JSON_SERIALIZE_ENUM(Residency, {{Residency::any, "any"},
                                         {Residency::hbm, "hbm"},
                                         {Residency::vmem, "vmem"},
                                         {Residency::host, "host"},
                                         {Residency::storage, "storage"},
                                         {Residency::hbm_in_use, "hbm_in_use"}})

namespace {

/// Fields of an op beside those of its work.
const std::set<std::string>& fields_of_ops()
{
    static const std::set<std::string> fields{"work",  "id",     "name",  "phase",
                                              "reads", "writes", "after", "work_of_device"};
    return fields;
}

/// The same of work by itself.
const std::set<std::string>& fields_of_works()
{
    static const std::set<std::string> fields{"work"};
    return fields;
}

/// Null if the op has none.
std::shared_ptr<const std::vector<Work>> read_work_of_device(const Json& json,
                                                             const JsonPlace& place)
{
    if (!json.contains("work_of_device")) {
        return nullptr;
    }
    auto works = std::make_shared<std::vector<Work>>();
    for (const Json& work : json.at("work_of_device")) {
        const JsonPlace entry = place.at("/" + std::to_string(works->size()));
        works->push_back(work_from_json(work, entry, fields_of_works()));
    }
    return works;
}

std::vector<BufferUse> read_uses(const Json& json, const char* key)
{
    std::vector<BufferUse> uses;
    for (const Json& use : json.value(key, Json::array())) {
        const char* const name = use.contains("buffer") ? "buffer" : "name"; // the old form
        uses.push_back(
            {use.at(name).get<std::string>(), Bytes(use.at("bytes").get<std::int64_t>())});
    }
    return uses;
}

std::vector<Buffer> read_buffers(const Json& json)
{
    std::vector<Buffer> buffers;
    for (const Json& buffer : json.value("buffers", Json::array())) {
        buffers.push_back({buffer.at("name").get<std::string>(),
                           Bytes(buffer.at("bytes").get<std::int64_t>()),
                           buffer.value("residency", Residency::any)});
    }
    for (const Json& buffer : json.value("held", Json::array())) { // the old form
        buffers.push_back({buffer.at("name").get<std::string>(),
                           Bytes(buffer.at("bytes").get<std::int64_t>()), Residency::hbm});
    }
    return buffers;
}

/// The indices in a JSON pointer: "2.0" of "/ops/2/body/ops/0".
std::string indices_of(const std::string& pointer)
{
    std::vector<std::string> indices;
    std::istringstream parts(pointer);
    for (std::string part; std::getline(parts, part, '/');) {
        if (!part.empty() && part.find_first_not_of("0123456789") == std::string::npos) {
            indices.push_back(part);
        }
    }
    return join(indices, ".");
}

/// Declares operands in HBM that an op has and does not name.
void add_operands(Op& op, const Json& json, const JsonPlace& place, OpGraph& graph)
{
    try {
        const std::vector<Buffer> operands = add_default_operands(
            op, !json.contains("reads"), !json.contains("writes"), indices_of(place.pointer));
        graph.buffers.insert(graph.buffers.end(), operands.begin(), operands.end());
    } catch (const InputError& error) {
        throw InputError(place.file, place.pointer, error.what());
    }
}

/// Indices of the ops of a graph that have ids.
using OpIds = std::map<std::string, int>;

OpIds read_ids(const Json& ops, const JsonPlace& place)
{
    OpIds ids;
    for (std::size_t i = 0; i < ops.size(); ++i) {
        if (!ops.at(i).contains("id")) {
            continue;
        }
        const auto id = ops.at(i).at("id").get<std::string>();
        const auto [other, added] = ids.emplace(id, static_cast<int>(i));
        if (!added) {
            throw InputError(place.file, place.pointer + "/ops/" + std::to_string(i) + "/id",
                             "found \"" + id + "\", as op " + std::to_string(other->second) +
                                 " has it; allowed: an id of its own");
        }
    }
    return ids;
}

/// The op that an entry of "after" names, which stands before op `number`.
int read_predecessor(const Json& entry, const OpIds& ids, int number, const JsonPlace& place)
{
    if (entry.is_number()) {
        return entry.get<int>(); // check() looks at it
    }
    const auto id = entry.get<std::string>();
    const auto found = ids.find(id);
    if (found == ids.end()) {
        std::vector<std::string> known;
        for (const auto& [name, index] : ids) {
            known.push_back(name);
        }
        throw InputError(place.file, place.pointer,
                         "found \"" + id + "\", which is the id of no op of this graph" +
                             did_you_mean(id, known) + "; allowed: ids of ops that stand before");
    }
    if (found->second >= number) {
        throw InputError(place.file, place.pointer,
                         "found \"" + id + "\", the id of op " + std::to_string(found->second) +
                             "; allowed: ids of ops that stand before op " +
                             std::to_string(number) +
                             ", as ops stand in an order in which they "
                             "can run");
    }
    return found->second;
}

std::vector<int> read_after(const Json& json, const OpIds& ids, int number, const JsonPlace& place)
{
    std::vector<int> after;
    for (const Json& entry : json.value("after", Json::array())) {
        after.push_back(read_predecessor(entry, ids, number,
                                         place.at("/after/" + std::to_string(after.size()))));
    }
    return after;
}

Op read_op(const Json& json, const JsonPlace& place)
{
    Op op;
    op.work = work_from_json(json, place, fields_of_ops());
    op.work_of_device = read_work_of_device(json, place.at("/work_of_device"));
    op.name = json.value("name", json.at("work").get<std::string>());
    op.phase = json.value("phase", json.at("work").get<std::string>());
    op.reads = read_uses(json, "reads");
    op.writes = read_uses(json, "writes");
    return op;
}

/// Declares what ops use and nobody has declared. What is named as tables were before buffers could
/// be declared stands in HBM.
void declare_used(OpGraph& graph, const JsonPlace& place)
{
    const std::size_t declared = graph.buffers.size();
    try {
        graph.buffers = all_buffers(graph);
    } catch (const InputError& error) {
        throw InputError(place.file, place.pointer + "/buffers", error.what());
    }
    for (std::size_t i = declared; i < graph.buffers.size(); ++i) {
        Buffer& buffer = graph.buffers[i];
        if (buffer.residency == Residency::any && buffer.name.text().rfind("tables.", 0) == 0) {
            buffer.residency = Residency::hbm;
        }
    }
}

std::shared_ptr<const Mesh> read_mesh(const Json& json, const JsonPlace& place)
{
    if (!json.contains("mesh")) {
        return place.mesh;
    }
    auto mesh = std::make_shared<Mesh>();
    for (const auto& [name, length] : json.at("mesh").items()) {
        mesh->axes.push_back({name, length.get<int>()});
    }
    return mesh;
}

Json to_json(const std::vector<BufferUse>& uses)
{
    Json json = Json::array();
    for (const BufferUse& use : uses) {
        json.push_back({{"buffer", use.buffer}, {"bytes", use.touched.count()}});
    }
    return json;
}

Json to_json(const std::vector<Buffer>& buffers)
{
    Json json = Json::array();
    for (const Buffer& buffer : buffers) {
        json.push_back({{"name", buffer.name},
                        {"bytes", buffer.bytes.count()},
                        {"residency", buffer.residency}});
    }
    return json;
}

Json to_json(const Mesh& mesh)
{
    Json json = Json::object();
    for (const MeshAxis& axis : mesh.axes) {
        json[axis.name.text()] = axis.length;
    }
    return json;
}

/// Devices by their numbers, or several in a row as "4-7".
std::vector<int> read_devices(const Json& json, const JsonPlace& place)
{
    std::vector<int> devices;
    for (const Json& entry : json) {
        if (entry.is_number()) {
            devices.push_back(entry.get<int>());
            continue;
        }
        const auto text = entry.get<std::string>(); // digits, '-', digits, says the schema
        const std::size_t dash = text.find('-');
        const int first = std::stoi(text.substr(0, dash));
        const int last = std::stoi(text.substr(dash + 1));
        if (last < first) {
            throw InputError(place.file, place.pointer,
                             "found \"" + text + "\"; allowed: the lower number first");
        }
        for (int device = first; device <= last; ++device) {
            devices.push_back(device);
        }
    }
    return devices;
}

/// Empty if all devices do the same.
std::vector<Role> read_roles(const Json& json, const JsonPlace& place)
{
    std::vector<Role> roles;
    if (json.contains("roles") == json.contains("ops")) {
        throw InputError(place.file, place.pointer, "allowed: either ops, or roles that have them");
    }
    for (const Json& role : json.value("roles", Json::array())) {
        const JsonPlace here = place.at("/roles/" + std::to_string(roles.size()));
        auto graph =
            std::make_shared<OpGraph>(graph_from_json(role.at("graph"), here.at("/graph")));
        declare_used(*graph, here.at("/graph"));
        roles.push_back({read_devices(role.at("devices"), here.at("/devices")), std::move(graph)});
    }
    return roles;
}

Json ops_to_json(const OpGraph& graph)
{
    Json ops = Json::array();
    for (const Op& op : graph.ops) {
        ops.push_back(to_json(op));
    }
    return ops;
}

} // namespace

OpGraph graph_from_json(const Json& json, const JsonPlace& outside)
{
    const JsonPlace place{outside.file, outside.pointer, read_mesh(json, outside)};
    OpGraph graph;
    graph.name = json.value("name", "");
    graph.mesh = place.mesh;
    graph.buffers = read_buffers(json);
    graph.roles = read_roles(json, place);
    static const Json none = Json::array();
    const Json& ops = json.contains("ops") ? json.at("ops") : none;
    const OpIds ids = read_ids(ops, place);
    for (std::size_t i = 0; i < ops.size(); ++i) {
        const JsonPlace here = place.at("/ops/" + std::to_string(i));
        Op op = read_op(ops.at(i), here);
        op.after = read_after(ops.at(i), ids, static_cast<int>(i), here);
        add_operands(op, ops.at(i), here, graph);
        graph.add(std::move(op));
    }
    return graph;
}

OpGraph op_graph_from_json(const Json& given, const std::string& file, std::optional<int> devices)
{
    const Json sized = with_sizes(given, devices, file);
    Json whole;
    const Json& json =
        valid_json(sized, resources().get("schema/op_graph.schema.json"), file, whole);
    const JsonPlace place{file, ""};
    OpGraph graph = graph_from_json(json, place);
    check(graph, file);
    if (graph.roles.empty()) {
        declare_used(graph, place);
    }
    return graph;
}

Op op_from_json(const Json& json, const std::string& file, std::optional<int> devices)
{
    return op_graph_from_json({{"ops", Json::array({json})}}, file, devices).ops.front();
}

Json to_json(const Op& op)
{
    Json json = to_json(op.work);
    json["name"] = op.name;
    json["phase"] = op.phase;
    json["reads"] = to_json(op.reads);
    json["writes"] = to_json(op.writes);
    json["after"] = op.after;
    if (op.work_of_device) {
        json["work_of_device"] = Json::array();
        for (const Work& work : *op.work_of_device) {
            json["work_of_device"].push_back(to_json(work));
        }
    }
    return json;
}

Json body_to_json(const OpGraph& body)
{
    return {{"name", body.name}, {"ops", ops_to_json(body)}};
}

Json to_json(const OpGraph& graph)
{
    Json json{{"name", graph.name}};
    if (graph.mesh) {
        json["mesh"] = to_json(*graph.mesh);
    }
    for (const Role& role : graph.roles) {
        json["roles"].push_back({{"devices", role.devices}, {"graph", to_json(*role.graph)}});
    }
    if (graph.roles.empty()) {
        json["buffers"] = to_json(all_buffers(graph));
        json["ops"] = ops_to_json(graph);
    }
    return json;
}

} // namespace alxsim::model
