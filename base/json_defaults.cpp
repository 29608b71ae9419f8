// SPDX-License-Identifier: Apache-2.0
#include "base/json_defaults.h"

#include <algorithm>
#include <utility>

namespace alxsim {
namespace {

class Filler {
public:
    explicit Filler(const Json& schema) : schema_(schema) {}

    Json filled(const Json& value, const Json& node) const
    {
        const Json& meant = alternative_of(node, value);
        if (value.is_object() && meant.contains("properties")) {
            return filled_object(value, meant.at("properties"));
        }
        if (value.is_array() && meant.contains("items")) {
            Json list = Json::array();
            for (const Json& one : value) {
                list.push_back(filled(one, meant.at("items")));
            }
            return list;
        }
        return value;
    }

private:
    Json filled_object(const Json& object, const Json& properties) const
    {
        Json::object_t result;
        // One that grows copies all that it holds.
        result.reserve(properties.size() + object.size());
        for (const auto& [name, node] : properties.items()) {
            if (const auto found = object.find(name); found != object.end()) {
                result.emplace_back(name, filled(*found, node));
            } else if (node.contains("default") && !rules_out(object, node)) {
                result.emplace_back(name, filled(node.at("default"), node));
            }
        }
        for (const auto& [name, value] : object.items()) {
            if (!properties.contains(name)) {
                result.emplace_back(name, value);
            }
        }
        return Json(std::move(result));
    }

    static bool rules_out(const Json& object, const Json& node)
    {
        const Json unless = node.value("default_unless", Json::array());
        const Json names = unless.is_array() ? unless : Json::array({unless});
        return std::any_of(names.begin(), names.end(), [&object](const Json& name) {
            return object.contains(name.get<std::string>());
        });
    }

    /// What a node says of a value: behind its reference, and of several alternatives the one with
    /// an object's fields.
    const Json& alternative_of(const Json& node, const Json& value) const
    {
        if (node.contains("$ref")) {
            const std::string reference = node.at("$ref").get<std::string>();
            return alternative_of(schema_.at(Json::json_pointer(reference.substr(1))), value);
        }
        if (node.contains("oneOf") && value.is_object()) {
            for (const Json& one : node.at("oneOf")) {
                const Json& meant = alternative_of(one, value);
                if (meant.contains("properties")) {
                    return meant;
                }
            }
        }
        return node;
    }

    const Json& schema_;
};

} // namespace

Json with_defaults(const Json& document, const Json& schema)
{
    return Filler(schema).filled(document, schema);
}

} // namespace alxsim
