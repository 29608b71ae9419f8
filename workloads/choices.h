// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/settings.h"

#include <string>
#include <vector>

namespace alxsim::workloads {

/// The machine's own choice, which a workload's choices may act together with.
inline constexpr const char* slice_choice = "slice";

/// One thing that a job may do.
struct Option {
    std::string words;         ///< "gather all_to_all"; "" as in the study
    Settings set;              ///< in a study
    bool is_default = false;   ///< a study that does not say gets this
    std::string effect = {};   ///< what it does, for people; "" where its name says it
    bool saves_memory = false; ///< worth a try where the job is too large for its memory
};

/// Something of which a job does one: the first option is what the study says.
struct Choice {
    std::string name;
    std::vector<Option> options;
};

/// What may be chosen, and how a search should go about it. Choices are told by name; blocks may
/// name slice_choice, which who searches adds to the list.
struct Choices {
    std::vector<Choice> list;
    /// Others, which make a job smaller in HBM and never faster: for who has too little of it.
    std::vector<Choice> if_too_large = {};
    /// What other jobs than the study's own must set explicitly: fields whose default depends on a
    /// choice.
    Settings pinned;
    /// Choices that act together: tried in all combinations, one block after another. One that
    /// stands in no block is tried by itself.
    std::vector<std::vector<std::string>> blocks;
    /// Jobs that agree in these are a family; a search goes on from the best of each family.
    std::vector<std::string> family;
    /// Choices whose options are a ladder of sizes: a search also starts a quarter, half and three
    /// quarters up.
    std::vector<std::string> ladders;
    /// Choices of which people want to see every option, with the best plan that has it.
    std::vector<std::string> compared;
    /// By how much people want to know what a choice is worth: the most first.
    std::vector<std::string> by_interest;
};

/// A change to a job.
struct Alternative {
    std::string name; ///< "gather all_to_all in place of all_reduce"
    Settings set;     ///< in a study
    /// Whether a run itself says where it moves the sweet spot, without being asked.
    bool is_told_by_runs = false;
};

} // namespace alxsim::workloads
