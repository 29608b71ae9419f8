// SPDX-License-Identifier: Apache-2.0
#include "alx/workload/dataset_statistics.h"

#include <algorithm>
#include <cmath>

namespace alxsim::alx {
namespace {

double rounded(double value)
{
    return std::round(value * 1e4) / 1e4;
}

/// Tells the rows or columns with links.
Json side_statistics(std::vector<std::int64_t> lengths)
{
    const PowerLawTail tail = fit_tail(lengths);
    lengths.erase(std::remove(lengths.begin(), lengths.end(), 0), lengths.end());
    std::sort(lengths.begin(), lengths.end());
    double links = 0;
    for (const std::int64_t length : lengths) {
        links += static_cast<double>(length);
    }
    const auto percentile = [&](double share) {
        return lengths.empty() ? 0
                               : lengths[static_cast<std::size_t>(
                                     share * static_cast<double>(lengths.size() - 1))];
    };
    return {{"linked", lengths.size()},
            {"mean_length", lengths.empty() ? 0.0 : links / static_cast<double>(lengths.size())},
            {"median_length", percentile(0.5)},
            {"length_at_90_percent", percentile(0.9)},
            {"length_at_99_percent", percentile(0.99)},
            {"longest", lengths.empty() ? 0 : lengths.back()},
            {"tail",
             {{"exponent", rounded(tail.exponent)},
              {"begin", tail.begin},
              {"samples", tail.samples},
              {"distance", rounded(tail.distance)}}}};
}

/// Where too few lengths are there for an estimate, that of a web; never at or below 1, where a
/// study's fields end.
double usable_exponent(const PowerLawTail& tail, double of_a_web)
{
    return tail.samples == 0 ? of_a_web : std::max(rounded(tail.exponent), 1.1);
}

} // namespace

MatrixSummary::MatrixSummary(const MatrixSize& size)
    : size_(size),
      near_(static_cast<std::int32_t>(size.rows), static_cast<std::int32_t>(size.columns)),
      column_lengths_(static_cast<std::size_t>(size.columns))
{
}

void MatrixSummary::add(const std::vector<std::int32_t>& ids)
{
    const auto row = static_cast<std::int32_t>(row_lengths_.size());
    row_lengths_.push_back(static_cast<std::int64_t>(ids.size()));
    for (const std::int32_t column : ids) {
        ++column_lengths_[static_cast<std::size_t>(column)];
    }
    const auto begin = std::lower_bound(ids.begin(), ids.end(), near_.begin(row));
    near_links_ += std::lower_bound(begin, ids.end(), near_.end(row)) - begin;
    self_links_ += std::binary_search(ids.begin(), ids.end(), row) ? 1 : 0;
}

double MatrixSummary::locality() const
{
    return size_.links == 0
               ? 0
               : rounded(static_cast<double>(near_links_) / static_cast<double>(size_.links));
}

GenerateConfig MatrixSummary::config_like() const
{
    GenerateConfig config;
    config.rows = size_.rows;
    config.columns = size_.columns;
    config.links = size_.links;
    config.min_links =
        row_lengths_.empty() ? 0 : *std::min_element(row_lengths_.begin(), row_lengths_.end());
    config.row_exponent = usable_exponent(fit_tail(row_lengths_), config.row_exponent);
    config.column_exponent = usable_exponent(fit_tail(column_lengths_), config.column_exponent);
    config.locality = locality();
    config.locality = size_.links == 0 ? 0 : reachable_locality(config);
    return config;
}

Json MatrixSummary::statistics() const
{
    const GenerateConfig like = config_like();
    const auto without_links = [](const std::vector<std::int64_t>& lengths) {
        return std::count(lengths.begin(), lengths.end(), 0);
    };
    return {{"rows", size_.rows},
            {"columns", size_.columns},
            {"links", size_.links},
            {"rows_without_links", without_links(row_lengths_)},
            {"columns_without_links", without_links(column_lengths_)},
            {"self_links", self_links_},
            {"locality", locality()},
            {"row_lengths", side_statistics(row_lengths_)},
            {"column_lengths", side_statistics(column_lengths_)},
            {"generate",
             {{"rows", like.rows},
              {"columns", like.columns},
              {"links", like.links},
              {"min_links", like.min_links},
              {"row_exponent", like.row_exponent},
              {"column_exponent", like.column_exponent},
              {"locality", like.locality}}}};
}

Json matrix_statistics(const SparseMatrix& matrix)
{
    MatrixSummary summary(size_of(matrix));
    for_each_row(matrix, [&summary](const std::vector<std::int32_t>& ids) { summary.add(ids); });
    return summary.statistics();
}

} // namespace alxsim::alx
