// SPDX-License-Identifier: Apache-2.0
#include "program.h"

#include <gtest/gtest.h>

#include <map>
#include <sstream>

/// The committed gallery of strategies is what the program says today.
namespace alxsim::testing {
namespace {

const std::string gallery = std::string(ALXSIM_SOURCE_DIR) + "/experiments/galleries/strategies/";

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
std::map<std::string, double> committed_seconds(const std::string& cores)
{
    std::istringstream csv(read_file(gallery + "points.csv"));
    std::string line;
    std::getline(csv, line);
    std::map<std::string, std::size_t> column;
    for (const std::string& name : cells_of(line)) {
        column.emplace(name, column.size());
    }
    std::map<std::string, double> seconds;
    while (std::getline(csv, line)) {
        const std::vector<std::string> cells = cells_of(line);
        if (cells.at(column.at("cores")) == cores && cells.at(column.at("fits")) == "true") {
            seconds[cells.at(column.at("series"))] =
                std::stod(cells.at(column.at("epoch_seconds")));
        }
    }
    return seconds;
}

TEST(GalleryOfStrategies, IsWhatTheProgramSaysToday)
{
    const std::map<std::string, double> committed = committed_seconds("256");
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

} // namespace
} // namespace alxsim::testing
