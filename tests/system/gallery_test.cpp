// SPDX-License-Identifier: Apache-2.0
#include "program.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <sstream>

/// The committed galleries are what the program says today.
namespace alxsim::testing {
namespace {

const std::string galleries = std::string(ALXSIM_SOURCE_DIR) + "/experiments/galleries/";
const std::string gallery = galleries + "strategies/";

std::vector<std::string> cells_of(const std::string& line)
{
    std::vector<std::string> cells;
    std::istringstream stream(line);
    for (std::string cell; std::getline(stream, cell, ',');) {
        cells.push_back(cell);
    }
    return cells;
}

/// Epoch seconds of the committed points of so many cores, by series; only those that fit.
std::map<std::string, double> committed_seconds(const std::string& folder, const std::string& cores)
{
    std::istringstream csv(read_file(folder + "points.csv"));
    std::string line;
    std::getline(csv, line);
    std::map<std::string, std::size_t> column;
    for (const std::string& name : cells_of(line)) {
        column.emplace(name, column.size());
    }
    std::map<std::string, double> seconds;
    while (std::getline(csv, line)) {
        const std::vector<std::string> cells = cells_of(line);
        if (cells.at(column.at("machine.cores")) == cores &&
            cells.at(column.at("fits")) == "true") {
            seconds[cells.at(column.at("series"))] =
                std::stod(cells.at(column.at("epoch_seconds")));
        }
    }
    return seconds;
}

TEST(GalleryOfStrategies, IsWhatTheProgramSaysToday)
{
    const std::map<std::string, double> committed = committed_seconds(gallery, "256");
    Json study = Json::parse(read_file(gallery + "study.json"));
    Json series = Json::array();
    for (Json one : study.at("series")) {
        if (one.at("name").get<std::string>().rfind("sparse: ", 0) == 0) {
            one["sweep"] = {{"/machine/cores", {256}}};
            series.push_back(one);
        }
    }
    ASSERT_EQ(series.size(), 13U);
    study["series"] = series;
    const TemporaryFolder out;
    const Outcome outcome = run_program({"run", out.write("s.json", study.dump()), "-o",
                                         out.path("out"), "--jobs", "2", "--no-band"});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.errors;
    const Json report = Json::parse(read_file(out.path("out/report.json")));
    std::size_t fitting = 0;
    for (const Json& point : report.at("points")) {
        if (point.at("fits").get<bool>()) {
            const double seconds = committed.at(point.at("series").get<std::string>());
            EXPECT_NEAR(point.at("epoch_seconds").get<double>(), seconds, 1e-4 * seconds)
                << point.at("series");
            ++fitting;
        }
    }
    EXPECT_EQ(fitting, 11U); // a copy of the table does not fit, nor do groups of 16 cores
}

/// Sparse and dense, on the fewest cores of their tiers.
TEST(GalleryOfTablesWiderThanHbm, IsWhatTheProgramSaysToday)
{
    const std::string folder = galleries + "wider_than_hbm/";
    Json study = Json::parse(read_file(folder + "study.json"), nullptr, true, true);
    Json series = Json::array();
    for (const Json& one : study.at("series")) {
        const std::string name = one.at("name");
        if (name.rfind("sparse: ", 0) == 0 || name.rfind("dense: ", 0) == 0) {
            series.push_back(one);
        }
    }
    study["series"] = series;
    for (const int cores : {4, 8, 16}) {
        const std::map<std::string, double> committed =
            committed_seconds(folder, std::to_string(cores));
        study["sweep"] = {{"/machine/cores", {cores}}};
        const TemporaryFolder out;
        const Outcome outcome = run_program({"run", out.write("s.json", study.dump()), "-o",
                                             out.path("out"), "--jobs", "2", "--no-band"});
        ASSERT_EQ(outcome.exit_code, 0) << outcome.errors;
        const Json report = Json::parse(read_file(out.path("out/report.json")));
        for (const Json& point : report.at("points")) {
            const auto known = committed.find(point.at("series").get<std::string>());
            ASSERT_EQ(known != committed.end(), point.at("fits").get<bool>())
                << point.at("series") << cores;
            if (known != committed.end()) {
                EXPECT_NEAR(point.at("epoch_seconds").get<double>() / known->second, 1, 1e-4)
                    << point.at("series") << cores;
            }
        }
    }
}

/// Seconds of a point's products, without the dispatch.
double seconds_of_products(const Json& point)
{
    const Json& phases = point.at("phases");
    return phases.at("mode.1").get<double>() + phases.value("mode.2", 0.0);
}

/// [series, vectors]
std::map<std::pair<std::string, int>, Json> projection_points(const Json& report)
{
    std::map<std::pair<std::string, int>, Json> points;
    for (const Json& point : report.at("points")) {
        const int vectors = point.at("sweep").value("/workload/projection/vectors", 0);
        points[{point.at("series"), vectors}] = point;
    }
    return points;
}

TEST(GalleryOfProjections, LosesOnTheMatrixUnitAndWinsWhereTheMatrixIsStreamed)
{
    const TemporaryFolder out;
    const Outcome outcome = run_program(
        {"run", galleries + "projection/study.json", "-o", out.path("out"), "--no-band"});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.errors;
    const auto points = projection_points(Json::parse(read_file(out.path("out/report.json"))));
    ASSERT_EQ(points.size(), 14U);
    const Json& images = points.at({"images tensor train", 4096});
    EXPECT_NEAR(images.at("phases").at("mode.2").get<double>(), 21.2e-6, 0.3e-6);
    EXPECT_NEAR(images.at("phases").at("mode.1").get<double>(), 7.6e-6, 0.1e-6);
    EXPECT_NEAR(seconds_of_products(points.at({"images dense", 4096})), 11.4e-6, 0.2e-6);
    EXPECT_NEAR(seconds_of_products(points.at({"long tensor train", 8})), 24e-6, 0.4e-6);
    EXPECT_NEAR(seconds_of_products(points.at({"long dense", 8})), 192e-6, 3e-6);
    for (const int vectors : {512, 4096, 32768}) {
        EXPECT_GT(seconds_of_products(points.at({"images tensor train", vectors})),
                  2 * seconds_of_products(points.at({"images dense", vectors})))
            << vectors;
    }
    double saved = 2;
    for (const int vectors : {1, 8, 64, 512}) { // the more vectors, the less R counts
        const double share = seconds_of_products(points.at({"long tensor train", vectors})) /
                             seconds_of_products(points.at({"long dense", vectors}));
        EXPECT_LT(share, 0.95) << vectors;
        EXPECT_LT(1 - share, saved) << vectors;
        saved = 1 - share;
    }
    for (const auto& [name, point] : points) { // the same for both, and larger than the products
        EXPECT_NEAR(point.at("phases").at("dispatch").get<double>(), 520e-6, 1e-9) << name.first;
    }
}

/// An op graph of the same sums had them there, too; and SystemC is within 5 % of the estimate.
TEST(GalleryOfTensorNetworks, HasItsSweetSpotsWhereTheWorkOfALegEnds)
{
    const TemporaryFolder out;
    std::map<std::string, Json> reports;
    for (const std::string fidelity : {"detailed", "analytic"}) {
        const Outcome outcome =
            run_program({"run", galleries + "tensor_scaling/study.json", "-o", out.path(fidelity),
                         "--no-band", "--set", "/fidelity=\"" + fidelity + "\""});
        ASSERT_EQ(outcome.exit_code, 0) << outcome.errors;
        reports[fidelity] = Json::parse(read_file(out.path(fidelity + "/report.json")));
    }
    std::vector<int> spots;
    for (const Json& series : reports.at("detailed").at("series")) {
        spots.push_back(series.at("sweet_spot").at("cores"));
    }
    EXPECT_EQ(spots, (std::vector<int>{4, 64, 256}));
    const Json& detailed = reports.at("detailed").at("points");
    const Json& analytic = reports.at("analytic").at("points");
    ASSERT_EQ(detailed.size(), 15U);
    for (std::size_t i = 0; i < detailed.size(); ++i) {
        if (detailed.at(i).contains("epoch_seconds")) {
            EXPECT_NEAR(detailed.at(i).at("epoch_seconds").get<double>() /
                            analytic.at(i).at("epoch_seconds").get<double>(),
                        1, 0.05);
        }
    }
}

TEST(GalleryOfTensorNetworks, HasAMeraOf285TimesFewerNumbers)
{
    const TemporaryFolder out;
    const Outcome outcome =
        run_program({"run", galleries + "mera_storage/study.json", "-o", out.path("out")});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.errors;
    const Json report = Json::parse(read_file(out.path("out/report.json")));
    const Json& storage = report.at("dataset").begin().value();
    EXPECT_EQ(storage.at("given_train_numbers").get<int>() / storage.at("mera_numbers").get<int>(),
              285);
}

TEST(GalleryOfProjections, TellsWhatATensorTrainCostsInAccuracy)
{
    const TemporaryFolder out;
    const Outcome outcome = run_program(
        {"run", galleries + "projection/accuracy.json", "-o", out.path("out"), "--no-band"});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.errors;
    std::map<std::string, double> exact;
    const Json report = Json::parse(read_file(out.path("out/report.json")));
    for (const Json& point : report.at("points")) {
        const Json& ratio = point.at("results").at("squared_norm_ratio");
        exact[point.at("series")] = ratio.at("exact_standard_deviation");
        EXPECT_NEAR(ratio.at("mean").get<double>(), 1, 0.05) << point.at("series");
        EXPECT_NEAR(ratio.at("standard_deviation").get<double>(), exact.at(point.at("series")),
                    0.02);
    }
    EXPECT_NEAR(exact.at("dense"), std::sqrt(2.0 / 64), 1e-12);
    EXPECT_GT(exact.at("tensor train"), 1.1 * exact.at("dense"));
    EXPECT_LT(exact.at("tensor train"), 2 * exact.at("dense"));
}

} // namespace
} // namespace alxsim::testing
