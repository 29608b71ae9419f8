// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/npy.h"

#include <cstdint>
#include <string>

namespace alxsim::spmd {

/// The first `rows` of a .npy file of `columns`; without a path ("") normal numbers of the stream.
/// Throws InputError for a file that has fewer, or other columns.
NpyMatrix input_matrix(const std::string& path, std::int64_t rows, std::int64_t columns,
                       std::uint64_t stream);

} // namespace alxsim::spmd
