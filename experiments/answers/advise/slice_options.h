// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/answers/advise/space.h"
#include "topologies/machine.h"

namespace alxsim::experiments {

/// Slices to choose among.
struct SliceChoice {
    std::string chip;       ///< as chip_named() reads it: a size there is the only count
    std::vector<int> cores; ///< empty: those of the studied plan
    bool any = false;       ///< also those that the vendor does not list
};

/// The slices that the vendor lists of as many chips as the cores need, turned one way, but for the
/// one that the studied plan has; of `any`, every rectangle or box. The first of each count has the
/// sides that this count has by default, and is there for a count that nobody lists, too.
/// `machine` is that of the studied plan; a slice whose wraps, twist or faults the study settles
/// stays as it is. Throws InputError for a count that no slice has, and for a chip that the study
/// cannot have.
std::vector<Option> slice_options(const PointStudy& studied, const topologies::Machine& machine,
                                  const SliceChoice& choice);

} // namespace alxsim::experiments
