// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/answers/advise/advice.h"
#include "experiments/answers/advise/beam_search.h"
#include "experiments/points/study/job.h"
#include "experiments/points/study/study.h"
#include "workloads/choices.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace alxsim::experiments {

using workloads::Choice;
using workloads::Option;

/// What a study leaves to choice: the slice, and what its workload says. Everything else stays as
/// the study has it.
struct PlanSpace {
    PointStudy studied; ///< timed without numbers
    /// The studied plan's. It keeps what its data are for other plans, too.
    std::shared_ptr<const Job> studied_job;
    /// The workload's choices and, where it stands among them, the slice.
    workloads::Choices choices;
    std::vector<RefusedOption> refused;
    std::map<std::string, std::string> refused_chips; ///< with the first reason of their slices
    /// Whether the studied plan's chip and core count are among those to choose from; else that
    /// plan is there to be compared with alone.
    bool studied_is_allowed = true;

    SearchSpace search_space() const;
    int slice_axis() const; ///< the number of slice_choice
    /// The choices by how much a reader wants to know what each is worth.
    std::vector<int> by_interest() const;
    bool is_studied(const Selection& selection) const;
    /// Empty for the studied plan.
    Settings set_of(const Selection& selection) const;
    /// "gather all_to_all"; what differs from the studied plan, axis by axis.
    std::vector<std::string> words_of(const Selection& selection) const;
    /// What these options do, where their names do not say it.
    std::vector<std::string> effects_of(const Selection& selection) const;
    /// A study that can be run. Throws InputError for one that breaks the schema.
    PointStudy study_of(const Selection& selection) const;

private:
    std::vector<const Option*> options_at(const Selection& selection) const;
};

/// Names of all that plans of any workload may decide: "slice", "gather", ... They are the study's
/// own names of what is chosen.
std::vector<std::string> choice_names();

/// What, set in the study as it was given, leaves the point that is advised on: no sweep, one
/// series, no numbers, fidelity sampled. `series`: whose values count; "" for the study's own.
/// Throws InputError for a series that is not there.
Settings single_point_settings(const Study& study, const std::string& series);

/// The point itself; of a swept core count it has the first, if the study has no other. Throws
/// InputError.
PointStudy studied_plan(const Study& study, const std::string& series);

/// The core counts that the study, or the series, sweeps; empty for none.
std::vector<int> swept_cores(const Study& study, const std::string& series);

/// Machines to choose among.
struct MachineChoice {
    std::vector<int> cores;         ///< empty: those of the studied plan alone
    bool cores_asked = false;       ///< other counts are no answer; else the study sweeps these
    std::vector<std::string> chips; ///< names or paths; empty: the studied plan's
    bool any_slice = false;         ///< also those that the vendor does not list
};

/// `only`: names of the only choices that may change; empty: all; the others keep the study's
/// option. Throws InputError for a count that no slice of a chip has, for a chip that the study
/// cannot have, and for a choice that the workload does not have.
PlanSpace plan_space(const PointStudy& studied, const MachineChoice& machines,
                     const std::vector<std::string>& only);

} // namespace alxsim::experiments
