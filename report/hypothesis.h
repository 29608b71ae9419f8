// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_fields.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

namespace alxsim::report {

/// What a study's hypothesis says in place of value, is and than.
constexpr const char* linear_then_flat = "linear_then_flat";

/// A number, or a field of another series or of its point: the one whose sweep sets the same, else
/// the one with as many cores.
struct Comparand {
    std::optional<double> number;
    std::string series;
    std::string value;
    double times = 1;
};

/// Points of its series that a claim speaks of.
struct PointRange {
    std::optional<std::int64_t> min_cores;
    std::optional<std::int64_t> max_cores;
    std::optional<Settings> sweep; ///< values that the point's sweep sets

    bool holds(std::int64_t cores, const Settings& swept) const
    {
        if (cores < min_cores.value_or(cores) || cores > max_cores.value_or(cores)) {
            return false;
        }
        const Settings none;
        const Settings& wanted = sweep ? *sweep : none;
        return std::all_of(wanted.begin(), wanted.end(), [&](const Settings::Entry& one) {
            const Json* const value = swept.find(one.first);
            return value != nullptr && *value == one.second;
        });
    }
};

/// A claim of the study's own. `value` is a field of the series ("sweet_spot.cores") or of its
/// points ("phases.solve"), or the ratio of two ("communication_seconds/epoch_seconds"). It is true
/// where it is true of every fitting point in `where`.
///
/// Or one whose claim is linear_then_flat: time falls nearly linearly up
/// to a sweet spot, then flattens. It stands alone.
struct Hypothesis {
    std::string name;
    std::string claim;
    std::string series;
    std::optional<PointRange> where;
    std::optional<std::string> value;
    std::optional<std::string> is; ///< "<", "<=", ">", ">=", "==", "!="
    std::optional<Comparand> than;

    bool is_linear_then_flat() const { return claim == linear_then_flat; }
};

template <class Fields>
void list_fields(Fields& fields, PointRange& range)
{
    fields("min_cores", range.min_cores);
    fields("max_cores", range.max_cores);
    fields("sweep", range.sweep);
}

template <class Fields>
void list_fields(Fields& fields, Hypothesis& hypothesis)
{
    fields("name", hypothesis.name);
    fields("claim", hypothesis.claim);
    fields("series", hypothesis.series);
    fields("where", hypothesis.where);
    fields("value", hypothesis.value);
    fields("is", hypothesis.is);
    fields("than", hypothesis.than);
}

} // namespace alxsim::report

template <>
struct alxsim::json_fields::Form<alxsim::report::Comparand> {
    static Json write(const report::Comparand& than)
    {
        return than.number
                   ? Json(*than.number)
                   : Json{{"series", than.series}, {"value", than.value}, {"times", than.times}};
    }
    static void read(const Json& json, report::Comparand& than)
    {
        than = {};
        if (json.is_number()) {
            than.number = json.get<double>();
            return;
        }
        than.series = json.at("series").get<std::string>();
        than.value = json.at("value").get<std::string>();
        than.times = json.value("times", 1.0); // absent before defaults were filled in
    }
};
