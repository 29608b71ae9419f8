// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace alxsim::report {

/// What stands under a name like "phases.solve" or "sweet_spot.cores" in points that fit, and in
/// series.
struct NamedField {
    enum class Kind {
        number,
        no_number, ///< `part` is `what`, with `names` in it if it is an object
        open,      ///< a workload's own: only a run tells
        unknown    ///< `inside` has no `part`, but `names`
    };
    Kind kind = Kind::open;
    std::string inside = {}; ///< "": the point or series itself
    std::string part = {};
    std::string what = {};
    std::vector<std::string> names = {};
};

/// Looks a name up in the schema of a report. A name that is a map's ("phases.X") may be any.
NamedField field_named(const std::string& path);

} // namespace alxsim::report
