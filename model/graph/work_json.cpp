// SPDX-License-Identifier: Apache-2.0
#include "model/graph/work_json.h"

#include "base/input_error.h"
#include "model/graph/collective_json.h"
#include "topologies/storage_io_names.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace alxsim::model {

// Not in the unnamed namespace, where the library would not find them and write numbers.
NLOHMANN_JSON_SERIALIZE_ENUM(DType, {{DType::bf16, "bf16"},
                                     {DType::f32, "f32"},
                                     {DType::f64, "f64"},
                                     {DType::i32, "i32"},
                                     {DType::i8, "i8"},
                                     {DType::i4, "i4"},
                                     {DType::fp8_e4m3, "fp8_e4m3"},
                                     {DType::fp8_e5m2, "fp8_e5m2"},
                                     {DType::fp4, "fp4"},
                                     // Other names, of which the first above is written.
                                     {DType::i8, "int8"},
                                     {DType::i4, "int4"},
                                     {DType::fp8_e4m3, "fp8"}})
NLOHMANN_JSON_SERIALIZE_ENUM(AccessPattern, {{AccessPattern::uniform, "uniform"},
                                             {AccessPattern::clamped, "clamped"},
                                             {AccessPattern::trace, "trace"}})
NLOHMANN_JSON_SERIALIZE_ENUM(OperationClass, {{OperationClass::cheap, "cheap"},
                                              {OperationClass::medium, "medium"},
                                              {OperationClass::expensive, "expensive"},
                                              {OperationClass::matvec, "matvec"},
                                              {OperationClass::division, "division"},
                                              {OperationClass::power, "power"},
                                              {OperationClass::transpose, "transpose"}})
NLOHMANN_JSON_SERIALIZE_ENUM(RowOperation, {{RowOperation::sort, "sort"},
                                            {RowOperation::top_k, "top_k"},
                                            {RowOperation::cumsum, "cumsum"},
                                            {RowOperation::argmax, "argmax"}})
NLOHMANN_JSON_SERIALIZE_ENUM(Reduction, {{Reduction::none, "none"},
                                         {Reduction::sublanes, "sublanes"},
                                         {Reduction::lanes, "lanes"}})

NLOHMANN_JSON_SERIALIZE_ENUM(FixedUnit, {{FixedUnit::tensor_core, "tensor_core"},
                                         {FixedUnit::sparse_core, "sparse_core"},
                                         {FixedUnit::dma, "dma"},
                                         {FixedUnit::host, "host"},
                                         {FixedUnit::host_cpu, "host_cpu"}})

namespace {

/// The schema allows the names of these alone.
topologies::StorageIo io_named(const std::string& name)
{
    using topologies::StorageIo;
    return name == name_of_value(StorageIo::user) ? StorageIo::user : StorageIo::kernel;
}

/// Reads the fields of one op; what its kind of work does not have is refused.
class OpReader {
public:
    OpReader(const Json& json, const JsonPlace& place) : json_(json), place_(place) {}

    template <class T>
    T required(const char* key)
    {
        used_.push_back(key);
        if (!json_.contains(key)) {
            throw InputError(place_.file, place_.pointer,
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
                throw InputError(place_.file, place_.pointer,
                                 "work '" + json_.at("work").get<std::string>() +
                                     "' has no field '" + key + "' (allowed: " + join(used_) + ")");
            }
        }
    }

private:
    const Json& json_;
    const JsonPlace& place_;
    std::vector<std::string> used_;
};

/// The schema allows these alone.
topologies::Tier tier_named(const std::string& name)
{
    using topologies::Tier;
    return name == name_of(Tier::vmem)   ? Tier::vmem
           : name == name_of(Tier::hbm)  ? Tier::hbm
           : name == name_of(Tier::host) ? Tier::host
                                         : Tier::storage;
}

/// The rows of a trace; null if none are given.
std::shared_ptr<const std::vector<std::int64_t>> read_ids(OpReader& reader)
{
    auto ids = reader.optional("ids", std::vector<std::int64_t>());
    return ids.empty() ? nullptr
                       : std::make_shared<const std::vector<std::int64_t>>(std::move(ids));
}

Vector vector_from_json(OpReader& reader)
{
    return {reader.required<std::int64_t>("elements"),
            reader.optional("ops_per_element", 1.0),
            reader.optional("dtype", DType::f32),
            reader.optional("operation_class", OperationClass::cheap),
            reader.optional("reduction", Reduction::none),
            reader.optional<std::int64_t>("minor", 0),
            reader.optional("medium_per_element", 0.0),
            reader.optional("expensive_per_element", 0.0),
            reader.optional("division_per_element", 0.0),
            reader.optional("power_per_element", 0.0)};
}

Matmul matmul_from_json(OpReader& reader, const JsonPlace& place)
{
    Matmul matmul{reader.optional<std::int64_t>("batch", 1), reader.required<std::int64_t>("m"),
                  reader.required<std::int64_t>("k"),        reader.required<std::int64_t>("n"),
                  reader.optional("dtype", DType::bf16),     reader.optional("passes", 1),
                  reader.optional("overlap", true)};
    const Json epilogue = reader.optional("epilogue", Json());
    if (!epilogue.is_null()) {
        const JsonPlace inside = place.at("/epilogue");
        OpReader vector(epilogue, inside);
        matmul.epilogue = vector_from_json(vector);
    }
    return matmul;
}

AlongRows along_rows_from_json(RowOperation operation, OpReader& reader)
{
    AlongRows work;
    work.operation = operation;
    work.rows = reader.optional<std::int64_t>("rows", 1);
    work.length = reader.required<std::int64_t>("length");
    work.k = operation == RowOperation::top_k ? reader.required<std::int64_t>("k") : 0;
    work.dtype = reader.optional("dtype", DType::f32);
    return work;
}

bool is_along_rows(const std::string& work)
{
    return work == "sort" || work == "top_k" || work == "cumsum" || work == "argmax";
}

/// Throws InputError for one that does nothing, which nobody writes down on purpose: without ops,
/// or never.
Repeat repeat_from_json(OpReader& reader, const JsonPlace& place)
{
    Repeat repeat{reader.required<std::int64_t>("times"),
                  reader.optional<std::string>("counter", ""), nullptr};
    if (repeat.times < 1 && repeat.counter.empty()) {
        throw InputError(place.file, place.pointer + "/times",
                         "found " + std::to_string(repeat.times) + "; allowed: 1 or more");
    }
    auto body = std::make_shared<const OpGraph>(
        graph_from_json(reader.required<Json>("body"), place.at("/body")));
    if (body->ops.empty()) {
        throw InputError(place.file, place.pointer + "/body/ops",
                         "found no op; allowed: one or more");
    }
    repeat.body = std::move(body);
    return repeat;
}

constexpr const char* sparse_core = "sparse_core"; ///< the schema allows no other engine

void write_engine(bool on_sparse_core, Json& json)
{
    if (on_sparse_core) {
        json["engine"] = sparse_core;
    }
}

struct WorkWriter {
    Json operator()(const Matmul& work) const
    {
        Json json{{"work", "matmul"},      {"batch", work.batch},
                  {"m", work.m},           {"k", work.k},
                  {"n", work.n},           {"dtype", work.dtype},
                  {"passes", work.passes}, {"overlap", work.overlap}};
        if (work.epilogue) {
            json["epilogue"] = (*this)(*work.epilogue);
            json["epilogue"].erase("work");
        }
        return json;
    }
    Json operator()(const Vector& work) const
    {
        Json json{{"work", "vector"},
                  {"elements", work.elements},
                  {"ops_per_element", work.ops_per_element},
                  {"dtype", work.dtype},
                  {"operation_class", work.operation_class},
                  {"reduction", work.reduction},
                  {"minor", work.minor}};
        for (const auto& [key, count] : {std::pair("medium_per_element", work.medium_per_element),
                                         {"expensive_per_element", work.expensive_per_element},
                                         {"division_per_element", work.division_per_element},
                                         {"power_per_element", work.power_per_element}}) {
            if (count > 0) {
                json[key] = count;
            }
        }
        return json;
    }
    Json operator()(const AlongRows& work) const
    {
        Json json{{"work", work.operation},
                  {"rows", work.rows},
                  {"length", work.length},
                  {"dtype", work.dtype}};
        if (work.operation == RowOperation::top_k) {
            json["k"] = work.k;
        }
        return json;
    }
    Json operator()(const Fixed& work) const
    {
        return {{"work", "fixed"}, {"seconds", work.seconds.count()}, {"unit", work.unit}};
    }
    Json operator()(const Custom& work) const
    {
        return {{"work", "custom"},
                {"flops", work.flops},
                {"transcendentals", work.transcendentals},
                {"dtype", work.dtype},
                {"attention", work.attention}};
    }
    Json operator()(const Copy& work) const
    {
        Json json{{"work", "copy"},
                  {"from", name_of(work.from)},
                  {"to", name_of(work.to)},
                  {"bytes", work.bytes.count()}};
        if (work.bytes_back > Bytes(0)) {
            json["bytes_back"] = work.bytes_back.count();
        }
        if (work.io != topologies::StorageIo::kernel) {
            json["io"] = name_of_value(work.io);
        }
        if (work.in_a_stream) {
            json["in_a_stream"] = true;
        }
        return json;
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
        if (work.issue_cycles > 0) {
            json["issue_cycles"] = work.issue_cycles;
        }
        write_engine(work.on_sparse_core, json);
        return json;
    }
    Json operator()(const RowScatter& work) const
    {
        Json json{{"work", "row_scatter"},
                  {"rows", work.rows},
                  {"row_bytes", work.row_bytes.count()},
                  {"table_rows", work.table_rows},
                  {"accumulate", work.accumulate}};
        if (work.owned_rows > 0) {
            json["owned_rows"] = work.owned_rows;
        }
        write_engine(work.on_sparse_core, json);
        return json;
    }
    Json operator()(const Collective& work) const { return to_json(work); }
    Json operator()(const Repeat& work) const
    {
        Json json{{"work", "repeat"}, {"times", work.times}};
        if (!work.counter.empty()) {
            json["counter"] = work.counter;
        }
        json["body"] = body_to_json(*work.body);
        return json;
    }
};

} // namespace

Work work_from_json(const Json& json, const JsonPlace& place,
                    const std::set<std::string>& other_fields)
{
    OpReader reader(json, place);
    const std::string work = json.at("work").get<std::string>();
    Work result;
    if (work == "matmul") {
        result = matmul_from_json(reader, place);
    } else if (work == "vector") {
        result = vector_from_json(reader);
    } else if (is_along_rows(work)) {
        result = along_rows_from_json(json.at("work").get<RowOperation>(), reader);
    } else if (work == "fixed") {
        result = Fixed{Seconds(reader.required<double>("seconds")),
                       reader.optional("unit", FixedUnit::tensor_core)};
    } else if (work == "custom") {
        result = Custom{reader.optional("flops", 0.0), reader.optional("transcendentals", 0.0),
                        reader.optional("dtype", DType::bf16), reader.optional("attention", false)};
    } else if (work == "copy") {
        Copy copy{tier_named(reader.required<std::string>("from")),
                  tier_named(reader.required<std::string>("to")), reader.bytes("bytes"),
                  reader.bytes_or_zero("bytes_back")};
        copy.io = io_named(reader.optional<std::string>("io", "kernel"));
        copy.in_a_stream = reader.optional("in_a_stream", false);
        result = copy;
    } else if (work == "hbm_stream") {
        result =
            stream_of(reader.bytes_or_zero("bytes_read"), reader.bytes_or_zero("bytes_written"));
    } else if (work == "infeed") {
        result = infeed_of(reader.bytes("bytes"));
    } else if (work == "row_gather") {
        result = RowGather{reader.required<std::int64_t>("rows"),
                           reader.bytes("row_bytes"),
                           reader.optional<std::int64_t>("table_rows", 0),
                           reader.optional("pattern", AccessPattern::uniform),
                           reader.optional<std::int64_t>("owned_rows", 0),
                           read_ids(reader),
                           reader.optional("issue_cycles", 0),
                           reader.optional("engine", std::string()) == sparse_core};
    } else if (work == "row_scatter") {
        result = RowScatter{reader.required<std::int64_t>("rows"),
                            reader.bytes("row_bytes"),
                            reader.optional<std::int64_t>("table_rows", 0),
                            reader.optional("accumulate", false),
                            reader.optional<std::int64_t>("owned_rows", 0),
                            reader.optional("engine", std::string()) == sparse_core};
    } else if (work == "collective") {
        reader.required<Json>("kind");
        reader.allow({"bytes", "dtype", "schedule", "group", "across_chips", "messages", "root",
                      "overlap", "launch"});
        result = collective_from_json(json, place);
    } else {
        result = repeat_from_json(reader, place);
    }
    reader.refuse_the_rest(other_fields);
    return result;
}

DType dtype_named(const std::string& name)
{
    return Json(name).get<DType>();
}

std::string name_of(RowOperation operation)
{
    return Json(operation).get<std::string>();
}

Json to_json(const Work& work)
{
    return std::visit(WorkWriter{}, work);
}

} // namespace alxsim::model
