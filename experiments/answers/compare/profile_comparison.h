// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_fields.h"
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
    fields("name", op.name);
    fields("category", op.category);
    fields("exact", op.exact);
    fields("real_calls", op.real_calls);
    fields("simulated_calls", op.simulated_calls);
    fields("real_seconds", op.real_seconds);
    fields("simulated_seconds", op.simulated_seconds);
    fields.nullable("ratio", op.ratio);
}

template <class Fields>
void list_fields(Fields& fields, ComparedCategory& category)
{
    fields("category", category.category);
    fields("real_seconds", category.real_seconds);
    fields("simulated_seconds", category.simulated_seconds);
    fields.nullable("ratio", category.ratio);
}

template <class Fields>
void list_fields(Fields& fields, LoneOp& op)
{
    fields("name", op.name);
    fields("category", op.category);
    fields("calls", op.calls);
    fields("seconds", op.seconds);
}

template <class Fields>
void list_fields(Fields& fields, ProfileComparison& comparison)
{
    fields("real_step", comparison.real_step);
    fields("simulated_step", comparison.simulated_step);
    fields("real_seconds", comparison.real_seconds);
    fields("simulated_seconds", comparison.simulated_seconds);
    fields("ratio", comparison.ratio);
    fields("ops", comparison.ops);
    fields("categories", comparison.categories);
    fields("only_real", comparison.only_real);
    fields("only_simulated", comparison.only_simulated);
}

} // namespace alxsim::experiments
