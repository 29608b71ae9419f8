// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/schema/field_words.h"

#include <optional>
#include <string>

namespace alxsim::report {

/// A field under a name that says less. What is written has both, so that readers of reports of one
/// schema_version go on; what is read may have either.
template <class Fields>
void list_former(Fields& fields, const char* former, const std::string& now,
                 std::optional<double>& value)
{
    std::optional<double> read = value;
    const std::string words =
        "Former name of " + now + ", with the same number while schema_version is 2.";
    fields(former, read, words.c_str(), limits::amount);
    if (read && !value) {
        value = read;
    }
}

/// The band of `name`, by the shares of the draws that lie below.
template <class Fields>
void list_band(Fields& fields, const std::string& name, std::optional<double>& low,
               std::optional<double>& high)
{
    fields((name + "_p05").c_str(), low, "5 % of the draws are below: lower end of the band.",
           limits::amount);
    fields((name + "_p95").c_str(), high, "95 % of the draws are below: upper end of the band.",
           limits::amount);
    list_former(fields, (name + "_low").c_str(), name + "_p05", low);
    list_former(fields, (name + "_high").c_str(), name + "_p95", high);
}

/// The same, and the median.
template <class Fields>
void list_band(Fields& fields, const std::string& name, std::optional<double>& low,
               std::optional<double>& median, std::optional<double>& high)
{
    list_band(fields, name, low, high);
    const std::string words =
        "The median of the draws. Where " + name +
        ", the world in which each input has its central value, lies outside the band, this is the "
        "line that is drawn and told.";
    fields((name + "_p50").c_str(), median, words.c_str(), limits::amount);
    list_former(fields, (name + "_median").c_str(), name + "_p50", median);
}

} // namespace alxsim::report
