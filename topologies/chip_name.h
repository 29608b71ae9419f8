// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

namespace alxsim::topologies {

/// What a name of a chip means.
struct ChipName {
    std::string preset;               ///< "tpu_v5e"
    std::optional<int> cores;         ///< TensorCores of a slice, where the name has a size
    std::optional<std::string> shape; ///< chips per axis, where the size is said so: "4x4"

    bool has_size() const { return cores.has_value(); }
};

/// Reads a name as people and the vendor's tools have it: "tpu_v5e", "v5e", "TPU v6 lite",
/// "trillium"; with the size of a slice after '-' or ':': "v5e-256", "v5litepod-16", "v4-8",
/// "tpu7x-2x2x1". A number counts what that generation's names count (`names` in its preset): chips
/// or TensorCores. Nothing for what names no preset that comes with the program. Throws InputError
/// for a size that is none.
std::optional<ChipName> chip_named(const std::string& name);

/// The preset's name in place of such a name; what names no preset stays as it is: a path.
std::string preset_named(const std::string& name);

/// "; did you mean v5e or v5p?" of a name that is none, or "".
std::string chips_meant_by(const std::string& name);

} // namespace alxsim::topologies
