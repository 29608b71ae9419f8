// SPDX-License-Identifier: Apache-2.0
#include "alx/batches/workload_shape.h"

#include "alx/batches/counted_batches.h"
#include "alx/batches/degree_distribution.h"
#include "alx/batches/dense_batches.h"
#include "alx/batches/length_sample.h"
#include "base/input_error.h"
#include "base/memo.h"
#include "base/portable_math.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

namespace alxsim::alx {
namespace {

/// TensorFlow Datasets, catalog page of web_graph (docs/catalog/web_graph.md): minimum of in- and
/// outlinks, edges (rounded there), examples of the splits train, test and train_t.
struct WebGraphVariant {
    const char* name;
    std::int64_t min_links;
    double edges;
    std::int64_t train;
    std::int64_t test;
    std::int64_t train_t;
};

constexpr WebGraphVariant webgraph_variants[] = {
    {"sparse", 10, 30e9, 372049054, 39871321, 410867007},
    {"dense", 50, 22e9, 122815749, 13256496, 136019364},
    {"de-sparse", 10, 1.19e9, 17688633, 1903443, 19566045},
    {"de-dense", 50, 0.82e9, 5118902, 553270, 5672473},
    {"in-sparse", 10, 0.14e9, 1309063, 140313, 1445042},
    {"in-dense", 50, 0.12e9, 443786, 47894, 491634},
};

std::shared_ptr<const LengthSample> sample_of(const SideShape& side)
{
    static Memo<SideShape::Key, std::shared_ptr<const LengthSample>> known(64);
    SideShape lengths = side;
    lengths.lines_used = 0; // does not change them
    return known.get_once(lengths.key(), [&] {
        const double mean = static_cast<double>(side.links) / static_cast<double>(side.rows);
        return std::make_shared<const LengthSample>(
            side.exponent > 0
                ? DegreeDistribution(side.min_links, side.longest, mean, side.exponent)
                : DegreeDistribution(side.min_links, side.longest, mean),
            side.rows);
    });
}

/// What follows from the geometry alone.
SideBatches unbatched(const SideShape& side, const BatchGeometry& geometry, double exponent,
                      LongRows long_rows)
{
    SideBatches result;
    result.geometry = geometry;
    result.longest = side.longest;
    result.exponent = exponent;
    result.splits_rows = long_rows == LongRows::split && side.longest > geometry.slots();
    if (result.splits_rows) {
        result.longest_chain = ceil_divide(side.longest, geometry.slots());
    }
    return result;
}

/// Where so many of the lines are used, whichever rows take them.
SideBatches batch_by_lines(const SideShape& side, const BatchGeometry& geometry,
                           Admission admission, LongRows long_rows)
{
    const std::shared_ptr<const LengthSample> sample = sample_of(side);
    SideBatches result = unbatched(side, geometry, sample->exponent(), long_rows);
    const std::int64_t capacity =
        result.splits_rows ? std::numeric_limits<std::int64_t>::max() : geometry.slots();
    const KeptLengths kept = sample->kept(capacity, geometry.line_length, admission);
    result.batches = rounded_up(static_cast<double>(side.rows) * kept.lines_of_row /
                                (static_cast<double>(geometry.lines) * side.lines_used));
    result.links_lost = 1 - kept.links_share;
    result.kept_links = kept.links_share * static_cast<double>(side.links);
    result.density = result.kept_links / static_cast<double>(result.batches) /
                     static_cast<double>(geometry.slots());
    return result;
}

SideBatches batch_sample(const SideShape& side, const BatchGeometry& geometry, Admission admission,
                         std::uint64_t seed, LongRows long_rows)
{
    const std::shared_ptr<const LengthSample> sample = sample_of(side);
    SideBatches result = unbatched(side, geometry, sample->exponent(), long_rows);
    CountedBatches counted(geometry, admission, result.splits_rows);
    const auto lengths = sample->lengths(seed);
    std::int64_t sampled_links = 0;
    for (const std::int64_t length : *lengths) {
        sampled_links += length;
        counted.add(length);
    }
    const auto kept = static_cast<double>(counted.links());
    result.links_lost = 1 - kept / static_cast<double>(sampled_links);
    const double per_row =
        static_cast<double>(counted.batches()) / static_cast<double>(sample->rows());
    result.batches = rounded_up(per_row * static_cast<double>(side.rows));
    result.kept_links = static_cast<double>(side.links) * (1 - result.links_lost);
    result.density = kept / static_cast<double>(counted.batches() * geometry.slots());
    return result;
}

} // namespace

double SideBatches::padding_share(int devices) const
{
    const auto slots = static_cast<double>(steps(devices) * devices * geometry.slots());
    return slots == 0 ? 0.0 : 1 - kept_links / slots;
}

std::vector<std::string> webgraph_names()
{
    std::vector<std::string> names;
    for (const WebGraphVariant& variant : webgraph_variants) {
        names.emplace_back(variant.name);
    }
    return names;
}

WorkloadShape webgraph_shape(const std::string& name)
{
    for (const WebGraphVariant& variant : webgraph_variants) {
        if (name == variant.name) {
            const auto train = static_cast<double>(variant.train);
            const double links =
                variant.edges * train / (train + static_cast<double>(variant.test));
            WorkloadShape shape;
            shape.name = "webgraph " + name;
            shape.rows = variant.train;
            // As the step was compiled for what memory is held against (tests/oracle/xla): test
            // rows are solved for when they are evaluated, and not kept.
            shape.test_rows = variant.test;
            shape.table_rows = variant.train;
            shape.columns = variant.train_t;
            shape.links = std::llround(links);
            shape.min_links = variant.min_links;
            shape.published = true;
            return shape;
        }
    }
    throw InputError("", "/workload/dataset/webgraph",
                     "found '" + name + "', allowed are " + join(webgraph_names()) +
                         did_you_mean(name, webgraph_names()));
}

SideShape row_side(const WorkloadShape& shape)
{
    return {shape.rows,      shape.links,
            shape.min_links, std::min(shape.columns, shape.longest_row),
            shape.columns,   shape.row_exponent,
            shape.lines_used};
}

SideShape column_side(const WorkloadShape& shape)
{
    return {shape.columns,   shape.links,
            shape.min_links, std::min(shape.rows, shape.longest_column),
            shape.rows,      shape.column_exponent,
            shape.lines_used};
}

SideBatches batch_side(const SideShape& side, const BatchGeometry& geometry, Admission admission,
                       std::uint64_t seed, LongRows long_rows)
{
    if (side.lines_used > 0) {
        return batch_by_lines(side, geometry, admission, long_rows);
    }
    using Key = std::tuple<SideShape::Key, std::int64_t, std::int64_t, std::int64_t, Admission,
                           std::uint64_t, LongRows>;
    static Memo<Key, SideBatches> known;
    const Key key{side.key(), geometry.lines, geometry.line_length, geometry.rows, admission,
                  seed,       long_rows};
    return known.get_once(key,
                          [&] { return batch_sample(side, geometry, admission, seed, long_rows); });
}

std::int64_t rows_for_lines(const SideShape& side, std::int64_t lines, std::int64_t line_length,
                            Admission admission)
{
    const KeptLengths kept = sample_of(side)->kept(lines * line_length, line_length, admission);
    // Lengths differ: that nine lines of ten are used takes rows to spare, up to half as many.
    const double spare = 1 + std::max(0.0, 5 * (side.lines_used - 0.9));
    const double rows = spare * side.lines_used * static_cast<double>(lines) / kept.lines_of_row;
    return std::max<std::int64_t>(1, rounded_up(rows));
}

double expected_distinct(const SideShape& side, double links)
{
    using Key = std::pair<SideShape::Key, double>;
    static Memo<Key, double> known;
    return known.get({side.key(), links}, [&] {
        const std::shared_ptr<const LengthSample> sample = sample_of(side);
        std::vector<double> missed; // exp(...) - 1
        missed.reserve(sample->rows_of_length().size());
        for (const auto& [length, rows] : sample->rows_of_length()) {
            missed.push_back(-links * static_cast<double>(length) /
                             static_cast<double>(side.links));
        }
        portable::expm1(missed.data(), missed.data(), missed.size());
        double sum = 0;
        for (std::size_t i = 0; i < missed.size(); ++i) {
            sum -= static_cast<double>(sample->rows_of_length()[i].second) * missed[i];
        }
        return sum * static_cast<double>(side.rows) / static_cast<double>(sample->rows());
    });
}

double mean_square_length(const SideShape& side)
{
    const std::shared_ptr<const LengthSample> sample = sample_of(side);
    double squares = 0;
    for (const auto& [length, rows] : sample->rows_of_length()) {
        const auto number = static_cast<double>(length);
        squares += static_cast<double>(rows) * number * number;
    }
    return squares / static_cast<double>(sample->rows());
}

LongTail long_tail(const SideShape& side, std::int64_t min_length)
{
    const std::shared_ptr<const LengthSample> sample = sample_of(side);
    double rows = 0;
    double links = 0;
    double all = 0;
    for (const auto& [length, number] : sample->rows_of_length()) {
        const auto weight = static_cast<double>(number);
        all += weight * static_cast<double>(length);
        if (length >= min_length) {
            rows += weight;
            links += weight * static_cast<double>(length);
        }
    }
    return {rows / static_cast<double>(sample->rows()), links / all};
}

std::shared_ptr<const std::vector<std::int64_t>> sampled_lengths(const SideShape& side,
                                                                 std::uint64_t seed)
{
    return sample_of(side)->lengths(seed);
}

} // namespace alxsim::alx
