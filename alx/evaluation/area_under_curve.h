// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/config.h"
#include "alx/data/split.h"
#include "alx/solvers/normal_equations.h"
#include "alx/tables/factor_table.h"
#include "base/host_pool.h"

#include <cstdint>
#include <vector>

namespace alxsim::alx {

/// The area under one test row's ROC curve: how many of the pairs of a relevant column and another
/// one are in the right order, ties half (Mann and Whitney's U over the number of pairs).
class AreaUnderCurve {
public:
    /// Scores of the relevant columns. One that is no number is less than all others, and a tie
    /// with nothing: what training that broke down ranks is in no order.
    explicit AreaUnderCurve(std::vector<float> relevant);

    /// Counts the pairs of another column with each relevant one.
    void add(float score);
    /// 0 where there are no pairs.
    double area() const;

private:
    std::vector<float> relevant_; ///< numbers alone, ascending
    std::int64_t relevant_count_; ///< what is no number included
    std::int64_t others_ = 0;
    std::int64_t half_pairs_ = 0; ///< 2 for one in the right order, 1 for a tie
};

/// [test rows], each folded in from its history as recommend() does: of the scores that are ranked
/// there, over all columns of the data but those of its history. `equations` must be fixed to the
/// columns' Gramian.
std::vector<double> areas_under_curve(const AlxConfig& config, const Dataset& data,
                                      const NormalEquations& equations, const FactorTable& columns,
                                      HostPool& pool);

/// The same where each column scores, for every row, its links in training.
std::vector<double> popularity_areas(const Dataset& data, const SparseMatrix& training_by_column);

} // namespace alxsim::alx
