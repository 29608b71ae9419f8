// SPDX-License-Identifier: Apache-2.0
#include "program/serve/http/question.h"

#include "base/json_document.h"

namespace alxsim::program {

Answer refusal(int status, const std::string& why)
{
    return {status, "application/json", Json{{"error", why}}.dump()};
}

} // namespace alxsim::program
