// SPDX-License-Identifier: Apache-2.0
#include "alx/data/found_format.h"
#include "data_files.h"

#include <gmock/gmock.h>

namespace alxsim::alx {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class Found : public DataFiles {
protected:
    /// "format: why", of a file whose name says nothing.
    std::string found(const std::string& text) const
    {
        const FoundFormat format = found_format(write("data.txt", text));
        return format.format + (format.why.empty() ? "" : ": " + format.why);
    }
    std::string refusal(const std::string& name, const std::string& bytes) const
    {
        return error_of({made_.write(name, bytes)});
    }
};

TEST_F(Found, SnapsListsOfEdgesByTheirComments)
{
    const std::string text = "# Directed graph: web.txt\n# Nodes: 3 Edges: 2\n"
                             "# FromNodeId\tToNodeId\n0\t1\n2\t1\n";
    EXPECT_EQ(found(text), "edges: a comment of SNAP names FromNodeId and ToNodeId");
    EXPECT_EQ(rows_of(read_matrix({folder_ + "data.txt"})), (Rows{{1}, {}, {1}}));
    EXPECT_EQ(found_format(write("data.txt.gz", text)).format, "edges");
}

TEST_F(Found, PairsWhoseFirstNumberRepeatsAreNoAdjacencyList)
{
    EXPECT_EQ(found("0 1\n0 2\n3 0\n"),
              "edges: each line has two numbers, of which the first repeats");
    EXPECT_EQ(found("# links\n0 1\n3 0\n"), "edges: comments, and lines of two numbers each");
}

TEST_F(Found, TablesByTheNamesOfTheirColumnsAndEdgesByTheirBraces)
{
    const std::string named = "edges: the first line names the columns of a user and an item";
    EXPECT_EQ(found("userID\tartistID\tweight\n2\t51\t13883\n"), named);
    EXPECT_EQ(found("\xef\xbb\xbf"
                    "user,item\r0,1\r"),
              named);
    EXPECT_EQ(found("0 1 {'weight': 3}\n0 2 {}\n"),
              "edges: each line has two numbers, and attributes in braces");
    EXPECT_EQ(found("# NetworkX\n0 1 2\n1 2\n2\n"), "adjacency");
    EXPECT_EQ(rows_of(read_matrix({folder_ + "data.txt"})), (Rows{{1, 2}, {2}, {}}));
}

TEST_F(Found, RatingsByPartsOfAWholeTimesOrFewValuesOnManyLines)
{
    const std::string ratings =
        "movielens: each line has a user, who repeats, an item and a rating";
    EXPECT_EQ(found("1 1 3.5\n1 2 4\n"), ratings);
    EXPECT_EQ(found("1\t1\t3\t881250949\n1\t2\t5\t881250949\n"), ratings);
    EXPECT_EQ(found("1::2::5::978300760\n1::3::4::978300760\n"),
              "movielens: fields are parted by '::'");
    std::string many;
    for (int i = 0; i < 60; ++i) {
        many += std::to_string(1 + i / 5) + " " + std::to_string(1 + i) + " " +
                std::to_string(1 + i % 5) + "\n";
    }
    EXPECT_EQ(found(many), ratings);
}

TEST_F(Found, AdjacencyListsStayAdjacencyLists)
{
    for (const char* text : {"0 1 2\n1 0 1\n", "0 1\n1 2\n2 0\n", "7\n", "",
                             "0 1 2\n2 0 1\n1 2 0\n", "3 2\n1 2\n2 1 3\n", "0 1 2 3\n1\n2 0\n"}) {
        EXPECT_EQ(found(text), "adjacency") << text;
    }
    EXPECT_EQ(found("0 1 2\n0 3 4\n"), "adjacency") << "a row twice, which is refused";
    EXPECT_THAT(error_of({folder_ + "data.txt"}),
                HasSubstr("row 0 already stands in line 1, allowed is one line per row; of lines "
                          "'user item ..' the format is 'edges'"));
}

TEST_F(Found, AdjacencyListsThatMayBeRatingsSaySo)
{
    const std::string path = write("data.txt", "1 2 3\n2 3 5\n3 2 4\n");
    EXPECT_EQ(how_read({path}), "lines of a row and its 2 columns; where they are a user, an item "
                                "and a rating, the format is 'edges', or 'movielens' with ids from "
                                "1");
    EXPECT_EQ(how_read({path, "adjacency"}), "") << "the user said so";
    EXPECT_EQ(how_read({write("data.txt", "1 2 3\n2 3\n")}), "");
}

TEST_F(Found, MatrixMarketAndCommasByTheirFirstLine)
{
    EXPECT_EQ(found("%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1\n"),
              "matrix_market: the first line begins with %%MatrixMarket");
    EXPECT_EQ(found("0,1\n1,2\n"), "edges: fields are parted by commas or semicolons");
}

TEST_F(Found, ForeignFilesOfBytesAreNamedWhateverTheyAreSaidToBe)
{
    const auto bytes = [](const char* text, std::size_t size) { return std::string(text, size); };
    const std::vector<std::array<std::string, 3>> files{
        {bytes("PK\3\4\x14\0\0\0", 8), "a zip archive (.zip, .npz, .xlsx)", "unzip"},
        {bytes("\xff\xfeu\0,\0i\0\n\0", 10), "UTF-16 text", "iconv -f UTF-16"},
        {bytes("\xfe\xff\0u\0,", 6), "UTF-16 text", "iconv -f UTF-16"},
        {"PAR1\x15 ..", "a Parquet file", "to_csv"},
        {"\x89HDF\r\n\x1a\n..", "an HDF5 file", "to_csv"},
        {bytes("SQLite format 3\0..", 18), "an SQLite database", "sqlite3 -csv"},
        {"\x93NUMPY..", "a NumPy array", "np.savetxt"},
        {"%PDF-1.7", "a PDF document", "data themselves"},
        {std::string(257, 'x') + "ustar", "a tar archive", "tar -xf"}};
    for (const auto& [content, name, way_out] : files) {
        for (const std::string file : {"x.csv", "x.bin"}) {
            EXPECT_THAT(refusal(file, content),
                        AllOf(HasSubstr(file + ": byte 0: found " + name), HasSubstr(way_out)));
        }
        EXPECT_THAT(error_of({folder_ + "x.bin", "edges"}), HasSubstr("found " + name));
    }
}

TEST_F(Found, NamesOfColumnsAreNoSignatures)
{
    for (const char* header : {"ORCID,item", "FEA1,FEA2", "PAR1,PAR2", "BZh9,item"}) {
        EXPECT_THAT(error_of({write("x.csv", header + std::string("\n0,1\n"))}),
                    testing::Not(HasSubstr("which is not read")));
    }
}

TEST_F(Found, TarArchivesAreSeenThroughTheirCompression)
{
    write("x.tar.gz", std::string(257, 'x') + "ustar");
    EXPECT_THAT(error_of({folder_ + "x.tar.gz"}), HasSubstr("found a tar archive"));
}

TEST_F(Found, ForeignTextIsNamedWithAWayOut)
{
    const std::vector<std::array<std::string, 4>> files{
        {"x.libsvm", "1 1:0.5 3:1\n-1 2:1\n", "LIBSVM", "awk"},
        {"x.graph", "7 11\n5 3 2\n1 3 4\n5 4 2 1\n2 3 6 7\n1 3 6\n5 4 7\n6 4\n", "a graph of METIS",
         "awk"},
        {"x.txt", "7 11\n5 3 2\n1 3 4\n5 4 2 1\n2 3 6 7\n1 3 6\n5 4 7\n6 4\n", "a graph of METIS",
         "awk"},
        {"out.x", "% bip unweighted\n% 4 2 3\n1 1\n1 2\n", "a file of KONECT", "--format edges"},
        {"x.adj", "AdjacencyGraph\n3\n3\n0\n1\n2\n1\n2\n0\n", "an adjacency graph of PBBS", "awk"},
        {"x.csv", "\n<!DOCTYPE html>\n<html>", "a web page", "download"},
        {"x.xml", "<?xml version=\"1.0\"?>\n", "XML", "NetworkX"},
        {"x.json", "{\"user\": 1}\n", "JSON", "jq"}};
    for (const auto& [file, content, name, way_out] : files) {
        EXPECT_THAT(refusal(file, content),
                    AllOf(HasSubstr(file + ": line 1: found " + name), HasSubstr(way_out)));
    }
    EXPECT_EQ(error_of({folder_ + "out.x", "edges"}), "no error") << "who says so means it";
}

TEST_F(Found, AGraphOfLawIsNotTakenForOneOfMetis)
{
    made_.write("web.properties", "nodes=3\n");
    EXPECT_EQ(found_format(made_.write("web.graph", "3 2\n2\n1 3\n2\n")).format, "bvgraph");
}

} // namespace
} // namespace alxsim::alx
