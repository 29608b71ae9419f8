// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/units.h"
#include "model/collectives/collective_algorithm.h"
#include "model/estimate.h"
#include "topologies/machine.h"

#include <optional>
#include <string>
#include <vector>

namespace alxsim::model {

struct Op;
struct OpCost;

/// A part of an op's time and the mechanism behind it; parts may overlap.
struct TimePart {
    std::string mechanism;
    Picoseconds time{0};
};

/// One op by itself on an idle machine, its buffers in HBM.
struct OpExplanation {
    Seconds bound{0};           ///< physical_bound()
    Picoseconds closed_form{0}; ///< the analytic estimate
    std::vector<TimePart> parts;
    std::string limited_by;                       ///< the mechanism of the longest part
    std::string why;                              ///< a sentence
    std::string schedule;                         ///< of a collective: its name
    std::optional<CollectiveAlgorithm> algorithm; ///< of a collective
    /// What scaling_book_time() says of a collective that the scaling book covers.
    std::optional<Seconds> textbook;
};

/// Throws InputError for work that the machine cannot do.
OpExplanation explain_op(const Op& op, const topologies::Machine& machine);
/// The same on the machine that `model` goes by; ops of one model share their schedules.
OpExplanation explain_op(const Op& op, AnalyticModel& model);

/// For people: what an op waits for before it moves anything.
std::string latency_name(const OpCost& cost);

/// Tells of a collective whose schedule is the compiler's: "; the fastest known, ..., takes 223 us"
/// where that is slower, and "; twice the bytes take less, 20 us, since what runs then is ..."
/// where its table has a step down. Else "". Times many schedules: for one op, not for each of a
/// program.
std::string other_schedules(const Op& op, const topologies::Machine& machine);

} // namespace alxsim::model
