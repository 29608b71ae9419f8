// SPDX-License-Identifier: Apache-2.0
#include "alx/data/matrix_rows.h"

#include "base/memory/host_memory.h"
#include "data_files.h"

#include <gmock/gmock.h>

namespace alxsim::alx {
namespace {

class RowsOfFiles : public DataFiles {
protected:
    static Rows rows_read(const MatrixRows& rows)
    {
        Rows read;
        rows.for_each([&read](const std::vector<std::int32_t>& ids) { read.push_back(ids); });
        return read;
    }
    static void expect_as_kept(const DatasetFile& file, bool are_kept)
    {
        const SparseMatrix matrix = read_matrix(file);
        const MatrixRows rows(file);
        EXPECT_EQ(rows.are_kept(), are_kept) << file.path;
        EXPECT_EQ(rows.size().rows, matrix.rows) << file.path;
        EXPECT_EQ(rows.size().columns, matrix.columns) << file.path;
        EXPECT_EQ(rows.size().links, matrix.links()) << file.path;
        for (int time = 0; time < 2; ++time) {
            EXPECT_EQ(rows_read(rows), rows_of(matrix)) << file.path;
        }
    }
};

TEST_F(RowsOfFiles, AreReadAnewWhereTheyComeInOrder)
{
    expect_as_kept({write("a.txt", "0 2 1 2\n\n3\n5 0\n")}, false);
    expect_as_kept({write("more.txt", "1 2\n2 0\n"), "", 9, 7}, false);
    expect_as_kept({write("e.tsv.gz", "0 3\n0 1\n0 3\n2 0\n")}, false);
    expect_as_kept({write("m.mtx", "%%MatrixMarket matrix coordinate pattern general\n"
                                   "4 5 3\n2 1\n2 3\n3 1\n")},
                   false);
    expect_as_kept({write("u.data", "1\t3\t5\t0\n1\t1\t2\t0\n2\t1\t4\t0\n"), "", {}, {}, 3}, false);
}

TEST_F(RowsOfFiles, AreKeptWhereTheyDoNot)
{
    expect_as_kept({write("a.txt", "3 1\n0 2 1\n")}, true);
    expect_as_kept({write("e.tsv", "0 1\n1 0\n0 2\n")}, true);
    int told = 0;
    const MatrixRows kept({write("b.txt", "1 0\n0 1\n")}, [&told] { ++told; });
    const MatrixRows in_order({write("c.txt", "0 1\n1 0\n")}, [&told] { ++told; });
    EXPECT_EQ(told, 1);
}

TEST_F(RowsOfFiles, AreRefusedAsTheWholeMatrixIs)
{
    for (const char* content :
         {"", "0 x\n", "0 1\n0 2 3\n", "0 1\n3 1\n3 2 1\n", "0 2147483646\n", "2147483646 0\n"}) {
        const DatasetFile file{write("a.txt", content)};
        try {
            const MatrixRows rows(file);
            FAIL() << content;
        } catch (const InputError& error) {
            EXPECT_EQ(std::string(error.what()), error_of(file));
        }
    }
}

TEST_F(RowsOfFiles, OfAFileThatIsWrittenOverAreRefused)
{
    for (const char* later :
         {"0 1\n1 1 2\n", "0 1\n1 1\n2 1\n", "0 1\n1 9\n", "1 1\n0 1\n", "0 1\n"}) {
        const MatrixRows rows({write("a.txt", "0 1\n1 1\n")});
        write("a.txt", later);
        EXPECT_THAT([&] { rows_read(rows); },
                    testing::ThrowsMessage<InputError>(testing::HasSubstr("was written over")))
            << later;
    }
}

Bytes rise_of(const std::function<void()>& work)
{
    const PeakMemory peak;
    work();
    return peak.rise().value_or(Bytes(0));
}

/// 2 million links in 1,000 rows, each row in a line or each link.
void write_links(const std::string& path, const char* between, bool whole_rows)
{
    std::ofstream file(path);
    for (int row = 0; row < 1000; ++row) {
        for (int i = 0; i < 2000; ++i) {
            if (i == 0 || !whole_rows) {
                file << row;
            }
            file << between << i * 100000 + (row * 7919 + i * 31) % 100000;
            file << (i == 1999 || !whole_rows ? "\n" : "");
        }
    }
}

TEST_F(RowsOfFiles, TakeNoMemoryForLinks)
{
#ifdef ALXSIM_SANITIZED
    GTEST_SKIP() << "sanitizers keep memory that was given back";
#endif
    const std::string lines = folder_ + "a.txt";
    const std::string edges = folder_ + "e.tsv";
    write_links(lines, " ", true);
    write_links(edges, "\t", false);
    for (const std::string& path : {lines, edges}) {
        std::int64_t links = 0;
        const Bytes one_by_one = rise_of([&] {
            MatrixRows({path}).for_each([&links](const std::vector<std::int32_t>& ids) {
                links += static_cast<std::int64_t>(ids.size());
            });
        });
        const Bytes kept = rise_of([&] { links -= read_matrix({path}).links(); });
        EXPECT_EQ(links, 0) << path;
        if (kept < Bytes(4 << 20)) {
            GTEST_SKIP()
                << "no peak shows here: a system that does not tell, or earlier tests left room";
        }
        EXPECT_LT(one_by_one, kept / 2) << path;
    }
}

} // namespace
} // namespace alxsim::alx
