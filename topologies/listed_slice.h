// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "topologies/preset.h"
#include "topologies/slice.h"

#include <string>
#include <vector>

namespace alxsim::topologies {

/// A slice that the vendor offers: its axes in chips, which of them wrap, and how sure that is.
struct ListedSlice {
    std::vector<Axis> axes;
    std::vector<bool>
        disputed_wrap; ///< the other reading of the evidence; empty where there is none
    std::string kind;
    std::string source;
};

/// The key of a preset that lists them.
inline constexpr const char* slices_key = "slice_shapes_chips";

/// The value `slice_shapes_chips` of a preset, in increasing number of chips. Throws InputError
/// when the entries do not go together.
std::vector<ListedSlice> listed_slices(const Preset& preset);

int chips_of(const std::vector<Axis>& axes);
/// "8x16"
std::string shape_of(const std::vector<Axis>& axes);
/// Whether two shapes are one slice, turned or not: "4x8" and "8x4".
bool same_sides(const std::string& one_shape, const std::string& other_shape);

} // namespace alxsim::topologies
