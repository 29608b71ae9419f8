// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_fields.h"
#include "base/schema/field_words.h"

#include <array>
#include <string>
#include <type_traits>
#include <variant>

/// The JSON Schema (draft 7) of a type, from the fields that it lists (json_fields.h): their types,
/// and the words and limits that stand behind them.
namespace alxsim {

class SchemaWriter;

namespace json_schema {

/// {"type": .., ..} of a T within `limits`.
template <class T>
Json of_type(const FieldLimits& limits);

/// `schema` or null.
Json or_null(Json schema);
/// With the limits of a number, or of a text.
Json limited(Json schema, const FieldLimits& limits);

/// For readers of what is written: they must not break at a field that is new.
Json open_to_new_fields(Json schema);

} // namespace json_schema

/// Visits list_fields() of a value whose content does not matter.
class SchemaWriter {
public:
    static constexpr bool reading = true; ///< what a field needs to be visited is made

    template <class T, class... About>
    void operator()(const char* name, T& /*value*/, const About&... about)
    {
        add<T>(name, true, about...);
    }
    template <class T, class... About>
    void operator()(const char* name, std::optional<T>& /*value*/, const About&... about)
    {
        add<T>(name, false, about...);
    }
    template <class T, class... About>
    void newer(const char* name, T& /*value*/, const About&... about)
    {
        add<T>(name, false, about...);
    }
    template <class T, class... About>
    void nullable(const std::string& name, std::optional<T>& /*value*/, const About&... about)
    {
        add<std::optional<T>>(name, name != may_be_absent_, about...);
    }
    template <class T, class... About>
    void unless_empty(const char* name, T& /*value*/, const About&... about)
    {
        add<T>(name, false, about...);
    }
    template <class... About>
    void if_true(const char* name, bool& /*value*/, const About&... about)
    {
        add_schema(name, {{"const", true}}, false, about...);
    }
    /// The fields of `value`, none of which has to be there.
    template <class T>
    void inlined(const char* /*name*/, std::optional<T>& value)
    {
        SchemaWriter inner;
        list_fields(inner, value.emplace());
        inlined_ = inner.properties_;
        patterns_.update(inner.patterns_);
        required_of_inlined_ = inner.required_;
    }
    template <class T>
    bool present(const char* name, std::optional<T>& value)
    {
        value.emplace();
        may_be_absent_ = name;
        return true;
    }
    template <class T>
    void others(Named<std::optional<T>>& /*values*/, std::initializer_list<const char*> /*known*/)
    {
        additional_ = json_schema::of_type<std::optional<T>>({});
    }
    template <class T>
    void beginning_with(const std::string& prefix, Named<std::optional<T>>& /*values*/,
                        const char* words, const FieldLimits& limits = {})
    {
        Json field{{"description", words}};
        field.update(json_schema::of_type<std::optional<T>>(limits));
        patterns_["^" + prefix] = std::move(field);
    }
    template <class Names>
    void open(Json& /*object*/, const Names& known)
    {
        for (const auto& field : known) {
            properties_[field.name] = Json::parse(field.schema);
        }
    }

    /// Of an object with these fields and no others.
    Json take() const;
    /// Its own fields, those of an inlined value left out, and which of them have to be there.
    const Json& properties() const { return properties_; }
    const Json& required() const { return required_; }
    /// By the beginning of a field's name, those of an inlined value, too.
    const Json& patterns() const { return patterns_; }
    /// The same of the inlined value.
    const Json& inlined_properties() const { return inlined_; }
    const Json& required_of_inlined() const { return required_of_inlined_; }

private:
    template <class T>
    void add(const std::string& name, bool required, const char* words,
             const FieldLimits& limits = {})
    {
        add_schema(name, json_schema::of_type<T>(limits), required, words);
    }
    template <class T>
    void add(const std::string& name, bool required, const FieldLimits& limits = {})
    {
        add_schema(name, json_schema::of_type<T>(limits), required, "");
    }
    void add_schema(const std::string& name, Json schema, bool required, const char* words = "");

    Json properties_ = Json::object();
    Json patterns_ = Json::object();
    Json required_ = Json::array();
    Json inlined_ = Json::object();
    Json required_of_inlined_ = Json::array();
    Json additional_ = false;
    std::string may_be_absent_; ///< the field that present() asked for
};

namespace json_schema {

/// How a type is JSON, and so its schema: as Form (json_fields.h) writes it.
template <class T, class = void>
struct Of {
    static Json schema(const FieldLimits& limits)
    {
        if constexpr (std::is_same_v<T, Json>) {
            return limits.json == nullptr ? Json::object() : Json::parse(limits.json);
        } else if constexpr (json_fields::HasFields<T>::value) {
            SchemaWriter fields;
            T value{};
            list_fields(fields, value);
            return fields.take();
        } else if constexpr (std::is_same_v<T, bool>) {
            return {{"type", "boolean"}};
        } else if constexpr (std::is_integral_v<T>) {
            FieldLimits whole = limits;
            if (std::is_unsigned_v<T> && whole.at_least < 0) {
                whole.at_least = 0;
            }
            return limited({{"type", "integer"}}, whole);
        } else if constexpr (std::is_floating_point_v<T> || std::is_same_v<T, Mean>) {
            return limited({{"type", "number"}}, limits);
        } else if constexpr (std::is_same_v<T, Settings>) {
            return {{"type", "object"}};
        } else {
            static_assert(std::is_same_v<T, std::string>, "no schema is known of this type");
            return limited({{"type", "string"}}, limits);
        }
    }
};

template <class T>
struct Of<std::optional<T>> {
    static Json schema(const FieldLimits& limits) { return or_null(of_type<T>(limits)); }
};

template <class T>
struct Of<std::vector<T>> {
    static Json schema(const FieldLimits& limits)
    {
        Json list{{"type", "array"}};
        if (limits.not_empty) {
            list["minItems"] = 1;
        }
        list["items"] = of_type<T>(limits);
        return list;
    }
};

template <class T>
struct Of<Named<T>> {
    static Json schema(const FieldLimits& limits)
    {
        return {{"type", "object"}, {"additionalProperties", of_type<T>(limits)}};
    }
};

template <class T>
Json of_type(const FieldLimits& limits)
{
    return Of<T>::schema(limits);
}

} // namespace json_schema

} // namespace alxsim
