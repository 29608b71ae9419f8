// SPDX-License-Identifier: Apache-2.0
#include "base/input_error.h"
#include "model/collective_json.h"
#include "model/op_graph.h"
#include "model/resources.h"

#include <array>
#include <set>

namespace alxsim::model {

// Not in the unnamed namespace, where the library would not find them and write numbers.
NLOHMANN_JSON_SERIALIZE_ENUM(
    DType, {{DType::bf16, "bf16"}, {DType::f32, "f32"}, {DType::f64, "f64"}, {DType::i32, "i32"}})
NLOHMANN_JSON_SERIALIZE_ENUM(AccessPattern, {{AccessPattern::uniform, "uniform"},
                                             {AccessPattern::clamped, "clamped"},
                                             {AccessPattern::trace, "trace"}})
NLOHMANN_JSON_SERIALIZE_ENUM(OperationClass, {{OperationClass::cheap, "cheap"},
                                              {OperationClass::medium, "medium"},
                                              {OperationClass::expensive, "expensive"}})
NLOHMANN_JSON_SERIALIZE_ENUM(Reduction, {{Reduction::none, "none"},
                                         {Reduction::sublanes, "sublanes"},
                                         {Reduction::lanes, "lanes"}})

namespace {

/// Fields of an op beside those of its work.
const std::set<std::string>& fields_of_ops()
{
    static const std::set<std::string> fields{"work",   "name",  "phase",         "reads",
                                              "writes", "after", "work_of_device"};
    return fields;
}

/// The same of work by itself.
const std::set<std::string>& fields_of_works()
{
    static const std::set<std::string> fields{"work"};
    return fields;
}

/// Reads the fields of one op; what its kind of work does not have is refused.
class OpReader {
public:
    OpReader(const Json& json, const std::string& file, const std::string& place)
        : json_(json),
          file_(file),
          place_(place)
    {
    }

    template <class T>
    T required(const char* key)
    {
        used_.push_back(key);
        if (!json_.contains(key)) {
            throw InputError(file_, place_,
                             "work '" + json_.at("work").get<std::string>() +
                                 "' needs the field '" + key + "'");
        }
        return json_.at(key).get<T>();
    }

    template <class T>
    T optional(const char* key, T fallback)
    {
        used_.push_back(key);
        return json_.contains(key) ? json_.at(key).get<T>() : fallback;
    }

    /// Fields that are read elsewhere.
    void allow(const std::vector<std::string>& keys)
    {
        used_.insert(used_.end(), keys.begin(), keys.end());
    }

    Bytes bytes(const char* key) { return Bytes(required<std::int64_t>(key)); }
    Bytes bytes_or_zero(const char* key) { return Bytes(optional<std::int64_t>(key, 0)); }

    void refuse_the_rest(const std::set<std::string>& others) const
    {
        for (const auto& [key, value] : json_.items()) {
            const bool known =
                others.count(key) != 0 || std::find(used_.begin(), used_.end(), key) != used_.end();
            if (!known) {
                throw InputError(file_, place_,
                                 "work '" + json_.at("work").get<std::string>() +
                                     "' has no field '" + key + "' (allowed: " + join(used_) + ")");
            }
        }
    }

private:
    const Json& json_;
    const std::string& file_;
    const std::string& place_;
    std::vector<std::string> used_;
};

OpGraph read_graph(const Json& json, const std::string& file, const std::string& place);

/// The rows of a trace. Throws InputError unless there are some where, and only where, the pattern
/// is a trace.
std::shared_ptr<const std::vector<std::int64_t>> read_ids(OpReader& reader, const std::string& file,
                                                          const std::string& place)
{
    const bool trace = reader.optional("pattern", AccessPattern::uniform) == AccessPattern::trace;
    const auto ids = reader.optional("ids", std::vector<std::int64_t>());
    if (trace == ids.empty()) {
        throw InputError(file, place + "/ids",
                         trace ? "missing: a pattern of trace needs the ids of the rows, like "
                                 "[7, 7, 130]"
                               : "given without \"pattern\":\"trace\"; allowed: only with it");
    }
    return trace ? std::make_shared<const std::vector<std::int64_t>>(ids) : nullptr;
}

Work read_work(const Json& json, const std::string& file, const std::string& place,
               const std::set<std::string>& other_fields)
{
    OpReader reader(json, file, place);
    const std::string work = json.at("work").get<std::string>();
    Work result;
    if (work == "matmul") {
        result =
            Matmul{reader.optional<std::int64_t>("batch", 1), reader.required<std::int64_t>("m"),
                   reader.required<std::int64_t>("k"),        reader.required<std::int64_t>("n"),
                   reader.optional("dtype", DType::bf16),     reader.optional("passes", 1),
                   reader.optional("overlap", true)};
    } else if (work == "vector") {
        result = Vector{reader.required<std::int64_t>("elements"),
                        reader.optional("ops_per_element", 1.0),
                        reader.optional("dtype", DType::f32),
                        reader.optional("operation_class", OperationClass::cheap),
                        reader.optional("reduction", Reduction::none),
                        reader.optional<std::int64_t>("minor", 0)};
    } else if (work == "hbm_stream") {
        result =
            HbmStream{reader.bytes_or_zero("bytes_read"), reader.bytes_or_zero("bytes_written")};
    } else if (work == "infeed") {
        result = Infeed{reader.bytes("bytes")};
    } else if (work == "row_gather") {
        result = RowGather{reader.required<std::int64_t>("rows"),
                           reader.bytes("row_bytes"),
                           reader.optional<std::int64_t>("table_rows", 0),
                           reader.optional("pattern", AccessPattern::uniform),
                           reader.optional<std::int64_t>("owned_rows", 0),
                           read_ids(reader, file, place)};
    } else if (work == "row_scatter") {
        result = RowScatter{reader.required<std::int64_t>("rows"), reader.bytes("row_bytes"),
                            reader.optional<std::int64_t>("table_rows", 0),
                            reader.optional("accumulate", false)};
    } else if (work == "collective") {
        reader.required<Json>("kind");
        reader.allow({"bytes", "schedule", "group", "across_chips", "messages", "root"});
        result = collective_from_json(json, file, place);
    } else {
        Repeat repeat{reader.required<std::int64_t>("times"),
                      reader.optional<std::string>("counter", ""), nullptr};
        repeat.body = std::make_shared<OpGraph>(
            read_graph(reader.required<Json>("body"), file, place + "/body"));
        result = repeat;
    }
    reader.refuse_the_rest(other_fields);
    return result;
}

/// Null if the op has none.
std::shared_ptr<const std::vector<Work>>
read_work_of_device(const Json& json, const std::string& file, const std::string& place)
{
    if (!json.contains("work_of_device")) {
        return nullptr;
    }
    const std::string here = place + "/work_of_device";
    const Json& kind = json.at("work");
    if (kind == "collective" || kind == "repeat") {
        throw InputError(file, here,
                         "found for work " + kind.dump() +
                             "; allowed: for all but collective, which has messages, and repeat, "
                             "which has a counter");
    }
    auto works = std::make_shared<std::vector<Work>>();
    for (const Json& work : json.at("work_of_device")) {
        const std::string entry = here + "/" + std::to_string(works->size());
        if (work.at("work") != kind) {
            throw InputError(file, entry + "/work",
                             "found " + work.at("work").dump() + "; allowed: " + kind.dump() +
                                 ", the kind of the op's own work");
        }
        works->push_back(read_work(work, file, entry, fields_of_works()));
    }
    return works;
}

std::vector<BufferUse> read_buffers(const Json& json, const char* key)
{
    std::vector<BufferUse> uses;
    for (const Json& use : json.value(key, Json::array())) {
        uses.push_back(
            {use.at("name").get<std::string>(), Bytes(use.at("bytes").get<std::int64_t>())});
    }
    return uses;
}

Op read_op(const Json& json, const std::string& file, const std::string& place)
{
    Op op;
    op.work = read_work(json, file, place, fields_of_ops());
    op.work_of_device = read_work_of_device(json, file, place);
    op.name = json.value("name", json.at("work").get<std::string>());
    op.phase = json.value("phase", json.at("work").get<std::string>());
    op.reads = read_buffers(json, "reads");
    op.writes = read_buffers(json, "writes");
    op.after = json.value("after", std::vector<int>());
    return op;
}

OpGraph read_graph(const Json& json, const std::string& file, const std::string& place)
{
    OpGraph graph;
    graph.name = json.value("name", "");
    graph.held = read_buffers(json, "held");
    for (std::size_t i = 0; i < json.at("ops").size(); ++i) {
        const std::string here = place + "/ops/" + std::to_string(i);
        Op op = read_op(json.at("ops").at(i), file, here);
        for (int before : op.after) {
            if (before >= static_cast<int>(i)) {
                throw InputError(file, here + "/after",
                                 "found " + std::to_string(before) +
                                     "; allowed: indices of earlier ops, below " +
                                     std::to_string(i));
            }
        }
        graph.add(std::move(op));
    }
    return graph;
}

Json buffers_to_json(const std::vector<BufferUse>& uses)
{
    Json json = Json::array();
    for (const BufferUse& use : uses) {
        json.push_back({{"name", use.name}, {"bytes", use.bytes.count()}});
    }
    return json;
}

struct WorkWriter {
    Json operator()(const Matmul& work) const
    {
        return {{"work", "matmul"},      {"batch", work.batch},
                {"m", work.m},           {"k", work.k},
                {"n", work.n},           {"dtype", work.dtype},
                {"passes", work.passes}, {"overlap", work.overlap}};
    }
    Json operator()(const Vector& work) const
    {
        return {{"work", "vector"},
                {"elements", work.elements},
                {"ops_per_element", work.ops_per_element},
                {"dtype", work.dtype},
                {"operation_class", work.operation_class},
                {"reduction", work.reduction},
                {"minor", work.minor}};
    }
    Json operator()(const HbmStream& work) const
    {
        return {{"work", "hbm_stream"},
                {"bytes_read", work.bytes_read.count()},
                {"bytes_written", work.bytes_written.count()}};
    }
    Json operator()(const Infeed& work) const
    {
        return {{"work", "infeed"}, {"bytes", work.bytes.count()}};
    }
    Json operator()(const RowGather& work) const
    {
        Json json{{"work", "row_gather"},
                  {"rows", work.rows},
                  {"row_bytes", work.row_bytes.count()},
                  {"table_rows", work.table_rows},
                  {"pattern", work.pattern},
                  {"owned_rows", work.owned_rows}};
        if (work.ids) {
            json["ids"] = *work.ids;
        }
        return json;
    }
    Json operator()(const RowScatter& work) const
    {
        return {{"work", "row_scatter"},
                {"rows", work.rows},
                {"row_bytes", work.row_bytes.count()},
                {"table_rows", work.table_rows},
                {"accumulate", work.accumulate}};
    }
    Json operator()(const Collective& work) const { return to_json(work); }
    Json operator()(const Repeat& work) const
    {
        Json json{{"work", "repeat"}, {"times", work.times}};
        if (!work.counter.empty()) {
            json["counter"] = work.counter;
        }
        json["body"] = to_json(*work.body);
        return json;
    }
};

} // namespace

OpGraph op_graph_from_json(const Json& json, const std::string& file)
{
    validate_json(json, resources().get("schema/op_graph.schema.json"), file);
    return read_graph(json, file, "");
}

Op op_from_json(const Json& json, const std::string& file)
{
    return op_graph_from_json({{"ops", Json::array({json})}}, file).ops.front();
}

Json to_json(const Op& op)
{
    Json json = std::visit(WorkWriter{}, op.work);
    json["name"] = op.name;
    json["phase"] = op.phase;
    json["reads"] = buffers_to_json(op.reads);
    json["writes"] = buffers_to_json(op.writes);
    json["after"] = op.after;
    if (op.work_of_device) {
        json["work_of_device"] = Json::array();
        for (const Work& work : *op.work_of_device) {
            json["work_of_device"].push_back(std::visit(WorkWriter{}, work));
        }
    }
    return json;
}

Json to_json(const OpGraph& graph)
{
    Json json{{"name", graph.name}, {"ops", Json::array()}};
    if (!graph.held.empty()) {
        json["held"] = buffers_to_json(graph.held);
    }
    for (const Op& op : graph.ops) {
        json["ops"].push_back(to_json(op));
    }
    return json;
}

} // namespace alxsim::model
