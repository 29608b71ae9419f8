// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_fields.h"
#include "base/schema/field_words.h"
#include "base/schema/value_names.h"

#include <array>
#include <string>
#include <type_traits>
#include <variant>

/// The JSON Schema (draft 7) of a type, from the fields that it lists (json_fields.h): their types,
/// and the words and limits that stand behind them.
namespace alxsim {

class SchemaWriter;

/// An enumeration with value_names() as JSON: template <> struct Form<Colour> : NamedForm<Colour>.
template <class T>
struct NamedForm {
    static Json write(T value) { return name_of_value(value); }
    static void read(const Json& json, T& value)
    {
        for (const auto& [name, named] : value_names(T{})) {
            if (json == name) {
                value = named;
                return;
            }
        }
        json_fields::refuse_type(json, join(names_of_values<T>(), " | ").c_str());
    }
};

namespace json_schema {

/// What JSON is for. Of what others write for us to read, a newer() field has a default: what it
/// is in a value that is made anew.
enum class Use { written, read };

/// {"type": .., ..} of a T within `limits`.
template <class T>
Json of_type(const FieldLimits& limits, Use use = Use::written);

/// The same with words on what it is.
template <class T>
Json described(const char* words)
{
    Json schema{{"description", words}};
    schema.update(of_type<T>({}));
    return schema;
}

/// The whole schema of a T: draft, `title`, and what a T is.
template <class T>
Json document_of(const char* title)
{
    Json schema{{"$schema", "http://json-schema.org/draft-07/schema#"}, {"title", title}};
    schema.update(of_type<T>({}));
    return schema;
}

/// `schema` or null.
Json or_null(Json schema);
/// With the limits of a number, or of a text.
Json limited(Json schema, const FieldLimits& limits);
Json with_length(Json schema, const FieldLimits& limits, const char* shortest, const char* longest);
/// With `value` as "default", if it has none: 1 rather than 1.0.
Json with_default(Json schema, Json value);

/// For readers of what is written: they must not break at a field that is new.
Json open_to_new_fields(Json schema);

} // namespace json_schema

/// Visits list_fields() of a value whose content does not matter.
class SchemaWriter {
public:
    static constexpr bool reading = true; ///< what a field needs to be visited is made

    explicit SchemaWriter(json_schema::Use use = json_schema::Use::written) : use_(use) {}

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
    void newer(const char* name, T& value, const About&... about)
    {
        add<T>(name, false, about...);
        if (use_ == json_schema::Use::read) {
            // Fields of an object have defaults of their own.
            Json usual = Json::object();
            if constexpr (!json_fields::HasFields<T>::value) {
                usual = json_of(value);
            }
            properties_[name] = json_schema::with_default(properties_[name], std::move(usual));
        }
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
    /// Lists the fields of `value`, none of which has to be there.
    template <class T>
    void inlined(const char* /*name*/, std::optional<T>& value)
    {
        SchemaWriter inner(use_);
        list_fields(inner, value.emplace());
        inlined_.update(inner.properties_);
        inlined_.update(inner.inlined_);
        patterns_.update(inner.patterns_);
        required_of_inlined_.insert(required_of_inlined_.end(), inner.required_.begin(),
                                    inner.required_.end());
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
        additional_ = json_schema::of_type<std::optional<T>>({}, use_);
    }
    template <class T>
    void beginning_with(const std::string& prefix, Named<std::optional<T>>& /*values*/,
                        const char* words, const FieldLimits& limits = {})
    {
        Json field{{"description", words}};
        field.update(json_schema::of_type<std::optional<T>>(limits, use_));
        patterns_["^" + prefix] = std::move(field);
    }
    template <class Names>
    void open(Json& /*object*/, const Names& known)
    {
        for (const auto& field : known) {
            properties_[field.name] = Json::parse(field.schema);
        }
    }

    /// Returns the schema of an object with these fields and no others.
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
        Json schema = json_schema::of_type<T>(limits, use_);
        if (limits.keywords != nullptr) {
            schema.update(Json::parse(limits.keywords));
        }
        add_schema(name, std::move(schema), required, words);
    }
    template <class T>
    void add(const std::string& name, bool required, const FieldLimits& limits = {})
    {
        add<T>(name, required, "", limits);
    }
    void add_schema(const std::string& name, Json schema, bool required, const char* words = "");

    json_schema::Use use_;
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
    static Json schema(const FieldLimits& limits, Use use)
    {
        if constexpr (std::is_same_v<T, Json>) {
            return limits.json == nullptr ? Json::object() : Json::parse(limits.json);
        } else if constexpr (json_fields::HasFields<T>::value) {
            SchemaWriter fields(use);
            T value{};
            list_fields(fields, value);
            return fields.take();
        } else if constexpr (std::is_same_v<T, bool>) {
            return {{"type", "boolean"}};
        } else if constexpr (std::is_enum_v<T>) {
            Json named{{"type", "string"}, {"enum", names_of_values<T>()}};
            return limited(std::move(named), limits);
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
            return with_length(limited({{"type", "string"}}, limits), limits, "minLength",
                               "maxLength");
        }
    }
};

template <class T>
struct Of<std::optional<T>> {
    static Json schema(const FieldLimits& limits, Use use)
    {
        return or_null(of_type<T>(limits, use));
    }
};

template <class T>
struct Of<std::vector<T>> {
    static Json schema(const FieldLimits& limits, Use use)
    {
        Json list = with_length({{"type", "array"}}, limits, "minItems", "maxItems");
        list["items"] = of_type<T>(limits::and_length(limits, 0), use);
        return list;
    }
};

template <class T>
struct Of<Named<T>> {
    static Json schema(const FieldLimits& limits, Use use)
    {
        return {{"type", "object"}, {"additionalProperties", of_type<T>(limits, use)}};
    }
};

template <class T>
Json of_type(const FieldLimits& limits, Use use)
{
    return Of<T>::schema(limits, use);
}

} // namespace json_schema

} // namespace alxsim
