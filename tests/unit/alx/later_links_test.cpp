// SPDX-License-Identifier: Apache-2.0
#include "alx/data/times/later_links.h"
#include "alx/table/link_time.h"

#include "data_files.h"
#include "matrices.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

namespace alxsim::alx {
namespace {

/// Times that no order of ids tells.
LinkTimes made_times(const SparseMatrix& matrix)
{
    LinkTimes times;
    for (std::int64_t i = 0; i < matrix.links(); ++i) {
        times.push_back(static_cast<double>(i * 7919 % 1009));
    }
    return times;
}

struct Link {
    std::int32_t row, column;
    double time;
};

std::vector<Link> links_with(const SparseMatrix& matrix, const LinkTimes& times)
{
    std::vector<Link> links;
    for (std::int32_t row = 0; row < matrix.rows; ++row) {
        for (const std::int32_t column : matrix.ids(row)) {
            links.push_back({row, column, times[links.size()].time});
        }
    }
    return links;
}

bool holds(const SparseMatrix& matrix, std::int32_t row, std::int32_t column)
{
    const std::vector<std::int32_t> ids = matrix.ids(row);
    return std::binary_search(ids.begin(), ids.end(), column);
}

TEST(LaterLinks, OfACutInTimeLieBehindAllThatIsTrainedOn)
{
    const SparseMatrix matrix = power_law_matrix(600, 200, 4);
    const LinkTimes times = made_times(matrix);
    LaterLinksConfig config;
    config.held_out_links = 0.2;
    config.min_links = 2;
    const Dataset data = hold_out_later_links(matrix, times, config).data;
    ASSERT_GT(data.test_rows.size(), 20u);

    double last_trained = -1, first_later = 1e9;
    std::int64_t later = 0, found = 0;
    for (const Link& link : links_with(matrix, times)) {
        const bool trained = holds(data.training, link.row, link.column);
        last_trained = trained ? std::max(last_trained, link.time) : last_trained;
        first_later = trained ? first_later : std::min(first_later, link.time);
        later += trained ? 0 : 1;
        const auto test = std::lower_bound(data.test_rows.begin(), data.test_rows.end(), link.row);
        if (!trained && test != data.test_rows.end() && *test == link.row) {
            found += holds(data.ground_truth,
                           static_cast<std::int32_t>(test - data.test_rows.begin()), link.column)
                         ? 1
                         : 0;
        }
    }
    EXPECT_LT(last_trained, first_later);
    EXPECT_EQ(data.training.links() + later, matrix.links());
    EXPECT_EQ(found, data.ground_truth.links()) << "test rows' later links are all to be found";
    EXPECT_NEAR(static_cast<double>(later) / static_cast<double>(matrix.links()), 0.2, 0.01);
}

TEST(LaterLinks, LeaveTestRowsTheirEarlierOnesInTraining)
{
    const SparseMatrix matrix = power_law_matrix(600, 200, 4);
    const Dataset data = hold_out_later_links(matrix, made_times(matrix), {}).data;
    for (std::size_t i = 0; i < data.test_rows.size(); ++i) {
        const auto place = static_cast<std::int32_t>(i);
        EXPECT_EQ(data.history.ids(place), data.training.ids(data.test_rows[i]));
        EXPECT_GE(data.history.length(place), 5);
        EXPECT_GE(data.ground_truth.length(place), 1);
    }
    std::int64_t trained = 0;
    for (std::int32_t row = 0; row < matrix.rows; ++row) {
        trained += data.training.length(row) > 0 || matrix.length(row) == 0 ? 1 : 0;
    }
    EXPECT_EQ(data.training_row_count(), trained) << "rows with later links alone do not count";
}

TEST(LaterLinks, OfEachRowAreItsLastOnes)
{
    const SparseMatrix matrix = power_law_matrix(600, 200, 4);
    const LinkTimes times = made_times(matrix);
    LaterLinksConfig config;
    config.at_one_time = false;
    config.last_links = 2;
    config.min_links = 4;
    const Dataset data = hold_out_later_links(matrix, times, config).data;
    std::size_t begin = 0;
    std::size_t test = 0;
    for (std::int32_t row = 0; row < matrix.rows; ++row) {
        const std::vector<std::int32_t> ids = matrix.ids(row);
        const bool tested = test < data.test_rows.size() && data.test_rows[test] == row;
        EXPECT_EQ(tested, ids.size() >= 4);
        if (tested) {
            const std::vector<std::int32_t> truth =
                data.ground_truth.ids(static_cast<std::int32_t>(test++));
            ASSERT_EQ(truth.size(), 2u);
            double first_later = 1e9;
            double last_trained = -1;
            for (std::size_t i = 0; i < ids.size(); ++i) {
                const bool later = std::binary_search(truth.begin(), truth.end(), ids[i]);
                first_later = later ? std::min(first_later, times[begin + i].time) : first_later;
                last_trained = later ? last_trained : std::max(last_trained, times[begin + i].time);
            }
            EXPECT_LE(last_trained, first_later);
        } else {
            EXPECT_EQ(data.training.ids(row), ids) << "what is not tested is trained on whole";
        }
        begin += ids.size();
    }
    EXPECT_EQ(data.training.links() + data.ground_truth.links(), matrix.links());
}

TEST(LaterLinks, AreDrawnBySeedWhereNoTimesAreTold)
{
    const SparseMatrix matrix = power_law_matrix(600, 200, 4);
    LaterLinksConfig config;
    config.at_one_time = false;
    const Dataset one = hold_out_later_links(matrix, {}, config).data;
    EXPECT_TRUE(hold_out_later_links(matrix, {}, config).data.training.lists == one.training.lists);
    config.seed = 2;
    EXPECT_FALSE(hold_out_later_links(matrix, {}, config).data.training.lists ==
                 one.training.lists);
    EXPECT_NE(one.split_as.find("drawn by the seed"), std::string::npos) << one.split_as;
}

TEST(LaterLinks, AreNoMatterOfUnits)
{
    const SparseMatrix matrix = power_law_matrix(600, 200, 4);
    LinkTimes times = made_times(matrix);
    const Dataset seconds = hold_out_later_links(matrix, times, {}).data;
    for (LinkTime& link : times) {
        link.time = 1000 * link.time + 5;
    }
    EXPECT_TRUE(hold_out_later_links(matrix, times, {}).data.training.lists ==
                seconds.training.lists);
}

TEST(LaterLinks, AreRefusedWhereNothingLiesBeforeTheCut)
{
    LaterLinksConfig config;
    config.at = -1;
    const SparseMatrix matrix = power_law_matrix(60, 20, 4);
    try {
        hold_out_later_links(matrix, made_times(matrix), config);
        FAIL();
    } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what()).find("no link to train on"), std::string::npos);
    }
}

TEST(LaterLinks, WhatTheyDropAndWhatNoModelFindsIsSaid)
{
    // Rows 0 and 1 are trained on; row 2 is new behind the cut, and so is column 3.
    SparseMatrix matrix;
    matrix.columns = 4;
    for (const std::vector<std::int32_t>& ids : Rows{{0, 1, 2}, {0, 1, 3}, {0, 2}}) {
        matrix.append(ids);
    }
    LaterLinksConfig config;
    config.at = 10;
    config.min_links = 2;
    const Dataset data = hold_out_later_links(matrix, {1, 2, 3, 1, 2, 11, 12, 13}, config).data;
    EXPECT_EQ(rows_of(data.training), (Rows{{0, 1, 2}, {0, 1}, {}}));
    EXPECT_EQ(data.test_rows, (std::vector<std::int32_t>{1}));
    EXPECT_EQ(rows_of(data.ground_truth), (Rows{{3}}));
    EXPECT_EQ(data.training_row_count(), 2);
    EXPECT_EQ(
        data.split_as,
        "links from 10 on are later ones: 5 are trained on, 1 are to be found for 1 test row, "
        "2 of other rows are dropped; 1 row has later links alone; 1 link to be found goes "
        "to a column without a training link, which no model finds");
}

std::vector<double> times_of(const LinkTimes& links)
{
    std::vector<double> times;
    std::transform(links.begin(), links.end(), std::back_inserter(times),
                   [](const LinkTime& link) { return link.time; });
    return times;
}

class LinkTimesOfFiles : public DataFiles {};

TEST_F(LinkTimesOfFiles, AreThoseOfTheirLinesWhateverTheOrder)
{
    const DatasetFile file{write("r.csv", "userId,movieId,rating,timestamp\n"
                                          "2,2,5,40\n1,2,4,30\n1,1,4,20\n2,2,3,10\n")};
    const LinkTimes times = link_times(file, read_matrix(file), {});
    EXPECT_EQ(times_of(times), (std::vector<double>{20, 30, 10}))
        << "of a link that stands twice, the first time";
    EXPECT_EQ(times.at(2).place, 3);
    EXPECT_EQ(times.at(2).repeats, 1);
}

TEST_F(LinkTimesOfFiles, OfEqualTimesGoByTheOrderOfLines)
{
    const DatasetFile file{write("r.csv", "userId,movieId,rating,timestamp\n"
                                          "1,3,5,10\n1,4,5,10\n1,1,5,10\n1,2,5,10\n1,2,5,11\n")};
    const SparseMatrix matrix = read_matrix(file);
    LaterLinksConfig config;
    config.at_one_time = false;
    config.min_links = 2;
    const Dataset data = hold_out_later_links(matrix, link_times(file, matrix, {}), config).data;
    EXPECT_EQ(rows_of(data.ground_truth), (Rows{{2}})) << "item 2 of the last line but one";
    EXPECT_NE(data.split_as.find("of equal times by the file's order"), std::string::npos);
    EXPECT_NE(data.split_as.find("the first time counts: 1 line is left out"), std::string::npos)
        << data.split_as;
}

TEST_F(LinkTimesOfFiles, OfRatingsBelowTheThresholdDoNotCount)
{
    DatasetFile file{write("r.csv", "userId,movieId,rating,timestamp\n"
                                    "2,2,5,40\n1,2,4,30\n1,1,4,20\n2,2,3,10\n")};
    file.threshold = 4;
    EXPECT_EQ(times_of(link_times(file, read_matrix(file), {})), (std::vector<double>{20, 30, 40}));
}

TEST_F(LinkTimesOfFiles, AreRefusedWhereThereAreNone)
{
    const DatasetFile table{write("r.csv", "userId,movieId,rating\n1,1,4\n")};
    EXPECT_FALSE(tells_link_times(table));
    try {
        link_times(table, read_matrix(table), {});
        FAIL();
    } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what()).find("found no column of times in userId, movieId"),
                  std::string::npos)
            << error.what();
    }
    const DatasetFile lists{write("a.txt", "0 1 2\n1 0\n")};
    EXPECT_THROW(link_times(lists, read_matrix(lists), {}), InputError);
}

TEST(LinkTime, IsANumberOrADate)
{
    EXPECT_EQ(link_time("1112523966"), 1112523966);
    EXPECT_EQ(link_time("1970-01-02"), 86400);
    EXPECT_EQ(link_time("2005-04-03 10:26:06"), 1112523966);
    EXPECT_EQ(link_time("2005-04-03T10:26:06Z"), 1112523966);
    EXPECT_EQ(link_time("2000-02-29"), 951782400);
    for (const char* wrong : {"", "yesterday", "2005-13-01", "2005-04-03 25:00", "nan", "3 4"}) {
        EXPECT_FALSE(link_time(wrong)) << wrong;
    }
}

} // namespace
} // namespace alxsim::alx
