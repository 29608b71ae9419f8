// SPDX-License-Identifier: Apache-2.0
#include "alx/tables/row_store.h"

#include "base/numbers/mix64.h"
#include "spmd/kernels/kernels.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace alxsim::alx {
namespace {

constexpr std::int64_t cache_line = 64;

/// Rows of a large table come from memory: so many are on their way.
constexpr std::int64_t rows_ahead = 8;

void prefetch_bytes(const char* first, std::int64_t bytes)
{
    for (std::int64_t at = 0; at < bytes; at += cache_line) {
        __builtin_prefetch(first + at);
    }
}

float narrow(double value)
{
    return static_cast<float>(value);
}

/// mix64 over words of eight bytes, the last one filled up with zeros.
template <class Number>
std::uint64_t digest_of(const Number* numbers, std::size_t count)
{
    constexpr std::size_t in_word = sizeof(std::uint64_t) / sizeof(Number);
    std::uint64_t digest = mix64(count);
    for (std::size_t i = 0; i < count; i += in_word) {
        std::uint64_t word = 0;
        std::memcpy(&word, numbers + i, std::min(in_word, count - i) * sizeof(Number));
        digest = mix64(digest ^ word);
    }
    return digest;
}

/// old + (x - old) in a dtype that `round` rounds to. f32 results of bf16 or f32 operands rounded
/// once more are what the dtype's own operations yield.
template <class Real, class Round>
Real residual_sum(Real old, Real x, Round round)
{
    return round(old + round(x - old));
}

} // namespace

RowStore::RowStore(std::int64_t rows, int dim, model::DType dtype) : dim_(dim), dtype_(dtype)
{
    if (dtype == model::DType::i32) {
        throw std::logic_error("a table is kept as bf16, f32 or f64");
    }
    resize(rows);
}

void RowStore::resize(std::int64_t rows)
{
    rows_ = rows;
    const auto numbers = static_cast<std::size_t>(rows) * static_cast<std::size_t>(dim_);
    switch (dtype_) {
    case model::DType::bf16:
        bf16_.resize(numbers);
        break;
    case model::DType::f64:
        f64_.resize(numbers);
        break;
    default:
        f32_.resize(numbers);
    }
}

void RowStore::get_rows(std::int64_t first, std::int64_t count, float* values) const
{
    const std::int64_t begin = first * dim_;
    const std::int64_t numbers = count * dim_;
    if (dtype_ == model::DType::bf16) {
        spmd::kernels().widen(bf16_.data() + begin, numbers, values);
    } else if (dtype_ == model::DType::f32) {
        std::copy_n(f32_.data() + begin, numbers, values);
    } else {
        std::transform(f64_.data() + begin, f64_.data() + begin + numbers, values, narrow);
    }
}

void RowStore::get_rows(std::int64_t first, std::int64_t count, double* values) const
{
    const std::int64_t begin = first * dim_;
    const std::int64_t numbers = count * dim_;
    if (dtype_ == model::DType::bf16) {
        std::transform(bf16_.data() + begin, bf16_.data() + begin + numbers, values, to_float);
    } else if (dtype_ == model::DType::f32) {
        std::copy_n(f32_.data() + begin, numbers, values);
    } else {
        std::copy_n(f64_.data() + begin, numbers, values);
    }
}

void RowStore::gather(const std::int32_t* ids, std::int64_t count, std::int64_t known,
                      std::int64_t stride, float* values) const
{
    gather_rows(ids, count, known, stride, values);
}

void RowStore::gather(const std::int32_t* ids, std::int64_t count, std::int64_t known,
                      std::int64_t stride, double* values) const
{
    gather_rows(ids, count, known, stride, values);
}

template <class Real>
void RowStore::gather_rows(const std::int32_t* ids, std::int64_t count, std::int64_t known,
                           std::int64_t stride, Real* values) const
{
    const std::int64_t row_bytes = dim_ * model::size_of(dtype_).count();
    const char* const first = bytes();
    const auto widen = spmd::kernels().widen;
    const bool widens = dtype_ == model::DType::bf16 && std::is_same_v<Real, float>;
    for (std::int64_t k = 0; k < count; ++k, values += stride) {
        if (k + rows_ahead < known) {
            prefetch_bytes(first + ids[k + rows_ahead] * row_bytes, row_bytes);
        }
        if constexpr (std::is_same_v<Real, float>) {
            if (widens) {
                widen(bf16_.data() + std::int64_t{ids[k]} * dim_, dim_, values);
            }
        }
        if (!widens) {
            get(ids[k], values);
        }
        std::fill(values + dim_, values + stride, Real(0));
    }
}

void RowStore::prefetch(std::int64_t row) const
{
    const std::int64_t row_bytes = dim_ * model::size_of(dtype_).count();
    prefetch_bytes(bytes() + row * row_bytes, row_bytes);
}

void RowStore::set(std::int64_t row, const float* values)
{
    if (dtype_ == model::DType::bf16) {
        std::transform(values, values + dim_, bf16_.data() + row * dim_, to_bf16);
    } else if (dtype_ == model::DType::f32) {
        std::copy_n(values, dim_, f32_.data() + row * dim_);
    } else {
        std::copy_n(values, dim_, f64_.data() + row * dim_);
    }
}

void RowStore::set(std::int64_t row, const double* values)
{
    if (dtype_ == model::DType::bf16) {
        std::transform(values, values + dim_, bf16_.data() + row * dim_,
                       [](double value) { return to_bf16(narrow(value)); });
    } else if (dtype_ == model::DType::f32) {
        std::transform(values, values + dim_, f32_.data() + row * dim_, narrow);
    } else {
        std::copy_n(values, dim_, f64_.data() + row * dim_);
    }
}

void RowStore::add_residual(std::int64_t row, const double* values)
{
    const auto rounded = [](float value) { return to_float(to_bf16(value)); };
    for (int i = 0; i < dim_; ++i) {
        const std::size_t at = static_cast<std::size_t>(row * dim_ + i);
        if (dtype_ == model::DType::bf16) {
            bf16_[at] =
                to_bf16(residual_sum<float>(to_float(bf16_[at]), narrow(values[i]), rounded));
        } else if (dtype_ == model::DType::f32) {
            f32_[at] = residual_sum<float>(f32_[at], narrow(values[i]), [](float x) { return x; });
        } else {
            f64_[at] = residual_sum<double>(f64_[at], values[i], [](double x) { return x; });
        }
    }
}

std::uint64_t RowStore::digest(std::int64_t rows) const
{
    const std::size_t numbers = static_cast<std::size_t>(rows) * static_cast<std::size_t>(dim_);
    return dtype_ == model::DType::bf16  ? digest_of(bf16_.data(), numbers)
           : dtype_ == model::DType::f32 ? digest_of(f32_.data(), numbers)
                                         : digest_of(f64_.data(), numbers);
}

const char* RowStore::bytes() const
{
    return dtype_ == model::DType::bf16  ? reinterpret_cast<const char*>(bf16_.data())
           : dtype_ == model::DType::f32 ? reinterpret_cast<const char*>(f32_.data())
                                         : reinterpret_cast<const char*>(f64_.data());
}

char* RowStore::bytes()
{
    return const_cast<char*>(std::as_const(*this).bytes());
}

std::size_t RowStore::size() const
{
    return static_cast<std::size_t>(rows_ * dim_ * model::size_of(dtype_).count());
}

void RowStore::copy(std::int64_t row, const RowStore& from, std::int64_t from_row)
{
    const auto copy_row = [&](auto& own, const auto& other) {
        std::copy_n(other.data() + from_row * dim_, dim_, own.data() + row * dim_);
    };
    if (dtype_ == model::DType::bf16) {
        copy_row(bf16_, from.bf16_);
    } else if (dtype_ == model::DType::f32) {
        copy_row(f32_, from.f32_);
    } else {
        copy_row(f64_, from.f64_);
    }
}

} // namespace alxsim::alx
