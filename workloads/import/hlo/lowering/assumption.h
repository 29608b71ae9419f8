// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_document.h"

#include <string>

namespace alxsim::hlo {

/// What a user says of instructions that nobody knows the cost of.
struct Assumption {
    enum class Kind {
        seconds,         ///< each time
        attention,       ///< a kernel of causal attention, by its shapes
        attention_of_all ///< the same, every query attends to every key
    };
    Kind kind = Kind::seconds;
    double seconds = 0;

    static Assumption of_seconds(double seconds) { return {Kind::seconds, seconds}; }
};

/// "attention", "attention_of_all", or seconds. InputError with `file` and `place` for others.
Assumption assumption_of(const Json& value, const std::string& file, const std::string& place);

} // namespace alxsim::hlo
