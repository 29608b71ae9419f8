// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/config.h"
#include "alx/data/split.h"
#include "alx/placements/placement.h"
#include "alx/solvers/sharded_gramian.h"
#include "alx/tables/factor_table.h"
#include "base/host_pool.h"
#include "workloads/sketch.h"

#include <cstdint>
#include <string>
#include <vector>

namespace alxsim::alx {

/// Initial values to start from: row-major, at least the table's rows each. Rows that fill the
/// shards are zeros, or of PhantomRows::random what stands behind the others, or else drawn. An
/// empty table is drawn.
struct InitialTables {
    std::vector<double> rows;
    std::vector<double> columns;
};

/// Throws InputError, naming the place in a study, for tables that have too few rows.
void check_initial_tables(const InitialTables& initial, const TablePlacement& placement, int dim);

/// Both tables of a job, and the Gramian of each as last computed.
struct TrainingTables {
    /// All zero.
    TrainingTables(const AlxConfig& config, const TablePlacement& placement);
    TrainingTables(const TrainingTables&) = delete; // the Gramians refer to the tables
    TrainingTables& operator=(const TrainingTables&) = delete;

    /// Takes over the given values or draws them. Training never solves for a row without links:
    /// where phantom rows are zero, a drawn one is, too, which is what it would be solved to.
    /// `by_column` is the transposed matrix.
    void fill(const AlxConfig& config, const InitialTables& initial, const SparseMatrix& by_row,
              const SparseMatrix& by_column, HostPool& pool);
    void compute_gramians(HostPool& pool);
    /// 16 hexadecimal digits: of all numbers of both tables, phantom rows left out.
    std::string digest() const;
    /// W and H, the tables of rows and of columns, as they are, phantom rows left out; one with
    /// more than spmd::most_sketched_rows has none. The same bits for any number of threads; as
    /// rows are kept by ascending id, no placement of the same numbers changes them.
    std::vector<workloads::MatrixSketch> sketches(HostPool& pool) const;

    FactorTable rows;
    FactorTable columns;
    ShardedGramian row_gramian;
    ShardedGramian column_gramian;
};

/// Rows that take part in training: where test rows keep random values, they count in Gramian and
/// regularizer, as in the released code.
std::int64_t trained_rows(const AlxConfig& config, const Dataset& data);

} // namespace alxsim::alx
