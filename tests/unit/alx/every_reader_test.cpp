// SPDX-License-Identifier: Apache-2.0
#include "alx/data/matrix_rows.h"
#include "binary_files.h"
#include "data_files.h"
#include "matrices.h"

#include <gmock/gmock.h>

#include <map>

/// What holds of every format that has a name, with an example of each.
namespace alxsim::alx {
namespace {

const Rows three_rows{{1, 2}, {0, 1}, {}};

struct File {
    std::string name;
    std::string content;
};

std::string tfrecord_row(char row, const std::string& columns)
{
    return record_of(field(1, feature("row_tag", packed(std::string(1, row))) +
                                  feature("col_tag", packed(columns)) +
                                  feature("gt_tag", packed(""))));
}

/// The example in each format: a file, and what stands beside it.
const std::map<std::string, std::vector<File>>& examples()
{
    static const std::map<std::string, std::vector<File>> all{
        {"adjacency", {{"m.txt", "0 1 2\n1 0 1\n"}}},
        {"edges", {{"m.tsv", "0\t1\n0\t2\n1\t0\n1\t1\n"}}},
        {"matrix_market",
         {{"m.mtx", "%%MatrixMarket matrix coordinate pattern general\n"
                    "3 3 4\n1 2\n1 3\n2 1\n2 2\n"}}},
        {"movielens", {{"u.data", "1\t2\t5\t0\n1\t3\t5\t0\n2\t1\t5\t0\n2\t2\t5\t0\n"}}},
        {"bvgraph",
         {{"m.graph", bytes_of("0111101110110101001010101")}, // as Bvgraph.CodesAreDecodedByHand
          {"m.properties", "nodes=3\narcs=4\ncompressionflags=RESIDUALS_GAMMA\n"}}},
        {"webgraph_tfrecord",
         {{"m.tfrecord",
           tfrecord_row(0, "\x01\x02") + tfrecord_row(1, std::string("\x00\x01", 2))}}},
        {"cache", {{"m.cache", matrix_bytes(matrix_of(three_rows, 3), "m.cache")}}}};
    return all;
}

class EveryReader : public DataFiles, public testing::WithParamInterface<std::string> {
protected:
    void SetUp() override
    {
        ASSERT_EQ(examples().count(GetParam()), 1u)
            << "the format " << GetParam() << " has no example in examples()";
    }

    /// Writes the example, its first file cut to `length` bytes; the path of that.
    std::string write_example(std::size_t length = std::string::npos) const
    {
        const std::vector<File>& files = examples().at(GetParam());
        for (const File& file : files) {
            write(file.name,
                  file.name == files.front().name ? file.content.substr(0, length) : file.content);
        }
        return folder_ + files.front().name;
    }
};

TEST_P(EveryReader, GivesTheSameMatrixByNameOfTheFormatAndOfTheFile)
{
    const std::string path = write_example();
    for (const std::string& format : {GetParam(), std::string()}) {
        const SparseMatrix matrix = read_matrix({path, format, 3, 3});
        EXPECT_EQ(rows_of(matrix), three_rows) << "format '" << format << "'";
        EXPECT_EQ(matrix.columns, 3);
    }
}

TEST_P(EveryReader, IsConvertedToEachFormThatIsWrittenAndBack)
{
    const SparseMatrix matrix = read_matrix({write_example(), GetParam(), 3, 3});
    for (const char* const name : {"o.txt", "o.adj.gz", "o.tsv", "o.csv", "o.edges.gz", "o.mtx",
                                   "o.mtx.gz", "o.cache", "o.cache.gz"}) {
        const std::string path = made_.write(name, matrix_bytes(matrix, name));
        const SparseMatrix again = read_matrix({path, "", 3, 3});
        EXPECT_EQ(rows_of(again), three_rows) << name;
        EXPECT_EQ(again.columns, 3) << name;
    }
}

TEST_P(EveryReader, NamesAFileThatIsNotThere)
{
    EXPECT_THAT(error_of({folder_ + "nothing", GetParam()}),
                testing::HasSubstr(folder_ + "nothing"));
}

TEST_P(EveryReader, GivesAMatrixInOrderOrNamesTheFileWhereverItIsCut)
{
    const std::size_t size = examples().at(GetParam()).front().content.size();
    int refused = 0;
    for (std::size_t length = 0; length < size; ++length) {
        const std::string path = write_example(length);
        try {
            const SparseMatrix matrix = read_matrix({path, GetParam(), 3, 3});
            for (const std::vector<std::int32_t>& row : rows_of(matrix)) {
                EXPECT_TRUE(std::is_sorted(row.begin(), row.end())) << length << " bytes";
                EXPECT_TRUE(row.empty() || row.back() < matrix.columns) << length << " bytes";
            }
        } catch (const InputError& error) {
            EXPECT_THAT(error.what(), testing::HasSubstr(folder_)) << length << " bytes";
            ++refused;
        }
    }
    EXPECT_GT(refused, 0);
}

/// What a call says: the rows that it gives, or why it refuses them.
template <class Read>
std::pair<Rows, std::string> outcome_of(const Read& read)
{
    try {
        return {read(), ""};
    } catch (const InputError& error) {
        return {{}, error.what()};
    }
}

TEST_P(EveryReader, GivesRowByRowWhatItGivesAsAMatrix)
{
    const std::size_t size = examples().at(GetParam()).front().content.size();
    for (std::size_t length = 0; length <= size; ++length) {
        const DatasetFile file{write_example(length), GetParam()};
        const auto whole = [&] { return rows_of(read_matrix(file)); };
        const auto row_by_row = [&] {
            Rows read;
            const MatrixRows rows(file);
            EXPECT_FALSE(rows.are_kept()) << length << " bytes";
            rows.for_each([&](const std::vector<std::int32_t>& ids) { read.push_back(ids); });
            return read;
        };
        EXPECT_EQ(outcome_of(row_by_row), outcome_of(whole)) << length << " bytes";
    }
}

INSTANTIATE_TEST_SUITE_P(Formats, EveryReader, testing::ValuesIn(dataset_formats()),
                         [](const auto& test) { return test.param; });

} // namespace
} // namespace alxsim::alx
