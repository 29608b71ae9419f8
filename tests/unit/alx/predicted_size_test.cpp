// SPDX-License-Identifier: Apache-2.0
#include "alx/data/predicted_size.h"

#include "alx/data/generator/generate.h"
#include "data_files.h"

namespace alxsim::alx {
namespace {

class PredictedSize : public DataFiles {
protected:
    PredictedSize() : web_(generate({20000, 10000, 900000}, 1)) {}

    std::string edges() const
    {
        std::string text;
        for (std::int32_t row = 0; row < web_.rows; ++row) {
            for (const std::int32_t column : web_.ids(row)) {
                text += std::to_string(row) + "\t" + std::to_string(column) + "\n";
            }
        }
        return text;
    }
    void expect_size(const MatrixSize& found, double within) const
    {
        EXPECT_NEAR(static_cast<double>(found.rows), web_.rows, within * web_.rows);
        EXPECT_NEAR(static_cast<double>(found.columns), web_.columns, within * web_.columns);
        EXPECT_NEAR(static_cast<double>(found.links), static_cast<double>(web_.links()),
                    within * static_cast<double>(web_.links()));
    }

    const SparseMatrix web_;
};

TEST_F(PredictedSize, IsThatOfAHeader)
{
    expect_size(predicted_size({write("web.cache", matrix_bytes(web_, "web.cache"))}), 0);
    expect_size(
        predicted_size({write("web.mtx", "%%MatrixMarket matrix coordinate pattern general\n"
                                         "% of somebody\n20000 10000 900000\n1 1\n")}),
        0);
    write("web.properties", "nodes=20000\narcs=900000\n");
    const MatrixSize graph = predicted_size({write("web.graph", "x"), "bvgraph"});
    EXPECT_EQ(graph.rows, 20000);
    EXPECT_EQ(graph.links, 900000);
}

TEST_F(PredictedSize, OfTextGoesByItsBeginning)
{
    const std::string text = edges(); // 10 MB, of which 4 are looked at
    expect_size(predicted_size({write("web.tsv", text)}), 0.1);
    expect_size(predicted_size({write("web.tsv.gz", text)}), 0.15);
    expect_size(predicted_size({write("web.txt", matrix_bytes(web_, "web.txt"))}), 0.1);
}

TEST_F(PredictedSize, OfLinksInAnyOrderHasNoMoreRowsThanTheyName)
{
    std::string text;
    for (std::int32_t i = 0; i < 900000; ++i) { // 8 MB of two rows by turns
        text += std::to_string(i % 2 * 19999) + "\t" + std::to_string(i % 10000) + "\n";
    }
    EXPECT_EQ(predicted_size({write("turns.tsv", text)}).rows, 20000);
}

TEST_F(PredictedSize, OfAFolderIsThatOfItsFiles)
{
    std::filesystem::create_directory(folder_ + "records");
    for (const char* name : {"records/a", "records/b"}) {
        write(name, std::string(4000, 'x'));
    }
    EXPECT_EQ(predicted_size({folder_ + "records"}).links, 2000);
}

TEST_F(PredictedSize, IsNothingForWhatCannotBeLookedAt)
{
    EXPECT_EQ(predicted_size({folder_ + "nowhere.txt"}).links, 0);
    EXPECT_EQ(predicted_size({"/dev/zero"}).links, 0);
    EXPECT_EQ(predicted_size({write("empty.txt", "")}).links, 0);
}

} // namespace
} // namespace alxsim::alx
