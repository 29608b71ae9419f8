// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/solvers/solver.h"

#include <string>
#include <vector>

namespace alxsim::alx {

/// Solvers that do not iterate, of all that have a name.
inline std::vector<std::string> direct_solvers()
{
    std::vector<std::string> names;
    for (const std::string& name : solvers().names()) {
        if (solvers().create(name)->counter().empty()) {
            names.push_back(name);
        }
    }
    return names;
}

} // namespace alxsim::alx
