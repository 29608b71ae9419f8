// SPDX-License-Identifier: Apache-2.0
#include "alx/workload/dataset_statistics.h"

#include "alx/data/matrix_statistics.h"

#include <algorithm>
#include <cmath>

namespace alxsim::alx {
namespace {

double rounded(double value)
{
    return std::round(value * 1e4) / 1e4;
}

/// Of the rows or columns with links.
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

std::int64_t self_links(const SparseMatrix& matrix)
{
    std::int64_t count = 0;
    std::vector<std::int32_t> ids;
    for (std::int32_t row = 0; row < matrix.rows; ++row) {
        matrix.read(row, ids);
        count += std::binary_search(ids.begin(), ids.end(), row) ? 1 : 0;
    }
    return count;
}

/// Where too few lengths are there for an estimate, that of a web; never at or below 1, where a
/// study's fields end.
double usable_exponent(const PowerLawTail& tail, double of_a_web)
{
    return tail.samples == 0 ? of_a_web : std::max(rounded(tail.exponent), 1.1);
}

} // namespace

GenerateConfig config_like(const SparseMatrix& matrix)
{
    const std::vector<std::int64_t> lengths = row_lengths(matrix);
    GenerateConfig config;
    config.rows = matrix.rows;
    config.columns = matrix.columns;
    config.links = matrix.links();
    config.min_links = lengths.empty() ? 0 : *std::min_element(lengths.begin(), lengths.end());
    config.row_exponent = usable_exponent(fit_tail(lengths), config.row_exponent);
    config.column_exponent =
        usable_exponent(fit_tail(column_lengths(matrix)), config.column_exponent);
    config.locality = rounded(locality(matrix));
    return config;
}

Json matrix_statistics(const SparseMatrix& matrix)
{
    const GenerateConfig like = config_like(matrix);
    return {{"rows", matrix.rows},
            {"columns", matrix.columns},
            {"links", matrix.links()},
            {"self_links", self_links(matrix)},
            {"locality", like.locality},
            {"row_lengths", side_statistics(row_lengths(matrix))},
            {"column_lengths", side_statistics(column_lengths(matrix))},
            {"generate",
             {{"rows", like.rows},
              {"columns", like.columns},
              {"links", like.links},
              {"min_links", like.min_links},
              {"row_exponent", like.row_exponent},
              {"column_exponent", like.column_exponent},
              {"locality", like.locality}}}};
}

} // namespace alxsim::alx
