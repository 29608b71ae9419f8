// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/numbers/bf16.h"
#include "model/graph/dtype.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace alxsim::alx {

/// [rows x dim] numbers kept as a table's dtype (bf16, f32 or f64), read and written as f32 or f64;
/// what is written is rounded to the dtype (nearest, ties to even).
class RowStore {
public:
    RowStore() = default;
    /// All zero.
    RowStore(std::int64_t rows, int dim, model::DType dtype);

    std::int64_t rows() const { return rows_; }
    int dim() const { return dim_; }
    model::DType dtype() const { return dtype_; }

    /// `values` is [dim].
    void get(std::int64_t row, float* values) const { get_rows(row, 1, values); }
    void get(std::int64_t row, double* values) const { get_rows(row, 1, values); }
    /// The rows [first, first + count); `values` is [count x dim].
    void get_rows(std::int64_t first, std::int64_t count, float* values) const;
    void get_rows(std::int64_t first, std::int64_t count, double* values) const;
    /// The rows `ids` [count], zeros beyond dim: `values` is [count x stride]. Where `known` ids
    /// stand there, those behind the first `count` are read soon.
    void gather(const std::int32_t* ids, std::int64_t count, std::int64_t known,
                std::int64_t stride, float* values) const;
    void gather(const std::int32_t* ids, std::int64_t count, std::int64_t known,
                std::int64_t stride, double* values) const;
    /// Asks for a row that is read soon.
    void prefetch(std::int64_t row) const;
    void set(std::int64_t row, const float* values);
    void set(std::int64_t row, const double* values);
    /// Writes old + (values - old), each operation rounded to the dtype; `values` must be of it.
    void add_residual(std::int64_t row, const double* values);
    /// Copies a row of another store of the same dim and dtype, bit for bit.
    void copy(std::int64_t row, const RowStore& from, std::int64_t from_row);
    /// Returns the digest of the first `rows` rows as stored: equal where all their bits are, and
    /// hardly ever else.
    std::uint64_t digest(std::int64_t rows) const;
    /// All numbers as stored, in the host's byte order: where they begin, and how many bytes.
    const char* bytes() const;
    char* bytes();
    std::size_t size() const;
    /// Changes the number of rows; keeps the memory it has. The content is unspecified.
    void resize(std::int64_t rows);

private:
    template <class Real>
    void gather_rows(const std::int32_t* ids, std::int64_t count, std::int64_t known,
                     std::int64_t stride, Real* values) const;

    std::int64_t rows_ = 0;
    int dim_ = 0;
    model::DType dtype_ = model::DType::f32;
    std::vector<Bf16> bf16_;
    std::vector<float> f32_;
    std::vector<double> f64_;
};

} // namespace alxsim::alx
