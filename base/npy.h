// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace alxsim {

enum class NpyNumber { f4, f8 };

/// An array of a NumPy file (.npy), row-major.
struct NpyMatrix {
    std::int64_t rows = 0;      ///< product of all dimensions but the last
    std::int64_t columns = 0;   ///< the last dimension
    std::vector<double> values; ///< [rows x columns]
    /// The dimensions; empty is (rows, columns).
    std::vector<std::int64_t> shape = {};
    NpyNumber number = NpyNumber::f8; ///< of the file that it was read from
};

/// "(8, 16, 16)", as NumPy writes it.
std::string npy_shape_text(const std::vector<std::int64_t>& shape);

/// Reads format versions 1 to 3, little-endian f4 or f8, C order, two dimensions. Throws InputError
/// naming the file, what was found and what is allowed.
NpyMatrix read_npy(const std::string& path);

/// The same for one to three dimensions.
NpyMatrix read_npy_array(const std::string& path);

/// The same for one to 32 dimensions.
NpyMatrix read_npy_tensor(const std::string& path);

/// Writes the file whole or not at all.
void write_npy(const std::string& path, const NpyMatrix& matrix, NpyNumber number);

} // namespace alxsim
