// SPDX-License-Identifier: Apache-2.0
#include "workloads/import/hlo/lowering/assumption.h"

#include "base/input_error.h"

namespace alxsim::hlo {

Assumption assumption_of(const Json& value, const std::string& file, const std::string& place)
{
    if (value == "attention") {
        return {Assumption::Kind::attention, 0};
    }
    if (value == "attention_of_all") {
        return {Assumption::Kind::attention_of_all, 0};
    }
    if (!value.is_number() || value.get<double>() < 0) {
        throw InputError(file, place,
                         "found " + value.dump() +
                             "; allowed: seconds of 0 or more, \"attention\" (a kernel of causal "
                             "attention, by its shapes), \"attention_of_all\" (not causal)");
    }
    return Assumption::of_seconds(value.get<double>());
}

} // namespace alxsim::hlo
