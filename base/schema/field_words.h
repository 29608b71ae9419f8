// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

namespace alxsim {

/// What a field may hold beyond what its type says, or what the values of a list or of an object
/// that it is may hold. Stands in list_fields() behind the field and its description.
struct FieldLimits {
    double at_least = -std::numeric_limits<double>::infinity();
    double above = -std::numeric_limits<double>::infinity();
    double at_most = std::numeric_limits<double>::infinity();
    const char* one_of = nullptr; ///< texts, with '|' between them
    bool not_empty = false;       ///< of a list
    const char* json = nullptr;   ///< of what has no type here: its schema
};

namespace limits {

constexpr FieldLimits at_least(double least)
{
    FieldLimits limits;
    limits.at_least = least;
    return limits;
}

constexpr FieldLimits above(double bound)
{
    FieldLimits limits;
    limits.above = bound;
    return limits;
}

constexpr FieldLimits at_most(double most)
{
    FieldLimits limits;
    limits.at_most = most;
    return limits;
}

constexpr FieldLimits between(double least, double most)
{
    FieldLimits limits;
    limits.at_least = least;
    limits.at_most = most;
    return limits;
}

/// `texts`: with '|' between them.
constexpr FieldLimits one_of(const char* texts)
{
    FieldLimits limits;
    limits.one_of = texts;
    return limits;
}

/// The schema of a field that is Json, whatever others put there.
constexpr FieldLimits as_json(const char* schema)
{
    FieldLimits limits;
    limits.json = schema;
    return limits;
}

constexpr FieldLimits and_not_empty(FieldLimits limits)
{
    limits.not_empty = true;
    return limits;
}

constexpr FieldLimits amount = at_least(0);
constexpr FieldLimits share_of_one = between(0, 1);
constexpr FieldLimits not_empty = and_not_empty({});
constexpr FieldLimits any_object = as_json(R"({"type": "object"})");

} // namespace limits

} // namespace alxsim
