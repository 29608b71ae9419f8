// SPDX-License-Identifier: Apache-2.0
#include "experiments/study.h"

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

} // namespace
} // namespace alxsim::experiments
