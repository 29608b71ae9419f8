// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <alxsim/workloads/registry.h>

#include <cstdint>

/// The entry of the matrix: 2 on the diagonal, else a number in [-1/n, 1/n) that depends on its
/// place alone, so that the sweeps converge. Exact in f32.
inline double matrix_entry(std::int64_t row, std::int64_t column, std::int64_t n)
{
    if (row == column) {
        return 2;
    }
    std::uint64_t bits = static_cast<std::uint64_t>(row * n + column) * 0x9e3779b97f4a7c15U;
    bits ^= bits >> 29;
    return static_cast<double>(static_cast<std::int64_t>(bits % 256) - 128) / 128.0 /
           static_cast<double>(n);
}

/// "jacobi": A x = 1 by Jacobi's method, x' = x + (1 - A x)/2, with the rows of A on all devices. A
/// study says `"jacobi": {"unknowns", "sweeps", "dtype" f32|bf16}`; its interval is a sweep.
alxsim::workloads::Kind jacobi_kind();
