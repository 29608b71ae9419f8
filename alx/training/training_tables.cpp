// SPDX-License-Identifier: Apache-2.0
#include "alx/training/training_tables.h"

#include "base/numbers/mix64.h"
#include "spmd/linear/matrix_sketch.h"

#include <cmath>
#include <cstdio>

namespace alxsim::alx {
namespace {

/// Keys of the tables' initial values.
constexpr std::uint64_t row_table_key = 1;
constexpr std::uint64_t column_table_key = 2;

constexpr const char* rows_pointer = "/workload/alx/initial_tables/rows";
constexpr const char* columns_pointer = "/workload/alx/initial_tables/columns";

void zero_unlinked(FactorTable& table, const SparseMatrix& links)
{
    for (std::int32_t row = 0; row < links.rows; ++row) {
        if (links.length(row) == 0) {
            table.set_zero(row);
        }
    }
}

void draw(FactorTable& table, const AlxConfig& config, std::uint64_t key, const SparseMatrix& links,
          HostPool& pool)
{
    const PhantomRows phantoms = config.semantics.phantom_rows;
    const double divisor = config.initial.divide_by_sqrt_dim ? std::sqrt(config.dim) : 1.0;
    table.initialize(config.initial.stddev / divisor, config.seed, key, phantoms, pool);
    if (phantoms == PhantomRows::zero) {
        zero_unlinked(table, links);
    }
}

} // namespace

TrainingTables::TrainingTables(const AlxConfig& config, const TablePlacement& placement)
    : rows(placement.rows, config.dim, config.table_dtype),
      columns(placement.columns, config.dim, config.table_dtype),
      row_gramian(config, rows),
      column_gramian(config, columns)
{
}

void check_initial_tables(const InitialTables& initial, const TablePlacement& placement, int dim)
{
    const auto rows_of = [dim](const std::vector<double>& values) {
        return values.size() / static_cast<std::size_t>(dim);
    };
    if (!initial.rows.empty()) {
        refuse_too_few_rows(rows_of(initial.rows), placement.rows.count(), rows_pointer);
    }
    if (!initial.columns.empty()) {
        refuse_too_few_rows(rows_of(initial.columns), placement.columns.count(), columns_pointer);
    }
}

void TrainingTables::fill(const AlxConfig& config, const InitialTables& initial,
                          const SparseMatrix& by_row, const SparseMatrix& by_column, HostPool& pool)
{
    const PhantomRows phantoms = config.semantics.phantom_rows;
    const auto fill_one = [&](FactorTable& table, std::uint64_t key, const SparseMatrix& links,
                              const std::vector<double>& given, const char* pointer) {
        if (given.empty() || phantoms == PhantomRows::random) {
            draw(table, config, key, links, pool);
        }
        if (!given.empty()) {
            table.assign(given, phantoms, pointer);
        }
    };
    fill_one(rows, row_table_key, by_row, initial.rows, rows_pointer);
    fill_one(columns, config.initial.tied ? row_table_key : column_table_key, by_column,
             initial.columns, columns_pointer);
    compute_gramians(pool);
}

void TrainingTables::compute_gramians(HostPool& pool)
{
    row_gramian.compute(pool);
    column_gramian.compute(pool);
}

std::string TrainingTables::digest() const
{
    const std::uint64_t digest =
        mix64(rows.store().digest(rows.count())) ^ columns.store().digest(columns.count());
    char text[17];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(digest));
    return text;
}

std::vector<workloads::MatrixSketch> TrainingTables::sketches(HostPool& pool) const
{
    std::vector<workloads::MatrixSketch> all;
    for (const auto& [name, table] : {std::pair("W", &rows), std::pair("H", &columns)}) {
        if (table->count() > spmd::most_sketched_rows) {
            continue;
        }
        const auto read = [&store = table->store()](std::int64_t first, std::int64_t count,
                                                    double* values) {
            store.get_rows(first, count, values);
        };
        all.push_back(spmd::sketch_of(name, table->count(), table->dim(), read, pool));
    }
    return all;
}

std::int64_t trained_rows(const AlxConfig& config, const Dataset& data)
{
    return config.semantics.phantom_rows == PhantomRows::random ? data.training.rows
                                                                : data.training_row_count();
}

} // namespace alxsim::alx
