// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/schedules/one_ring.h"
#include "model/schedules/schedule_families.h"
#include "model/xla/collective_rules.h"

#include <optional>
#include <vector>

namespace alxsim::model {

/// The schedule of what the TPU compiler chooses. Rings of several phases, of one or two
/// directions, through all chips, gather-and-add, an all-reduce in place of a gather or a reduction
/// are played as the compiler's program says. Nothing where it does not say how messages go
/// (SparseCore calls, exchanges between slices, all-to-alls, whose pieces and routes it does not
/// print), or where such rings are not on this slice: then the fastest stands in for it.
std::optional<CollectiveSchedule> xla_schedule(const ScheduleRequest& request,
                                               const XlaChoice& choice);

/// What of such a schedule does not go by the collective's bytes.
struct XlaPlan {
    std::vector<RingOrder> orders; ///< none: everybody gathers and adds
    std::optional<OneRing> ring;   ///< along which they go
};

/// The plan of xla_schedule(), or nothing where that has nothing.
std::optional<XlaPlan> xla_plan(const ScheduleRequest& request, const XlaChoice& choice);
/// xla_schedule() by its plan.
CollectiveSchedule planned_schedule(const XlaPlan& plan, const Collective& collective,
                                    const CollectiveGroup& group, const XlaChoice& choice);
/// Sets such a schedule, made by the same plan for a group that is planned_alike(), to the bytes of
/// `run`, which is as run_as(), and to the rates of `group`; takes no memory.
void set_planned_sizes(const XlaPlan& plan, const Collective& run, const CollectiveGroup& group,
                       CollectiveSchedule& schedule);
/// What rings run for `collective`: the kind itself, or an all-reduce in its place.
Collective run_as(Collective collective, const XlaChoice& choice);

/// What the compiler takes for such a group at any size and whatever the axes' names: candidates
/// for the fastest that depend on neither. Of a broadcast or reduce, for an all-reduce with zeros.
std::vector<CollectiveSchedule> xla_structures(const ScheduleRequest& request);

/// "XLA: ring, 2 colours, one direction; rule: ..."
std::string xla_name(const XlaChoice& choice);

} // namespace alxsim::model
