// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/host_pool.h"
#include "workloads/sketch.h"

#include <cstdint>
#include <functional>
#include <string>

namespace alxsim::spmd {

/// Reads the rows [first, first + count) of a matrix to `values` [count x columns], from any
/// thread.
using ReadRows = std::function<void(std::int64_t first, std::int64_t count, double* values)>;

/// A sketch of more rows would use a random number twice.
constexpr std::int64_t most_sketched_rows = std::int64_t{1} << 29;

/// Six draws of 4 x 16 numbers, whose random signs are the same in every program: so the standard
/// error of a distance is at most 17 % of it, and itself known to a third, for 48 operations a
/// number of the matrix. Rows are taken as they come, in blocks of a fixed number of rows
/// whose parts are added in their order: the same bits for any number of threads, and of devices
/// over which somebody has dealt the rows. Throws std::logic_error above most_sketched_rows.
workloads::MatrixSketch sketch_of(const std::string& name, std::int64_t rows, std::int64_t columns,
                                  const ReadRows& read, HostPool& pool);

} // namespace alxsim::spmd
