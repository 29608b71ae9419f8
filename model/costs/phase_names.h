// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/costs/collective_axes.h"
#include "model/graph/name.h"

#include <string>
#include <vector>

namespace alxsim::model {

/// Names of phases, numbered in the order in which they were first met. Of a phase's collectives,
/// those along each set of axes have a number of their own, with the name of their phase.
class PhaseNames {
public:
    static constexpr int no_axes = -1;

    /// `axes`: of a collective, as axes() numbers them.
    int index_of(Name phase, int axes = no_axes);
    const std::vector<std::string>& names() const { return names_; }
    /// [number]: the axes' name; empty of what is no collective.
    const std::vector<std::string>& names_of_axes() const { return names_of_axes_; }
    CollectiveAxes& axes() { return axes_; }
    const CollectiveAxes& axes() const { return axes_; }
    /// Forgets all names, so that they are numbered anew.
    void clear();

private:
    NameNumbers phases_;
    CollectiveAxes axes_;
    std::vector<std::vector<int>> numbers_; ///< [phase][axes + 1]: or unmet
    std::vector<std::string> names_;
    std::vector<std::string> names_of_axes_;
};

/// Phase under which the wait for the host's dispatch and the per-program overhead are reported.
extern const char* const dispatch_phase;

} // namespace alxsim::model
