// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

namespace alxsim::program {

/// A request that was let in, with all of its body.
struct Question {
    bool posted = false; ///< by POST; else by GET
    std::string name;    ///< the path behind the token
    std::string body;    ///< "" of what is no POST
};

struct Answer {
    int status = 200; ///< of HTTP
    std::string type;
    std::string body;
};

/// Answers, from several threads at once. Long work looks for a stop (base/work/stop.h), which is
/// wanted when nobody waits for it any more.
using Answers = std::function<Answer(const Question&)>;

/// {"error": why}.
Answer refusal(int status, const std::string& why);

} // namespace alxsim::program
