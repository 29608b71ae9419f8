// SPDX-License-Identifier: Apache-2.0
#include "alx/row_store.h"

#include <algorithm>
#include <stdexcept>

namespace alxsim::alx {

RowStore::RowStore(std::int64_t rows, int dim, model::DType dtype) : dim_(dim), dtype_(dtype)
{
    if (dtype != model::DType::bf16 && dtype != model::DType::f32) {
        throw std::logic_error("a table is kept as bf16 or f32");
    }
    resize(rows);
}

void RowStore::resize(std::int64_t rows)
{
    rows_ = rows;
    const auto numbers = static_cast<std::size_t>(rows) * static_cast<std::size_t>(dim_);
    if (dtype_ == model::DType::bf16) {
        bf16_.resize(numbers);
    } else {
        f32_.resize(numbers);
    }
}

void RowStore::get(std::int64_t row, float* values) const
{
    if (dtype_ == model::DType::bf16) {
        std::transform(bf16_.data() + row * dim_, bf16_.data() + (row + 1) * dim_, values,
                       to_float);
    } else {
        std::copy_n(f32_.data() + row * dim_, dim_, values);
    }
}

void RowStore::set(std::int64_t row, const float* values)
{
    if (dtype_ == model::DType::bf16) {
        std::transform(values, values + dim_, bf16_.data() + row * dim_, to_bf16);
    } else {
        std::copy_n(values, dim_, f32_.data() + row * dim_);
    }
}

void RowStore::copy(std::int64_t row, const RowStore& from, std::int64_t from_row)
{
    if (dtype_ == model::DType::bf16) {
        std::copy_n(from.bf16_.data() + from_row * dim_, dim_, bf16_.data() + row * dim_);
    } else {
        std::copy_n(from.f32_.data() + from_row * dim_, dim_, f32_.data() + row * dim_);
    }
}

} // namespace alxsim::alx
