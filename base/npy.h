// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace alxsim {

/// A matrix of a NumPy file (.npy), row-major.
struct NpyMatrix {
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    std::vector<double> values; ///< [rows x columns]
};

enum class NpyNumber { f4, f8 };

/// Reads format versions 1 to 3, little-endian f4 or f8, C order, two dimensions. Throws InputError
/// naming the file, what was found and what is allowed.
NpyMatrix read_npy(const std::string& path);

/// Writes the file whole or not at all.
void write_npy(const std::string& path, const NpyMatrix& matrix, NpyNumber number);

} // namespace alxsim
