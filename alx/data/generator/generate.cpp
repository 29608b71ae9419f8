// SPDX-License-Identifier: Apache-2.0
#include "alx/data/generator/generate.h"

#include "alx/batches/degree_distribution.h"
#include "alx/data/generator/near_links.h"
#include "alx/data/generator/open_links.h"
#include "alx/data/generator/taken_columns.h"
#include "alx/data/matrix_builder.h"
#include "alx/data/matrix_statistics.h"
#include "base/input_error.h"
#include "base/memory/host_memory.h"
#include "base/numbers/random.h"
#include "base/work/long_work.h"
#include "base/work/stop.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

namespace alxsim::alx {
namespace {

constexpr Bytes bytes_of_row(16);    ///< its length, twice where it is sampled
constexpr Bytes bytes_of_column(34); ///< the same, and what OpenLinks keeps

/// Moves single links between lengths until they add up to `total`.
void correct_sum(std::vector<std::int64_t>& lengths, std::int64_t total, std::int64_t shortest,
                 std::int64_t longest)
{
    std::int64_t missing = total - std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
    StopLook stop;
    for (std::size_t i = 0; missing != 0; i = (i + 1) % lengths.size()) {
        stop();
        if (missing > 0 && lengths[i] < longest) {
            ++lengths[i];
            --missing;
        } else if (missing < 0 && lengths[i] > shortest) {
            --lengths[i];
            ++missing;
        }
    }
}

/// A run of columns, of which a hole may be left out.
struct Choice {
    std::int32_t begin;
    std::int32_t end;
    std::int32_t hole_begin;
    std::int32_t hole_end;

    std::int64_t size() const { return std::int64_t{end} - begin - (hole_end - hole_begin); }
};

class LinkMaker {
public:
    LinkMaker(const std::vector<std::int64_t>& column_lengths, std::uint64_t seed)
        : open_(column_lengths),
          random_(seed)
    {
    }

    /// Appends `count` distinct columns of the choice that the row does not have yet.
    void draw(std::int32_t row, const Choice& choice, std::int64_t count,
              std::vector<std::int32_t>& ids)
    {
        Lacking lacking = lacking_in(choice);
        taken_.clear();
        StopLook stop; // a row may have a million links
        for (std::int64_t i = 0; i < count; ++i) {
            stop();
            const OpenLinks::Place place = draw_one(row, choice, lacking);
            if (open_.take(place.column, row)) {
                taken_.take(place.below, open_.of(place.column));
                --lacking.chosen;
                lacking.before_hole -= place.column < choice.hole_begin ? 1 : 0;
            }
            ids.push_back(place.column);
        }
    }

private:
    /// Links that columns lack: those before a choice, those before its hole, in it, and in the
    /// choice.
    struct Lacking {
        std::int64_t before;
        std::int64_t before_hole;
        std::int64_t hole;
        std::int64_t chosen;
    };
    Lacking lacking_in(const Choice& choice) const
    {
        const std::int64_t before = open_.below(choice.begin);
        const std::int64_t before_hole = open_.below(choice.hole_begin);
        const std::int64_t hole = open_.below(choice.hole_end) - before_hole;
        return {before, before_hole, hole, open_.below(choice.end) - before - hole};
    }

    bool is_free(std::int32_t row, std::int32_t column) const
    {
        return !open_.is_taken_by(column, row);
    }

    /// By how many links columns lack; if that finds only what the row has, any column.
    OpenLinks::Place draw_one(std::int32_t row, const Choice& choice, const Lacking& lacking)
    {
        constexpr int tries = 24;
        for (int i = 0; i < tries && lacking.chosen > 0; ++i) {
            std::int64_t position = lacking.before + below(lacking.chosen);
            position += position >= lacking.before_hole ? lacking.hole : 0;
            if (taken_.hold(position)) {
                continue;
            }
            const OpenLinks::Place place = open_.at(position);
            if (is_free(row, place.column)) {
                return place;
            }
        }
        const std::int32_t column = any_column(row, choice);
        return {column, open_.below(column)};
    }
    std::int32_t any_column(std::int32_t row, const Choice& choice)
    {
        constexpr int tries = 24;
        for (int i = 0; i < tries; ++i) {
            const std::int32_t column = nth(choice, below(choice.size()));
            if (is_free(row, column)) {
                return column;
            }
        }
        const std::int64_t start = below(choice.size());
        for (std::int64_t i = 0;; ++i) {
            const std::int32_t column = nth(choice, (start + i) % choice.size());
            if (is_free(row, column)) {
                return column;
            }
        }
    }

    static std::int32_t nth(const Choice& choice, std::int64_t index)
    {
        const std::int64_t column = choice.begin + index;
        return static_cast<std::int32_t>(
            column < choice.hole_begin ? column : column + choice.hole_end - choice.hole_begin);
    }

    /// In [0, bound); bound may be beyond 2^32.
    std::int64_t below(std::int64_t bound)
    {
        return static_cast<std::int64_t>(random_.next() % static_cast<std::uint64_t>(bound));
    }

    OpenLinks open_;
    TakenColumns taken_; ///< in the choice that is drawn from
    SplitMix64 random_;
};

[[noreturn]] void refuse(const char* field, const std::string& found, const std::string& allowed)
{
    throw InputError("/workload/dataset/generate/" + std::string(field) + ": found " + found +
                     ", allowed is " + allowed);
}

void check(const GenerateConfig& config)
{
    for (const auto& [field, value] :
         {std::pair("rows", config.rows), std::pair("columns", config.columns)}) {
        if (value < 1 || value > largest_id + 1) {
            refuse(field, std::to_string(value), "1 to " + std::to_string(largest_id + 1));
        }
    }
    if (config.min_links > config.columns) {
        refuse("min_links", std::to_string(config.min_links),
               "0 to " + std::to_string(config.columns) + ", the columns");
    }
    const std::int64_t least = std::max<std::int64_t>(1, config.rows * config.min_links);
    const std::int64_t most = config.rows * config.columns;
    if (config.links < least || config.links > most) {
        refuse("links", std::to_string(config.links),
               std::to_string(least) + " to " + std::to_string(most) + " for " +
                   std::to_string(config.rows) + " rows of " + std::to_string(config.min_links) +
                   " or more of " + std::to_string(config.columns) + " columns");
    }
    refuse_beyond_memory(bytes_of_row * config.rows + bytes_of_column * config.columns,
                         host_memory_limit(), "lengths of rows and columns", "",
                         "/workload/dataset/generate");
}

/// Lengths of `count` rows that add up to `links`.
std::vector<std::int64_t> lengths_of(const DegreeDistribution& distribution, std::int64_t count,
                                     std::int64_t links, std::uint64_t seed)
{
    std::vector<std::int64_t> lengths = distribution.sample(count, seed);
    correct_sum(lengths, links, distribution.shortest(), distribution.longest());
    return lengths;
}

void check_locality(const GenerateConfig& config, const NearBounds& bounds)
{
    const auto links = static_cast<double>(config.links);
    if (!bounds.hold(config.locality * links)) {
        refuse("locality", std::to_string(config.locality),
               std::to_string(bounds.least / links) + " to " + std::to_string(bounds.most / links) +
                   ": rows of these lengths have room for no more and no fewer nearby");
    }
}

DegreeDistribution row_distribution(const GenerateConfig& config)
{
    // Pages do not link to all others; in crawls the longest row is a small share of the columns.
    // Data in which the mean row has half of that are no crawl: there a row may have all columns.
    const double mean = static_cast<double>(config.links) / static_cast<double>(config.rows);
    const std::int64_t of_a_page = std::max(config.columns / 4, 4 * config.min_links);
    const bool dense = mean >= static_cast<double>(config.min_links + of_a_page) / 2;
    return {config.min_links, dense ? config.columns : std::min(of_a_page, config.columns), mean,
            config.row_exponent};
}

DegreeDistribution column_distribution(const GenerateConfig& config)
{
    const double mean = static_cast<double>(config.links) / static_cast<double>(config.columns);
    return {mean > 1.2 ? 1 : 0, config.rows, mean, config.column_exponent};
}

Neighbourhood neighbourhood_of(const GenerateConfig& config)
{
    return {static_cast<std::int32_t>(config.rows), static_cast<std::int32_t>(config.columns)};
}

} // namespace

void generate(const GenerateConfig& config, std::uint64_t seed,
              const std::function<void(const std::vector<std::int32_t>& ids)>& row)
{
    check(config);
    const std::vector<std::int64_t> lengths =
        lengths_of(row_distribution(config), config.rows, config.links, mix64(seed));
    const Neighbourhood near = neighbourhood_of(config);
    NearLinks near_links(config.locality * static_cast<double>(config.links), lengths, near);
    if (!near_links.reach_it()) {
        check_locality(config, near_bounds(lengths, near));
    }
    LinkMaker maker(
        lengths_of(column_distribution(config), config.columns, config.links, mix64(seed + 1)),
        mix64(seed + 2));
    LongWork work("generating " + std::to_string(config.links) + " links", config.links);
    std::vector<std::int32_t> ids;
    for (std::int32_t i = 0; i < near.rows; ++i) {
        const std::int64_t length = lengths[static_cast<std::size_t>(i)];
        const std::int64_t count = near_links.next(i);
        const std::int32_t begin = near.begin(i);
        const std::int32_t end = near.end(i);
        ids.clear();
        maker.draw(i, {begin, end, end, end}, count, ids);
        maker.draw(i, {0, near.columns, begin, end}, length - count, ids);
        std::sort(ids.begin(), ids.end());
        row(ids);
        work.add(length);
    }
}

double reachable_locality(const GenerateConfig& config)
{
    check(config);
    const DegreeDistribution distribution = row_distribution(config);
    std::vector<std::int64_t> lengths = distribution.quantile_means(config.rows);
    if (std::all_of(lengths.begin(), lengths.end(), [](std::int64_t n) { return n == 0; })) {
        lengths = lengths_of(distribution, config.rows, config.links, 0);
    }
    // Single links are moved between rows until the sum is right: from and to which, the seed says.
    const double sum = std::accumulate(lengths.begin(), lengths.end(), 0.0);
    const NearBounds bounds = near_bounds(std::move(lengths), neighbourhood_of(config));
    const double moved = std::abs(1 - sum / static_cast<double>(config.links));
    const double least = bounds.least / sum;
    const double most = bounds.most / sum;
    const double margin = least + moved < most - moved ? moved : 0;
    return std::clamp(config.locality, least + margin, most - margin);
}

SparseMatrix generate(const GenerateConfig& config, std::uint64_t seed)
{
    SparseMatrix matrix;
    generate(config, seed, [&matrix](const std::vector<std::int32_t>& ids) { matrix.append(ids); });
    matrix.columns = static_cast<std::int32_t>(config.columns);
    return matrix;
}

} // namespace alxsim::alx
