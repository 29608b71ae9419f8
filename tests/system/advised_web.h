// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

/// Advice on a small web, as a user asks for it.
namespace alxsim::testing {

/// No search here takes a tenth of it: it is there for a host that does other things, too.
inline const char* const budget = "--budget=250";
inline const char* const few_choices = "--choices=gather,scatter,overlap";

inline std::string web(const TemporaryFolder& folder, const Json& extra = Json::object())
{
    Json study{{"study", "a small web"},
               {"numerics", false},
               {"machine", {{"chip", "tpu_v3"}, {"cores", 8}}},
               {"workload",
                {{"dataset", {{"shape", {{"rows", 4000}, {"columns", 3000}, {"links", 60000}}}}},
                 {"alx", {{"dim", 32}}}}}};
    study.merge_patch(extra);
    return folder.write("web.json", study.dump());
}

inline Json advice_on(const std::string& study, const std::vector<std::string>& more = {},
                      const std::string& top = "--top=1")
{
    std::vector<std::string> arguments{"advise", study,       "--json", "--quiet",
                                       budget,   few_choices, top};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = run_program(arguments);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
    return Json::parse(outcome.output);
}

inline const Json& released_of(const Json& advice)
{
    const Json& plans = advice.at("plans");
    return *std::find_if(plans.begin(), plans.end(),
                         [](const Json& plan) { return plan.at("released").get<bool>(); });
}

inline double simulated(const Json& plan)
{
    return plan.at("simulated").at("epoch_seconds").get<double>();
}

} // namespace alxsim::testing
