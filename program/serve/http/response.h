// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "program/serve/http/question.h"

#include <string>

namespace alxsim::program::http_server {

/// The status line and the headers that go before an answer's body.
std::string head_of_response(const Answer& answer);

} // namespace alxsim::program::http_server
