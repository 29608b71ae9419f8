// SPDX-License-Identifier: Apache-2.0
#include "workloads/import/chakra/chakra_file.h"

#include "base/file_input.h"
#include "base/input_error.h"
#include "base/inputs/gunzip.h"
#include "base/json_document.h"
#include "workloads/import/chakra/node_attributes.h"
#include "workloads/import/chakra/wire.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

namespace alxsim::traces {
namespace {

constexpr std::int64_t most_file_bytes = std::int64_t{1} << 30;

/// AttributeProto of et_def.proto.
struct Attribute {
    std::string_view name;
    std::optional<std::int64_t> integer;
    std::optional<double> real;
    std::optional<std::string_view> text;
    std::vector<bool> flags;
};

std::int64_t zigzag(std::uint64_t value)
{
    return static_cast<std::int64_t>((value >> 1) ^ (~(value & 1) + 1));
}

double double_of(std::uint64_t bits)
{
    double value = 0;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

float float_of(std::uint64_t bits)
{
    const auto half = static_cast<std::uint32_t>(bits);
    float value = 0;
    std::memcpy(&value, &half, sizeof value);
    return value;
}

std::size_t offset_of(std::string_view part, std::string_view whole)
{
    return part.empty() ? 0 : static_cast<std::size_t>(part.data() - whole.data());
}

/// The nodes of a file of messages.
class WireTrace {
public:
    WireTrace(std::string_view bytes, const std::string& file) : bytes_(bytes), file_(file) {}

    Trace read()
    {
        WireReader messages(bytes_, 0, file_);
        read_metadata(messages);
        while (!messages.at_end()) {
            const std::size_t at = messages.offset();
            read_node(messages.counted(), at);
        }
        return std::move(trace_);
    }

private:
    WireReader reader(std::string_view part) const
    {
        return {part, offset_of(part, bytes_), file_};
    }

    /// Whatever begins otherwise is no trace.
    void read_metadata(WireReader& messages) const
    {
        const char* const refusal =
            "is no Chakra execution trace; allowed: GlobalMetadata and Nodes of et_def.proto, each "
            "behind its length, or JSON with \"workload_graph\"";
        if (messages.at_end()) {
            throw InputError(file_, "byte 0", std::string("found an empty file: it ") + refusal);
        }
        WireReader fields = reader(messages.counted());
        while (!fields.at_end()) {
            const WireField field = fields.field();
            if (field.number > 2 || field.type != 2) {
                fields.refuse(field.at, refusal);
            }
        }
    }

    void read_dependencies(const WireField& field, std::vector<std::uint64_t>& after) const
    {
        if (field.type == 0) {
            after.push_back(field.value);
            return;
        }
        for (WireReader packed = reader(field.bytes); !packed.at_end();) {
            after.push_back(packed.varint());
        }
    }

    std::vector<bool> read_flags(std::string_view list) const
    {
        std::vector<bool> flags;
        for (WireReader fields = reader(list); !fields.at_end();) {
            const WireField field = fields.field();
            if (field.number != 1) {
                continue;
            }
            if (field.type == 0) {
                flags.push_back(field.value != 0);
            }
            for (WireReader packed = reader(field.bytes); field.type == 2 && !packed.at_end();) {
                flags.push_back(packed.varint() != 0);
            }
        }
        return flags;
    }

    Attribute read_attribute(std::string_view message) const
    {
        Attribute attribute;
        for (WireReader fields = reader(message); !fields.at_end();) {
            const WireField field = fields.field();
            switch (field.number) {
            case 1:
                attribute.name = field.bytes;
                break;
            case 3:
                attribute.real = double_of(field.value);
                break;
            case 5:
                attribute.real = static_cast<double>(float_of(field.value));
                break;
            case 7:
            case 9:
            case 11:
            case 13:
            case 19:
            case 21:
            case 25:
            case 27:
                attribute.integer = static_cast<std::int64_t>(field.value);
                break;
            case 15:
            case 17:
                attribute.integer = zigzag(field.value);
                break;
            case 23:
                attribute.integer =
                    static_cast<std::int32_t>(static_cast<std::uint32_t>(field.value));
                break;
            case 28:
                attribute.flags = read_flags(field.bytes);
                break;
            case 29:
                attribute.text = field.bytes;
                break;
            default:
                break; // of other attributes
            }
        }
        return attribute;
    }

    std::int64_t integer_of(const Attribute& attribute, const RawNode& raw) const
    {
        if (attribute.integer) {
            return *attribute.integer;
        }
        const double real = attribute.real.value_or(0);
        if (!attribute.real || real != std::floor(real) || std::abs(real) > 9e15) {
            throw InputError(file_, raw.place,
                             "found an attribute " + std::string(attribute.name) +
                                 " that is no whole number; allowed: one");
        }
        return static_cast<std::int64_t>(real);
    }

    void take(const Attribute& attribute, RawNode& raw) const
    {
        const std::string_view name = attribute.name;
        if (name == "is_cpu_op") {
            raw.on_cpu = integer_of(attribute, raw) != 0;
        } else if (name == "num_ops") {
            raw.operations =
                attribute.real.value_or(static_cast<double>(attribute.integer.value_or(0)));
        } else if (name == "tensor_size") {
            raw.tensor_size = integer_of(attribute, raw);
        } else if (name == "comm_type") {
            raw.comm_type = integer_of(attribute, raw);
        } else if (name == "comm_size") {
            raw.comm_size = integer_of(attribute, raw);
        } else if (name == "comm_src") {
            raw.source = integer_of(attribute, raw);
        } else if (name == "comm_dst") {
            raw.destination = integer_of(attribute, raw);
        } else if (name == "comm_tag") {
            raw.tag = integer_of(attribute, raw);
        } else if (name == "pg_name") {
            raw.group = attribute.text ? std::string(*attribute.text)
                                       : std::to_string(integer_of(attribute, raw));
        } else if (name == "involved_dim") {
            raw.dimensions = attribute.flags;
        }
    }

    /// IOInfo's values.
    std::string values_of(std::string_view message) const
    {
        for (WireReader fields = reader(message); !fields.at_end();) {
            const WireField field = fields.field();
            if (field.number == 1) {
                return std::string(field.bytes);
            }
        }
        return {};
    }

    void read_node(std::string_view message, std::size_t at)
    {
        RawNode raw;
        raw.place = "byte " + std::to_string(at);
        std::string inputs;
        for (WireReader fields = reader(message); !fields.at_end();) {
            const WireField field = fields.field();
            switch (field.number) {
            case 1:
                raw.id = field.value;
                break;
            case 2:
                raw.name = std::string(field.bytes);
                break;
            case 3:
                raw.type = static_cast<std::int64_t>(field.value);
                break;
            case 4:
            case 5:
                read_dependencies(field, raw.after);
                break;
            case 7:
                raw.microseconds = static_cast<std::int64_t>(field.value);
                break;
            case 8:
                inputs = values_of(field.bytes);
                break;
            case 10:
                take(read_attribute(field.bytes), raw);
                break;
            default:
                break; // times, outputs, storage
            }
        }
        if (is_metadata(raw)) {
            trace_.groups.merge(groups_in(inputs));
        }
        trace_.nodes.push_back(node_of(std::move(raw), file_));
    }

    std::string_view bytes_;
    const std::string& file_;
    Trace trace_;
};

/// A node of the JSON form, at `place`.
class JsonNode {
public:
    JsonNode(const Json& node, std::string place, const std::string& file)
        : node_(node),
          place_(std::move(place)),
          file_(file)
    {
        if (!node.is_object()) {
            refuse("", node, "an object with Id and NodeType");
        }
    }

    RawNode read() const
    {
        RawNode raw;
        raw.place = place_;
        raw.id = static_cast<std::uint64_t>(needed("Id"));
        raw.type = needed("NodeType");
        raw.name = text("Name");
        for (const char* list : {"ctrlDeps", "ctrl_deps", "data_deps"}) {
            add_dependencies(list, raw.after);
        }
        raw.microseconds = integer("runtime").value_or(0);
        raw.on_cpu = flag("is_cpu_op");
        raw.operations = number("num_ops");
        raw.tensor_size = integer("tensor_size").value_or(0);
        raw.comm_type = integer("comm_type");
        raw.comm_size = integer("comm_size").value_or(0);
        raw.source = integer("comm_src");
        raw.destination = integer("comm_dst");
        raw.tag = integer("comm_tag").value_or(0);
        raw.group = text("pg_name");
        const Json dimensions = node_.value("involved_dim", Json::array());
        if (!dimensions.is_array()) {
            refuse("involved_dim", dimensions, "a list of true and false");
        }
        for (const Json& spanned : dimensions) {
            raw.dimensions.push_back(spanned == true || spanned == 1);
        }
        return raw;
    }

private:
    [[noreturn]] void refuse(const std::string& field, const Json& found,
                             const std::string& allowed) const
    {
        throw InputError(file_, place_ + (field.empty() ? "" : "/" + field),
                         "found " + found.dump().substr(0, 40) + "; allowed: " + allowed);
    }

    std::optional<std::int64_t> integer(const char* field) const
    {
        const auto found = node_.find(field);
        if (found == node_.end()) {
            return std::nullopt;
        }
        const bool whole =
            found->is_number_integer() &&
            (!found->is_number_unsigned() ||
             found->get<std::uint64_t>() <=
                 static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()));
        if (!whole) {
            refuse(field, *found, "a whole number");
        }
        return found->get<std::int64_t>();
    }

    bool flag(const char* field) const
    {
        const Json found = node_.value(field, Json(false));
        return found.is_boolean() ? found.get<bool>() : integer(field).value_or(0) != 0;
    }

    double number(const char* field) const
    {
        const Json found = node_.value(field, Json(0));
        if (!found.is_number()) {
            refuse(field, found, "a number");
        }
        return found.get<double>();
    }

    std::int64_t needed(const char* field) const
    {
        const std::optional<std::int64_t> value = integer(field);
        if (!value || *value < 0) {
            refuse(field, node_.value(field, Json()), "a whole number, 0 or more");
        }
        return *value;
    }

    std::string text(const char* field) const
    {
        const Json value = node_.value(field, Json(""));
        return value.is_string() ? value.get<std::string>() : value.dump();
    }

    void add_dependencies(const char* field, std::vector<std::uint64_t>& after) const
    {
        const Json list = node_.value(field, Json::array());
        if (!list.is_array()) {
            refuse(field, list, "a list of ids");
        }
        for (const Json& id : list) {
            if (!id.is_number_integer() || id < 0) {
                refuse(field, id, "ids of nodes, whole numbers");
            }
            after.push_back(id.get<std::uint64_t>());
        }
    }

    const Json& node_;
    std::string place_;
    const std::string& file_;
};

Trace read_json_trace(std::string_view bytes, const std::string& file)
{
    const Json whole = parse_json(bytes, file);
    const auto nodes = whole.is_object() ? whole.find("workload_graph") : whole.end();
    if (nodes == whole.end() || !nodes->is_array()) {
        throw InputError(file, whole.is_object() ? "/workload_graph" : "top level",
                         "found no list of nodes; allowed: a Chakra trace as JSON, "
                         R"({"workload_graph": [{"Id": 1, "NodeType": 4, ..}]})");
    }
    Trace trace;
    for (std::size_t i = 0; i < nodes->size(); ++i) {
        const std::string place = "/workload_graph/" + std::to_string(i);
        trace.nodes.push_back(node_of(JsonNode(nodes->at(i), place, file).read(), file));
    }
    return trace;
}

} // namespace

Trace read_chakra(std::string_view bytes, const std::string& file)
{
    // A first length of 123 looks like a brace: what follows tells.
    const std::size_t begin = bytes.find_first_not_of(" \t\r\n");
    const std::size_t next = begin == std::string_view::npos || bytes[begin] != '{'
                                 ? std::string_view::npos
                                 : bytes.find_first_not_of(" \t\r\n", begin + 1);
    const bool json = next != std::string_view::npos && (bytes[next] == '"' || bytes[next] == '}');
    Trace trace = json ? read_json_trace(bytes, file) : WireTrace(bytes, file).read();
    trace.file = file;
    return trace;
}

Trace read_chakra_file(const std::string& path)
{
    return read_chakra(gunzipped(read_file(path, most_file_bytes), path, most_file_bytes), path);
}

} // namespace alxsim::traces
