// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/input_error.h"
#include "base/json_document.h"
#include "base/settings.h"

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

/// Types as JSON and back, each field named once. A type lists its fields in its namespace,
///
///     template <class Fields>
///     void list_fields(Fields& fields, Gain& gain)
///     {
///         fields("from", gain.from);
///         fields("to", gain.to);
///     }
///
/// and json_of() writes them in that order, read_json() reads them. A std::optional is a field that
/// may be absent, a Named<T> an object whose keys are data. What a field means and may hold can
/// stand behind it (field_words.h), for its schema (json_schema.h):
///
///         fields("gain", gain.gain, "1 is perfect scaling", limits::amount);
namespace alxsim {

/// Values by name, in their order.
template <class T>
using Named = std::vector<std::pair<std::string, T>>;

/// A mean of something counted: whole where the count divides evenly, and written so.
using Mean = std::variant<std::int64_t, double>;

inline double as_double(const Mean& mean)
{
    return std::visit([](auto value) { return static_cast<double>(value); }, mean);
}

template <class T>
Json json_of(const T& value);
/// Throws InputError that names the place (json_fields::FieldError) for what a field cannot hold:
/// it is missing, of another type, or a whole number beyond its own.
template <class T>
void read_json(const Json& json, T& value);

namespace json_fields {

/// A value that its field cannot hold; says at which place below where reading began.
class FieldError : public InputError {
public:
    FieldError(std::string place, std::string problem)
        : InputError("", place, problem),
          place_(std::move(place)),
          problem_(std::move(problem))
    {
    }
    FieldError inside(const std::string& name) const { return {"/" + name + place_, problem_}; }

private:
    std::string place_;
    std::string problem_;
};

[[noreturn]] inline void refuse_type(const Json& json, const char* allowed)
{
    const std::string text = json.dump();
    throw FieldError("", "found " + text.substr(0, 60) + "; allowed: " + allowed);
}

/// Whether T holds the whole number: JSON counts up to 64 bits, and has numbers like 1e3.
template <class T>
bool holds(const Json& json)
{
    using Limits = std::numeric_limits<T>;
    if (json.is_number_float()) {
        const double number = json.get<double>();
        // The largest itself may be rounded up to what T does not hold.
        return number >= static_cast<double>(Limits::min()) &&
               number < static_cast<double>(Limits::max()) &&
               static_cast<double>(static_cast<T>(number)) == number;
    }
    if (!json.is_number_unsigned() && json.get<std::int64_t>() < 0) {
        return std::is_signed_v<T> &&
               json.get<std::int64_t>() >= static_cast<std::int64_t>(Limits::min());
    }
    return json.get<std::uint64_t>() <= static_cast<std::uint64_t>(Limits::max());
}

/// Throws FieldError where T does not hold it: nothing is cut silently.
template <class T>
T whole_number(const Json& json)
{
    using Limits = std::numeric_limits<T>;
    if (!json.is_number()) {
        refuse_type(json, "a whole number");
    }
    if (!holds<T>(json)) {
        throw FieldError("", "found " + json.dump() + "; allowed: whole numbers from " +
                                 std::to_string(Limits::min()) + " to " +
                                 std::to_string(Limits::max()));
    }
    return json.get<T>();
}

/// Throws FieldError where there is no such field.
inline const Json& field_of(const Json& json, const std::string& name)
{
    if (!json.is_object() || !json.contains(name)) {
        throw FieldError("", "missing field '" + name + "'");
    }
    return json.at(name);
}

/// read_json() of what stands at `name`.
template <class T>
void read_inside(const std::string& name, const Json& json, T& value);

/// To an object that has room: one that grew would copy what it has, since its names are constant
/// and cannot be moved. Of one name twice, the first place and the last value.
inline void add_field(Json::object_t& object, std::string name, Json value)
{
    const auto place = object.find(name);
    if (place != object.end()) {
        place->second = std::move(value);
    } else {
        object.push_back({std::move(name), std::move(value)});
    }
}

inline Json object_of(Named<Json> fields)
{
    Json::object_t object;
    object.reserve(fields.size());
    for (auto& [name, value] : fields) {
        add_field(object, std::move(name), std::move(value));
    }
    return Json(std::move(object));
}

} // namespace json_fields

class FieldWriter {
public:
    static constexpr bool reading = false;

    template <class T, class... About>
    void operator()(const char* name, const T& value, const About&... /*about*/)
    {
        fields_.emplace_back(name, json_of(value));
    }
    /// Absent where there is none.
    template <class T, class... About>
    void operator()(const char* name, const std::optional<T>& value, const About&... /*about*/)
    {
        if (value) {
            fields_.emplace_back(name, json_of(*value));
        }
    }
    /// Always written; JSON of an earlier version may lack it.
    template <class T, class... About>
    void newer(const char* name, const T& value, const About&... /*about*/)
    {
        fields_.emplace_back(name, json_of(value));
    }
    /// null where there is none.
    template <class T, class... About>
    void nullable(const std::string& name, const std::optional<T>& value, const About&... /*about*/)
    {
        fields_.emplace_back(name, value ? json_of(*value) : Json());
    }
    /// Absent where empty, or false.
    template <class T, class... About>
    void unless_empty(const char* name, const T& value, const About&... /*about*/)
    {
        if (!value.empty()) {
            fields_.emplace_back(name, json_of(value));
        }
    }
    template <class... About>
    void if_true(const char* name, bool value, const About&... /*about*/)
    {
        if (value) {
            fields_.emplace_back(name, true);
        }
    }
    /// The fields of another type among one's own; there where `name`, one of them, is.
    template <class T>
    void inlined(const char* /*name*/, std::optional<T>& value)
    {
        if (value) {
            list_fields(*this, *value);
        }
    }
    /// Whether there is such a field; makes a place for it where one is read.
    template <class T>
    bool present(const char* /*name*/, std::optional<T>& value)
    {
        return value.has_value();
    }
    /// Fields whose names are data, beside the known ones; null where there is no value.
    template <class T>
    void others(const Named<std::optional<T>>& values, std::initializer_list<const char*> /*known*/)
    {
        for (const auto& [name, value] : values) {
            nullable(name, value);
        }
    }
    /// Fields whose names begin so, and go on with data; null where there is no value.
    template <class T, class... About>
    void beginning_with(const std::string& prefix, const Named<std::optional<T>>& values,
                        const About&... /*about*/)
    {
        for (const auto& [name, value] : values) {
            nullable(prefix + name, value);
        }
    }
    /// Fields that somebody else defines, of an object; `known` has their names, and schemas.
    template <class Names>
    void open(const Json& object, const Names& /*known*/)
    {
        if (object.is_object()) {
            for (const auto& [name, value] : object.items()) {
                fields_.emplace_back(name, value);
            }
        }
    }

    Json take() { return json_fields::object_of(std::move(fields_)); }

private:
    /// Not an object yet: one that grows copies, each time, all that it holds.
    Named<Json> fields_;
};

class FieldReader {
public:
    static constexpr bool reading = true;

    explicit FieldReader(const Json& json) : json_(json) {}

    template <class T, class... About>
    void operator()(const char* name, T& value, const About&... /*about*/)
    {
        json_fields::read_inside(name, json_fields::field_of(json_, name), value);
    }
    template <class T, class... About>
    void operator()(const char* name, std::optional<T>& value, const About&... /*about*/)
    {
        nullable(name, value);
    }
    template <class T, class... About>
    void nullable(const std::string& name, std::optional<T>& value, const About&... /*about*/)
    {
        value.reset();
        if (json_.contains(name) && !json_.at(name).is_null()) {
            json_fields::read_inside(name, json_.at(name), value.emplace());
        }
    }
    template <class T, class... About>
    void newer(const char* name, T& value, const About&... /*about*/)
    {
        if (json_.contains(name)) {
            json_fields::read_inside(name, json_.at(name), value);
        }
    }
    template <class T, class... About>
    void unless_empty(const char* name, T& value, const About&... /*about*/)
    {
        value = {};
        if (json_.contains(name)) {
            json_fields::read_inside(name, json_.at(name), value);
        }
    }
    template <class... About>
    void if_true(const char* name, bool& value, const About&... /*about*/)
    {
        value = json_.value(name, false);
    }
    template <class T>
    void inlined(const char* name, std::optional<T>& value)
    {
        value.reset();
        if (json_.contains(name)) {
            list_fields(*this, value.emplace());
        }
    }
    template <class T>
    bool present(const char* name, std::optional<T>& value)
    {
        value = json_.contains(name) ? std::optional<T>(T{}) : std::nullopt;
        return value.has_value();
    }
    template <class T>
    void others(Named<std::optional<T>>& values, std::initializer_list<const char*> known)
    {
        values.clear();
        for (const auto& [name, value] : json_.items()) {
            if (std::find(known.begin(), known.end(), name) == known.end()) {
                values.emplace_back(name, std::nullopt);
                nullable(name, values.back().second);
            }
        }
    }
    template <class T, class... About>
    void beginning_with(const std::string& prefix, Named<std::optional<T>>& values,
                        const About&... /*about*/)
    {
        values.clear();
        for (const auto& [name, value] : json_.items()) {
            if (name.rfind(prefix, 0) == 0) {
                values.emplace_back(name.substr(prefix.size()), std::nullopt);
                nullable(name, values.back().second);
            }
        }
    }
    template <class Names>
    void open(Json& object, const Names& known)
    {
        object = Json::object();
        for (const auto& field : known) {
            if (json_.contains(field.name)) {
                object[field.name] = json_.at(field.name);
            }
        }
    }

private:
    const Json& json_;
};

namespace json_fields {

template <class T, class = void>
struct HasFields : std::false_type {
};
template <class T>
struct HasFields<
    T, std::void_t<decltype(list_fields(std::declval<FieldReader&>(), std::declval<T&>()))>>
    : std::true_type {
};

/// How a type is JSON: by its fields, or as the JSON library knows it.
template <class T>
struct Form {
    static Json write(const T& value)
    {
        if constexpr (HasFields<T>::value) {
            FieldWriter fields;
            list_fields(fields, const_cast<T&>(value)); // a writer changes nothing
            return fields.take();
        } else {
            return value;
        }
    }
    static void read(const Json& json, T& value)
    {
        if constexpr (HasFields<T>::value) {
            FieldReader fields(json);
            list_fields(fields, value);
        } else if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
            value = whole_number<T>(json);
        } else {
            try {
                value = json.get<T>();
            } catch (const Json::exception&) {
                refuse_type(json, std::is_arithmetic_v<T> ? "a number" : "another type of value");
            }
        }
    }
};

template <>
struct Form<Json> {
    static Json write(const Json& value) { return value; }
    static void read(const Json& json, Json& value) { value = json; }
};

template <>
struct Form<Settings> {
    static Json write(const Settings& value) { return value.to_json(); }
    static void read(const Json& json, Settings& value) { value = Settings::of(json); }
};

template <>
struct Form<Mean> {
    static Json write(const Mean& value)
    {
        return std::visit([](auto number) { return Json(number); }, value);
    }
    static void read(const Json& json, Mean& value)
    {
        value =
            json.is_number_integer() ? Mean(whole_number<std::int64_t>(json)) : json.get<double>();
    }
};

template <class T>
struct Form<std::optional<T>> {
    static Json write(const std::optional<T>& value) { return value ? json_of(*value) : Json(); }
    static void read(const Json& json, std::optional<T>& value)
    {
        value.reset();
        if (!json.is_null()) {
            read_json(json, value.emplace());
        }
    }
};

template <class T>
struct Form<std::vector<T>> {
    static Json write(const std::vector<T>& list)
    {
        Json json = Json::array();
        for (const T& value : list) {
            json.push_back(json_of<T>(value));
        }
        return json;
    }
    static void read(const Json& json, std::vector<T>& list)
    {
        list.clear();
        if (!json.is_array()) {
            refuse_type(json, "a list");
        }
        for (const Json& one : json) {
            T value{};
            read_inside(std::to_string(list.size()), one, value);
            list.push_back(std::move(value));
        }
    }
};

template <class T>
struct Form<Named<T>> {
    static Json write(const Named<T>& values)
    {
        Named<Json> fields;
        fields.reserve(values.size());
        for (const auto& [name, value] : values) {
            fields.emplace_back(name, json_of(value));
        }
        return object_of(std::move(fields));
    }
    static void read(const Json& json, Named<T>& values)
    {
        values.clear();
        if (!json.is_object()) {
            refuse_type(json, "an object");
        }
        for (const auto& [name, one] : json.items()) {
            values.emplace_back(name, T{});
            read_inside(name, one, values.back().second);
        }
    }
};

template <class T>
void read_inside(const std::string& name, const Json& json, T& value)
{
    try {
        read_json(json, value);
    } catch (const FieldError& error) {
        throw error.inside(name);
    }
}

} // namespace json_fields

template <class T>
Json json_of(const T& value)
{
    return json_fields::Form<T>::write(value);
}

template <class T>
void read_json(const Json& json, T& value)
{
    json_fields::Form<T>::read(json, value);
}

template <class T>
T value_of_json(const Json& json)
{
    T value{};
    read_json(json, value);
    return value;
}

/// The same of a file, or of what stands at `pointer` in it. Throws InputError, naming both, for
/// what the fields cannot hold.
template <class T>
T value_of_file(const Json& json, const std::string& file, const std::string& pointer = "")
{
    try {
        return value_of_json<T>(json);
    } catch (const json_fields::FieldError& error) {
        throw InputError(file + ": " + pointer + error.what());
    }
}

} // namespace alxsim
