// SPDX-License-Identifier: Apache-2.0
#include "base/host_pool.h"
#include "experiments/answers/advise/evaluate.h"
#include "experiments/answers/advise/space.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

/// The search for plans on a real web: cnr-2000 of LAW, which is not part of the project.
namespace alxsim::experiments {
namespace {

class AdviseOnCnr2000 : public ::testing::Test {
protected:
    void SetUp() override
    {
        const std::string graph = std::string(ALXSIM_SHARED_DIR) + "/data/cnr-2000/cnr-2000.graph";
        if (!std::filesystem::exists(graph)) {
            GTEST_SKIP() << "no " << graph;
        }
        const Study study =
            study_of({{"study", "cnr-2000"},
                      {"numerics", false},
                      {"fidelity", "analytic"},
                      {"machine", {{"chip", "tpu_v3"}, {"cores", 64}}},
                      {"workload", {{"dataset", {{"file", graph}}}, {"alx", {{"dim", 16}}}}}},
                     "study.json");
        space_ = plan_space(studied_plan(study, ""), {}, {});
        evaluator_ = std::make_unique<Evaluator>(space_, Objective::time, PlanLimits{}, false);
    }

    SearchResult searched() const
    {
        SearchOptions options;
        options.threads = 2;
        return beam_search(
            space_.search_space(),
            [this](const Selection& selection) { return evaluator_->cost_of(selection); }, options);
    }

    /// Each two options of two choices.
    std::vector<Selection> all_pairs() const
    {
        const std::vector<int> options = space_.search_space().options;
        std::vector<Selection> pairs;
        for (std::size_t a = 0; a < options.size(); ++a) {
            for (std::size_t b = a + 1; b < options.size(); ++b) {
                for (int i = 1; i < options[a]; ++i) {
                    for (int k = 1; k < options[b]; ++k) {
                        pairs.emplace_back(options.size(), 0);
                        pairs.back()[a] = i;
                        pairs.back()[b] = k;
                    }
                }
            }
        }
        return pairs;
    }

    PlanSpace space_;
    std::unique_ptr<Evaluator> evaluator_;
};

TEST_F(AdviseOnCnr2000, IsWithin5PercentOfEveryEighthPair)
{
    const double found = searched().ranked.front().cost;
    std::vector<Selection> pairs;
    const std::vector<Selection> all = all_pairs();
    for (std::size_t i = 0; i < all.size(); i += 8) { // all of them take a quarter of an hour
        pairs.push_back(all[i]);
    }
    std::vector<double> costs(pairs.size(), HUGE_VAL);
    HostPool pool(2);
    pool.for_chunks(static_cast<std::int64_t>(pairs.size()), 1,
                    [&](std::int64_t i, std::int64_t /*end*/) {
                        const auto at = static_cast<std::size_t>(i);
                        costs[at] = evaluator_->cost_of(pairs[at]).value_or(HUGE_VAL);
                    });
    const auto best = std::min_element(costs.begin(), costs.end());
    EXPECT_LE(found, 1.05 * *best);
    RecordProperty("found", std::to_string(found / *best));
}

/// The steps that stand for others while it searches.
TEST_F(AdviseOnCnr2000, SearchesByTimesThatAreNearThoseOfAllSteps)
{
    const std::vector<int> options = space_.search_space().options;
    const std::vector<Option>& gathers = space_.choices.list.at(0).options;
    const auto exchange = std::find_if(gathers.begin(), gathers.end(), [](const Option& option) {
        return option.words == "gather all_to_all"; // its steps differ
    });
    ASSERT_NE(exchange, gathers.end());
    std::vector<double> off;
    for (std::size_t axis = 0; axis < options.size(); ++axis) {
        for (int option = 1; option < options[axis]; ++option) {
            Selection selection(options.size(), 0);
            selection[0] = static_cast<int>(exchange - gathers.begin());
            selection[axis] = option;
            if (!evaluator_->cost_of(selection)) {
                continue;
            }
            const PlanEstimate* const searched = evaluator_->found(selection);
            off.push_back(std::abs(searched->times.epoch.seconds /
                                       evaluator_->estimate_of(selection).times.epoch.seconds -
                                   1));
        }
    }
    ASSERT_GT(off.size(), 20U);
    std::sort(off.begin(), off.end());
    EXPECT_LT(off[off.size() / 2], 0.01);
    EXPECT_LT(off.back(), 0.05);
    RecordProperty("median", std::to_string(off[off.size() / 2]));
    RecordProperty("most", std::to_string(off.back()));
}

} // namespace
} // namespace alxsim::experiments
