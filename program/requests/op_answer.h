// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "program/requests/op_request.h"

#include <string>
#include <vector>

namespace alxsim::program {

/// What `alxsim op` tells.
struct OpAnswer {
    Json result; ///< as --json prints it: of one op, of a graph, or a list of these
    std::vector<std::string> notes; ///< what should be known of it
};

/// Times ops through SystemC and by closed forms. Throws InputError.
OpAnswer answer_of_op(const GivenOps& given, const OpRequest& request,
                      const topologies::Machine& machine);

} // namespace alxsim::program
