// SPDX-License-Identifier: Apache-2.0
// What a point's time is split into adds up to it, whatever ran.
#include "program.h"

#include <gtest/gtest.h>

namespace alxsim::testing {
namespace {

const char* const shares[] = {"compute_seconds", "hbm_seconds",     "communication_seconds",
                              "host_seconds",    "waiting_seconds", "idle_seconds"};

double sum_of(const Json& object)
{
    double sum = 0;
    for (const auto& [name, seconds] : object.items()) {
        EXPECT_GE(seconds.get<double>(), 0) << name;
        sum += seconds.get<double>();
    }
    return sum;
}

/// Whether two durations are the same but for the last bits of their sums.
void expect_same(double sum, double whole, const std::string& what)
{
    EXPECT_NEAR(sum, whole, 1e-12 + 1e-9 * whole) << what;
}

void expect_to_add_up(const Json& point, const std::string& where)
{
    const double whole = point.at("epoch_seconds");
    double sum = 0;
    for (const char* share : shares) {
        EXPECT_GE(point.at(share).get<double>(), 0) << share << where;
        sum += point.at(share).get<double>();
    }
    expect_same(sum, whole, "shares" + where);
    expect_same(sum_of(point.at("phases")), whole, "phases" + where);
    expect_same(sum_of(point.value("waiting", Json::object())), point.at("waiting_seconds"),
                "kinds of waiting" + where);
    EXPECT_LE(point.value("row_issue_seconds", 0.0), point.at("hbm_seconds").get<double>())
        << where;
    double exposed = 0;
    const Json communication = point.value("communication", Json::object());
    for (const auto& [axes, seconds] : communication.items()) {
        exposed += seconds.at("exposed").get<double>();
    }
    expect_same(exposed, point.at("communication_seconds"), "axes" + where);
}

class SharesOf : public ::testing::TestWithParam<const char*> {};

TEST_P(SharesOf, EveryPointAddUpToItsTime)
{
    const TemporaryFolder folder;
    const std::string study = std::string(ALXSIM_SOURCE_DIR) + "/" + GetParam();
    const Outcome outcome = run_program({"run", study, "-o", folder.path("out"), "--quiet"});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.errors;
    const Json report = load_json(folder.path("out/report.json"));
    int timed = 0;
    for (const Json& point : report.at("points")) {
        if (point.contains("epoch_seconds")) {
            expect_to_add_up(point, " of " + point.at("series").dump() + point.at("sweep").dump());
            ++timed;
        }
    }
    EXPECT_GE(timed, 3);
}

INSTANTIATE_TEST_SUITE_P(
    Studies, SharesOf,
    ::testing::Values("docs/lesson/studies/strong.json", "docs/lesson/studies/pipeline.json",
                      "docs/lesson/studies/slow_chips.json", "docs/lesson/studies/chance.json",
                      "docs/lesson/studies/fsdp.json", "docs/studies/seven_chips_alx.json"),
    [](const auto& study) {
        const std::string path = study.param;
        const std::size_t name = path.rfind('/') + 1;
        return path.substr(name, path.rfind('.') - name);
    });

TEST(Shares, OfAPipelineAreToldAsSlotsThatWait)
{
    const TemporaryFolder folder;
    const Outcome outcome =
        run_program({"run", std::string(ALXSIM_SOURCE_DIR) + "/docs/lesson/studies/pipeline.json",
                     "-o", folder.path("out")});
    EXPECT_NE(outcome.errors.find("3 of 7 slots wait: bubble 43%; devices wait for each other 47%"),
              std::string::npos)
        << outcome.errors;
}

} // namespace
} // namespace alxsim::testing
