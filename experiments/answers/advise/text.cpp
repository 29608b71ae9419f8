// SPDX-License-Identifier: Apache-2.0
#include "base/input_error.h"
#include "base/text/printed.h"
#include "experiments/answers/advise/advise.h"
#include "report/words.h"

#include <algorithm>

namespace alxsim::experiments {
namespace {

std::string gigabytes(std::int64_t bytes)
{
    return printed("%.3g", 1e-9 * static_cast<double>(bytes));
}

std::string rank_of(const Plan& plan)
{
    return (plan.rank ? std::to_string(*plan.rank) : "-") +
           (plan.as_studied ? " (the study's own)" : "");
}

std::string cost_of(const Plan& plan)
{
    const PlanTimes& times = plan.figures();
    return times.cost_usd
               ? report::dollars_in_words(*times.cost_usd)
               : printed("no price, %.3g chip s",
                         times.epoch.seconds * static_cast<double>(plan.estimate.machine.chips));
}

/// Tells what a million units cost of what an interval gets through.
std::string cost_of_a_million(const Plan& plan)
{
    const std::optional<double>& dollars = plan.figures().cost_usd;
    return dollars ? printed("%.3g $", *dollars / plan.estimate.units * 1e6) : "no price";
}

std::string simulated_of(const Plan& plan)
{
    return plan.is_simulated() ? report::seconds_in_words(plan.figures().epoch.seconds)
           : plan.simulated    ? "failed"
                               : "-";
}

std::string band_of(const Plan& plan)
{
    const PlanTimes& times = plan.figures();
    return times.low_seconds ? report::seconds_in_words(*times.low_seconds) + " to " +
                                   report::seconds_in_words(*times.high_seconds)
                             : "-";
}

std::string bound_words(const BoundBy& bound)
{
    return bound.phase.name + " " + report::percent_in_words(bound.phase.part) + ", " +
           bound.share.name + " " + report::percent_in_words(bound.share.part);
}

/// Whether the plans are such that people go by MFU: not those whose products are a trifle.
bool tell_mfu(const std::vector<Plan>& plans)
{
    constexpr double trifle = 0.01;
    return std::any_of(plans.begin(), plans.end(),
                       [](const Plan& plan) { return plan.figures().mfu.value_or(0) > trifle; });
}

TableRow cells_of(const Plan& plan, bool with_mfu)
{
    const PlanEstimate& estimate = plan.estimate;
    const report::PointMachine& machine = estimate.machine;
    TableRow cells{rank_of(plan), machine.chip,
                   std::to_string(machine.cores) + ", " + machine.slice +
                       (machine.slice_assumed ? " *" : "")};
    for (const auto& [column, words] : estimate.geometry_words) {
        cells.push_back(words);
    }
    const TableRow figures{report::seconds_in_words(estimate.times.epoch.seconds),
                           simulated_of(plan),
                           band_of(plan),
                           printed("%.3gx", plan.speedup),
                           plan.best_in_draws ? report::percent_in_words(*plan.best_in_draws) : "-",
                           cost_of(plan),
                           gigabytes(estimate.memory.needed_bytes()) + " of " +
                               gigabytes(estimate.memory.capacity_bytes),
                           bound_words(plan.bound_by)};
    if (!estimate.unit.empty()) {
        cells.push_back(printed("%.3g", estimate.units / plan.figures().epoch.seconds));
    }
    if (with_mfu) {
        cells.push_back(report::percent_in_words(plan.figures().mfu.value_or(0)));
    }
    if (estimate.units > 1) {
        cells.push_back(cost_of_a_million(plan));
    }
    cells.insert(cells.end(), figures.begin(), figures.end());
    return cells;
}

/// The heads of the columns, with those of the workload's geometry.
TableRow heads_of(const Plan& plan, bool with_mfu)
{
    TableRow heads{"plan", "chip", "cores, slice"};
    for (const auto& [column, words] : plan.estimate.geometry_words) {
        heads.push_back(column);
    }
    if (!plan.estimate.unit.empty()) {
        heads.push_back(plan.estimate.unit + "/s");
    }
    if (with_mfu) {
        heads.emplace_back("MFU");
    }
    if (plan.estimate.units > 1) {
        heads.push_back("a million " + plan.estimate.unit);
    }
    for (const char* head : {"analytic", "simulated", "band", "speed-up", "best in", "cost",
                             "GB a core", "bound by"}) {
        heads.emplace_back(head);
    }
    return heads;
}

/// Words stand left, figures right.
std::vector<bool> right_aligned(std::size_t columns)
{
    std::vector<bool> right(columns, true);
    right[0] = right[1] = right[2] = right.back() = false;
    return right;
}

bool all_do_as_much(const std::vector<Plan>& plans)
{
    return std::all_of(plans.begin(), plans.end(), [&](const Plan& plan) {
        return plan.estimate.units == plans.front().estimate.units;
    });
}

void tell_table(Document& document, const std::vector<Plan>& plans,
                const report::IntervalWords& interval)
{
    const bool with_mfu = tell_mfu(plans);
    const TableRow heads = heads_of(plans.at(0), with_mfu);
    std::vector<TableRow> rows;
    bool assumed = false;
    for (const Plan& plan : plans) {
        rows.push_back(cells_of(plan, with_mfu));
        assumed = assumed || plan.estimate.machine.slice_assumed;
    }
    document.table(heads, rows, right_aligned(heads.size()));
    const bool alike = all_do_as_much(plans);
    document.line(std::string(alike ? "Times, cost and speed-up" : "Times and cost") +
                  " are of one " + interval.one +
                  ", simulated where there is such a time. band: 90 % of\nthe " + interval.many +
                  " that the preset's ranges and the workload's assumptions allow. best in: share "
                  "of\nthe draws of these, the same for all plans, in which the plan beats the "
                  "others.");
    if (!alike) {
        document.line("Plans are ranked, and speed-up is told, for as many " +
                      plans.at(0).estimate.unit + ".");
    }
    document.line("cost: at the price an hour of the study's bill, or else the preset's. bound by: "
                  "the longest phase (with "
                  "prefetch, what shows of it), and\nwhat the cores spend most time on or waiting "
                  "for. " +
                  plans.at(0).estimate.geometry_note);
    if (assumed) {
        document.line("* the vendor lists no such slice: its wraps are assumed.");
    }
}

/// What is not so in the study's own plan.
std::string notes_of_its_own(const Plan& plan, const std::vector<Plan>& plans)
{
    std::vector<std::string> known;
    for (const Plan& other : plans) {
        if (other.as_studied) {
            known = other.estimate.notes;
        }
    }
    std::string words;
    for (const std::string& note : plan.estimate.notes) {
        if (std::find(known.begin(), known.end(), note) == known.end()) {
            words += " Note: " + note + ".";
        }
    }
    return words;
}

std::string plan_words(const Plan& plan, const std::vector<Plan>& plans)
{
    std::string words =
        plan.as_studied ? "the plan as the study has it" : plan.role + ": " + join(plan.changes);
    if (plan.beyond_limits) {
        words += ", beyond what is allowed";
    } else if (plan.estimate.fits && !plan.rank) {
        words += ", to compare with: " + report::counted(plan.estimate.machine.cores, "core") +
                 " of " + plan.estimate.machine.chip + " are not among the machines to choose from";
    } else if (!plan.estimate.fits) {
        words += ": does not fit, most of it is " + plan.estimate.memory.largest.value_or("");
    }
    if (plan.simulated && plan.simulated->error) {
        words += ". Its simulation failed: " + *plan.simulated->error;
    }
    words += plan.why.empty() ? "." : ". Why: " + plan.why;
    const auto& assumed = plan.estimate.assumed;
    words += assumed && assumed->share > 0 ? " In this plan " + assumed->words + "." : "";
    return words + notes_of_its_own(plan, plans);
}

void tell_refusals(Document& document, const SearchTold& search)
{
    for (const RefusedOption& option : search.refused_options) {
        document.line("  " + option.words + ": " + option.why);
    }
    for (const Refusals& one : search.not_possible.reasons) {
        document.line("  " + std::to_string(one.plans) + " plans: " + one.why);
    }
}

std::string tried_words(const TriedTold& told)
{
    return (told.tried == told.all && told.all > 0 ? "all" : std::to_string(told.tried) + " of") +
           " " + std::to_string(told.all);
}

/// Few options by their names, many by their number.
std::string untried_words(const std::vector<UntriedTold>& untried)
{
    constexpr std::size_t few = 4;
    std::vector<std::string> words;
    for (const UntriedTold& one : untried) {
        words.push_back(one.options.size() <= few
                            ? join(one.options)
                            : std::to_string(one.options.size()) + " options of " + one.choice);
    }
    return join(words);
}

/// What was tried, and what was not: the head, since an answer is worth what it was chosen among.
std::string tried_in_words(const Advice& advice)
{
    const SearchTold& search = advice.search;
    std::string text = "Tried by the analytic model: " + tried_words(search.single) +
                       " single changes of the study's own plan, " + tried_words(search.pairs) +
                       " pairs of them, and " + std::to_string(search.tried) + " plans in all.";
    if (!search.untried.empty()) {
        text += " Not tried: " + untried_words(search.untried) + ".";
    }
    if (!search.complete) {
        text += advice.interrupted ? " The search was interrupted."
                                   : " The search was cut short by its budget: a larger --budget "
                                     "may find better.";
    }
    if (advice.counted) {
        text += " As the report counted: " + *advice.counted + ".";
    }
    return text;
}

void tell_search(Document& document, const SearchTold& search, bool verbose)
{
    document.line("Of " + std::to_string(search.tried) + " plans " +
                  std::to_string(search.possible) + " were possible, " +
                  std::to_string(search.too_large.plans) + " too large for HBM, " +
                  std::to_string(search.not_possible.plans) + " refused; " +
                  std::to_string(search.refused_options.size()) + " options were refused as such.");
    for (const ChipWithoutPlan& one : search.chips_without_plan) {
        document.paragraph("No plan on " + one.chip + ": " + one.why + ".");
    }
    if (search.too_large.best) {
        const LargePlan& best = *search.too_large.best;
        document.paragraph("Fastest that does not fit: " +
                           (best.changes.empty() ? "the study's own" : join(best.changes)) + ", " +
                           report::seconds_in_words(best.epoch_seconds) + ", " +
                           gigabytes(best.memory.needed_bytes()) + " of " +
                           gigabytes(best.memory.capacity_bytes) + " GB a core, most of it " +
                           best.memory.largest.value_or("") + ".");
    }
    if (verbose) {
        tell_refusals(document, search);
    }
}

/// For a POSIX shell.
std::string quoted(const std::string& text)
{
    std::string result = "'";
    for (const char c : text) {
        result += c == '\'' ? std::string("'\\''") : std::string(1, c);
    }
    return result + "'";
}

/// The command that runs a plan as it was simulated here.
std::string command_of(const Plan& plan, const std::string& path,
                       const std::vector<std::string>& settings)
{
    std::string command = "alxsim run " + quoted(path);
    for (const std::string& setting : settings) {
        if (!plan.set.contains(setting.substr(0, setting.find('=')))) {
            command += " --set " + quoted(setting);
        }
    }
    for (const auto& [pointer, value] : plan.set) {
        command += " --set " + quoted(pointer + "=" + value.dump());
    }
    return command + " -o out/best";
}

std::string limits_in_words(const PlanLimits& limits)
{
    std::vector<std::string> words;
    if (limits.deadline_seconds) {
        words.push_back(report::seconds_in_words(*limits.deadline_seconds));
    }
    if (limits.max_cost_usd) {
        words.push_back(printed("%.4g $", *limits.max_cost_usd));
    }
    return words.empty() ? "" : ", in at most " + join(words, " and ");
}

/// Where closed forms, which the search goes by, are much faster than the simulation: of the plan
/// where they are fastest.
void tell_gap(Document& document, const std::vector<Plan>& plans)
{
    constexpr double large = 0.05;
    const Plan* farthest = nullptr;
    const auto gap = [](const Plan& plan) {
        return 1 - plan.estimate.times.epoch.seconds / plan.figures().epoch.seconds;
    };
    for (const Plan& plan : plans) {
        if (plan.is_simulated() && (farthest == nullptr || gap(plan) > gap(*farthest))) {
            farthest = &plan;
        }
    }
    if (farthest != nullptr && gap(*farthest) > large) {
        document.paragraph(
            "By closed forms, which the search goes by, plan " + rank_of(*farthest) + " takes " +
            report::percent_in_words(gap(*farthest)) +
            " less than as simulated: they leave out how collectives whose rings meet on links "
            "that do not wrap, and ops that overlap, hold each other up. Plans that were not "
            "simulated may be that far off; --top simulates more.");
    }
}

/// One line for each chip and count.
/// What a plan's interval gets through may be more than another's, so that its time and its dollars
/// cannot be held against theirs: "" where it is 1 of all.
std::string unit_of(const std::vector<MachineBest>& table)
{
    for (const MachineBest& one : table) {
        if (one.plan && one.plan->estimate.units > 1) {
            return one.plan->estimate.unit;
        }
    }
    return "";
}

void tell_machines(Document& document, const std::vector<MachineBest>& table)
{
    const std::string unit = unit_of(table);
    TableRow heads{"chip", "cores", "best plan", "analytic", "cost"};
    if (!unit.empty()) {
        heads.insert(heads.end(), {unit + "/s", "a million " + unit});
    }
    std::vector<TableRow> rows;
    for (const MachineBest& one : table) {
        TableRow cells{one.chip, std::to_string(one.cores), "none that was tried fits", "-", "-"};
        cells.resize(heads.size(), "-");
        if (one.plan) {
            const Plan& plan = *one.plan;
            cells[2] = plan.changes.empty() ? "the study's own" : join(plan.changes);
            cells[2] += plan.beyond_limits ? ", beyond what is allowed" : "";
            cells[3] = report::seconds_in_words(plan.estimate.times.epoch.seconds);
            cells[4] = cost_of(plan);
            if (!unit.empty()) {
                cells[5] = printed("%.3g", plan.estimate.units / plan.figures().epoch.seconds);
                cells[6] = cost_of_a_million(plan);
            }
        }
        rows.push_back(std::move(cells));
    }
    document.line("The best plan for each chip and count, by the analytic model:");
    std::vector<bool> right(heads.size(), true);
    right[0] = right[2] = false;
    document.table(heads, rows, right);
    document.gap();
}

void tell_ending(Document& document, const Advice& advice)
{
    if (advice.interrupted) {
        document.line("Interrupted: this is what was found so far.");
        return;
    }
    if (!advice.confirmed.complete) {
        document.line("Not every plan was simulated within the budget; those without a simulated "
                      "time are ranked\nafter the others.");
    }
    if (!advice.drawn) {
        document.line("Bands were not drawn within the budget.");
    }
}

/// What the plans do without, before all figures.
void tell_left_out(Document& document, const std::vector<Plan>& plans)
{
    const std::string& first = plans.front().estimate.left_out;
    if (std::all_of(plans.begin(), plans.end(),
                    [&](const Plan& plan) { return plan.estimate.left_out == first; })) {
        if (!first.empty()) {
            document.paragraph("In all plans " + first + ".");
            document.gap();
        }
        return;
    }
    for (const Plan& plan : plans) {
        const std::string& words = plan.estimate.left_out;
        document.paragraph(words.empty() ? "works on all its data." : words + ".",
                           "Plan " + rank_of(plan) + ": ");
    }
    document.line("These plans do not do the same work: they are ranked for what they work on.");
    document.gap();
}

void tell_plans(Document& document, const Advice& advice, bool verbose)
{
    tell_left_out(document, advice.plans);
    tell_table(document, advice.plans, advice.interval);
    document.gap();
    for (const Plan& plan : advice.plans) {
        document.paragraph(plan_words(plan, advice.plans),
                           (plan.rank ? std::to_string(*plan.rank) : "-") + ". ");
    }
    document.gap();
    if (!advice.table.empty()) {
        tell_machines(document, advice.table);
    }
    tell_search(document, advice.search, verbose);
    tell_gap(document, advice.plans);
    tell_ending(document, advice);
    document.gap();
}

} // namespace

Document document_of(const Advice& advice, const std::string& path,
                     const std::vector<std::string>& settings, bool verbose)
{
    Document document;
    const bool alike = advice.plans.empty() || all_do_as_much(advice.plans);
    const std::string wanted =
        alike ? advice.interval.with_article() : "as many " + advice.plans.front().estimate.unit;
    document.line(advice.study.name + ", to make " + wanted +
                  (advice.objective != Objective::time ? " cheap"
                   : alike                             ? " short"
                                                       : " fast") +
                  limits_in_words(advice.limits));
    document.paragraph(tried_in_words(advice));
    document.gap();
    if (advice.plans.empty()) {
        document.line(advice.interrupted
                          ? "Interrupted before the study's own plan was estimated."
                          : "The budget was over before the study's own plan was estimated: it "
                            "takes a larger --budget.");
        return document;
    }
    tell_plans(document, advice, verbose);
    if (advice.plans.front().rank) {
        document.line("To run the best plan:");
        document.command(command_of(advice.plans.front(), path, settings));
    } else {
        document.line(
            advice.limits.given()
                ? "None of the plans that were tried and fit into memory keeps to what is "
                  "allowed; the listed ones come nearest."
                : "None of the allowed plans is possible and fits into memory.");
    }
    return document;
}

} // namespace alxsim::experiments
