// SPDX-License-Identifier: Apache-2.0
#include "program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

/// `alxsim calibrate` from outside, on figures that the model itself made.
namespace alxsim::testing {
namespace {

using ::testing::HasSubstr;

const Json truth{{"op_overhead_s", 1.4e-6}, {"collective_launch_s", 8e-6}};

/// A point without numbers; `extra` is merged on top.
Json timed_study(const TemporaryFolder& folder, const Json& extra = Json::object())
{
    Json study = small_study(folder, {{"numerics", false}, {"fidelity", "analytic"}});
    study["sweep"] = Json::object();
    // Else so small a job waits for its host, and nothing that the device does is seen.
    study["machine"]["overrides"] = {{"step_dispatch_s", 1e-5}};
    study.merge_patch(extra);
    return study;
}

/// What the model says of `study` on these cores: a report's points.
Json points_of(const TemporaryFolder& folder, Json study, const std::vector<int>& cores)
{
    study["sweep"] = {{"/machine/cores", cores}};
    const Outcome outcome = run_program(
        {"run", folder.write("truth.json", study.dump()), "-o", folder.path("truth"), "--quiet"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
    return Json::parse(read_file(folder.path("truth/report.json"))).at("points");
}

/// Epochs measured on a machine with these values.
Json measured_on(const TemporaryFolder& folder, const Json& values, const std::vector<int>& cores)
{
    Json measured = Json::array();
    const Json study = timed_study(folder, {{"machine", {{"overrides", values}}}});
    for (const Json& point : points_of(folder, study, cores)) {
        measured.push_back({{"machine", {{"cores", point.at("machine").at("cores")}}},
                            {"epoch_seconds", point.at("epoch_seconds")}});
    }
    return measured;
}

Outcome run_calibrate(const TemporaryFolder& folder, const Json& study, const Json& measured,
                      const std::vector<std::string>& more)
{
    std::vector<std::string> arguments{"calibrate", folder.write("study.json", study.dump()),
                                       folder.write("measured.json", measured.dump())};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program(arguments);
}

Json calibration_of(const TemporaryFolder& folder, const Json& study, const Json& measured,
                    std::vector<std::string> more)
{
    more.push_back("--json");
    const Outcome outcome = run_calibrate(folder, study, measured, more);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
    return Json::parse(outcome.output, nullptr, false);
}

const std::vector<std::string> fit_both{"--fit", "op_overhead_s", "--fit", "collective_launch_s"};

TEST(Calibrate, RecoversTheValuesThatMadeTheFigures)
{
    const TemporaryFolder folder;
    const Json calibration = calibration_of(folder, timed_study(folder),
                                            measured_on(folder, truth, {1, 4, 8}), fit_both);
    for (const Json& value : calibration.at("values")) {
        const double made_with = truth.at(value.at("key").get<std::string>());
        EXPECT_NEAR(value.at("value").get<double>() / made_with, 1, 0.005) << value;
        EXPECT_EQ(value.at("at"), "inside");
    }
    for (const Json& figure : calibration.at("figures")) {
        EXPECT_NEAR(figure.at("error").get<double>(), 0, 1e-4) << figure;
        EXPECT_NEAR(figure.at("left_out_error").get<double>(), 0, 1e-3) << figure;
    }
    EXPECT_EQ(calibration.at("without_influence"), Json::array());
}

TEST(Calibrate, WritesAPresetThatAStudyCanUse)
{
    const TemporaryFolder folder;
    const std::string path = folder.path("my_v3.json");
    std::vector<std::string> more = fit_both;
    more.insert(more.end(), {"-o", path});
    const Json calibration =
        calibration_of(folder, timed_study(folder), measured_on(folder, truth, {1, 2, 4}), more);
    const Json preset = Json::parse(read_file(path));
    for (const Json& value : calibration.at("values")) {
        const Json& entry = preset.at("values").at(value.at("key").get<std::string>());
        EXPECT_EQ(entry.at("value"), value.at("value"));
        EXPECT_EQ(entry.at("kind"), "calibrated");
        const auto source = entry.at("source").get<std::string>();
        EXPECT_THAT(source, HasSubstr("Fitted: to point 0"));
        EXPECT_THAT(source, HasSubstr("Before, " + value.at("central").dump() + " (assumed)"));
    }
    const std::string study = folder.write(
        "calibrated.json", timed_study(folder, {{"machine", {{"chip", path}}}}).dump());
    const Outcome checked = run_program({"check", study});
    EXPECT_EQ(checked.exit_code, 0) << checked.errors;
}

TEST(Calibrate, RefusesMoreValuesThanMeasuredFigures)
{
    const TemporaryFolder folder;
    Json measured = measured_on(folder, truth, {1, 4});
    measured[1]["at_most"] = measured.at(1).at("epoch_seconds");
    measured.at(1).erase("epoch_seconds");
    const Outcome outcome = run_calibrate(folder, timed_study(folder), measured, fit_both);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_THAT(outcome.errors, HasSubstr("2 values to fit, but 1 measured figures"));
    EXPECT_THAT(outcome.errors, HasSubstr("most influence on these figures: op_overhead_s"));
}

TEST(Calibrate, PhasesAreFiguresToo)
{
    const TemporaryFolder folder;
    const Json study = timed_study(folder, {{"machine", {{"overrides", truth}}}});
    const Json point = points_of(folder, study, {4}).front();
    const Json measured{{{"machine", {{"cores", 4}}},
                         {"phases",
                          {{"solve", point.at("phases").at("solve")},
                           {"gather.ids", point.at("phases").at("gather.ids")}}}}};
    const Json calibration = calibration_of(folder, timed_study(folder), measured, fit_both);
    for (const Json& value : calibration.at("values")) {
        EXPECT_NEAR(value.at("value").get<double>() /
                        truth.at(value.at("key").get<std::string>()).get<double>(),
                    1, 0.005)
            << value;
    }
    EXPECT_EQ(calibration.at("not_told_apart"), Json::array());
    EXPECT_TRUE(calibration.at("figures").at(0).at("left_out_error").is_null())
        << "nothing is left then";
}

TEST(Calibrate, NamesThePairThatTheDataCannotTellApart)
{
    const TemporaryFolder folder;
    // On a mesh without wrap, links have the product of the two, whatever was measured.
    const Json study = Json::parse(R"({"study": "lines", "numerics": false, "fidelity": "analytic",
        "machine": {"chip": "tpu_v3", "overrides": {"gather_row_s": 4e-9}},
        "workload": {"dataset": {"webgraph": "in-dense"},
                     "alx": {"dim": 128, "batch": {"lines": 1024, "rows": 512}}}})");
    const Json measured = Json::parse(R"([{"machine": {"cores": 64}, "epoch_seconds": 6},
        {"machine": {"cores": 128}, "epoch_seconds": 6}])");
    const Json calibration = calibration_of(
        folder, study, measured,
        {"--fit", "ici_link_bw_effective_frac", "--fit", "ici_line_bw_effective_frac"});
    ASSERT_EQ(calibration.at("not_told_apart").size(), 1U) << calibration;
    const Json& pair = calibration.at("not_told_apart").at(0).at("values");
    ASSERT_EQ(pair.size(), 2U);
    // One up, the other as much down.
    EXPECT_NEAR(pair.at(0).at("exponent").get<double>() + pair.at(1).at("exponent").get<double>(),
                0, 0.02);
}

TEST(Calibrate, SaysWhatHasNoInfluenceAndWhatSitsAtAnEnd)
{
    const TemporaryFolder folder;
    // One core has no partner, and no op takes a hundred times as long within the band.
    const Json point = points_of(folder, timed_study(folder), {1}).front();
    const Json measured{
        {{"machine", {{"cores", 1}}},
         {"epoch_seconds", 100 * point.at("epoch_seconds").get<double>()},
         {"phases", {{"solve", 100 * point.at("phases").at("solve").get<double>()}}}}};
    const Json calibration =
        calibration_of(folder, timed_study(folder), measured,
                       {"--fit", "op_overhead_s", "--fit", "ici_core_to_core_on_chip_bw_oneway"});
    EXPECT_EQ(calibration.at("values").at(0).at("at"), "high");
    EXPECT_EQ(calibration.at("values").at(0).at("value"),
              calibration.at("values").at(0).at("high"));
    EXPECT_EQ(calibration.at("without_influence"), Json({"ici_core_to_core_on_chip_bw_oneway"}));
    EXPECT_EQ(calibration.at("values").at(1).at("value"),
              calibration.at("values").at(1).at("central"));
}

TEST(Calibrate, ABoundCountsOnlyWhereItIsExceeded)
{
    const TemporaryFolder folder;
    const Json measured = measured_on(folder, truth, {2});
    const auto fitted_with_bound = [&](double factor) {
        Json bounded = measured;
        bounded.push_back({{"machine", {{"cores", 2}}},
                           {"at_most", factor * measured.at(0).at("epoch_seconds").get<double>()}});
        return calibration_of(folder, timed_study(folder), bounded, {"--fit", "op_overhead_s"})
            .at("values")
            .at(0)
            .at("value")
            .get<double>();
    };
    const double alone =
        calibration_of(folder, timed_study(folder), measured, {"--fit", "op_overhead_s"})
            .at("values")
            .at(0)
            .at("value");
    EXPECT_EQ(fitted_with_bound(2), alone);
    EXPECT_LT(fitted_with_bound(0.9), alone);
}

TEST(Calibrate, ErrorsNameWhatIsAllowed)
{
    const TemporaryFolder folder;
    const Json study = timed_study(folder);
    const Json measured{{{"machine", {{"cores", 2}}}, {"epoch_seconds", 1}}};
    const auto errors_of = [&](const Json& figures, const std::vector<std::string>& more) {
        const Outcome outcome = run_calibrate(folder, study, figures, more);
        EXPECT_EQ(outcome.exit_code, 2);
        return outcome.errors;
    };
    EXPECT_THAT(errors_of(measured, {"--fit", "gather_rows"}),
                HasSubstr("did you mean 'gather_row_s'"));
    EXPECT_THAT(errors_of(measured, {"--fit", "gather_engine"}), HasSubstr("is no number"));
    EXPECT_THAT(errors_of(measured, {"--fit", "gather_row_s", "-o", "preset"}), HasSubstr(".json"));
    Json wrong = measured;
    wrong[0]["machine"]["chip"] = "tpu_v4";
    EXPECT_THAT(errors_of(wrong, {"--fit", "gather_row_s"}), HasSubstr("/0/machine/chip"));
    wrong = measured;
    wrong[0]["phases"] = {{"solv", 1}};
    EXPECT_THAT(errors_of(wrong, {"--fit", "gather_row_s"}), HasSubstr("did you mean 'solve'"));
    wrong = {{{"machine", {{"cores", 2}}}}};
    EXPECT_THAT(errors_of(wrong, {"--fit", "gather_row_s"}), HasSubstr("measured.json: /0"));
}

} // namespace
} // namespace alxsim::testing
