// SPDX-License-Identifier: Apache-2.0
#include "alx/data/weighted_links.h"
#include "alx/names/named_links.h"
#include "data_files.h"

#include <sstream>

/// Tables of links as people have them: what is learned does not depend on how a file is written.
namespace alxsim::alx {
namespace {

class Tables : public DataFiles {
protected:
    /// Rows of the matrix that a file of this content holds.
    Rows read(const std::string& name, const std::string& content) const
    {
        return rows_of(read_matrix({write(name, content)}));
    }
    std::string refusal(const std::string& name, const std::string& content) const
    {
        return error_of({write(name, content)});
    }
};

class NamedTables : public DataFiles {
protected:
    struct Numbered {
        std::string rows;
        std::string columns;
        std::string read_as;
    };
    /// A name on each line.
    Numbered number(const std::string& content, bool header = false, ColumnNames fields = {}) const
    {
        std::ostringstream ids;
        PackedOutput output(ids, "ids");
        const NamedLinks links =
            number_links({write("names.csv", content), false, header, std::move(fields)}, output);
        return {links.rows.text(), links.columns.text(), links.read_as};
    }
    /// The lines of ids.
    static std::string numbered(const NamedLinksFile& file)
    {
        std::ostringstream ids;
        PackedOutput output(ids, "ids");
        number_links(file, output);
        output.finish();
        return ids.str();
    }
    static std::string refusal(const NamedLinksFile& file)
    {
        try {
            return numbered(file);
        } catch (const InputError& error) {
            return error.what();
        }
    }
};

const Rows expected{{1, 2}, {}, {0}};

TEST_F(Tables, AreTheSameByAnySeparatorQuotesLineEndsAndMark)
{
    for (const std::string separator : {"\t", ",", ";", "|", "::", " ", "  ", " , "}) {
        std::string lines;
        for (const char* const link : {"0 2", "2 0", "0 1"}) {
            lines += std::string(1, link[0]) + separator + link[2] + "\n";
        }
        EXPECT_EQ(read("a.edges", lines), expected) << "'" << separator << "'";
    }
    EXPECT_EQ(read("a.edges", "0,2\r\n2,0\r\n0,1"), expected);
    EXPECT_EQ(read("a.edges", "0,2\r2,0\r0,1\r"), expected) << "carriage returns alone";
    EXPECT_EQ(read("a.edges", "\xef\xbb\xbf"
                              "0,2\n2,0\n0,1\n"),
              expected);
    EXPECT_EQ(read("a.edges", "\"0\",\"2\"\n\"2\",\"0\"\n\"0\",\"1\"\n"), expected);
    EXPECT_EQ(read("a.edges", "# by hand\n0,2\n\n  \n% more\n2,0\n0,1\n0,1\n"), expected);
}

TEST_F(Tables, HaveTheirColumnsByTheNamesInTheFirstLine)
{
    EXPECT_EQ(read("a.csv", ",user,item,rating\n0,0,1,5\n1,0,2,3\n2,2,0,4\n"), expected)
        << "an index without a name is no user";
    EXPECT_EQ(read("a.csv", "movieId,userId,rating\n1,0,4.0\n2,0,4.5\n0,2,0.5\n"), expected);
    EXPECT_EQ(read("a.csv", "stars;Business_ID;User-ID\n4;1;0\n1;2;0\n5;0;2\n"), expected);
    EXPECT_EQ(read("a.tsv", "user\titem\trating\n0\t1\t3\n0\t2\t3\n2\t0\t1\n"), expected);
    EXPECT_EQ(read("a.csv", "from_here,to_there\n0,1\n0,2\n2,0\n"), expected)
        << "of two columns the first and the second";
    DatasetFile swapped{write("a.csv", "who,what,when\n1,0,9\n2,0,9\n0,2,9\n")};
    swapped.fields = {"what", "who", {}, {}};
    EXPECT_EQ(rows_of(read_matrix(swapped)), expected);
}

TEST_F(Tables, WithoutKnownNamesOfMoreThanTwoColumnsAreRefused)
{
    EXPECT_EQ(refusal("a.csv", "alpha,beta,gamma\n0,1,1\n"),
              folder_ +
                  "a.csv: the first line: found columns 'alpha', 'beta', 'gamma', none of which is "
                  "known as the user or the item; allowed: common names such as user, userId, row, "
                  "source and item, movieId, column, target, or 'fields' of the data set, which "
                  "says which is which");
    EXPECT_EQ(refusal("a.csv", "user,userId,item\n0,1,1\n"),
              folder_ + "a.csv: the first line: found columns 'user', 'userId', 'item', more than "
                        "one of which may be the user's; allowed: 'fields' of the data set, which "
                        "says which");
    DatasetFile mistyped{write("a.csv", "user,item\n0,1\n")};
    mistyped.fields.user = "usr";
    EXPECT_EQ(error_of(mistyped),
              folder_ + "a.csv: the first line: found columns 'user', 'item', none of which is "
                        "'usr', given as the user's; allowed: one of them");
}

TEST_F(Tables, WithoutNamesHaveTheirColumnsByNumbers)
{
    DatasetFile counted{write("a.tsv", "9\t1\t0\n9\t2\t0\n9\t0\t2\n")};
    counted.fields = {"3", "2", {}, {}};
    EXPECT_EQ(rows_of(read_matrix(counted)), expected);
    counted.fields = {"3", "2", "1", {}};
    EXPECT_EQ(how_read(counted).substr(0, 79),
              "lines parted by tabs; user: column 3; item: column 2; rating: column 1 (by posi");
    counted.fields = {{}, "4", {}, {}};
    EXPECT_EQ(error_of(counted),
              folder_ + "a.tsv: the first lines: found 3 columns without names, and '4' given as "
                        "the item's; allowed: a column's number from 1 to 3");
    counted.fields = {"2", {}, {}, {}};
    EXPECT_EQ(error_of(counted), folder_ + "a.tsv: the first lines: found column 2 as both the "
                                           "user's and the item's; allowed: 'fields' that give "
                                           "both");
}

TEST_F(Tables, OfTwoSeparatorsThatPartAllLinesAreRefused)
{
    EXPECT_EQ(refusal("a.edges", "1;b,5\n1;c,5\n"),
              folder_ + "a.edges: the first lines: found that ',' (2 fields) and ';' (2 fields) "
                        "part every line; "
                        "allowed: one of tabs, '::', commas, semicolons, bars or blanks, and "
                        "fields that hold another in double quotes");
    EXPECT_EQ(read("a.edges", "0;1;4,5\n0;2;3,0\n2;0;1,0\n"), expected)
        << "semicolons alone leave numbers";
}

TEST_F(Tables, OfRatingsBeginAtOneUnlessThereIsAZero)
{
    EXPECT_EQ(read("u.data", "1\t2\t5\t0\n1\t3\t5\t0\n3\t1\t5\t0\n"), expected);
    EXPECT_EQ(read("u.data", "0\t1\t5\t0\n0\t2\t5\t0\n2\t0\t5\t0\n"), expected);
}

TEST_F(Tables, TakeAThresholdWhereTheyHaveRatings)
{
    const std::string path = write("a.csv", "user,item,score\n0,1,3\n0,2,5\n2,0,4\n");
    EXPECT_EQ(rows_of(read_matrix({path, "", {}, {}, 4.0})), (Rows{{2}, {}, {0}}));
    EXPECT_EQ(error_of({write("b.csv", "user,item\n0,1\n"), "", {}, {}, 4.0}),
              folder_ + "b.csv: the first line: found no column of ratings; allowed: one after "
                        "user and item, or named rating, score, stars, weight .. in the first "
                        "line");
}

TEST_F(Tables, GiveWhatTheirLinksWeigh)
{
    const auto weights_of = [this](const std::string& name, const std::string& text) {
        WeightedLinks weights;
        const SparseMatrix matrix = read_matrix({write(name, text)}, weights);
        std::vector<float> all;
        for (std::int32_t row = 0; row < matrix.rows; ++row) {
            for (const std::int32_t column : matrix.ids(row)) {
                all.push_back(weights.weight(row, column).value());
            }
        }
        return all;
    };
    const std::vector<float> expected{3, 4.5F, 2};
    EXPECT_EQ(weights_of("a.csv", "user,item,plays\n0,2,4.5\n0,1,1\n2,0,2\n0,1,2\n"), expected)
        << "those of a link that stands twice are added";
    EXPECT_EQ(weights_of("a.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 3\n1 2 3\n"
                                  "1 3 4.5\n3 1 2\n"),
              expected);
    const auto refused = [&](const std::string& name, const std::string& text) {
        try {
            weights_of(name, text);
        } catch (const InputError& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    EXPECT_EQ(refused("a.csv", "user,item,plays\n0,2,4\n0,1,0\n"),
              folder_ + "a.csv: line 3: found 0 as a weight; allowed are numbers above 0 that f32 "
                        "holds, or a 'threshold' that leaves such lines out");
    EXPECT_EQ(refused("a.adj", "0 1 2\n"),
              folder_ + "a.adj: found weights 'confidence' for the format adjacency, whose links "
                        "have none; allowed with: edges, matrix_market, movielens");
}

TEST_F(Tables, SayHowTheyWereRead)
{
    EXPECT_EQ(
        how_read({write("a.csv", ",user,item,rating\n0,10,20,5\n")}),
        "lines parted by commas; user: column 2, 'user'; item: column 3, 'item'; rating: column 4, "
        "'rating' (by the first line's names); ids from 0; every line is a link, whatever "
        "its rating, 0 too ('threshold' takes those from it up); ratings weigh nothing "
        "(\"weights\": \"confidence\" of /workload/alx counts them)");
    EXPECT_EQ(how_read({write("a.tsv", "0\t1\n")}),
              "lines parted by tabs; user: column 1; item: column 2 (by position); ids from 0");
}

TEST_F(NamedTables, AreReadByTheSameRules)
{
    const Numbered semicolons = number("1;Blue Train;5\n1;Blue Note;3\n2;Blue Train;5\n");
    EXPECT_EQ(semicolons.rows, "1\n2\n");
    EXPECT_EQ(semicolons.columns, "Blue Train\nBlue Note\n");
    EXPECT_EQ(number("1|Toy Story (1995)|5\n2|Toy Story (1995)|3\n").columns, "Toy Story (1995)\n");
    EXPECT_EQ(number("\xef\xbb\xbf"
                     "ann,A\nann,B\nbob,A\n")
                  .rows,
              "ann\nbob\n");
    const Numbered index = number(",user,item\n0,ann,A\n1,ann,B\n");
    EXPECT_EQ(index.rows, "ann\n");
    EXPECT_EQ(index.columns, "A\nB\n");
    EXPECT_EQ(number("ann,\"Hello, Dolly!\"\nbob,\"the \"\"best\"\"\"\n").columns,
              "Hello, Dolly!\nthe \"best\"\n");
    EXPECT_THROW(number("ann,\"Hello\nDolly\",5\nbob,So What,4\n"), InputError)
        << "a title of two lines is no two links";
    EXPECT_EQ(number("ann\t\"Weird\" Al\nbob\t12\" mix\n").columns, "\"Weird\" Al\n12\" mix\n");
    EXPECT_EQ(number("who,what\nann,A\n").rows, "who\nann\n") << "names, as any others";
    EXPECT_EQ(number("who,what\nann,A\n", true).rows, "ann\n");
    EXPECT_EQ(number("what,who\nA,ann\n", false, {"who", "what", {}, {}}).rows, "ann\n");
}

TEST_F(NamedTables, LeaveOutLinksOfARatingBelowTheThreshold)
{
    NamedLinksFile file{write("plays.csv", "user,item,rating,time\nann,Naima,4.5,11\n"
                                           "bob,Emma,1,12\nbob,Naima,3,13\n")};
    file.threshold = 3;
    EXPECT_EQ(numbered(file), "0 0\n1 0\n") << "and 'Emma' has no number";
    file.with_ratings = true;
    EXPECT_EQ(numbered(file), "0 0 4.5 11\n1 0 3 13\n");
    file.threshold.reset();
    EXPECT_EQ(numbered(file), "0 0 4.5 11\n1 1 1 12\n1 0 3 13\n");
    EXPECT_EQ(rows_of(read_matrix({write("plays.edges", numbered(file)), "", {}, {}, 4.0})),
              (Rows{{0}}));
}

TEST_F(NamedTables, WithoutRatingsRefuseAThreshold)
{
    NamedLinksFile file{write("plays.tsv", "ann\tNaima\nbob\tEmma\n")};
    file.threshold = 3;
    EXPECT_EQ(refusal(file), folder_ + "plays.tsv: the first lines: found no column of ratings; "
                                       "allowed: one after user and item, or named rating, score, "
                                       "stars, weight .. in the first line");
    file.path = write("plays.tsv", "ann\tNaima\tfive\n");
    EXPECT_EQ(refusal(file),
              folder_ + "plays.tsv: line 1: found 'five' as a rating, allowed are numbers");
    file.path = write("plays.tsv", "ann\tNaima\t2\n");
    EXPECT_EQ(
        refusal(file),
        folder_ +
            "plays.tsv: after line 1: no rating reaches the threshold of 3; the largest is 2");
    file.path = write("plays.csv", "user,item,rating,date\nann,Naima,5,1 May\n");
    file.with_ratings = true;
    EXPECT_EQ(refusal(file), folder_ + "plays.csv: line 2: found '1 May' as a time; allowed beside "
                                       "ratings are numbers, and dates like 2005-04-03 or "
                                       "2005-04-03 10:20");
    file.path = write("plays.csv", "user,item,rating,date\nann,Naima,5,2024-01-05 10:00\n"
                                   "ann,Emma,4,\"2024-01-05\"\n");
    EXPECT_EQ(numbered(file), "0 0 5 1704448800.0\n0 1 4 2024-01-05\n");
}

TEST_F(Tables, SayWhichRatingIsTheLargestWhereNoneReachesTheThreshold)
{
    EXPECT_EQ(error_of({write("a.csv", "user,item,rating\n1,2,5\n2,2,4.5\n"), "", {}, {}, 40.0}),
              folder_ + "a.csv: no rating reaches the threshold of 40; the largest is 5");
}

TEST_F(NamedTables, OfIdsGiveEachItsName)
{
    const Names films = Names::load(
        write("movies.csv", "movieId,title,genres\n1,Toy Story (1995),Animation\n"
                            "29,\"City of Lost Children, The (1995)\",Fantasy\n31,Emma,Drama\n"
                            "40,Emma,Drama\n"),
        1);
    EXPECT_TRUE(films.is_table());
    EXPECT_EQ(films.of(0), "Toy Story (1995)");
    EXPECT_EQ(films.of(28), "City of Lost Children, The (1995)");
    EXPECT_EQ(films.of(1), std::nullopt);
    EXPECT_EQ(films.find("Toy Story (1995)"), 0);
    EXPECT_EQ(films.find("Emma"), std::nullopt) << "two films";
    EXPECT_THROW(Names::load(write("movies.csv", "movieId;title\n9;Emma\nten;Emma\n")), InputError);
    EXPECT_FALSE(Names::load(write("movies.csv", "movieId;title\nnine;Emma\n")).is_table());
    EXPECT_FALSE(Names::load(write("songs", "So What\nNaima\n")).is_table());
}

TEST_F(Tables, OfMatrixMarketTakeAThresholdOfWhatStandsAtOnePlace)
{
    const std::string real = write("a.mtx", "%%MatrixMarket matrix coordinate real general\n"
                                            "3 3 5\n1 2 4\n1 3 2.5\n1 3 2\n2 2 3.9\n3 1 5\n");
    EXPECT_EQ(rows_of(read_matrix({real, "", {}, {}, 4.0})), expected);
    EXPECT_EQ(
        how_read({real, "", {}, {}, 4.0}),
        "coordinates, general; ids from 1; 5 entries, of which those at one place are added; "
        "a link is a value of 4 or more; values weigh nothing (\"weights\": \"confidence\" of "
        "/workload/alx counts them)");
    EXPECT_EQ(error_of({write("b.mtx", "%%MatrixMarket matrix coordinate pattern general\n"
                                       "1 1 1\n1 1\n"),
                        "",
                        {},
                        {},
                        4.0}),
              folder_ + "b.mtx: line 1: found a threshold for a pattern, which has no values; "
                        "allowed are real and integer ones");
}

} // namespace
} // namespace alxsim::alx
