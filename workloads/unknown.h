// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_document.h"
#include "model/uncertainty.h"

#include <optional>
#include <string>
#include <vector>

namespace alxsim::workloads {

/// What an unknown belongs to: a machine and the code are the same for all that ran on them, a run
/// has its own data, batches and hosts.
enum class UnknownOf { machine, code, run };

/// An uncertain input of a result.
struct Unknown {
    std::string name;           ///< a preset's key, or words
    Json low, central, high;    ///< for people
    std::string unit;           ///< of these
    model::UnknownNumber range; ///< the same as numbers
    UnknownOf of = UnknownOf::machine;
    /// For one that is either `range.low` or `range.high`: how likely the latter is.
    double likely_high = 0;
    bool whole = false;       ///< a count: its value is rounded
    std::string source = {};  ///< of its values; "": none is told
    std::string pointer = {}; ///< in a study that sets it; "": none does

    /// The value below which a share `quantile` of our belief lies.
    double at(double quantile) const
    {
        return likely_high == 0             ? model::value_at(range, quantile)
               : quantile > 1 - likely_high ? range.high
                                            : range.low;
    }
};

/// One that is a number, told as it is.
inline Unknown number_unknown(const std::string& name, const model::UnknownNumber& range,
                              const std::string& unit, UnknownOf of)
{
    return {name, range.low, range.central, range.high, unit, range, of};
}

/// One that counts.
inline Unknown whole_unknown(const std::string& name, const model::UnknownNumber& range,
                             const std::string& unit, UnknownOf of)
{
    Unknown unknown = number_unknown(name, range, unit, of);
    unknown.whole = true;
    return unknown;
}

/// One that is true or false, false unless drawn otherwise.
inline Unknown flag_unknown(const std::string& name, UnknownOf of, double likely_true)
{
    return {name, false, false, true, "", {0, 0, 1}, of, likely_true};
}

/// A value for each unknown of a list; none: as the job has it.
using DrawnValues = std::vector<std::optional<double>>;

} // namespace alxsim::workloads
