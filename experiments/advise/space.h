// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/advise/beam_search.h"
#include "experiments/study.h"

#include <string>
#include <vector>

namespace alxsim::experiments {

/// One thing that a plan may do.
struct Option {
    std::string words;       ///< "gather all_to_all"; "" as in the study
    Json set;                ///< JSON pointer -> value
    bool is_default = false; ///< a study that does not say gets this
};

/// Something of which a plan does one: the first option is what the study says.
struct ChoiceAxis {
    std::string name;
    std::vector<Option> options;
};

/// An option that the schema, this release or the chip refuses.
struct RefusedOption {
    std::string words;
    std::string why;
};

/// What a study leaves to choice. Everything else (chip, overrides, data, dim, solver, dtypes,
/// semantics) stays as the study has it.
struct PlanSpace {
    Study released; ///< one point: no sweep, no series, timed without numbers
    /// What plans other than the released one spell out, because they change what it follows from.
    Json pinned;
    std::vector<ChoiceAxis> axes;
    std::vector<RefusedOption> refused;
    /// Whether the released plan's core count is one of those to choose among; else that plan is
    /// there to be compared with alone.
    bool released_cores = true;

    SearchSpace search_space() const;
    bool is_released(const Place& place) const;
    /// JSON pointer -> value; empty for the released plan.
    Json set_of(const Place& place) const;
    /// "gather all_to_all"; what differs from the released plan, axis by axis.
    std::vector<std::string> words_of(const Place& place) const;
    /// A study that can be run. Throws InputError for one that breaks the schema.
    Study study_of(const Place& place) const;
};

/// Names of the axes, in their order: "gather", ..., "column_batch". They are the study's own names
/// of what is chosen.
const std::vector<std::string>& axis_names();

/// The axes by how much a reader wants to know what the choice is worth: batches last.
std::vector<int> axes_by_weight();

/// What, set in the study as it was given, leaves the point that is advised on: no sweep, one
/// series, no numbers, fidelity sampled. JSON pointer -> value. `series`: whose values count; ""
/// for the study's own. Throws InputError for a series that is not there.
Json single_point_settings(const Study& study, const std::string& series);

/// The point itself; of a swept core count it has the first, if the study has no other. Throws
/// InputError for a study without a dataset.
Study released_plan(const Study& study, const std::string& series);

/// The core counts that the study, or the series, sweeps; empty for none.
std::vector<int> swept_cores(const Study& study, const std::string& series);

/// Core counts to choose among.
struct CoreChoice {
    std::vector<int> counts; ///< empty: that of the released plan alone
    bool asked = false;      ///< plans on other counts are no answer; else the study sweeps these
};

/// `choices`: names of the only axes that may change; empty: all; the others keep the study's
/// option. Throws InputError for a released plan that is no ALX job, for a count that no slice of
/// the chip has, and for a choice that is no axis.
PlanSpace plan_space(const Study& released, const CoreChoice& cores,
                     const std::vector<std::string>& choices);

} // namespace alxsim::experiments
