// SPDX-License-Identifier: Apache-2.0
// What a projection leaves of real images: those of Debian's package dataset-fashion-mnist.
#include "spmd/linear/random_projection.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>
#include <zlib.h>

namespace alxsim::spmd {
namespace {

const std::string folder = "/usr/share/datasets/fashion-mnist/";
constexpr std::size_t images = 500, pixels = 784;

/// The first bytes behind the header of an IDX file; empty if there is none.
std::vector<unsigned char> bytes_of(const std::string& name, unsigned header, std::size_t count)
{
    std::vector<unsigned char> bytes(header + count);
    const gzFile file = gzopen((folder + name).c_str(), "rb");
    if (file == nullptr) {
        return {};
    }
    const int read = gzread(file, bytes.data(), static_cast<unsigned>(bytes.size()));
    gzclose(file);
    if (read != static_cast<int>(bytes.size())) {
        return {};
    }
    return {bytes.begin() + header, bytes.end()};
}

/// [image][number].
struct Rows {
    std::vector<double> numbers;
    std::size_t columns;
    const double* row(std::size_t image) const { return numbers.data() + image * columns; }
};

/// [image][image], squared.
using Distances = std::vector<std::vector<double>>;

Distances distances_of(const Rows& rows)
{
    Distances all(images, std::vector<double>(images));
    for (std::size_t i = 0; i < images; ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            double sum = 0;
            for (std::size_t k = 0; k < rows.columns; ++k) {
                const double difference = rows.row(i)[k] - rows.row(j)[k];
                sum += difference * difference;
            }
            all[i][j] = all[j][i] = sum;
        }
    }
    return all;
}

/// How often the nearest other image has the same label.
double accuracy_of(const Distances& distances, const std::vector<unsigned char>& labels)
{
    double right = 0;
    for (std::size_t i = 0; i < images; ++i) {
        std::size_t nearest = i == 0 ? 1 : 0;
        for (std::size_t j = 0; j < images; ++j) {
            if (j != i && distances[i][j] < distances[i][nearest]) {
                nearest = j;
            }
        }
        right += labels[i] == labels[nearest] ? 1 : 0;
    }
    return right / images;
}

/// A mean over draws, and its standard error.
struct Mean {
    double value, error;
};

Mean mean_of(const std::vector<double>& values)
{
    double sum = 0;
    double squares = 0;
    for (const double value : values) {
        sum += value;
        squares += value * value;
    }
    const auto count = static_cast<double>(values.size());
    const double mean = sum / count;
    return {mean, std::sqrt((squares / count - mean * mean) / count)};
}

struct Kept {
    Mean squares;    ///< of distances, after over before
    double variance; ///< of distances, after over before, over pairs and draws
    Mean accuracy;
};

class FashionImages : public testing::Test {
protected:
    void SetUp() override
    {
        const auto bytes = bytes_of("t10k-images-idx3-ubyte.gz", 16, images * pixels);
        labels_ = bytes_of("t10k-labels-idx1-ubyte.gz", 8, images);
        if (bytes.empty() || labels_.empty()) {
            GTEST_SKIP() << "needs the Debian package dataset-fashion-mnist";
        }
        images_ = {{bytes.begin(), bytes.end()}, pixels};
        before_ = distances_of(images_);
    }

    Kept kept_by(RandomEntries entries, const std::vector<std::int64_t>& n,
                 const std::vector<std::int64_t>& m) const
    {
        constexpr int draws = 30;
        constexpr double pairs = images * (images - 1) / 2.0;
        std::vector<double> squares;
        std::vector<double> accuracies;
        double ratios = 0;
        for (int draw = 0; draw < draws; ++draw) {
            const RandomProjection projection(entries, n, m,
                                              1000 + 8 * static_cast<unsigned>(draw));
            const Distances after = distances_of(
                {projection.project(images_.numbers), static_cast<std::size_t>(projection.kept())});
            squares.push_back(0);
            for (std::size_t i = 0; i < images; ++i) {
                for (std::size_t j = 0; j < i; ++j) {
                    const double ratio = after[i][j] / before_[i][j];
                    squares.back() += ratio / pairs;
                    ratios += std::sqrt(ratio) / pairs / draws;
                }
            }
            accuracies.push_back(accuracy_of(after, labels_));
        }
        const Mean of_squares = mean_of(squares);
        return {of_squares, of_squares.value - ratios * ratios, mean_of(accuracies)};
    }

    Rows images_{{}, pixels};
    Distances before_;
    std::vector<unsigned char> labels_;
};

// The references are of other draws (facts of the first 500 test images, 30 draws each).

TEST_F(FashionImages, AreToldApartByTheNearest)
{
    EXPECT_NEAR(accuracy_of(before_, labels_), 0.724, 1e-9);
}

TEST_F(FashionImages, KeepTheirDistancesInTheMean)
{
    const Kept train = kept_by(RandomEntries::signs, {28, 28}, {8, 8});
    EXPECT_NEAR(train.squares.value, 1, 4 * train.squares.error);
    EXPECT_NEAR(train.accuracy.value, 0.655, 4 * train.accuracy.error);
    EXPECT_NEAR(train.variance, 0.0472, 0.015);
    const Kept dense = kept_by(RandomEntries::normal, {pixels}, {64});
    EXPECT_NEAR(dense.squares.value, 1, 4 * dense.squares.error);
    EXPECT_NEAR(dense.accuracy.value, 0.699, 4 * dense.accuracy.error);
    EXPECT_NEAR(dense.variance, 0.0077, 0.001);
    // Images are nearly products of a row and a column, the worst case.
    EXPECT_GT(train.variance, 4 * dense.variance);
    EXPECT_LT(train.accuracy.value, dense.accuracy.value);
}

TEST_F(FashionImages, LoseMoreWithFewerNumbers)
{
    const Kept train = kept_by(RandomEntries::signs, {28, 28}, {4, 6});
    EXPECT_NEAR(train.accuracy.value, 0.574, 4 * train.accuracy.error);
    EXPECT_NEAR(train.variance, 0.0856, 0.03);
    const Kept sparse = kept_by(RandomEntries::very_sparse, {pixels}, {24});
    EXPECT_NEAR(sparse.squares.value, 1, 4 * sparse.squares.error);
    EXPECT_NEAR(sparse.accuracy.value, 0.660, 4 * sparse.accuracy.error);
    EXPECT_NEAR(sparse.variance, 0.0207, 0.003);
}

} // namespace
} // namespace alxsim::spmd
