// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace alxsim::alx {

/// Who writes the objective of implicit feedback (docs/objective.md, "Values from elsewhere"), with
/// a value x beside each link, the same for all. A pair without a link weighs 1 in all but the
/// first.
enum class Convention {
    alxsim, ///< ALX and iALS, too: a link weighs 1 + alpha, any other pair alpha; reg (n + alpha C)
    implicit, ///< benfred/implicit: a link weighs alpha x; ridge regularization
    spark,    ///< Spark's ALS with implicitPrefs: 1 + alpha x; regParam n
    paper     ///< Hu, Koren, Volinsky 2008: 1 + alpha x; lambda
};

/// As commands spell it. Names of who writes it alike, "alx" and "ials", mean `alxsim`.
struct ConventionName {
    std::string name;
    Convention convention;
};
const std::vector<ConventionName>& convention_names();

/// What of the links that are trained on the regularizers count.
struct LinkCounts {
    std::int64_t rows = 0; ///< R of docs/objective.md
    std::int64_t columns = 0;
    std::int64_t links = 0;
    std::int64_t linked_rows = 0; ///< with links
    std::int64_t linked_columns = 0;

    double mean_row() const;    ///< links of a row that has some
    double mean_column() const; ///< likewise
};

struct ObjectiveValues {
    double alpha = 0;
    double regularization = 0;
};

/// Returns what a link weighs in units of any other pair.
double link_weight(Convention convention, double alpha, double value);

/// Returns the ridge of a row with so many links (or of a column, `others` being the rows), in
/// units of what a pair without a link weighs.
double ridge(Convention convention, const ObjectiveValues& values, double links,
             std::int64_t others);

/// Finds the values with which `to` has the minimizer that `from` has with `values`, up to one
/// factor for each table, where all rows have as many links, and all columns. Elsewhere links weigh
/// the same, and so does the product of the ridges of a mean row and a mean column. `value`: what
/// stands beside a link. Throws InputError where a link would weigh no more than any other pair.
ObjectiveValues translated(const ObjectiveValues& values, Convention from, Convention to,
                           const LinkCounts& counts, double value);

} // namespace alxsim::alx
