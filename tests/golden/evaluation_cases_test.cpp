// SPDX-License-Identifier: Apache-2.0
// Evaluation against the reference program: from given tables, and after whole jobs.
#include "golden_compare.h"
#include "golden_files.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace alxsim {
namespace {

using Ids = std::vector<std::int32_t>;

const std::vector<std::string>& variants()
{
    static const std::vector<std::string> all{
        "plain_exact_kept",  "plain_exact_removed",  "plain_approx_kept",  "plain_approx_removed",
        "scaled_exact_kept", "scaled_exact_removed", "scaled_approx_kept", "scaled_approx_removed"};
    return all;
}

Json changes_of(const std::string& variant)
{
    const auto says = [&](const char* word) { return variant.find(word) != std::string::npos; };
    return {{"workload",
             {{"alx",
               {{"switches",
                 {{"eval_reg", says("plain") ? "plain" : "scaled"},
                  {"phantom_candidates", says("kept")}}}}},
              {"evaluation", {{"approximate", says("approx")}}}}}};
}

GoldenInput input_from(const std::string& rows, const std::string& columns)
{
    return {testing::read_file(golden_path("h_eval/rows.adj.txt")),
            testing::read_file(golden_path("h_eval/test.txt")), rows, columns};
}

/// Users who moved in the reference program's own trials, at any level and in any variant.
std::set<std::int32_t> unstable_users(const std::string& machine, const std::string& kind)
{
    std::set<std::int32_t> users;
    const Json stability = golden_json("h_eval/stability.json").at(machine + "_bf16_cg");
    for (const auto& [level, entry] : stability.items()) {
        if (level.find("given") == std::string::npos) {
            continue;
        }
        for (const auto& [variant, moved] : entry.at("variants").items()) {
            for (const Json& user : moved.at("users_that_moved_at_least_once").at(kind)) {
                users.insert(user.get<std::int32_t>());
            }
        }
    }
    return users;
}

/// Numbers of one sign in order of their bf16 bits: distances are ulps.
int ulps_between(const Json& a, const Json& b)
{
    const auto place = [](int bits) { return bits < 0x8000 ? bits : 0x8000 - bits; };
    return std::abs(place(a.get<int>()) - place(b.get<int>()));
}

void compare_recall(const GoldenRun& run, const Json& golden, const std::string& variant,
                    double tolerance)
{
    const Json found = run.json("metrics").at("recall_by_epoch");
    const Json& epochs = golden.at("recall20_recall50_nvalid_per_epoch").at(variant);
    // A run without epochs evaluates the final tables.
    const std::size_t first = epochs.size() - found.size();
    for (std::size_t i = 0; i < found.size(); ++i) {
        for (std::size_t j = 0; j < 2; ++j) {
            EXPECT_NEAR(found.at(i).at(j).get<double>(), epochs.at(first + i).at(j).get<double>(),
                        tolerance);
        }
        EXPECT_EQ(found.at(i).at(2), epochs.at(first + i).at(2));
    }
}

class GoldenEvaluation : public ::testing::TestWithParam<const char*> {
protected:
    std::string machine() const { return GetParam(); }
    std::string name() const { return "h_eval/" + machine() + "_bf16_cg"; }
};

TEST_P(GoldenEvaluation, GivenTablesYieldTheSameLists)
{
    const Json golden = golden_json(name() + ".json");
    const std::set<std::int32_t> reordered = unstable_users(machine(), "top50_ids_in_order");
    for (const std::string& variant : variants()) {
        SCOPED_TRACE(variant);
        const GoldenRun run(golden.at("config"), 0,
                            input_from(name() + "_row_final", name() + "_col_final"),
                            changes_of(variant));
        ASSERT_EQ(run.problem(), "");
        const Json found = run.json("recommendations");
        const Json expected = without_phantoms(golden_json(name() + "_eval_" + variant + ".json"),
                                               golden.at("config"));
        ASSERT_EQ(found.size(), expected.size());
        int moved = 0;
        for (std::size_t i = 0; i < expected.size(); ++i) {
            const auto user = expected.at(i).at("row_id").get<std::int32_t>();
            EXPECT_EQ(found.at(i).at("row_id").get<std::int32_t>(), user);
            for (const char* exact : {"n_gt", "hits20", "hits50"}) {
                EXPECT_EQ(found.at(i).at(exact), expected.at(i).at(exact)) << user << " " << exact;
            }
            EXPECT_NEAR(found.at(i).at("recall20").get<double>(),
                        expected.at(i).at("recall20").get<double>(), 1e-6);
            EXPECT_NEAR(found.at(i).at("recall50").get<double>(),
                        expected.at(i).at("recall50").get<double>(), 1e-6);
            if (reordered.count(user) == 0) {
                EXPECT_EQ(found.at(i).at("top_ids"), expected.at(i).at("top_ids")) << user;
            }
            moved += found.at(i).at("top_ids") != expected.at(i).at("top_ids") ? 1 : 0;
            for (std::size_t k = 0; k < expected.at(i).at("top_ids").size(); ++k) {
                EXPECT_LE(ulps_between(found.at(i).at("top_scores_bf16_bits").at(k),
                                       expected.at(i).at("top_scores_bf16_bits").at(k)),
                          1);
            }
        }
        compare_recall(run, golden, variant, 1e-6);
        print_error(name(), variant + ", lists moved", moved, 5);
    }
}

TEST_P(GoldenEvaluation, WholeJobsRecommendTheSame)
{
    const Json golden = golden_json(name() + ".json");
    Tolerance tolerance;
    tolerance.objective = 5e-5;
    for (const std::string& variant : variants()) {
        SCOPED_TRACE(variant);
        const GoldenRun run(golden.at("config"), golden.at("epochs"),
                            input_from("h_eval/init_row_604x16", "h_eval/init_col_1064x16"),
                            changes_of(variant));
        compare_run(run, golden, name(), tolerance);
        compare_recall(run, golden, variant, 0.004);
        const Json found = run.json("recommendations");
        const Json expected = without_phantoms(golden_json(name() + "_eval_" + variant + ".json"),
                                               golden.at("config"));
        std::size_t smallest = 20;
        for (std::size_t i = 0; i < expected.size(); ++i) {
            Ids ours = found.at(i).at("top_ids").get<Ids>();
            Ids theirs = expected.at(i).at("top_ids").get<Ids>();
            ours.resize(20);
            theirs.resize(20);
            const std::set<std::int32_t> wanted(theirs.begin(), theirs.end());
            smallest = std::min(smallest, static_cast<std::size_t>(std::count_if(
                                              ours.begin(), ours.end(), [&](std::int32_t id) {
                                                  return wanted.count(id) > 0;
                                              })));
        }
        EXPECT_GE(smallest, 18U);
        print_error(name(), variant + ", missing of 20", 20.0 - static_cast<double>(smallest), 2);
    }
}

INSTANTIATE_TEST_SUITE_P(Machines, GoldenEvaluation, ::testing::Values("M4", "M3"),
                         [](const auto& instance) { return std::string(instance.param); });

} // namespace
} // namespace alxsim
