// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

namespace alxsim {

/// What a field may hold beyond what its type says, or what the values of a list or of an object
/// that it is may hold. Stands in list_fields() behind the field and its description.
struct FieldLimits {
    double at_least = -std::numeric_limits<double>::infinity();
    double above = -std::numeric_limits<double>::infinity();
    double at_most = std::numeric_limits<double>::infinity();
    double below = std::numeric_limits<double>::infinity();
    const char* one_of = nullptr;                         ///< texts, with '|' between them
    std::vector<std::string> (*one_of_known)() = nullptr; ///< texts that are told elsewhere
    std::size_t shortest = 0;                             ///< of a list, or a text
    std::size_t longest = std::numeric_limits<std::size_t>::max();
    const char* json = nullptr;     ///< of what has no type here: its schema
    const char* keywords = nullptr; ///< of a field's schema, which win over all else: JSON
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

constexpr FieldLimits and_at_most(FieldLimits limits, double most)
{
    limits.at_most = most;
    return limits;
}

constexpr FieldLimits and_below(FieldLimits limits, double bound)
{
    limits.below = bound;
    return limits;
}

/// `texts`: with '|' between them.
constexpr FieldLimits one_of(const char* texts)
{
    FieldLimits limits;
    limits.one_of = texts;
    return limits;
}

constexpr FieldLimits one_of(std::vector<std::string> (*texts)())
{
    FieldLimits limits;
    limits.one_of_known = texts;
    return limits;
}

/// The schema of a field that is Json, whatever others put there.
constexpr FieldLimits as_json(const char* schema)
{
    FieldLimits limits;
    limits.json = schema;
    return limits;
}

/// Limits a list whose values have these limits.
constexpr FieldLimits and_length(FieldLimits limits, std::size_t shortest,
                                 std::size_t longest = std::numeric_limits<std::size_t>::max())
{
    limits.shortest = shortest;
    limits.longest = longest;
    return limits;
}

/// With what no limit says: R"({"pattern": "^[a-z]*$"})".
constexpr FieldLimits and_keywords(FieldLimits limits, const char* keywords)
{
    limits.keywords = keywords;
    return limits;
}

constexpr FieldLimits and_not_empty(FieldLimits limits)
{
    return and_length(limits, 1);
}

constexpr FieldLimits amount = at_least(0);
constexpr FieldLimits share_of_one = between(0, 1);
constexpr FieldLimits not_empty = and_not_empty({});
constexpr FieldLimits any_object = as_json(R"({"type": "object"})");

} // namespace limits

} // namespace alxsim
