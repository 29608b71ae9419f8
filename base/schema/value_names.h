// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

/// Enumerations whose values have names. One tells them, in its namespace, in the order in which
/// they are listed to people,
///
///     constexpr std::array<ValueName<Colour>, 2> value_names(Colour /*any*/)
///     {
///         return {{{"red", Colour::red}, {"blue", Colour::blue}}};
///     }
///
/// and is then a field of JSON with NamedForm (json_schema.h).
namespace alxsim {

template <class T>
using ValueName = std::pair<const char*, T>;

template <class T>
std::string name_of_value(T value)
{
    for (const auto& [name, named] : value_names(value)) {
        if (named == value) {
            return name;
        }
    }
    return "";
}

template <class T>
std::vector<std::string> names_of_values()
{
    std::vector<std::string> names;
    for (const auto& [name, value] : value_names(T{})) {
        names.emplace_back(name);
    }
    return names;
}

} // namespace alxsim
