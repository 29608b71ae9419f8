// SPDX-License-Identifier: Apache-2.0
#include "experiments/points/study/study.h"
#include "experiments/runs/progress/point_cost.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace alxsim::experiments {
namespace {

Json study_with(const std::string& sweep)
{
    return parse_json(
        R"({"study": "s", "machine": {"chip": "tpu_v5e", "cores": 4}, "numerics": false,
        "workload": {"transformer": {"preset": "gpt2-small"}}, "sweep": )" +
            sweep + "}",
        "s.json");
}

std::vector<std::string> labels_of(const std::string& sweep)
{
    std::vector<std::string> labels;
    for (const PointSpec& point : expand(study_of(study_with(sweep), "s.json"))) {
        labels.push_back(label_of(point));
    }
    return labels;
}

TEST(Sweep, IsTheProductOverItsPointers)
{
    EXPECT_EQ(labels_of(R"({"/machine/cores": [1, 4], "/seed": [1, 2]})"),
              (std::vector<std::string>{"s, cores 1, seed 1", "s, cores 1, seed 2",
                                        "s, cores 4, seed 1", "s, cores 4, seed 2"}));
}

TEST(Sweep, OfAZipGoesThroughItsListsTogether)
{
    EXPECT_EQ(
        labels_of(R"({"zip": {"/machine/cores": [1, 4],
                                    "/workload/transformer/batch": [4, 16]}, "/seed": [1, 2]})"),
        (std::vector<std::string>{"s, cores 1, batch 4, seed 1", "s, cores 1, batch 4, seed 2",
                                  "s, cores 4, batch 16, seed 1", "s, cores 4, batch 16, seed 2"}));
}

std::string refusal_of(const std::string& sweep)
{
    try {
        expand(study_of(study_with(sweep), "s.json"));
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

TEST(Sweep, MayGoOverChipsWithTheirSizes)
{
    const Json study = parse_json(
        R"({"study": "s", "machine": {}, "numerics": false,
            "workload": {"transformer": {"preset": "gpt2-small"}},
            "sweep": {"/machine/chip": ["v5e-4", "v5litepod-16", "v4-16"]}})",
        "s.json");
    std::vector<int> cores;
    for (const PointSpec& point : expand(study_of(study, "s.json"))) {
        cores.push_back(point.study.machine.cores.value());
    }
    EXPECT_EQ(cores, (std::vector<int>{4, 16, 16}));
}

TEST(Sweep, OfCoresIsRefusedBesideAChipThatHasThem)
{
    const auto refused = [](const std::string& fields) {
        try {
            study_of(parse_json(R"({"study": "s", "numerics": false,
                                    "workload": {"transformer": {"preset": "gpt2-small"}}, )" +
                                    fields + "}",
                                "s.json"),
                     "s.json");
        } catch (const InputError& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    const std::string swept = R"("sweep": {"/machine/cores": [4, 16]})";
    EXPECT_EQ(refused(R"("machine": {"chip": "v5e-16"}, )" + swept),
              "s.json: /sweep/~1machine~1cores: found a sweep of the cores beside chip \"v5e-16\", "
              "whose name has them; allowed: \"tpu_v5e\" with this sweep, or a sweep of "
              "/machine/chip over such names");
    EXPECT_EQ(refused(R"("machine": {"chip": "v5e"}, )" + swept), "");
    EXPECT_NE(refused(R"("machine": {"chip": "v5e"}, "series": [{"name": "a"}, {"name": "b",
                         "set": {"/machine/chip": "v5e-16"}, )" +
                      swept + "}]")
                  .find("/series/1/sweep/~1machine~1cores: found a sweep"),
              std::string::npos);
    EXPECT_NE(refused(R"("machine": {}, "sweep": {"/machine/cores": [4, 16],
                         "/machine/chip": ["v5e", "v4-16"]})")
                  .find("beside chip \"v4-16\""),
              std::string::npos);
}

TEST(Sweep, RefusesAZipWhoseListsAreNotEquallyLong)
{
    EXPECT_NE(refusal_of(R"({"zip": {"/machine/cores": [1, 4], "/seed": [1]}})")
                  .find("/sweep/zip: found 2 values of /machine/cores and 1 of /seed"),
              std::string::npos);
}

TEST(Sweep, RefusesAPointTwice)
{
    EXPECT_NE(refusal_of(R"({"zip": {"/machine/cores": [4, 4], "/seed": [1, 1]}})").find("twice"),
              std::string::npos);
    EXPECT_EQ(refusal_of(R"({"zip": {"/machine/cores": [4, 4], "/seed": [1, 2]}})"), "");
}

TEST(PackedPoints, HaveTheirWholeStudies)
{
    const std::string sweep = R"({"/machine/cores": [1, 4], "/seed": [1, 2]})";
    const std::vector<PointSpec> whole = expand(study_of(study_with(sweep), "s.json"));
    std::vector<PointSpec> packed = whole;
    pack(packed);
    pack(packed); // changes nothing more
    for (std::size_t i = 0; i < whole.size(); ++i) {
        EXPECT_TRUE(packed[i].study.document.is_null());
        EXPECT_EQ(whole_study(packed[i]).document, whole[i].study.document);
        EXPECT_EQ(whole_study(whole[i]).document, whole[i].study.document);
        EXPECT_EQ(document_text(packed[i]), document_text(whole[i]));
        EXPECT_EQ(label_of(packed[i]), label_of(whole[i]));
    }
}

// A run across ranks begins with the points that take longest, when studies are text already.
TEST(PackedPoints, ArePredictedToTakeAsLongAsWhole)
{
    Json study = study_with(std::string(R"({"/machine/cores": [1, 4]})"));
    study["fidelity"] = "detailed";
    const std::vector<PointSpec> whole = expand(study_of(study, "s.json"));
    std::vector<PointSpec> packed = whole;
    pack(packed);
    EXPECT_EQ(predicted_seconds(packed), predicted_seconds(whole));
}

} // namespace
} // namespace alxsim::experiments
