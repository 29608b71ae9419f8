// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/batches/step_traffic.h"
#include "alx/config.h"
#include "base/units.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

namespace alxsim::alx {

/// A training matrix known by its sizes alone, for timing without numbers.
struct WorkloadShape {
    std::string name;
    std::int64_t rows = 0;       ///< that are trained on
    std::int64_t test_rows = 0;  ///< that evaluation solves for
    std::int64_t table_rows = 0; ///< of the row table, test rows among them where ids count them
    std::int64_t columns = 0;
    std::int64_t links = 0;
    std::int64_t min_links = 1; ///< of a row and of a column
    /// Exponents of the tails of the lengths; 0: that of a plain power law with the mean that links
    /// give.
    double row_exponent = 0;
    double column_exponent = 0;
    /// No row or column is taken to be longer (nor than the table is wide): assumed, unless given.
    std::int64_t longest_row = 1'000'000;
    std::int64_t longest_column = 1'000'000;
    bool longest_row_given = false;
    bool longest_column_given = false;
    bool published = false; ///< others ran it, with batches that they do not tell
    /// Share of a batch's lines that its rows take. 0: as many as rows fill one after another.
    double lines_used = 0;

    double mean_row_length() const
    {
        return static_cast<double>(links) / static_cast<double>(rows);
    }
};

/// A variant of WebGraph: sparse, dense, de-sparse, de-dense, in-sparse, in-dense.
/// Throws InputError for another name.
WorkloadShape webgraph_shape(const std::string& name);
std::vector<std::string> webgraph_names();

/// One side of a shape, batched.
struct SideBatches {
    BatchGeometry geometry;
    std::int64_t batches = 0;                  ///< of the whole side
    double density = 0;                        ///< share of the slots that hold a link
    double links_lost = 0;                     ///< share of all links, of rows longer than a batch
    double exponent = 0;                       ///< of the assumed power law of lengths
    std::int64_t longest = 0;                  ///< its cut-off
    std::int64_t longest_chain = 1;            ///< batches that the longest row stands in
    bool splits_rows = false;                  ///< some row stands in several batches
    TrafficMeans traffic;                      ///< of a batch, where a strategy needs it
    std::int64_t shard_rows = 0;               ///< of the side's table
    std::int64_t solved_rows = 0;              ///< of it, in a half, each once
    std::vector<std::int64_t> links_of_device; ///< of real batches, over an epoch

    /// Batch steps of a half. A row that is split goes on in one device's batches, so that no half
    /// has fewer than its longest row has batches.
    std::int64_t steps(int devices) const
    {
        return std::max(ceil_divide(batches, devices), longest_chain);
    }
    /// Share of the slots of all steps that hold no link: ends of lines, lines that no row has, and
    /// batches that only fill up the devices.
    double padding_share(int devices) const;
    /// Links that batches hold.
    double kept_links = 0;
};

/// One side of a shape, before it is batched.
struct SideShape {
    std::int64_t rows = 0;
    std::int64_t links = 0;
    std::int64_t min_links = 1;
    std::int64_t longest = 1; ///< cut-off of the lengths
    std::int64_t widest = 1;  ///< rows of the other side: no row can be longer
    double exponent = 0;      ///< as in WorkloadShape
    double lines_used = 0;    ///< as in WorkloadShape

    using Key = std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t, double, double>;
    Key key() const { return {rows, links, min_links, longest, exponent, lines_used}; }
};

SideShape row_side(const WorkloadShape& shape);
SideShape column_side(const WorkloadShape& shape);

/// Batches a sample of the side's rows and scales the count up to all of them. Lengths follow
/// DegreeDistribution; a row that is longer than a batch is cut to what it holds, or split.
/// Remembered: it takes tens of milliseconds. Throws InputError for lengths that no distribution
/// has.
SideBatches batch_side(const SideShape& side, const BatchGeometry& geometry, Admission admission,
                       std::uint64_t seed, LongRows long_rows = LongRows::truncate);

/// So many rows that a batch's lines run out before them where side.lines_used says that all are
/// used, and as many as take that share of the lines where it says less.
std::int64_t rows_for_lines(const SideShape& side, std::int64_t lines, std::int64_t line_length,
                            Admission admission);

/// How many rows of a side `links` links hit, drawn independently of each other by the rows'
/// lengths: sum over the rows of 1 - exp(-links length / all links). Remembered, too.
double expected_distinct(const SideShape& side, double links);

/// Returns the mean over the sample that stands for a side's rows.
double mean_square_length(const SideShape& side);

/// Rows of a side with so many links or more.
struct LongTail {
    double rows_share = 0;  ///< of all rows
    double links_share = 0; ///< of all links
};
LongTail long_tail(const SideShape& side, std::int64_t min_length);

/// The sample of lengths that stands for a side's rows, in the order in which they are batched.
std::shared_ptr<const std::vector<std::int64_t>> sampled_lengths(const SideShape& side,
                                                                 std::uint64_t seed);

} // namespace alxsim::alx
