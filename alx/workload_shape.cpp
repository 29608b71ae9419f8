// SPDX-License-Identifier: Apache-2.0
#include "alx/workload_shape.h"

#include "alx/degree_distribution.h"
#include "alx/dense_batches.h"
#include "alx/statistics_ops.h"
#include "base/input_error.h"
#include "base/memo.h"
#include "base/portable_math.h"

#include <algorithm>
#include <cmath>
#include <map>
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

/// Rows that are really batched; the count's error is far below that of the assumed lengths.
constexpr std::int64_t sample_rows = 100000;

DegreeDistribution lengths_of(const SideShape& side)
{
    const double mean = static_cast<double>(side.links) / static_cast<double>(side.rows);
    return side.exponent > 0 ? DegreeDistribution(side.min_links, side.longest, mean, side.exponent)
                             : DegreeDistribution(side.min_links, side.longest, mean);
}

/// Lengths of a sample of rows, and the exponent that they have.
struct LengthSample {
    double exponent = 0;
    std::vector<std::int64_t> lengths;
    std::map<std::int64_t, std::int64_t> rows_of_length; ///< the same, counted
};

LengthSample draw_sample(const SideShape& side, std::uint64_t seed)
{
    const DegreeDistribution lengths = lengths_of(side);
    LengthSample sample{
        lengths.exponent(), lengths.sample(std::min(side.rows, sample_rows), seed), {}};
    for (const std::int64_t length : sample.lengths) {
        ++sample.rows_of_length[length];
    }
    return sample;
}

std::shared_ptr<const LengthSample> sample_of(const SideShape& side, std::uint64_t seed)
{
    using Key = std::pair<SideShape::Key, std::uint64_t>;
    static Memo<Key, std::shared_ptr<const LengthSample>> known;
    return known.get({side.key(), seed},
                     [&] { return std::make_shared<const LengthSample>(draw_sample(side, seed)); });
}

SideBatches batch_sample(const SideShape& side, const BatchGeometry& geometry, Admission admission,
                         std::uint64_t seed)
{
    const std::shared_ptr<const LengthSample> sample = sample_of(side, seed);
    SideBatches result;
    result.geometry = geometry;
    result.longest = side.longest;
    result.exponent = sample->exponent;
    const std::int64_t capacity = geometry.lines * geometry.line_length;
    BatchPacker packer(geometry, admission);
    std::int64_t batches = 1;
    std::int64_t sampled_links = 0;
    for (const std::int64_t length : sample->lengths) {
        sampled_links += length;
        for (std::int64_t left = length; left > 0; left -= capacity) {
            batches += static_cast<std::int64_t>(packer.add(std::min(left, capacity)));
        }
    }
    const double per_row =
        static_cast<double>(batches) / static_cast<double>(sample->lengths.size());
    result.batches = rounded_up(per_row * static_cast<double>(side.rows));
    result.density = static_cast<double>(sampled_links) / static_cast<double>(batches * capacity);
    return result;
}

} // namespace

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
            // Ids are those of all nodes, and the released code sizes its tables by them.
            shape.table_rows = variant.train + variant.test;
            shape.columns = variant.train_t;
            shape.links = std::llround(links);
            shape.min_links = variant.min_links;
            return shape;
        }
    }
    throw InputError("", "/workload/dataset/webgraph",
                     "found '" + name + "', allowed are " + join(webgraph_names()) +
                         did_you_mean(name, webgraph_names()));
}

SideShape row_side(const WorkloadShape& shape)
{
    return {shape.rows, shape.links, shape.min_links, std::min(shape.columns, shape.longest),
            shape.row_exponent};
}

SideShape column_side(const WorkloadShape& shape)
{
    return {shape.columns, shape.links, shape.min_links, std::min(shape.rows, shape.longest),
            shape.column_exponent};
}

SideBatches batch_side(const SideShape& side, const BatchGeometry& geometry, Admission admission,
                       std::uint64_t seed)
{
    using Key = std::tuple<SideShape::Key, std::int64_t, std::int64_t, std::int64_t, Admission,
                           std::uint64_t>;
    static Memo<Key, SideBatches> known;
    const Key key{side.key(), geometry.lines, geometry.line_length, geometry.rows, admission, seed};
    return known.get(key, [&] { return batch_sample(side, geometry, admission, seed); });
}

double expected_distinct(const SideShape& side, double links, std::uint64_t seed)
{
    using Key = std::tuple<SideShape::Key, double, std::uint64_t>;
    static Memo<Key, double> known;
    return known.get({side.key(), links, seed}, [&] {
        const std::shared_ptr<const LengthSample> sample = sample_of(side, seed);
        double sum = 0;
        for (const auto& [length, rows] : sample->rows_of_length) {
            sum -=
                static_cast<double>(rows) * portable::expm1(-links * static_cast<double>(length) /
                                                            static_cast<double>(side.links));
        }
        return sum * static_cast<double>(side.rows) / static_cast<double>(sample->lengths.size());
    });
}

double mean_square_length(const SideShape& side, std::uint64_t seed)
{
    const std::shared_ptr<const LengthSample> sample = sample_of(side, seed);
    double squares = 0;
    for (const auto& [length, rows] : sample->rows_of_length) {
        const auto number = static_cast<double>(length);
        squares += static_cast<double>(rows) * number * number;
    }
    return squares / static_cast<double>(sample->lengths.size());
}

LongRows long_rows(const SideShape& side, std::int64_t min_length, std::uint64_t seed)
{
    const std::shared_ptr<const LengthSample> sample = sample_of(side, seed);
    double rows = 0;
    double links = 0;
    double all = 0;
    for (const auto& [length, number] : sample->rows_of_length) {
        const auto weight = static_cast<double>(number);
        all += weight * static_cast<double>(length);
        if (length >= min_length) {
            rows += weight;
            links += weight * static_cast<double>(length);
        }
    }
    return {rows / static_cast<double>(sample->lengths.size()), links / all};
}

BatchGeometry auto_geometry(const AlxConfig& config, double mean_length, std::int64_t line_length,
                            Bytes vmem)
{
    const std::int64_t d = config.dim;
    const std::int64_t table_bytes = model::size_of(config.table_dtype).count();
    const std::int64_t windows =
        statistics_strategies().create(config.statistics)->has_line_windows() ? 1 : 0;
    const auto with_lines = [&](std::int64_t lines) {
        const auto slots = static_cast<double>(lines * line_length);
        const auto rows = static_cast<std::int64_t>(std::floor(slots / mean_length));
        return BatchGeometry{lines, line_length, std::max<std::int64_t>(1, rows)};
    };
    // Gathered rows as they come and in f32, partial and summed Gramians, sums of rows, vectors of
    // the solver.
    const auto bytes = [&](const BatchGeometry& g) {
        return Bytes(g.lines * line_length * d * (table_bytes + 4) + windows * g.lines * d * d * 4 +
                     g.rows * d * d * 4 + g.lines * d * 4 + g.rows * d * 4 * 6);
    };
    BatchGeometry geometry = with_lines(8);
    while (bytes(with_lines(geometry.lines + 8)) <= vmem) {
        geometry = with_lines(geometry.lines + 8);
    }
    return geometry;
}

} // namespace alxsim::alx
