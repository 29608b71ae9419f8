// SPDX-License-Identifier: Apache-2.0
#include "alx/batches/batch_geometry.h"

#include "alx/batches/counted_batches.h"
#include "alx/batches/dense_batches.h"
#include "base/memo.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

namespace alxsim::alx {
namespace {

constexpr BatchGeometry released_default{};
/// A register of the vector unit has so many sublanes.
constexpr std::int64_t line_step = 8;
constexpr std::size_t most_sampled_rows = 100000;
constexpr std::size_t most_samples = 64; ///< that are remembered, of up to 0.8 MB
constexpr double hardly_fewer = 1.005;

/// Gathers the lengths of a side's rows.
class Lengths {
public:
    explicit Lengths(const AlxConfig& config)
        : packer_(released_default, config.semantics.admission),
          cuts_(config.long_rows == LongRows::truncate)
    {
        result_.admission = config.semantics.admission;
        result_.long_rows = config.long_rows;
    }

    /// Some row may be as long, whether it is among those that are added or not.
    void set_longest(std::int64_t length)
    {
        result_.most_lines = std::max(result_.most_lines, packer_.lines_needed(length));
    }

    void add(std::int64_t length)
    {
        const std::int64_t kept = cuts_ ? std::min(length, released_default.slots()) : length;
        const std::int64_t lines = packer_.lines_needed(kept);
        result_.most_lines = std::max(result_.most_lines, lines);
        result_.lines += static_cast<double>(lines);
        links_ += static_cast<double>(kept);
        rows_ += 1;
        if (result_.sample.size() < most_sampled_rows) {
            result_.sample.push_back(kept);
        }
    }

    /// Returns the lengths of `rows` rows, for which those that were added stand.
    SideLengths result(double rows)
    {
        if (cuts_) { // a row of all its slots fits, whatever it asks for
            result_.most_lines = std::min(result_.most_lines, released_default.lines);
        }
        if (rows_ > 0) {
            result_.mean = links_ / rows_;
            result_.lines *= rows / rows_;
        }
        return std::move(result_);
    }

private:
    BatchPacker packer_;
    bool cuts_;
    double links_ = 0;
    double rows_ = 0;
    SideLengths result_;
};

double batches_of(const SideLengths& side, const BatchGeometry& geometry)
{
    CountedBatches counted(geometry, side.admission, side.long_rows == LongRows::split);
    for (const std::int64_t length : side.sample) {
        counted.add(length);
    }
    return static_cast<double>(counted.batches());
}

/// In quarters of the rows that the slots hold at mean length.
std::int64_t rows_that_lines_run_out_before(const SideLengths& side, const BatchGeometry& geometry)
{
    BatchGeometry tried = geometry;
    tried.rows = std::numeric_limits<std::int64_t>::max();
    const double fewest = batches_of(side, tried);
    const double at_mean = static_cast<double>(geometry.slots()) / std::max(1.0, side.mean);
    for (double share = 1;; share += 0.25) {
        tried.rows = std::max<std::int64_t>(1, rounded_up(share * at_mean));
        if (tried.rows >= geometry.lines || batches_of(side, tried) <= hardly_fewer * fewest) {
            return std::min(tried.rows, geometry.lines);
        }
    }
}

/// All of a side that its lengths follow from.
using LengthsKey = std::tuple<SideShape::Key, Admission, LongRows, std::uint64_t>;

LengthsKey key_of(const SideShape& side, const AlxConfig& config, std::uint64_t seed)
{
    return {side.key(), config.semantics.admission, config.long_rows, seed};
}

} // namespace

std::shared_ptr<const SideLengths> side_lengths(const SideShape& side, const AlxConfig& config,
                                                std::uint64_t seed)
{
    static Memo<LengthsKey, std::shared_ptr<const SideLengths>> known(most_samples);
    return known.get_once(key_of(side, config, seed), [&] {
        Lengths lengths(config);
        // Held: another thread may make the memo of samples forget.
        const auto sampled = sampled_lengths(side, seed);
        for (const std::int64_t length : *sampled) {
            lengths.add(length);
        }
        lengths.set_longest(side.longest);
        return std::make_shared<const SideLengths>(lengths.result(static_cast<double>(side.rows)));
    });
}

SideLengths side_lengths(const SparseMatrix& matrix, const AlxConfig& config)
{
    const std::vector<std::int32_t> rows = example_rows(matrix);
    Lengths lengths(config);
    for (const std::int32_t row : rows) {
        lengths.add(matrix.length(row));
    }
    return lengths.result(static_cast<double>(rows.size()));
}

std::int64_t careful_lines(const SideLengths& side, int devices)
{
    const std::int64_t longest = side.long_rows == LongRows::split
                                     ? std::min(side.most_lines, released_default.lines)
                                     : side.most_lines;
    // A row that does not fit the rest of a batch leaves fewer lines empty than it asks for.
    const std::int64_t for_all_data = rounded_up(side.lines / devices) + longest - 1;
    return std::max(side.least_lines(), std::min(released_default.lines, for_all_data));
}

BatchGeometry geometry_of(const SideLengths& side, std::int64_t lines)
{
    BatchGeometry geometry{round_up(lines, line_step), released_default.line_length, 1};
    geometry.rows = rows_that_lines_run_out_before(side, geometry);
    return geometry;
}

BatchGeometry geometry_of(const SideShape& side, const AlxConfig& config, std::uint64_t seed,
                          std::int64_t lines)
{
    static Memo<std::pair<LengthsKey, std::int64_t>, BatchGeometry> known;
    return known.get({key_of(side, config, seed), lines},
                     [&] { return geometry_of(*side_lengths(side, config, seed), lines); });
}

std::vector<std::int64_t> lines_to_choose_from(const SideLengths& side)
{
    const std::int64_t enough =
        std::max(released_default.lines,
                 std::min(side.most_lines, std::max<std::int64_t>(1, rounded_up(side.lines))));
    std::vector<std::int64_t> lines{64};
    while (lines.back() < enough) {
        lines.push_back(lines.back() * 4);
    }
    return lines;
}

} // namespace alxsim::alx
