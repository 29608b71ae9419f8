// SPDX-License-Identifier: Apache-2.0
#include "alx/tables/factor_table.h"

#include "base/input_error.h"
#include "base/numbers/random.h"

#include <algorithm>
#include <string>

namespace alxsim::alx {

FactorTable::FactorTable(ShardMap map, int dim, model::DType dtype)
    : map_(std::move(map)),
      store_(map_.padded_rows(), dim, dtype)
{
}

FactorTable::FactorTable(std::int64_t count, int dim, int shards, model::DType dtype)
    : FactorTable(ShardMap::contiguous(count, shards), dim, dtype)
{
}

void FactorTable::initialize(double stddev, std::uint64_t seed, std::uint64_t table,
                             PhantomRows phantoms, HostPool& pool)
{
    const std::uint64_t table_key = mix64(mix64(seed) ^ table);
    const std::int64_t rows = initial_rows(phantoms);
    pool.for_chunks(rows, 1024, [&](std::int64_t begin, std::int64_t end) {
        std::vector<double> values(static_cast<std::size_t>(dim()));
        for (std::int64_t row = begin; row < end; ++row) {
            std::uint64_t key = mix64(table_key ^ static_cast<std::uint64_t>(row));
            for (double& value : values) {
                value = stddev * normal(key++);
            }
            store_.set(row, values.data());
        }
    });
}

void refuse_too_few_rows(std::size_t rows, std::int64_t count, const std::string& pointer)
{
    if (rows < static_cast<std::size_t>(count)) {
        throw InputError("", pointer,
                         "found " + std::to_string(rows) + " rows, allowed are " +
                             std::to_string(count) + " or more: those of the table");
    }
}

void FactorTable::assign(const std::vector<double>& values, PhantomRows phantoms,
                         const std::string& pointer)
{
    const auto dim = static_cast<std::size_t>(store_.dim());
    refuse_too_few_rows(values.size() / dim, count(), pointer);
    const auto given = static_cast<std::int64_t>(values.size() / dim);
    for (std::int64_t row = 0; row < std::min(given, initial_rows(phantoms)); ++row) {
        store_.set(row, values.data() + static_cast<std::size_t>(row) * dim);
    }
}

void FactorTable::set_zero(std::int64_t row)
{
    const std::vector<double> zeros(static_cast<std::size_t>(dim()), 0.0);
    store_.set(row, zeros.data());
}

std::vector<float> FactorTable::to_floats() const
{
    std::vector<float> values(static_cast<std::size_t>(padded_rows() * dim()));
    for (std::int64_t row = 0; row < padded_rows(); ++row) {
        store_.get(row, values.data() + row * dim());
    }
    return values;
}

std::vector<double> FactorTable::own_rows() const
{
    std::vector<double> values(static_cast<std::size_t>(count() * dim()));
    store_.get_rows(0, count(), values.data());
    return values;
}

std::vector<double> FactorTable::to_doubles() const
{
    std::vector<double> values(static_cast<std::size_t>(padded_rows() * dim()));
    for (std::int64_t row = 0; row < padded_rows(); ++row) {
        store_.get(row, values.data() + row * dim());
    }
    return values;
}

} // namespace alxsim::alx
