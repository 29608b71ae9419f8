// SPDX-License-Identifier: Apache-2.0
#include "alx/data/dataset_reader.h"

#include "base/input_error.h"
#include "data_files.h"
#include "tests/temporary_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

namespace alxsim::alx {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

class AdjacencyReader : public testing::Test {
protected:
    std::string write(const std::string& text)
    {
        std::ofstream(path_, std::ios::binary) << text;
        return path_;
    }
    std::string write_compressed(const std::string& text)
    {
        gzFile file = gzopen(path_.c_str(), "wb");
        gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
        gzclose(file);
        return path_;
    }
    std::string error_of(const std::string& path, std::optional<std::int64_t> rows = {},
                         std::optional<std::int64_t> columns = {})
    {
        try {
            read_matrix({path, "adjacency", rows, columns});
        } catch (const InputError& error) {
            return error.what();
        }
        return "no error";
    }

    const TemporaryFolder folder_;
    const std::string path_ = folder_.path("adjacency.txt");
};

TEST_F(AdjacencyReader, SortsRowsAndColumnsAndDropsRepetitions)
{
    const SparseMatrix matrix = read_matrix({write("2 5 1 5\n\n0 3\r\n3\n")});
    EXPECT_EQ(matrix.rows, 4);
    EXPECT_EQ(matrix.columns, 6);
    EXPECT_EQ(rows_of(matrix), (Rows{{3}, {}, {1, 5}, {}}));
}

TEST_F(AdjacencyReader, ReadsPlainAndCompressedFilesAlike)
{
    std::string text;
    for (int row = 0; row < 200000; ++row) {
        text += std::to_string(row) + " " + std::to_string(row * 7 % 1000) + " 999\n";
    }
    const SparseMatrix plain = read_matrix({write(text)});
    const SparseMatrix compressed = read_matrix({write_compressed(text)});
    EXPECT_EQ(plain.rows, 200000);
    EXPECT_EQ(plain.columns, 1000);
    EXPECT_EQ(rows_of(plain), rows_of(compressed));
}

TEST_F(AdjacencyReader, GivenSizesHoldBeyondTheLargestIds)
{
    const SparseMatrix matrix = read_matrix({write("0 1"), "adjacency", 5, 7});
    EXPECT_EQ(matrix.rows, 5);
    EXPECT_EQ(matrix.columns, 7);
    EXPECT_EQ(matrix.links(), 1);
}

TEST_F(AdjacencyReader, RefusesWhatIsNoIdNamingFileLineAndWhatIsAllowed)
{
    EXPECT_THAT(error_of(write("0 1\n1 x2\n")),
                AllOf(StartsWith(path_ + ": line 2: "), HasSubstr("found 'x2' as a column id"),
                      HasSubstr("whole numbers from 0 to 2147483646")));
    EXPECT_THAT(error_of(write("-3 1\n")),
                AllOf(HasSubstr("line 1"), HasSubstr("found '-3' as a row id")));
    EXPECT_THAT(error_of(write("0 1.5\n")), HasSubstr("found '1.5'"));
    EXPECT_THAT(error_of(write("0 2147483647\n")), HasSubstr("found '2147483647'"));
    EXPECT_THAT(error_of(write("0 99999999999999999999999\n")), HasSubstr("found '9999999999"));
}

TEST_F(AdjacencyReader, RefusesIdsBeyondTheGivenSizes)
{
    EXPECT_THAT(error_of(write("0 1\n1 9\n"), 12, 9),
                AllOf(HasSubstr("line 2"), HasSubstr("found '9' as a column id"),
                      HasSubstr("from 0 to 8")));
    EXPECT_THAT(error_of(write("12 1\n"), 12, 9),
                AllOf(HasSubstr("found '12' as a row id"), HasSubstr("from 0 to 11")));
}

TEST_F(AdjacencyReader, RefusesARowThatStandsTwice)
{
    EXPECT_THAT(error_of(write("7 1\n3 1\n7 2\n")),
                AllOf(HasSubstr("line 3: "), HasSubstr("row 7 already stands in line 1")));
}

TEST_F(AdjacencyReader, RefusesMissingAndEmptyFiles)
{
    EXPECT_THAT(error_of(path_), AllOf(StartsWith(path_), HasSubstr("No such file")));
    EXPECT_THAT(error_of(write("")), AllOf(StartsWith(path_), HasSubstr("holds no rows")));
    EXPECT_THAT(error_of(write("\n \n")), HasSubstr("holds no rows"));
}

TEST_F(AdjacencyReader, RefusesATruncatedCompressedFile)
{
    std::string text;
    for (int row = 0; row < 50000; ++row) {
        text += std::to_string(row) + " " + std::to_string((row * 7919) % 50021) + "\n";
    }
    write_compressed(text);
    std::filesystem::resize_file(path_, std::filesystem::file_size(path_) / 2);
    EXPECT_THAT(error_of(path_), AllOf(StartsWith(path_ + ": after line "), HasSubstr("truncated"),
                                       HasSubstr("bytes of content")));
}

} // namespace
} // namespace alxsim::alx
