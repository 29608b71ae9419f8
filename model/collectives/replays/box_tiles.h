// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/collectives/collective.h"

namespace alxsim::model {

/// Chips that groups pass along an axis on which they are boxes: a block of a row of the slice, in
/// which so many groups stand as their chips are hops apart.
inline int places_of_block(const NetworkAxis& axis)
{
    return axis.length * axis.hops;
}

/// Whether a schedule's groups are boxes with others' chips between theirs which cover all devices,
/// block by block, on links of which none is broken. Then blocks share no link and do all the same.
bool are_tiles(const CollectiveSchedule& schedule);

/// Such a schedule of the groups in the first block alone, which takes the same time.
CollectiveSchedule of_one_block(const CollectiveSchedule& schedule);

} // namespace alxsim::model
