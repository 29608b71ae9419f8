// SPDX-License-Identifier: Apache-2.0
#include "alx/evaluation/objective_elsewhere.h"

#include "base/input_error.h"
#include "base/text/printed.h"

#include <cmath>

namespace alxsim::alx {
namespace {

/// Returns the alpha with which a link weighs so much.
double alpha_of(Convention convention, double link_weight, double value)
{
    switch (convention) {
    case Convention::alxsim:
        return 1 / (link_weight - 1);
    case Convention::implicit:
        return link_weight / value;
    default:
        return (link_weight - 1) / value;
    }
}

double mean(std::int64_t links, std::int64_t count)
{
    return count > 0 ? static_cast<double>(links) / static_cast<double>(count) : 0;
}

/// Takes a mean row and a mean column: only their product matters, as one table may be made larger
/// and the other smaller without any score changing.
double mean_ridge(Convention convention, const ObjectiveValues& values, const LinkCounts& counts)
{
    return std::sqrt(ridge(convention, values, counts.mean_row(), counts.columns) *
                     ridge(convention, values, counts.mean_column(), counts.rows));
}

} // namespace

const std::vector<ConventionName>& convention_names()
{
    static const std::vector<ConventionName> names{
        {"implicit", Convention::implicit}, {"spark", Convention::spark},
        {"paper", Convention::paper},       {"alx", Convention::alxsim},
        {"ials", Convention::alxsim},       {"alxsim", Convention::alxsim}};
    return names;
}

double LinkCounts::mean_row() const
{
    return mean(links, linked_rows);
}

double LinkCounts::mean_column() const
{
    return mean(links, linked_columns);
}

double link_weight(Convention convention, double alpha, double value)
{
    switch (convention) {
    case Convention::alxsim:
        return (1 + alpha) / alpha;
    case Convention::implicit:
        return alpha * value;
    default:
        return 1 + alpha * value;
    }
}

double ridge(Convention convention, const ObjectiveValues& values, double links,
             std::int64_t others)
{
    switch (convention) {
    case Convention::alxsim:
        return (1 + values.alpha) / values.alpha * values.regularization *
               (links + values.alpha * static_cast<double>(others));
    case Convention::spark:
        return values.regularization * links;
    default:
        return values.regularization;
    }
}

ObjectiveValues translated(const ObjectiveValues& values, Convention from, Convention to,
                           const LinkCounts& counts, double value)
{
    const double weight = link_weight(from, values.alpha, value);
    if (weight <= 1) {
        throw InputError("alpha", "",
                         "found " + printed("%g", values.alpha) + ", with which a link weighs " +
                             printed("%g", weight) +
                             " and any other pair 1; allowed: such that a link weighs more");
    }
    ObjectiveValues others{alpha_of(to, weight, value), 1};
    others.regularization = mean_ridge(from, values, counts) / mean_ridge(to, others, counts);
    return others;
}

} // namespace alxsim::alx
