// SPDX-License-Identifier: Apache-2.0
#include "experiments/answers/compare/profile_comparison.h"

#include "base/text/printed.h"
#include "experiments/answers/profile/matching.h"

#include <algorithm>
#include <map>

namespace alxsim::experiments {
namespace {

constexpr std::size_t most_rows = 30; // of a table; the JSON has all

using ByName = std::map<std::string, const ProfiledOp*>;

ByName by_name(const Profile& profile)
{
    ByName ops;
    for (const ProfiledOp& op : profile.ops) {
        ops[op.name] = &op;
    }
    return ops;
}

std::vector<std::string> names_of(const Profile& profile)
{
    std::vector<std::string> names;
    for (const ProfiledOp& op : profile.ops) {
        names.push_back(op.name);
    }
    return names;
}

std::optional<double> ratio_of(double simulated, double real)
{
    return real > 0 ? std::optional(simulated / real) : std::nullopt;
}

/// What the profile calls it; of ends of asynchronous work without which end.
std::string category_of(const ProfiledOp& op)
{
    return op.category.empty() ? name_without_number(op.name) : name_without_number(op.category);
}

template <class T>
void longest_first(std::vector<T>& rows)
{
    std::stable_sort(rows.begin(), rows.end(), [](const T& a, const T& b) {
        return std::max(a.real_seconds, a.simulated_seconds) >
               std::max(b.real_seconds, b.simulated_seconds);
    });
}

using Categories = std::map<std::string, ComparedCategory>;

ComparedOp compared(const MatchedNames& pair, const ByName& real, const ByName& simulated)
{
    ComparedOp op;
    op.name = pair.name;
    op.exact = pair.exact;
    for (const std::string& name : pair.a) {
        const ProfiledOp& one = *real.at(name);
        op.real_calls += one.calls;
        op.real_seconds += one.seconds;
    }
    for (const std::string& name : pair.b) {
        const ProfiledOp& one = *simulated.at(name);
        op.simulated_calls += one.calls;
        op.simulated_seconds += one.seconds;
    }
    op.category = category_of(*real.at(pair.a.front()));
    op.ratio = ratio_of(op.simulated_seconds, op.real_seconds);
    return op;
}

void add_lone(std::vector<LoneOp>& lone, const std::vector<std::string>& names, const ByName& ops)
{
    for (const std::string& name : names) {
        const ProfiledOp& op = *ops.at(name);
        lone.push_back({op.name, category_of(op), op.calls, op.seconds});
    }
    std::stable_sort(lone.begin(), lone.end(),
                     [](const LoneOp& a, const LoneOp& b) { return a.seconds > b.seconds; });
}

std::string in_words(const Profile& profile)
{
    return "device " + std::to_string(profile.device) + ", " + profile.chosen;
}

std::string microseconds(double seconds)
{
    return printed("%.4g", seconds * 1e6);
}

void tell_lone(Document& document, const std::string& which, const std::vector<LoneOp>& ops)
{
    if (ops.empty()) {
        return;
    }
    double sum = 0;
    std::string names;
    for (std::size_t i = 0; i < ops.size(); ++i) {
        sum += ops[i].seconds;
        if (i < 5) {
            names += (i > 0 ? ", " : "") + ops[i].name + " " + microseconds(ops[i].seconds) + " us";
        }
    }
    document.paragraph("Only " + which + ": " + std::to_string(ops.size()) +
                       (ops.size() == 1 ? " op, " : " ops, ") + microseconds(sum) +
                       " us: " + names + (ops.size() > 5 ? ", ..." : ""));
}

} // namespace

ProfileComparison compare_profiles(const Profile& simulated, const Profile& real)
{
    const ByName in_real = by_name(real);
    const ByName in_simulated = by_name(simulated);
    const Matching matching = matched(names_of(real), names_of(simulated));
    ProfileComparison comparison;
    comparison.real_step = in_words(real);
    comparison.simulated_step = in_words(simulated);
    comparison.real_seconds = real.step_seconds;
    comparison.simulated_seconds = simulated.step_seconds;
    comparison.ratio = simulated.step_seconds / real.step_seconds;
    Categories categories;
    for (const MatchedNames& pair : matching.pairs) {
        const ComparedOp op = compared(pair, in_real, in_simulated);
        categories[op.category].real_seconds += op.real_seconds;
        categories[op.category].simulated_seconds += op.simulated_seconds;
        comparison.ops.push_back(op);
    }
    add_lone(comparison.only_real, matching.only_a, in_real);
    add_lone(comparison.only_simulated, matching.only_b, in_simulated);
    for (const LoneOp& op : comparison.only_real) {
        categories[op.category].real_seconds += op.seconds;
    }
    for (const LoneOp& op : comparison.only_simulated) {
        categories[op.category].simulated_seconds += op.seconds;
    }
    for (auto& [name, category] : categories) {
        category.category = name;
        category.ratio = ratio_of(category.simulated_seconds, category.real_seconds);
        comparison.categories.push_back(category);
    }
    longest_first(comparison.ops);
    longest_first(comparison.categories);
    return comparison;
}

Document document_of(const ProfileComparison& comparison)
{
    Document document;
    std::vector<TableRow> rows;
    for (const ComparedOp& op : comparison.ops) {
        if (rows.size() == most_rows) {
            break;
        }
        rows.push_back({op.name + (op.exact ? "" : " (all)"), op.category,
                        std::to_string(op.real_calls), std::to_string(op.simulated_calls),
                        microseconds(op.real_seconds), microseconds(op.simulated_seconds),
                        printed("%.3f", op.ratio)});
    }
    document.table(
        {"op", "category", "real calls", "sim. calls", "real us", "simulated us", "ratio"}, rows,
        {false, false, true, true, true, true, true});
    if (comparison.ops.size() > most_rows) {
        document.line("and " + std::to_string(comparison.ops.size() - most_rows) +
                      " more ops (--json has all)");
    }
    document.gap();
    rows.clear();
    for (const ComparedCategory& category : comparison.categories) {
        rows.push_back({category.category, microseconds(category.real_seconds),
                        microseconds(category.simulated_seconds), printed("%.3f", category.ratio)});
    }
    rows.push_back({"step", microseconds(comparison.real_seconds),
                    microseconds(comparison.simulated_seconds), printed("%.3f", comparison.ratio)});
    document.table({"category", "real us", "simulated us", "ratio"}, rows,
                   {false, true, true, true});
    document.gap();
    document.paragraph("Real: " + comparison.real_step +
                       ". Simulated: " + comparison.simulated_step + ".");
    if (std::any_of(comparison.ops.begin(), comparison.ops.end(),
                    [](const ComparedOp& op) { return !op.exact; })) {
        document.paragraph("(all): names that only one of them has are summed without their "
                           "numbers, and both ends of asynchronous work: what the TensorCore "
                           "waits for.");
    }
    tell_lone(document, "real", comparison.only_real);
    tell_lone(document, "simulated", comparison.only_simulated);
    return document;
}

} // namespace alxsim::experiments
