// SPDX-License-Identifier: Apache-2.0
#include "alx/data/generate.h"

#include "alx/batches/degree_distribution.h"
#include "alx/data/matrix_builder.h"
#include "alx/data/matrix_statistics.h"
#include "alx/data/open_links.h"
#include "alx/data/taken_columns.h"
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
        if (value < 2 || value > largest_id + 1) {
            refuse(field, std::to_string(value), "2 to " + std::to_string(largest_id + 1));
        }
    }
    // The mean length must leave room for a distribution on either side.
    const std::int64_t least = config.rows * config.min_links + 1;
    const std::int64_t most = config.rows * ((config.min_links + config.columns / 4) / 2) - 1;
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

/// How many of a row's links are near: a share of them, as many as fit; the share is such that they
/// add up to the locality asked for.
class NearLinks {
public:
    NearLinks(const GenerateConfig& config, const std::vector<std::int64_t>& lengths,
              const Neighbourhood& near)
        : lengths_(lengths),
          near_(near)
    {
        const double wanted = config.locality * static_cast<double>(config.links);
        const double most = sum_at(1);
        const double least = sum_at(0);
        if (wanted > most * 1.0001 || wanted < least * 0.9999) {
            const double all = static_cast<double>(config.links);
            refuse("locality", std::to_string(config.locality),
                   std::to_string(least / all) + " to " + std::to_string(most / all) +
                       ": long rows have no room for more links nearby");
        }
        double low = 0;
        double high = 1;
        for (int i = 0; i < 50; ++i) {
            const double middle = (low + high) / 2;
            (sum_at(middle) < wanted ? low : high) = middle;
        }
        share_ = high;
    }

    /// Rounded so that the sum over rows in order keeps up with the exact one.
    std::int64_t next(std::int32_t row)
    {
        exact_ += exact(row, share_);
        const std::int64_t count = std::clamp(
            static_cast<std::int64_t>(std::llround(exact_)) - sum_, least(row), most(row));
        sum_ += count;
        return count;
    }

private:
    std::int64_t length(std::int32_t row) const { return lengths_[static_cast<std::size_t>(row)]; }
    std::int64_t room(std::int32_t row) const { return near_.end(row) - near_.begin(row); }
    std::int64_t most(std::int32_t row) const { return std::min(length(row), room(row)); }
    std::int64_t least(std::int32_t row) const
    {
        return std::max<std::int64_t>(0, length(row) - (near_.columns - room(row)));
    }
    double exact(std::int32_t row, double share) const
    {
        // Three quarters of the neighbourhood, beyond which nothing is left to choose.
        const double most_chosen = 0.75 * static_cast<double>(room(row));
        return std::max(static_cast<double>(least(row)),
                        std::min(share * static_cast<double>(length(row)), most_chosen));
    }
    double sum_at(double share) const
    {
        double sum = 0;
        StopLook stop;
        for (std::int32_t row = 0; row < near_.rows; ++row) {
            stop();
            sum += exact(row, share);
        }
        return sum;
    }

    const std::vector<std::int64_t>& lengths_;
    const Neighbourhood& near_;
    double share_ = 0;
    double exact_ = 0;
    std::int64_t sum_ = 0;
};

/// Lengths of `count` rows that add up to `links`.
std::vector<std::int64_t> lengths_of(std::int64_t count, std::int64_t links, std::int64_t shortest,
                                     std::int64_t longest, double exponent, std::uint64_t seed)
{
    const double mean = static_cast<double>(links) / static_cast<double>(count);
    std::vector<std::int64_t> lengths =
        DegreeDistribution(shortest, longest, mean, exponent).sample(count, seed);
    correct_sum(lengths, links, shortest, longest);
    return lengths;
}

std::vector<std::int64_t> row_lengths_of(const GenerateConfig& config, std::uint64_t seed)
{
    // Pages do not link to all others; in crawls the longest row is a small share of the columns.
    const std::int64_t longest = std::max(config.columns / 4, 4 * config.min_links);
    return lengths_of(config.rows, config.links, config.min_links,
                      std::min(longest, config.columns), config.row_exponent, seed);
}

std::vector<std::int64_t> column_lengths_of(const GenerateConfig& config, std::uint64_t seed)
{
    const double mean = static_cast<double>(config.links) / static_cast<double>(config.columns);
    const std::int64_t shortest = mean > 1.2 ? 1 : 0;
    return lengths_of(config.columns, config.links, shortest, config.rows, config.column_exponent,
                      seed);
}

} // namespace

void generate(const GenerateConfig& config, std::uint64_t seed,
              const std::function<void(const std::vector<std::int32_t>& ids)>& row)
{
    check(config);
    const std::vector<std::int64_t> lengths = row_lengths_of(config, mix64(seed));
    const Neighbourhood near(static_cast<std::int32_t>(config.rows),
                             static_cast<std::int32_t>(config.columns));
    NearLinks near_links(config, lengths, near);
    LinkMaker maker(column_lengths_of(config, mix64(seed + 1)), mix64(seed + 2));
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

SparseMatrix generate(const GenerateConfig& config, std::uint64_t seed)
{
    SparseMatrix matrix;
    generate(config, seed, [&matrix](const std::vector<std::int32_t>& ids) { matrix.append(ids); });
    matrix.columns = static_cast<std::int32_t>(config.columns);
    return matrix;
}

} // namespace alxsim::alx
