// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/graph/name.h"

#include <string>
#include <vector>

namespace alxsim::model {

/// Names of phases, numbered in the order in which they were first met.
class PhaseNames {
public:
    int index_of(Name phase);
    const std::vector<std::string>& names() const { return names_; }
    /// Forgets all names, so that they are numbered anew.
    void clear()
    {
        numbers_.clear();
        names_.clear();
    }

private:
    NameNumbers numbers_;
    std::vector<std::string> names_;
};

/// Phase under which the wait for the host's dispatch and the per-program overhead are reported.
extern const char* const dispatch_phase;

} // namespace alxsim::model
