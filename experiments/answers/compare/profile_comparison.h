// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_fields.h"
#include "base/schema/field_words.h"
#include "base/text/document.h"
#include "experiments/answers/profile/profile.h"

#include <optional>
#include <string>
#include <vector>

namespace alxsim::experiments {

/// An op of a real profile beside the same of a simulated one, in a step.
struct ComparedOp {
    std::string name;
    std::string category;
    bool exact = true; ///< else all of this name without its number, summed
    std::int64_t real_calls = 0, simulated_calls = 0;
    double real_seconds = 0, simulated_seconds = 0;
    std::optional<double> ratio; ///< simulated over real; nothing where real is 0
};

struct ComparedCategory {
    std::string category;
    double real_seconds = 0, simulated_seconds = 0;
    std::optional<double> ratio;
};

/// An op that one of them has alone.
struct LoneOp {
    std::string name;
    std::string category;
    std::int64_t calls = 0;
    double seconds = 0;
};

/// A real profile and a simulated one, op by op.
struct ProfileComparison {
    std::string real_step, simulated_step;          ///< which, in words
    double real_seconds = 0, simulated_seconds = 0; ///< of the step
    double ratio = 1;
    std::vector<ComparedOp> ops;                   ///< the longest first, by the longer of both
    std::vector<ComparedCategory> categories;      ///< the same
    std::vector<LoneOp> only_real, only_simulated; ///< the same
};

ProfileComparison compare_profiles(const Profile& simulated, const Profile& real);

/// For people; the ops that take longest.
Document document_of(const ProfileComparison& comparison);

template <class Fields>
void list_fields(Fields& fields, ComparedOp& op)
{
    fields("name", op.name, "As the profile calls it.");
    fields("category", op.category, "As the profile sorts it.");
    fields("exact", op.exact, "One op; false: all of this name without its number, summed.");
    fields("real_calls", op.real_calls, "In a step of the real profile.", limits::amount);
    fields("simulated_calls", op.simulated_calls, "In a simulated step.", limits::amount);
    fields("real_seconds", op.real_seconds, "Of all these calls.", limits::amount);
    fields("simulated_seconds", op.simulated_seconds, "Of all these calls.", limits::amount);
    fields.nullable("ratio", op.ratio, "Simulated over real; null where real is 0.",
                    limits::amount);
}

template <class Fields>
void list_fields(Fields& fields, ComparedCategory& category)
{
    fields("category", category.category, "As the profile sorts ops.");
    fields("real_seconds", category.real_seconds, "Of its ops.", limits::amount);
    fields("simulated_seconds", category.simulated_seconds, "Of its ops.", limits::amount);
    fields.nullable("ratio", category.ratio, "Simulated over real; null where real is 0.",
                    limits::amount);
}

template <class Fields>
void list_fields(Fields& fields, LoneOp& op)
{
    fields("name", op.name, "As its profile calls it.");
    fields("category", op.category, "As its profile sorts it.");
    fields("calls", op.calls, "In a step.", limits::amount);
    fields("seconds", op.seconds, "Of all these calls.", limits::amount);
}

template <class Fields>
void list_fields(Fields& fields, ProfileComparison& comparison)
{
    fields("real_step", comparison.real_step, "Which step of the real profile, in words.");
    fields("simulated_step", comparison.simulated_step, "Which simulated step.");
    fields("real_seconds", comparison.real_seconds, "Of the step.", limits::amount);
    fields("simulated_seconds", comparison.simulated_seconds, "Of the step.", limits::amount);
    fields("ratio", comparison.ratio, "Simulated over real.", limits::amount);
    fields("ops", comparison.ops, "Ops that both have, the longest first.");
    fields("categories", comparison.categories, "The same by category.");
    fields("only_real", comparison.only_real, "Ops of the real profile alone.");
    fields("only_simulated", comparison.only_simulated, "Ops of the simulation alone.");
}

} // namespace alxsim::experiments
