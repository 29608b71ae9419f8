// SPDX-License-Identifier: Apache-2.0
#include "data_files.h"

#include <gmock/gmock.h>

#include <sstream>

namespace alxsim::alx {
namespace {

class Edges : public DataFiles {};
class MatrixMarket : public DataFiles {};
class Movielens : public DataFiles {};
class Formats : public DataFiles {};

TEST_F(Edges, TabsCommasSpacesCommentsHeaderAndWeights)
{
    const Rows expected{{1, 2}, {}, {0}};
    EXPECT_EQ(rows_of(read_matrix({write("a.tsv", "# c\n0\t2\n\n% c\n2\t0\t7.5\n0\t1\n0\t2\n")})),
              expected);
    EXPECT_EQ(rows_of(read_matrix({write("a.csv", "source,target,weight\n0,1,0\n2,0,1\r\n0,2,1")})),
              expected);
    EXPECT_EQ(rows_of(read_matrix({write("a.edges.gz", "0 2\n0 1\n2 0 1 99\n")})), expected);
}

TEST_F(Edges, GivenSizesHold)
{
    const SparseMatrix matrix = read_matrix({write("a.tsv", "0 1\n"), "edges", 4, 5});
    EXPECT_EQ(matrix.rows, 4);
    EXPECT_EQ(matrix.columns, 5);
    EXPECT_EQ(error_of({write("a.tsv", "0 1\n3 5\n"), "edges", 4, 5}),
              folder_ + "a.tsv: line 2: found '5' as a column id, allowed are whole numbers from 0 "
                        "to 4");
}

TEST_F(Edges, WrongLinesAreNamed)
{
    EXPECT_EQ(error_of({write("a.tsv", "0 1\n7\n")}),
              folder_ + "a.tsv: line 2: found '7'; allowed are lines of at least 2 fields, parted "
                        "by blanks as the first ones");
    const std::string names = "; 'alxsim dataset names' makes numbers of names";
    EXPECT_EQ(error_of({write("a.csv", "a,b\n0,1\nc,d\n")}),
              folder_ +
                  "a.csv: line 3: found 'c' as a row id, allowed are whole numbers from 0 to "
                  "2147483646" +
                  names);
    EXPECT_EQ(error_of({write("n.tsv", "-1 1\n")}),
              folder_ +
                  "n.tsv: line 1: found '-1' as a row id, allowed are whole numbers from 0 to "
                  "2147483646");
    EXPECT_EQ(error_of({write("d.tsv", "\x1b[2J 1\n")}),
              folder_ +
                  "d.tsv: line 1: found '\\x1b[2J' as a row id, allowed are whole numbers from "
                  "0 to 2147483646" +
                  names);
    EXPECT_EQ(error_of({write("c.tsv", "# nothing\n")}),
              folder_ +
                  "c.tsv: after line 1: holds no links; expected lines of the form 'row column'");
}

TEST_F(MatrixMarket, PatternRealIntegerGeneralAndSymmetric)
{
    EXPECT_EQ(
        rows_of(read_matrix({write("a.mtx", "%%MatrixMarket matrix coordinate pattern general\n"
                                            "% comment\n3 4 3\n1 4\n3 1\n1 2\n")})),
        (Rows{{1, 3}, {}, {0}}));
    EXPECT_EQ(
        rows_of(read_matrix({write("b.mtx.gz", "%%MatrixMarket matrix coordinate real symmetric\n"
                                               "3 3 3\n2 1 0.5\n3 3 -1e3\n3 2 0.0\n")})),
        (Rows{{1}, {0}, {2}}));
    const SparseMatrix empty =
        read_matrix({write("c.mtx", "%%MatrixMarket matrix coordinate integer general\n2 9 0\n")});
    EXPECT_EQ(empty.columns, 9);
    EXPECT_EQ(empty.rows, 2);
}

TEST_F(MatrixMarket, NumbersAreThoseOfCAndOfFortran)
{
    EXPECT_EQ(rows_of(read_matrix({write("a.mtx", "%%MatrixMarket matrix coordinate real general\n"
                                                  "2 4 5\n1 2 0.5D+01\n1 3 +1\n2 1 0d0\n"
                                                  "2 2 -1e-3\n2 4 .5\n")})),
              (Rows{{1, 2}, {1, 3}}));
    for (const std::string value : {"inf", "nan", "-Infinity", "1e999", "", "x", "1D2D3", "+-1"}) {
        EXPECT_EQ(error_of({write("b.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 1\n"
                                           "1 2 " +
                                               value + "\n")}),
                  folder_ + "b.mtx: line 3: found '" + value +
                      "' as a value, allowed are finite numbers");
    }
}

TEST_F(MatrixMarket, EntriesAtOnePlaceAreAddedAsScipyDoes)
{
    const std::string head = "%%MatrixMarket matrix coordinate ";
    EXPECT_EQ(rows_of(read_matrix({write("a.mtx", head + "integer general\n2 3 5\n1 2 3\n2 3 1\n"
                                                         "1 2 -3\n2 1 -4\n2 1 3\n")})),
              (Rows{{}, {0, 2}}));
    EXPECT_EQ(rows_of(read_matrix({write("b.mtx", head + "real symmetric\n2 2 3\n1 2 3\n2 1 -3\n"
                                                         "2 2 1\n")})),
              (Rows{{}, {1}}));
    EXPECT_EQ(rows_of(read_matrix({write("c.mtx", head + "complex general\n2 2 4\n1 1 1 2\n"
                                                         "1 1 -1 -2\n1 2 0 1\n2 1 0 0\n")})),
              (Rows{{1}, {}}));
    EXPECT_EQ(rows_of(read_matrix({write("d.mtx", head + "integer general\n1 2 3\n1 2 3\n1 2 3\n"
                                                         "1 1 1\n")})),
              (Rows{{0, 1}}));
}

TEST_F(MatrixMarket, SkewSymmetricAndHermitianFilesHoldHalfOfTheirEntries)
{
    const std::string head = "%%MatrixMarket matrix coordinate ";
    EXPECT_EQ(rows_of(read_matrix({write("a.mtx", head + "real skew-symmetric\n3 3 1\n3 1 2\n")})),
              (Rows{{2}, {}, {0}}));
    EXPECT_EQ(rows_of(read_matrix(
                  {write("b.mtx", head + "complex hermitian\n2 2 2\n2 1 0 1\n2 2 1 0\n")})),
              (Rows{{1}, {0, 1}}));
}

TEST_F(MatrixMarket, OfADenseFileWhatIsNotZeroIsALink)
{
    const std::string head = "%%MatrixMarket matrix array ";
    EXPECT_EQ(rows_of(read_matrix({write("a.mtx", head + "real general\n% c\n2 3\n1\n0\n\n0\n-2\n"
                                                         "% c\n3\n0.0\n")})),
              (Rows{{0, 2}, {1}}));
    EXPECT_EQ(rows_of(read_matrix({write("b.mtx", head + "integer symmetric\n2 2\n0\n1\n1\n")})),
              (Rows{{1}, {0, 1}}));
    EXPECT_EQ(rows_of(read_matrix({write("c.mtx", head + "real skew-symmetric\n3 3\n1\n0\n1\n")})),
              (Rows{{1}, {0, 2}, {1}}));
    EXPECT_EQ(error_of({write("d.mtx", head + "real general\n2 2\n1\n0\n1\n")}),
              folder_ + "d.mtx: line 5: the file ends after 3 entries, the header says 4");
    EXPECT_EQ(error_of({write("e.mtx", head + "real general\n1 2\n1\n0\n1\n")}),
              folder_ + "e.mtx: line 5: found more values than the 2 that the sizes make");
}

TEST_F(MatrixMarket, AnyCaseOfTheBannerBlankLinesAndCommentsBetween)
{
    EXPECT_EQ(
        rows_of(read_matrix({write("a.mtx", "%%matrixmarket MATRIX Coordinate Pattern General\n"
                                            "%\n\n  2 2 2\n\n1 2\n% between\n\n 2 1\n\n")})),
        (Rows{{1}, {0}}));
}

TEST_F(MatrixMarket, WrongFilesAreRefused)
{
    const std::string allowed =
        ", allowed is '%%MatrixMarket matrix T F S' with T one of coordinate, array, F one of "
        "pattern, real, integer, unsigned-integer, complex and S one of general, symmetric, "
        "skew-symmetric, hermitian";
    for (const char* kind :
         {"vector coordinate real general", "matrix array pattern general",
          "matrix coordinate pattern skew-symmetric", "matrix coordinate real hermitian",
          "matrix coordinate quad general"}) {
        EXPECT_THAT(
            error_of({write("a.mtx", "%%MatrixMarket " + std::string(kind) + "\n2 2\n1\n")}),
            testing::EndsWith(allowed))
            << kind;
    }
    const std::string head = "%%MatrixMarket matrix coordinate pattern general\n";
    EXPECT_EQ(error_of({write("b.mtx", head + "2 2 1\n1 1\n2 2\n")}),
              folder_ + "b.mtx: line 4: found more entries than the 1 that the header says");
    EXPECT_EQ(error_of({write("c.mtx", head + "2 2 3\n1 1\n2 2\n")}),
              folder_ + "c.mtx: line 4: the file ends after 2 entries, the header says 3");
    EXPECT_EQ(error_of({write("d.mtx", head + "2 2 1\n0 1\n")}),
              folder_ +
                  "d.mtx: line 3: found '0' as a row id, allowed are whole numbers from 1 to 2");
    EXPECT_EQ(error_of({write("e.mtx", head + "2 x 1\n0 1\n")}),
              folder_ + "e.mtx: line 2: found 'x' as a size, allowed are whole numbers in the form "
                        "'rows columns entries'");
    EXPECT_EQ(error_of({write("f.mtx", head + "2 3 1\n1 1\n"), "", 5}),
              folder_ + "f.mtx: found 2 rows in the file, but 5 were asked for; allowed: the same, "
                        "or leave 'rows' out");
}

TEST_F(Movielens, BothFormsAndTheThreshold)
{
    const Rows all{{0, 2}, {1}};
    const Rows good{{2}, {1}};
    for (const auto& [name, text] :
         {std::pair("u.data", "1\t1\t3\t881250949\n1\t3\t5\t1\n2\t2\t4\t1\n"),
          std::pair("ratings.dat", "1::1::3::978300760\n1::3::5::1\n2::2::4::1\n")}) {
        const std::string path = write(name, text);
        EXPECT_EQ(rows_of(read_matrix({path})), all) << name;
        EXPECT_EQ(rows_of(read_matrix({path, "", {}, {}, 4.0})), good) << name;
    }
}

TEST_F(Movielens, TablesWithAHeaderHaveTheIdsThatStandThereWhateverTheirNames)
{
    for (const char* const name : {"ratings.csv.gz", "likes.csv", "likes.tsv", "likes"}) {
        for (const char* const times : {"1\n2\n3\n", "2017-06-01\n2017-06-02\n2017-06-03\n"}) {
            std::istringstream ends(times);
            std::string text = "userId,movieId,rating,timestamp\n";
            for (const char* const link : {"1,1,3.5,", "1,3,4.0,", "2,2,5,"}) {
                std::string time;
                std::getline(ends, time);
                text += link + time + "\n";
            }
            const std::string path = write(name, text);
            EXPECT_EQ(rows_of(read_matrix({path})), (Rows{{}, {1, 3}, {2}})) << name;
            EXPECT_EQ(rows_of(read_matrix({path, "", {}, {}, 4.0})), (Rows{{}, {3}, {2}})) << name;
            EXPECT_EQ(first_id({path}), 0);
            EXPECT_EQ(rows_of(read_matrix({path, "movielens"})), (Rows{{0, 2}, {1}}))
                << "who says so means it";
        }
    }
}

TEST_F(Movielens, WrongLinesAreNamed)
{
    EXPECT_EQ(error_of({write("u.data", "1\t1\t3\t1\n1\t2\n")}),
              folder_ + "u.data: line 2: found '1\\x092'; allowed are lines of at least 3 fields, "
                        "parted by tabs as the first ones");
    EXPECT_EQ(error_of({write("u.data", "1\t1\tgood\t1\n")}),
              folder_ + "u.data: line 1: found 'good' as a rating, allowed are numbers");
    EXPECT_EQ(error_of({write("u.data", "1\t1\tnan\t1\n")}),
              folder_ + "u.data: line 1: found 'nan' as a rating, allowed are numbers");
}

TEST_F(Formats, AreKnownByNameAndUnknownOnesAreRefused)
{
    EXPECT_EQ(format_of("x/ratings.csv.gz"), "adjacency") << "not there, so not looked at";
    EXPECT_EQ(format_of(write("ratings.dat.gz", "")), "movielens");
    EXPECT_EQ(format_of(write("ratings.csv", "")), "edges");
    EXPECT_EQ(format_of("web.tfrecord-00000-of-00010"), "webgraph_tfrecord");
    EXPECT_EQ(format_of("adj.txt"), "adjacency");
    EXPECT_EQ(error_of({write("a.txt", "0 1\n"), "edge"}),
              "dataset format: found 'edge', allowed are adjacency, edges, matrix_market, "
              "movielens, bvgraph, webgraph_tfrecord, cache; did you mean 'edges'?");
    EXPECT_EQ(error_of({write("a.txt", "0 1\n"), "", {}, {}, 4.0}),
              folder_ +
                  "a.txt: found a threshold for the format adjacency, which holds no ratings; "
                  "allowed with: edges, matrix_market, movielens");
}

} // namespace
} // namespace alxsim::alx
