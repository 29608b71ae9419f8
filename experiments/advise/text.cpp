// SPDX-License-Identifier: Apache-2.0
#include "experiments/explain/text.h"
#include "base/input_error.h"
#include "base/text_table.h"
#include "experiments/advise/advise.h"
#include "experiments/advise/plan_json.h"
#include "report/words.h"

#include <algorithm>
#include <cstdio>

namespace alxsim::experiments {
namespace {

using Cells = std::vector<std::string>;

std::string printed(const char* format, double value)
{
    char text[48];
    std::snprintf(text, sizeof text, format, value);
    return text;
}

std::string gibibytes(const Json& bytes)
{
    return printed("%.3g", bytes.get<double>() / (1 << 30));
}

std::string rank_of(const Json& plan)
{
    const std::string rank =
        plan.at("rank").is_null() ? "-" : std::to_string(plan.at("rank").get<int>());
    return rank + (plan.at("released").get<bool>() ? " (the study's own)" : "");
}

std::string cost_of(const Json& plan)
{
    const Json& times = figures_of(plan);
    return times.contains("cost_usd")
               ? printed("%.3g $", times.at("cost_usd").get<double>())
               : printed("%.3g chip s", times.at("epoch_seconds").get<double>() *
                                            plan.at("machine").at("chips").get<double>());
}

std::string simulated_of(const Json& plan)
{
    return is_simulated(plan)
               ? report::seconds_in_words(plan.at("simulated").at("epoch_seconds").get<double>())
           : plan.at("simulated").is_object() ? "failed"
                                              : "-";
}

std::string band_of(const Json& plan)
{
    const Json& times = figures_of(plan);
    return times.contains("epoch_seconds_low")
               ? report::seconds_in_words(times.at("epoch_seconds_low").get<double>()) + " to " +
                     report::seconds_in_words(times.at("epoch_seconds_high").get<double>())
               : "-";
}

std::string bound_words(const Json& plan)
{
    const Json& bound = plan.at("bound_by");
    return bound.at("phase").get<std::string>() + " " +
           report::percent_in_words(bound.at("phase_share").get<double>()) + ", " +
           bound.at("share").get<std::string>() + " " +
           report::percent_in_words(bound.at("share_share").get<double>());
}

Cells cells_of(const Json& plan)
{
    const Json& machine = plan.at("machine");
    const Json& memory = plan.at("memory");
    Cells cells{rank_of(plan), std::to_string(machine.at("cores").get<int>()) + ", " +
                                   machine.at("slice").get<std::string>() +
                                   (machine.at("slice_assumed").get<bool>() ? " *" : "")};
    for (const auto& [column, words] : plan.at("geometry_words").items()) {
        cells.push_back(words);
    }
    const Cells figures{
        report::seconds_in_words(plan.at("analytic").at("epoch_seconds").get<double>()),
        simulated_of(plan),
        band_of(plan),
        plan.at("speedup").is_null() ? "-" : printed("%.3gx", plan.at("speedup").get<double>()),
        plan.at("best_in_draws").is_null()
            ? "-"
            : report::percent_in_words(plan.at("best_in_draws").get<double>()),
        cost_of(plan),
        gibibytes(memory.at("bytes_per_core")) + " of " + gibibytes(memory.at("capacity_bytes")),
        bound_words(plan)};
    cells.insert(cells.end(), figures.begin(), figures.end());
    return cells;
}

/// The heads of the columns, with those of the workload's geometry.
Cells heads_of(const Json& plan)
{
    Cells heads{"plan", "cores, slice"};
    for (const auto& [column, words] : plan.at("geometry_words").items()) {
        heads.push_back(column);
    }
    for (const char* head : {"analytic", "simulated", "band", "speed-up", "best in", "cost",
                             "GiB a core", "bound by"}) {
        heads.emplace_back(head);
    }
    return heads;
}

/// Words stand left, figures right.
std::vector<bool> right_aligned(std::size_t columns)
{
    std::vector<bool> right(columns, true);
    right[0] = right[1] = right.back() = false;
    return right;
}

std::string table_of(const Json& plans)
{
    std::vector<Cells> rows{heads_of(plans.at(0))};
    bool assumed = false;
    for (const Json& plan : plans) {
        rows.push_back(cells_of(plan));
        assumed = assumed || plan.at("machine").at("slice_assumed").get<bool>();
    }
    return text_table(rows, right_aligned(rows.front().size())) +
           "Times, cost and speed-up are of one epoch, simulated where there is such a time. band: "
           "90 % of\n"
           "the epochs that the preset's ranges and the workload's assumptions allow. best in: "
           "share of\n"
           "the draws of these, the same for all plans, in which the plan beats the others.\n"
           "cost: at the preset's price an hour. bound by: the longest phase (with prefetch, what "
           "shows of it), "
           "and\n"
           "what the cores spend most time on or waiting for. A batch is lines x line length / "
           "rows.\n" +
           (assumed ? "* the vendor lists no such slice: its wraps are assumed.\n" : "");
}

std::string plan_words(const Json& plan)
{
    std::vector<std::string> changes = plan.at("changes");
    std::string words = plan.at("released").get<bool>()
                            ? "the plan as the study has it"
                            : plan.at("role").get<std::string>() + ": " + join(changes);
    if (plan.at("fits").get<bool>() && plan.at("rank").is_null()) {
        words += ", to compare with: its " +
                 cores_in_words(plan.at("machine").at("cores").get<std::int64_t>()) +
                 " are not among the allowed counts";
    } else if (!plan.at("fits").get<bool>()) {
        words +=
            ": does not fit, most of it is " + plan.at("memory").at("largest").get<std::string>();
    }
    if (plan.at("simulated").is_object() && plan.at("simulated").contains("error")) {
        words += ". Its simulation failed: " + plan.at("simulated").at("error").get<std::string>();
    }
    const std::string why = plan.at("why");
    return words + (why.empty() ? "." : ". Why: " + why);
}

std::string search_text(const Json& search, bool verbose)
{
    const Json& large = search.at("too_large");
    const Json& refused = search.at("not_possible");
    std::string text =
        std::to_string(search.at("tried").get<int>()) + " plans tried by the analytic model, " +
        std::to_string(search.at("possible").get<int>()) + " possible, " +
        std::to_string(large.at("plans").get<int>()) + " too large for HBM, " +
        std::to_string(refused.at("plans").get<int>()) + " refused; " +
        std::to_string(search.at("refused_options").size()) + " options refused as such.\n";
    if (!search.at("complete").get<bool>()) {
        text += "The search was cut short by its budget: a larger --budget may find better.\n";
    }
    if (!large.at("best").is_null()) {
        const Json& best = large.at("best");
        text += paragraph("Fastest that does not fit: " +
                              join(best.at("changes").get<std::vector<std::string>>()) + ", " +
                              seconds_of(best.at("epoch_seconds")) + ", " +
                              gibibytes(best.at("memory").at("bytes_per_core")) + " of " +
                              gibibytes(best.at("memory").at("capacity_bytes")) +
                              " GiB a core, most of it " +
                              best.at("memory").at("largest").get<std::string>() + ".",
                          "");
    }
    for (const Json& option : verbose ? search.at("refused_options") : Json::array()) {
        text += "  " + option.at("option").get<std::string>() + ": " +
                option.at("why").get<std::string>() + "\n";
    }
    for (const Json& reason : verbose ? refused.at("reasons") : Json::array()) {
        text += "  " + std::to_string(reason.at("plans").get<int>()) +
                " plans: " + reason.at("why").get<std::string>() + "\n";
    }
    return text;
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
std::string command_of(const Json& plan, const std::string& path,
                       const std::vector<std::string>& settings)
{
    std::string command = "alxsim run " + quoted(path);
    for (const std::string& setting : settings) {
        command += " --set " + quoted(setting);
    }
    for (const auto& [pointer, value] : plan.at("set").items()) {
        command += " --set " + quoted(pointer + "=" + value.dump());
    }
    return command;
}

} // namespace

std::string advice_text(const Json& advice, const std::string& path,
                        const std::vector<std::string>& settings, bool verbose)
{
    const Json& plans = advice.at("plans");
    std::string text = advice.at("study").at("study").get<std::string>() + ", to make " +
                       (advice.at("objective") == "time" ? "an epoch short" : "an epoch cheap") +
                       "\n\n" + table_of(plans) + "\n";
    for (const Json& plan : plans) {
        text +=
            paragraph(plan_words(plan), rank_of(plan).substr(0, rank_of(plan).find(' ')) + ". ");
    }
    text += "\n" + search_text(advice.at("search"), verbose);
    if (advice.at("interrupted").get<bool>()) {
        text += "Interrupted: this is what was found so far.\n";
    } else if (!advice.at("confirmed").at("complete").get<bool>()) {
        text += "Not every plan was simulated within the budget; those without a simulated time "
                "are ranked\nafter the others.\n";
    }
    const Json& best = plans.front();
    if (best.at("rank").is_null()) {
        return text + "\nNone of the allowed plans is possible and fits into memory.\n";
    }
    return text + "\nTo run the best plan:\n  " + command_of(best, path, settings) + "\n";
}

} // namespace alxsim::experiments
