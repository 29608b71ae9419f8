// SPDX-License-Identifier: Apache-2.0
// Transformers that serve, as users run and ask about them.
#include "program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace alxsim::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

Json decode_study(const Json& fields = Json::object())
{
    Json study = Json::parse(R"({"study": "decode", "numerics": false, "fidelity": "analytic",
        "band": false, "machine": {"chip": "v6e-8"},
        "workload": {"transformer": {"preset": "llama3-70b", "mode": "decode", "context": 1024,
            "batch": 16, "mesh": {"tensor": 8}}}})");
    study["workload"]["transformer"].merge_patch(fields);
    return study;
}

/// Exit code 2, what is wrong and what is allowed.
void expect_refused(const std::vector<std::string>& arguments, const std::string& why)
{
    const Outcome outcome = run_program(arguments);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_THAT(outcome.errors, HasSubstr(why));
}

/// Embedding and head stay in bf16, and of a step some time is for collectives and the cache.
TEST(Serving, InEightBitsIsNearlyTwiceAsFastInHalfTheMemory)
{
    const Json bf16 = run_one_point(decode_study());
    const auto weights = [](const Json& point) {
        return point.at("memory").at("parts").at("weights").get<double>();
    };
    for (const char* const precision : {"int8", "fp8"}) {
        const Json point = run_one_point(decode_study({{"precision", precision}}));
        EXPECT_LT(point.at("epoch_seconds"), 0.7 * bf16.at("epoch_seconds").get<double>())
            << precision;
        EXPECT_GT(point.at("epoch_seconds"), 0.5 * bf16.at("epoch_seconds").get<double>());
        EXPECT_NEAR(weights(point) / weights(bf16), 0.515, 0.005) << precision;
    }
}

TEST(Serving, SaysWhatItIsAndNothingOfTraining)
{
    const Json point = run_one_point(decode_study());
    EXPECT_EQ(point.at("geometry").at("mode"), "decode");
    EXPECT_FALSE(point.at("geometry").contains("recomputation"));
}

/// 8 heads of keys and values, of which two devices have one each.
TEST(Serving, SharesHeadsOfKeysAmongMoreDevicesThanThereAre)
{
    Json study = decode_study({{"mesh", {{"tensor", 16}}}});
    study["machine"]["chip"] = "v6e-16";
    const Json point = run_one_point(study);
    const auto cache = [](const Json& of) {
        return of.at("memory").at("parts").at("cache").get<double>();
    };
    EXPECT_EQ(cache(point), cache(run_one_point(decode_study())));
}

TEST(Serving, RefusesFieldsThatItWouldNotReadAndTypesThatNoChipMultiplies)
{
    const TemporaryFolder folder;
    expect_refused({"check", folder.write("a.json", decode_study({{"optimizer", "sgd"}}).dump())},
                   "/workload/transformer/optimizer: found optimizer with mode decode");
    expect_refused(
        {"check", folder.write("b.json", decode_study({{"dtype", "f64"}}).dump())},
        "/workload/transformer/dtype: found string \"f64\"; allowed: one of \"bf16\", \"f32\"");
}

TEST(AdviseOnServing, OffersWhatServesAndSaysWhichChipsHaveNoPlan)
{
    const TemporaryFolder folder;
    const Outcome outcome = run_program({"advise", folder.write("s.json", decode_study().dump()),
                                         "--chips", "v6e,v5e,v2", "--quiet", "--budget", "20"});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.errors;
    EXPECT_THAT(outcome.output,
                AllOf(HasSubstr("a token of each sequence"), HasSubstr("tokens/s"),
                      HasSubstr("a million tokens"), HasSubstr("No plan on tpu_v2: "),
                      HasSubstr("No plan on tpu_v5e: "), Not(HasSubstr("No plan on tpu_v6e"))));
    EXPECT_THAT(outcome.output, AllOf(Not(HasSubstr("recomputation")), Not(HasSubstr("fsdp")),
                                      Not(HasSubstr("gradient")), Not(HasSubstr("data 1"))));
    EXPECT_THAT(outcome.output, Not(HasSubstr("1 replica of 8"))); // the study's mesh
}

TEST(Explain, SaysOfAStudyThatItWantsAReportAndHowToMakeOne)
{
    const TemporaryFolder folder;
    const std::string path = folder.write("s.json", decode_study().dump());
    expect_refused({"explain", path}, "found a study; allowed: a report. `alxsim run " + path +
                                          " -o out` makes one, out/report.json");
}

TEST(Report, RefusesSeriesThatItDoesNotHaveOrWouldNotRead)
{
    const TemporaryFolder folder;
    const std::string path = folder.write("s.json", decode_study().dump());
    ASSERT_EQ(run_program({"run", path, "-o", folder.path("out"), "--quiet"}).exit_code, 0);
    const std::string report = folder.path("out/report.json");
    expect_refused({"report", report, "-o", folder.path("x.json"), "--series", "nope"},
                   "--series: nope: is no series of the report; allowed: decode");
    expect_refused({"report", report, "-o", folder.path("x.json"), "--series", "decode"},
                   "is of pictures; allowed with -o NAME.svg");
}

} // namespace
} // namespace alxsim::testing
