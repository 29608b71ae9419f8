// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/answers/advise/advise.h"

#include <string>
#include <vector>

namespace alxsim::program {

using namespace experiments;

/// What `alxsim advise` is asked, whoever asks.
struct AdviseRequest {
    std::string study; ///< its path
    std::string objective = "time";
    std::vector<std::string> settings;
    std::string given; ///< a result of infer
    std::string like;  ///< a finished report
    std::string budget = "30";
    std::string deadline;
    std::string max_cost;
    AdviseOptions options;
};

/// The same as advise() takes it.
struct AskedAdvice {
    Study study;
    AdviseOptions options;
    std::vector<std::string> settings; ///< of the study, as its file is not
};

/// Throws InputError, naming the option.
AskedAdvice asked_advice(const AdviseRequest& request);
/// The same of a study that is read already.
AskedAdvice asked_advice(const AdviseRequest& request, Study study,
                         std::vector<std::string> settings);

} // namespace alxsim::program
