// SPDX-License-Identifier: Apache-2.0
#include "program/requests/advise_request.h"

#include "experiments/answers/advise/like_report.h"
#include "program/requests/given_setting.h"
#include "program/requests/quantities.h"

#include <utility>

namespace alxsim::program {

using namespace experiments;

AskedAdvice asked_advice(const AdviseRequest& request)
{
    std::vector<std::string> settings = request.settings;
    if (!request.given.empty()) {
        settings.push_back(given_setting(request.given));
    }
    Study study = load_study(request.study, settings);
    return asked_advice(request, std::move(study), std::move(settings));
}

AskedAdvice asked_advice(const AdviseRequest& request, Study study,
                         std::vector<std::string> settings)
{
    AskedAdvice asked{std::move(study), request.options, std::move(settings)};
    AdviseOptions& options = asked.options;
    options.budget_seconds = duration_of("--budget", request.budget);
    if (!request.deadline.empty()) {
        options.limits.deadline_seconds = duration_of("--deadline", request.deadline);
    }
    if (!request.max_cost.empty()) {
        options.limits.max_cost_usd = positive_number("--max-cost", request.max_cost);
    }
    if (!request.like.empty()) {
        const workloads::Counted counted =
            counts_of_report(request.like, asked.study, options.series);
        asked.study = changed(asked.study, counted.set);
        for (const auto& [pointer, value] : counted.set) {
            asked.settings.push_back(pointer + "=" + value.dump());
        }
        options.counted = counted.words;
    }
    if (request.objective != "cost" && request.objective != "time") {
        throw InputError("--optimise", request.objective, "is not known; allowed: time, cost");
    }
    options.objective = request.objective == "cost" ? Objective::cost : Objective::time;
    return asked;
}

} // namespace alxsim::program
