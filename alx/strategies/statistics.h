// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/config.h"
#include "alx/registry.h"
#include "model/graph/op_graph.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace alxsim::alx {

/// The statistics of one batch as ops see them.
struct StatisticsShape {
    const AlxConfig& config;
    const BatchGeometry& geometry;
    model::Name rows;       ///< the buffer of gathered rows, in the table's dtype
    model::Name line_slots; ///< the buffer that says which row each line belongs to

    std::int64_t slots() const { return geometry.lines * geometry.line_length; }
    /// Statistics are in the solver's dtype. (The solvers' own ops are those of f32.)
    Bytes in_solver(std::int64_t numbers) const
    {
        return model::size_of(config.solve_dtype) * numbers;
    }
    Bytes in_table(std::int64_t numbers) const
    {
        return model::size_of(config.table_dtype) * numbers;
    }
    /// [batch] products [m x k] times [k x m], m = dim, of gathered rows: those of a bf16 table
    /// lose nothing in a bf16 product; those of an f32 table need passes.
    model::Matmul outer_products(std::int64_t batch, std::int64_t k) const;
};

/// How a batch's rows become the Gramian and the right-hand side of each of its systems: numbers
/// and ops. All variants yield the same bits in f32 and f64, where the order of sums is one for all
/// (that of the links); in bf16 they do not, because each rounds what it writes.
class StatisticsStrategy {
public:
    virtual ~StatisticsStrategy() = default;

    /// Links of a row that are summed up in f32 before the sum is written, in the solver's dtype:
    /// a window of the Gramian and one of the right-hand side; windows of a row are added up in the
    /// solver's dtype. At most a batch's slots: then it is all that a batch holds of a row, and of
    /// a row of several batches the sum goes on.
    virtual std::int64_t links_per_sum(const BatchGeometry& geometry) const = 0;

    /// Whether the Gramians are added to alpha G + reg I, which stands in "statistics.gramians"
    /// before and costs no pass of its own; the ops then end in one.
    virtual bool adds_to_initial_sums() const { return false; }

    /// Adds the ops that follow `after` and write "statistics.gramians" [rows x dim x dim] and
    /// "statistics.rhs" [rows x dim]. Returns the indices of the ops to wait for.
    virtual std::vector<int> add_ops(model::OpGraph& graph, const StatisticsShape& shape,
                                     std::vector<int> after) const = 0;
};

const Registry<StatisticsStrategy>& statistics_strategies();

/// Numbers of a window: a partial Gramian and right-hand side.
std::int64_t window_numbers(const AlxConfig& config);

} // namespace alxsim::alx
