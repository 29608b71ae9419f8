// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/units.h"

#include <cstdint>
#include <string>

namespace alxsim::spmd {

/// A batch of matrices on a device, in f32, and the buffers in which ops find them and leave what
/// is between.
struct Matrices {
    std::int64_t count = 1;
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    std::string buffer;    ///< [count x rows x columns]
    std::string phase;     ///< of the ops
    std::string workspace; ///< the buffers in between are this with a dot and a name

    std::string between(const std::string& name) const { return workspace + "." + name; }
    /// `per_matrix` f32 numbers of each.
    Bytes f32(std::int64_t per_matrix) const { return Bytes(count * per_matrix * 4); }
    /// Others of the same phase, `part` of the same workspace.
    Matrices others(std::int64_t other_rows, std::int64_t other_columns, std::string other_buffer,
                    const std::string& part) const
    {
        return {count, other_rows, other_columns, std::move(other_buffer), phase, between(part)};
    }
};

} // namespace alxsim::spmd
