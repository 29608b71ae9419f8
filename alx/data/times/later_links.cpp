// SPDX-License-Identifier: Apache-2.0
#include "alx/data/times/later_links.h"

#include "base/input_error.h"
#include "base/numbers/random.h"
#include "base/text/printed.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <tuple>
#include <utility>

namespace alxsim::alx {
namespace {

/// One row's links in two parts: places in the row, each ascending.
struct Parts {
    std::vector<std::size_t> earlier;
    std::vector<std::size_t> later;
};

/// The time at or behind which the share of all links lies.
double cut_of(const LinkTimes& times, const LaterLinksConfig& config)
{
    if (config.at) {
        return *config.at;
    }
    std::vector<double> sorted;
    std::transform(times.begin(), times.end(), std::back_inserter(sorted),
                   [](const LinkTime& link) { return link.time; });
    // A share such as 0.1 of 30 must not lose a link to the binary form of 0.1.
    const double later = config.held_out_links * static_cast<double>(times.size()) + 1e-9;
    const std::size_t count = std::max<std::size_t>(1, static_cast<std::size_t>(later));
    const auto place = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() - count);
    std::nth_element(sorted.begin(), place, sorted.end());
    return *place;
}

Parts parts_at(const LinkTime* times, std::size_t links, double cut)
{
    Parts parts;
    for (std::size_t i = 0; i < links; ++i) {
        (times[i].time < cut ? parts.earlier : parts.later).push_back(i);
    }
    return parts;
}

/// `times` is null where the last ones are drawn. `rank`: how many of the rows before have links.
Parts last_parts(const LinkTime* times, std::size_t links, std::int64_t rank,
                 const LaterLinksConfig& config)
{
    std::vector<std::size_t> places(links);
    std::iota(places.begin(), places.end(), std::size_t{0});
    if (times != nullptr) {
        std::stable_sort(places.begin(), places.end(), [times](std::size_t a, std::size_t b) {
            return std::tie(times[a].time, times[a].place) <
                   std::tie(times[b].time, times[b].place);
        });
    } else {
        SplitMix64 random(mix64(mix64(config.seed) ^ static_cast<std::uint64_t>(rank)));
        for (std::size_t i = links; i > 1; --i) {
            std::swap(places[i - 1], places[random.below(i)]);
        }
    }
    const std::size_t held_out = std::min(links, static_cast<std::size_t>(config.last_links));
    Parts parts{{places.begin(), places.end() - static_cast<std::ptrdiff_t>(held_out)},
                {places.end() - static_cast<std::ptrdiff_t>(held_out), places.end()}};
    std::sort(parts.earlier.begin(), parts.earlier.end());
    std::sort(parts.later.begin(), parts.later.end());
    return parts;
}

/// "1 row", "1,200 rows".
std::string counted(std::int64_t count, const std::string& what)
{
    return in_thousands(count) + " " + what + (count == 1 ? "" : "s");
}

bool can_be_tested(const Parts& parts, const LaterLinksConfig& config)
{
    const std::size_t links = parts.earlier.size() + (config.at_one_time ? 0 : parts.later.size());
    return !parts.later.empty() && !parts.earlier.empty() &&
           links >= static_cast<std::size_t>(std::max<std::int64_t>(1, config.min_links));
}

/// Which of the eligible rows are tested: drawn, whatever their ids.
std::vector<bool> chosen_of(const std::vector<bool>& eligible, const LaterLinksConfig& config)
{
    std::vector<std::size_t> rows;
    for (std::size_t row = 0; row < eligible.size(); ++row) {
        if (eligible[row]) {
            rows.push_back(row);
        }
    }
    const auto count =
        static_cast<std::size_t>(std::llround(config.test_rows * static_cast<double>(rows.size())));
    SplitMix64 random(mix64(config.seed));
    std::vector<bool> chosen(eligible.size());
    for (std::size_t i = 0; i < count; ++i) {
        std::swap(rows[i], rows[i + random.below(rows.size() - i)]);
        chosen[rows[i]] = true;
    }
    return chosen;
}

class Parting {
public:
    Parting(const SparseMatrix& matrix, const LinkTimes& times, const LaterLinksConfig& config)
        : matrix_(matrix),
          times_(times),
          config_(config),
          cut_(config.at_one_time ? cut_of(times, config) : 0)
    {
        std::vector<bool> eligible;
        for_each_row([&](std::int32_t /*row*/, const Parts& parts, std::size_t /*begin*/) {
            eligible.push_back(can_be_tested(parts, config_));
        });
        chosen_ = chosen_of(eligible, config_);
    }

    LaterLinks run()
    {
        Dataset& data = result_.data;
        data.history.columns = data.ground_truth.columns = data.training.columns = matrix_.columns;
        for_each_row([&](std::int32_t row, const Parts& parts, std::size_t begin) {
            take(row, parts, begin);
        });
        std::copy_if(matrix_.listed.begin(), matrix_.listed.end(),
                     std::back_inserter(data.training.listed),
                     [&](std::int32_t row) { return data.training.length(row) > 0; });
        if (data.training.links() == 0) {
            throw InputError("", "/workload/split",
                             "leaves no link to train on: all lie at or behind the cut" +
                                 (config_.at_one_time
                                      ? ", " + printed("%.10g", cut_) + times_in_words()
                                      : std::string()));
        }
        data.split_as = in_words();
        return std::move(result_);
    }

private:
    /// A cut in other units than the file's lies before or behind all.
    std::string times_in_words() const
    {
        const auto [first, last] = std::minmax_element(
            times_.begin(), times_.end(),
            [](const LinkTime& a, const LinkTime& b) { return a.time < b.time; });
        return times_.empty() ? ""
                              : "; the file's times are from " + printed("%.10g", first->time) +
                                    " to " + printed("%.10g", last->time);
    }

    template <class Take>
    void for_each_row(const Take& take) const
    {
        std::size_t begin = 0;
        std::int64_t rank = 0;
        for (std::int32_t row = 0; row < matrix_.rows; ++row) {
            const auto links = static_cast<std::size_t>(matrix_.length(row));
            const LinkTime* times = times_.empty() ? nullptr : times_.data() + begin;
            take(row,
                 config_.at_one_time ? parts_at(times, links, cut_)
                                     : last_parts(times, links, rank, config_),
                 begin);
            begin += links;
            rank += links > 0 ? 1 : 0;
        }
    }

    void take(std::int32_t row, const Parts& parts, std::size_t begin)
    {
        const std::vector<std::int32_t> ids = matrix_.ids(row);
        const auto ids_at = [&ids](const std::vector<std::size_t>& places) {
            std::vector<std::int32_t> chosen;
            for (const std::size_t place : places) {
                chosen.push_back(ids[place]);
            }
            return chosen;
        };
        Dataset& data = result_.data;
        const bool tested = chosen_[static_cast<std::size_t>(row)];
        if (tested) {
            data.test_rows.push_back(row);
            data.history.append(ids_at(parts.earlier));
            data.ground_truth.append(ids_at(parts.later));
        }
        const bool trains_on_all = !tested && !config_.at_one_time;
        dropped_ += tested || trains_on_all ? 0 : static_cast<std::int64_t>(parts.later.size());
        data.training.append(trains_on_all ? ids : ids_at(parts.earlier));
        data.withheld_rows += !ids.empty() && !trains_on_all && parts.earlier.empty() ? 1 : 0;
        for (std::size_t i = 0; i < ids.size() && !times_.empty(); ++i) {
            if (trains_on_all ||
                std::binary_search(parts.earlier.begin(), parts.earlier.end(), i)) {
                result_.training_times.push_back(times_[begin + i]);
            }
        }
    }

    std::int64_t links_to_new_columns() const
    {
        const std::vector<std::int64_t> lengths = column_lengths(result_.data.training);
        std::int64_t count = 0;
        for (std::int32_t row = 0; row < result_.data.ground_truth.rows; ++row) {
            for (const std::int32_t column : result_.data.ground_truth.ids(row)) {
                count += lengths[static_cast<std::size_t>(column)] == 0 ? 1 : 0;
            }
        }
        return count;
    }

    std::int64_t repeats_of_links() const
    {
        return std::accumulate(
            times_.begin(), times_.end(), std::int64_t{0},
            [](std::int64_t sum, const LinkTime& link) { return sum + link.repeats; });
    }

    std::string in_words() const
    {
        const Dataset& data = result_.data;
        std::string words;
        if (config_.at_one_time) {
            words = "links from " + printed("%.10g", cut_) + " on are later ones";
        } else {
            words = "the " +
                    (config_.last_links == 1
                         ? std::string("last link")
                         : "last " + std::to_string(config_.last_links) + " links") +
                    " of a test row " + (config_.last_links == 1 ? "is" : "are") + " held out" +
                    (times_.empty() ? ", drawn by the seed, as no times are told"
                                    : ", by time, and of equal times by the file's order");
        }
        words += ": " + in_thousands(data.training.links()) + " are trained on, " +
                 in_thousands(data.ground_truth.links()) + " are to be found for " +
                 counted(static_cast<std::int64_t>(data.test_rows.size()), "test row");
        if (dropped_ > 0) {
            words += ", " + in_thousands(dropped_) + " of other rows are dropped";
        }
        if (data.withheld_rows > 0) {
            words += "; " + counted(data.withheld_rows, "row") +
                     (data.withheld_rows == 1 ? " has" : " have") + " later links alone";
        }
        if (const std::int64_t repeats = repeats_of_links(); repeats > 0) {
            words +=
                "; of links that stand twice the first time counts: " + counted(repeats, "line") +
                (repeats == 1 ? " is" : " are") + " left out";
        }
        if (const std::int64_t unknown = links_to_new_columns(); unknown > 0) {
            words += "; " + counted(unknown, "link") + " to be found " +
                     (unknown == 1 ? "goes to a column" : "go to columns") +
                     " without a training link, which no model finds";
        }
        return words;
    }

    const SparseMatrix& matrix_;
    const LinkTimes& times_;
    const LaterLinksConfig& config_;
    double cut_;
    std::vector<bool> chosen_;
    std::int64_t dropped_ = 0;
    LaterLinks result_;
};

} // namespace

LaterLinks hold_out_later_links(const SparseMatrix& matrix, const LinkTimes& times,
                                const LaterLinksConfig& config)
{
    return Parting(matrix, times, config).run();
}

} // namespace alxsim::alx
