// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/json_mutation.h"

#include "base/json_document.h"

#include <gtest/gtest.h>

#include <set>

namespace alxsim::fuzz {
namespace {

TEST(MutatedJson, IsAnotherDocumentAndTheSameForASeed)
{
    const std::string text = R"({"a": {"b": [1, 2, 3]}, "c": "d", "e": 0.5})";
    std::set<std::string> found;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        const std::string mutated = mutated_json(text, seed);
        EXPECT_EQ(mutated, mutated_json(text, seed));
        EXPECT_TRUE(mutated.empty() || Json::accept(mutated)) << mutated;
        found.insert(mutated);
    }
    EXPECT_GT(found.size(), 100U);
    EXPECT_EQ(found.count(""), 1U) << "bytes are mutated, too";
}

TEST(MutatedJson, ReachesValuesThatNoIntHolds)
{
    bool beyond = false;
    for (std::uint64_t seed = 0; seed < 500; ++seed) {
        beyond =
            beyond || mutated_json(R"({"cores": 4})", seed).find("42949672") != std::string::npos;
    }
    EXPECT_TRUE(beyond);
}

TEST(MutatedJson, LeavesAloneWhatIsNone)
{
    EXPECT_EQ(mutated_json("{", 1), "");
    EXPECT_EQ(mutated_json("", 1), "");
}

} // namespace
} // namespace alxsim::fuzz
