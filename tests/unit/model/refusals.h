// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/input_error.h"
#include "model/collectives/collective.h"

#include <string>

namespace alxsim::model {

/// What make_schedule says against a collective.
inline std::string refusal_of(const Collective& collective, const topologies::Machine& machine)
{
    try {
        make_schedule(collective, machine);
    } catch (const InputError& error) {
        return error.what();
    }
    return "nothing was refused";
}

} // namespace alxsim::model
