// SPDX-License-Identifier: Apache-2.0
#include "spmd/linear/matrix_sketch.h"

#include "spmd/linear/product.h"
#include "spmd/linear/random.h"
#include "spmd/sums_in_order.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace alxsim::spmd {
namespace {

constexpr std::int64_t draws = 6;
/// Few of rows, of which each takes a pass over the matrix; of columns nobody feels how many.
constexpr std::int64_t kept_rows = 4;
constexpr std::int64_t kept_columns = 16;
constexpr double scale = 1.0 / 8; // 1 / sqrt(kept_rows kept_columns)
constexpr std::int64_t block_rows = 256;
/// As in the reference's fixed draw; two streams a draw.
constexpr std::uint64_t first_stream = 67872;

std::uint64_t stream_of(std::int64_t draw)
{
    return first_stream + 2 * static_cast<std::uint64_t>(draw);
}

/// R_1 of all draws times the rows of a block, added up, and their squares.
class Blocks {
public:
    Blocks(std::int64_t rows, std::int64_t columns, const ReadRows& read)
        : rows_(rows),
          columns_(columns),
          read_(read)
    {
    }

    /// Counts the numbers of what a block adds to: [draws x kept_rows x columns], then the sums of
    /// squares of columns.
    std::size_t length() const
    {
        return static_cast<std::size_t>((draws * kept_rows + 1) * columns_);
    }
    void add(std::int64_t block, double* sums) const
    {
        const std::int64_t first = block * block_rows;
        const std::int64_t count = std::min(block_rows, rows_ - first);
        std::vector<double> values(static_cast<std::size_t>(count * columns_));
        read_(first, count, values.data());
        const std::vector<double> signs = signs_of_rows(first, count);
        add_product(
            Factors<double>{{signs.data(), count}, {values.data(), columns_}, {sums, columns_}},
            {draws * kept_rows, count, columns_});
        double* const squares = sums + draws * kept_rows * columns_;
        for (std::int64_t row = 0; row < count; ++row) { // each column by itself, for vectors
            const double* const numbers = values.data() + row * columns_;
            for (std::int64_t column = 0; column < columns_; ++column) {
                squares[column] += numbers[column] * numbers[column];
            }
        }
    }

private:
    /// R_1 of all draws: [draws x kept_rows x count].
    std::vector<double> signs_of_rows(std::int64_t first, std::int64_t count) const
    {
        std::vector<double> signs(static_cast<std::size_t>(draws * kept_rows * count));
        auto sign = signs.begin();
        for (std::int64_t draw = 0; draw < draws; ++draw) {
            for (std::int64_t i = 0; i < kept_rows; ++i) {
                for (std::int64_t row = first; row < first + count; ++row) {
                    *sign++ = random_sign(stream_of(draw), i * rows_ + row);
                }
            }
        }
        return signs;
    }

    std::int64_t rows_;
    std::int64_t columns_;
    const ReadRows& read_;
};

/// rows [kept_rows x columns] R_2^T / sqrt(kept): [kept_rows x kept_columns].
workloads::SketchDraw draw_of(std::int64_t draw, const double* rows, std::int64_t columns)
{
    std::vector<double> signs;
    for (std::int64_t i = 0; i < kept_columns * columns; ++i) {
        signs.push_back(scale * random_sign(stream_of(draw) + 1, i));
    }
    workloads::SketchDraw result{stream_of(draw), std::vector<double>(kept_rows * kept_columns)};
    add_product(Factors<double>{{rows, columns},
                                {signs.data(), columns, true},
                                {result.numbers.data(), kept_columns}},
                {kept_rows, columns, kept_columns});
    return result;
}

} // namespace

workloads::MatrixSketch sketch_of(const std::string& name, std::int64_t rows, std::int64_t columns,
                                  const ReadRows& read, HostPool& pool)
{
    if (rows > most_sketched_rows) {
        throw std::logic_error("a sketch of " + std::to_string(rows) + " rows");
    }
    workloads::MatrixSketch sketch{name, rows, columns, {kept_rows, kept_columns}, {}, {}};
    const Blocks blocks(rows, columns, read);
    std::vector<double> sums(blocks.length());
    sum_in_order<double>(
        pool, (rows + block_rows - 1) / block_rows, sums.size(),
        [&](std::int64_t block, double* numbers) { blocks.add(block, numbers); },
        [&](std::int64_t, const double* numbers, std::size_t begin, std::size_t end) {
            std::transform(numbers + begin, numbers + end, sums.data() + begin, sums.data() + begin,
                           std::plus<double>());
        });
    const double squares = std::accumulate(sums.end() - columns, sums.end(), 0.0);
    if (!std::isfinite(squares)) {
        return sketch;
    }
    sketch.norm = std::sqrt(squares);
    for (std::int64_t draw = 0; draw < draws; ++draw) {
        sketch.draws.push_back(draw_of(draw, sums.data() + draw * kept_rows * columns, columns));
    }
    return sketch;
}

} // namespace alxsim::spmd
