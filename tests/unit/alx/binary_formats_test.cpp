// SPDX-License-Identifier: Apache-2.0
#include "alx/data/cache_file.h"
#include "alx/data/test_file.h"
#include "alx/files/tfrecord.h"
#include "binary_files.h"
#include "data_files.h"
#include "matrices.h"

#include <gmock/gmock.h>

namespace alxsim::alx {
namespace {

using testing::HasSubstr;

class Cache : public DataFiles {};
class Bvgraph : public DataFiles {};
class WebgraphTfrecord : public DataFiles {};
class TestFile : public DataFiles {};

TEST_F(Cache, GivesBackWhatWasWritten)
{
    const SparseMatrix matrix = power_law_matrix(3000, 70000, 5);
    for (const char* name : {"m.cache", "m.cache.gz", "m.txt", "m.adj.gz"}) {
        const std::string path = folder_ + name;
        std::ofstream(path, std::ios::binary) << matrix_bytes(matrix, path);
        const SparseMatrix again = read_matrix({path, "", {}, {}});
        EXPECT_EQ(rows_of(again), rows_of(matrix)) << name;
    }
    EXPECT_EQ(read_matrix({folder_ + "m.cache"}).columns, 70000);
    EXPECT_EQ(format_of(folder_ + "m.cache.gz"), "cache");
}

TEST_F(Cache, DamageIsNoticed)
{
    const std::string good = matrix_bytes(power_law_matrix(50, 40, 5), "a.cache");
    std::string bad = good;
    bad[good.size() - 8] ^= 1;
    EXPECT_THAT(error_of({write("a", bad), "cache"}), HasSubstr(folder_ + "a: byte "));
    EXPECT_EQ(error_of({write("b", good.substr(0, 60)), "cache"}),
              folder_ + "b: byte 36: found 50 rows and " +
                  std::to_string(power_law_matrix(50, 40, 5).links()) +
                  " links in a file that is too small for them: it is truncated");
    const std::string cut = good.substr(0, good.size() - 1);
    EXPECT_EQ(error_of({write("b", cut), "cache"}),
              folder_ + "b: byte " + std::to_string(cut.size()) +
                  ": the file ends too early: it is truncated");
    EXPECT_EQ(error_of({write("c", "0 1 2 3 4 5 6"), "cache"}),
              folder_ + "c: byte 1: is no cache of alxsim; allowed are files that begin with "
                        "'ALXCACHE'");
    bad = good;
    bad[8] = 2;
    EXPECT_EQ(error_of({write("d", bad)}),
              folder_ + "d: byte 12: found version 2, allowed is 1: convert the data anew");
}

TEST_F(Bvgraph, CodesAreDecodedByHand)
{
    // With gamma for all: 0 is 1, 1 is 010, 2 is 011, 3 is 00100.
    const std::string bits = "011" // node 0: length 2
                             "1"   // no reference (unary 0)
                             "1"   // no intervals
                             "011" // first rest: 0 + 1, sign-coded 2
                             "1"   // second rest: gap 0 -> 2
                             "011" // node 1: length 2
                             "01"  // reference 1 back (unary 1)
                             "010" // one block
                             "010" // of length 1: copies 1, skips 2
                             "1"   // no intervals
                             "010" // rest: 1 - 1 = 0, sign-coded 1
                             "1";  // node 2: length 0
    write("g.graph", bytes_of(bits));
    write("g.properties", "nodes=3\narcs=4\ncompressionflags=RESIDUALS_GAMMA\n");
    const Rows expected{{1, 2}, {0, 1}, {}};
    EXPECT_EQ(rows_of(read_matrix({folder_ + "g.graph"})), expected);
    EXPECT_EQ(rows_of(read_matrix({folder_ + "g"})), expected);
    EXPECT_EQ(rows_of(read_matrix({folder_ + "g.properties"})), expected);
    // zeta with k = 1 is gamma.
    write("g.properties", "nodes=3\narcs=4\nzetak=1\n");
    EXPECT_EQ(rows_of(read_matrix({folder_ + "g.graph"})), expected);
    write("g.properties", "nodes=3\narcs=5\nzetak=1\n");
    EXPECT_EQ(error_of({folder_ + "g.graph"}),
              folder_ + "g.graph: bit 25: holds 4 arcs, its properties say 5");
}

TEST_F(Bvgraph, IntervalsDeltaAndNibblesAreDecoded)
{
    // Node 0: 1, 2, 3 as an interval of 3, the minimum; 5 as a rest. The others: nothing.
    const std::string bits = "01101"    // length 4 in delta: gamma(2), then 01
                             "010"      // one interval
                             "011"      // its left end: +1, sign-coded 2
                             "1"        // of 3 + 0
                             "00011010" // rest: +5, sign-coded 10: 001 and 010 in nibbles
                             "11111";   // five rows of length 0
    write("g.graph", bytes_of(bits));
    write("g.properties", "nodes=6\narcs=4\nwindowsize=0\nminintervallength=3\n"
                          "compressionflags=OUTDEGREES_DELTA | RESIDUALS_NIBBLE\n");
    EXPECT_EQ(rows_of(read_matrix({folder_ + "g.graph"})),
              (Rows{{1, 2, 3, 5}, {}, {}, {}, {}, {}}));
}

TEST_F(Bvgraph, WrongFilesAreRefused)
{
    write("g.graph", bytes_of("0111"));
    write("g.properties", "nodes=3\narcs=4\ncompressionflags=RESIDUALS_GOLOMB\n");
    EXPECT_EQ(error_of({folder_ + "g.graph"}),
              folder_ + "g.properties: line 3: found 'RESIDUALS_GOLOMB' as compressionflags, "
                        "allowed are RESIDUALS_ followed by one of GAMMA, DELTA, ZETA, NIBBLE");
    write("g.properties", "nodes=3\n");
    EXPECT_EQ(
        error_of({folder_ + "g.graph"}),
        folder_ +
            "g.properties: after line 1: 'arcs' is missing, allowed are whole numbers from 0 to "
            "1125899906842624");
    write("g.properties", "nodes=3\narcs=4\n");
    EXPECT_THAT(error_of({folder_ + "g.graph"}),
                HasSubstr("the file ends in the middle of a code"));
    write("g.properties", "nodes=3\narcs=1\n");
    EXPECT_EQ(error_of({folder_ + "g.graph"}),
              folder_ + "g.graph: node 0, bit 3: found 2 arcs, more than are left: the file is "
                        "damaged, or not what its properties say");
}

TEST_F(Bvgraph, Cnr2000IsItsAdjacencyArcForArc)
{
    const std::string folder = std::string(ALXSIM_SHARED_DIR) + "/data/cnr-2000/";
    if (!std::filesystem::exists(folder)) {
        GTEST_SKIP() << "no " << folder;
    }
    const SparseMatrix graph = read_matrix({folder + "cnr-2000.graph"});
    const SparseMatrix listed = read_matrix({folder + "adj.txt.gz"});
    EXPECT_EQ(graph.rows, 325557);
    EXPECT_EQ(graph.links(), 3216152);
    EXPECT_TRUE(graph.lists == listed.lists);
}

TEST_F(WebgraphTfrecord, Crc32cIsThatOfRfc3720)
{
    EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8a9136aau);
    EXPECT_EQ(crc32c("123456789"), 0xe3069283u);
}

TEST_F(WebgraphTfrecord, PackedUnpackedAndFloatLists)
{
    const std::string unpacked = field(3, std::string("\x08\x05\x08\xac\x02", 5)); // 5, 300
    const std::string floats =
        field(2, field(1, std::string("\x00\x00\x80\x3f\x00\x00\x00\x40", 8))); // 1, 2
    const std::string content =
        record_of(field(1, feature("row_tag", packed("\x02")) +
                               feature("col_tag", packed(std::string("\x07\x00\x03", 3))) +
                               feature("gt_tag", packed("")))) +
        record_of(field(1, feature("col_tag", unpacked) + feature("row_tag", packed("\x01")))) +
        record_of(field(1, feature("col_tag", floats) +
                               feature("row_tag", packed(std::string(1, '\0')))));
    const Rows expected{{1, 2}, {5, 300}, {0, 3, 7}};
    EXPECT_EQ(rows_of(read_matrix({write("w.tfrecord", content)})), expected);
    EXPECT_EQ(rows_of(read_matrix({write("w.tfrecord.gz", content)})), expected);
    std::filesystem::remove(folder_ + "w.tfrecord");
    EXPECT_EQ(rows_of(read_matrix({folder_})), expected) << "a folder stands for its files";
}

TEST_F(WebgraphTfrecord, WrongFilesAreRefused)
{
    const std::string good = record_of(
        field(1, feature("row_tag", packed("\x02")) + feature("col_tag", packed("\x07"))));
    std::string bad = good + good;
    bad[good.size() + 20] ^= 1;
    EXPECT_EQ(error_of({write("a.tfrecord", bad)}),
              folder_ + "a.tfrecord: record 2, byte " + std::to_string(good.size()) +
                  ": the checksum of the data is wrong: the file is damaged");
    EXPECT_EQ(error_of({write("a.tfrecord", good + good)}),
              folder_ + "a.tfrecord: record 2: row 2 already stands in record 1, allowed is one "
                        "record per row");
    EXPECT_EQ(error_of({write("a.tfrecord", good.substr(0, good.size() - 1))}),
              folder_ + "a.tfrecord: record 1, byte 0: the file ends in the middle of a record");
    EXPECT_EQ(error_of({write("a.tfrecord", "0 1 2 3 4 5 6 7 8 9")}),
              folder_ + "a.tfrecord: record 1, byte 0: the checksum of the length is wrong: the "
                        "file is damaged, or no TFRecord file");
    EXPECT_EQ(error_of({write("a.tfrecord", record_of(field(1, feature("a", packed("\x02")))))}),
              folder_ +
                  "a.tfrecord: record 1: found 0 values of row_tag (features: 'a'), allowed is "
                  "one, beside the lists col_tag and gt_tag");
    EXPECT_EQ(error_of({write("a.tfrecord", record_of("\x0a\x7f"))}),
              folder_ + "a.tfrecord: record 1: is no protocol buffer; allowed is a serialized "
                        "tf.train.Example");
    EXPECT_THAT(
        error_of({write("a.tfrecord", record_of(field(1, feature("row_tag", packed("\x02")) +
                                                             feature("gt_tag", packed("\x07")))))}),
        HasSubstr("record 1: found 1 links in gt_tag, allowed are none"));
}

std::string lines_of(const Dataset& data)
{
    std::string lines;
    for (std::size_t i = 0; i < data.test_rows.size(); ++i) {
        const auto row = static_cast<std::int32_t>(i);
        lines += test_line(data.test_rows[i], {data.history.ids(row), data.ground_truth.ids(row)});
    }
    return lines;
}

TEST_F(TestFile, TextAndTfrecordsGiveTestRowsInOrder)
{
    const SparseMatrix training = matrix_of({{0, 1}, {}, {2}}, 8);
    const Dataset data =
        with_test_file(training, write("t.txt.gz", "9 | 3 0 | 7\n\n1 | | 4 2\n12 | 5 |\n"));
    EXPECT_EQ(data.test_rows, (std::vector<std::int32_t>{1, 9, 12}));
    EXPECT_EQ(rows_of(data.history), (Rows{{}, {0, 3}, {5}}));
    EXPECT_EQ(rows_of(data.ground_truth), (Rows{{2, 4}, {7}, {}}));
    EXPECT_EQ(data.training_row_count(), 2) << "row 1 is a test row, 9 and 12 are none of ours";
    EXPECT_EQ(lines_of(data), "1 | | 2 4\n9 | 0 3 | 7\n12 | 5 |\n");
    const std::string record =
        record_of(field(1, feature("row_tag", packed("\x09")) + feature("col_tag", packed("\x03")) +
                               feature("gt_tag", packed("\x07"))));
    const Dataset same = with_test_file(training, write("t.tfrecord", record));
    EXPECT_EQ(lines_of(same), "9 | 3 | 7\n");
}

TEST_F(TestFile, CountsItsIdsFromWhereTheLinksDo)
{
    const Dataset data =
        with_test_file(matrix_of({{0, 1}, {2}}, 8), write("t.txt", "1 | 1 2 | 8\n9 | 3 | 1\n"), 1);
    EXPECT_EQ(lines_of(data), "0 | 0 1 | 7\n8 | 2 | 0\n");
    EXPECT_EQ(test_line(0, {{0, 1}, {7}}, 1), "1 | 1 2 | 8\n");
    EXPECT_THROW(with_test_file(matrix_of({{0}}, 8), write("t.txt", "0 | 1 | 2\n"), 1), InputError);
}

TEST_F(TestFile, WhoseHistoriesAreNotWhatIsTrainedOnIsDoubted)
{
    const SparseMatrix training = matrix_of({{}, {1, 3}, {2, 4}, {1, 4}}, 8);
    const auto doubts = [&](const std::string& text) {
        return with_test_file(training, write("t.txt", text)).id_notes;
    };
    const std::vector<std::string> none;
    EXPECT_EQ(doubts("1 | 1 3 | 2\n2 | 2 4 | 6\n3 | 1 | 2\n"), none);
    EXPECT_EQ(doubts("1 | | 2\n8 | 1 | 2\n"), none) << "nothing to compare";
    EXPECT_EQ(doubts("0 | 0 2 | 1\n1 | 1 3 | 5\n2 | 0 3 | 1\n"), none) << "half of it is";
    const SparseMatrix other = matrix_of({{}, {1, 3}, {4, 6}, {2, 5}}, 9);
    const auto doubt = [&](const std::string& text) {
        return with_test_file(other, write("t.txt", text)).id_notes.at(0);
    };
    EXPECT_EQ(doubt("0 | 0 2 | 1\n1 | 3 5 | 2\n2 | 1 7 | 4\n"),
              folder_ +
                  "t.txt: of 2 test rows that are trained on, 25 % of what is \"known\" is in "
                  "the training file; ids shifted by one? Were all of them one more, it would "
                  "be 83 % of 3 rows'");
    EXPECT_THAT(doubt("4 | 3 6 | 1\n"), HasSubstr("Were all of them one less"))
        << "beyond the links";
    EXPECT_THAT(doubt("1 | 0 7 | 2\n2 | 0 7 | 5\n"),
                HasSubstr("0 % of what is \"known\" is in the training file; are these other rows, "
                          "or other ids?"));
}

TEST_F(TestFile, WrongLinesAreNamed)
{
    const auto message = [&](const std::string& text) {
        try {
            with_test_file(matrix_of({{0, 1}}, 8), write("t.txt", text));
        } catch (const InputError& error) {
            return std::string(error.what());
        }
        return std::string("no error");
    };
    EXPECT_EQ(message("0 | 1 | 2\n3 1 | 2\n"),
              folder_ + "t.txt: line 2: found '3 1 | 2', allowed is 'row | history | ground "
                        "truth', like '12 | 0 3 | 4'");
    EXPECT_EQ(message("0 | 1 | 8\n"),
              folder_ + "t.txt: line 1: found '8' as a column id, allowed are whole numbers from 0 "
                        "to 7");
    EXPECT_EQ(message("0 | 1 2 | 2\n"),
              folder_ + "t.txt: line 1: column 2 is both in the history and in the ground truth; "
                        "allowed is one of them");
    EXPECT_EQ(message("0 | 1 | 2\n0 | 1 | 2\n"),
              folder_ + "t.txt: line 2: test row 0 stands twice, allowed is once");
    EXPECT_EQ(message("0 7 | 1 | 2\n"),
              folder_ + "t.txt: line 1: found '7' behind the row id, allowed is one row id");
}

} // namespace
} // namespace alxsim::alx
