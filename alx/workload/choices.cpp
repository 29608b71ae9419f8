// SPDX-License-Identifier: Apache-2.0
#include "alx/workload/choices.h"

#include "alx/placements/placement.h"
#include "alx/strategies/gather.h"
#include "alx/strategies/scatter.h"
#include "alx/strategies/statistics.h"
#include "alx/workload/batch_options.h"
#include "base/input_error.h"

#include <map>
#include <utility>

namespace alxsim::alx {
namespace {

using workloads::Alternative;
using workloads::Choice;

/// Where a study has its choices.
const std::string alx_fields = "/workload/alx/";

/// What a variant does, of those whose name does not say it.
const std::map<std::string, std::string>& effects()
{
    static const std::map<std::string, std::string> all{
        {"gather all_reduce", "one all-reduce a step in place of one for each core's batch"},
        {"gather reduce_scatter", "each core receives the sums of its own rows alone"},
        {"gather all_to_all", "each owner looks up and sends what it is asked for, each distinct "
                              "row once"},
        {"gather ship_statistics", "owners send partial statistics where these are fewer bytes "
                                   "than a long row's lookups"},
        {"gather replicated", "every core holds the whole table, so that lookups are local"},
        {"scatter all_to_all", "solved rows travel to their owners alone"},
        {"scatter owner_computes", "batches are formed where their rows live, so that no solution "
                                   "travels"},
        {"statistics batched_matmul", "no d x d windows in HBM"},
        {"placement partitioned", "links stay local"},
    };
    return all;
}

/// The variants of a strategy, the default first.
Choice strategy_choice(const std::string& name, const std::vector<std::string>& variants)
{
    Choice choice{name, {{}}};
    for (const std::string& variant : variants) {
        const std::string words = name + " " + variant;
        const auto effect = effects().find(words);
        choice.options.push_back({words,
                                  {{alx_fields + name, variant}},
                                  variant == variants.front(),
                                  effect == effects().end() ? "" : words + ": " + effect->second});
    }
    return choice;
}

Choice overlap_choice()
{
    const std::string pointer = alx_fields + "overlap";
    Choice choice{"overlap", {{}, {"no prefetch", {{pointer, {{"kind", "none"}}}}, true}}};
    for (const int depth : {1, 2}) {
        choice.options.push_back({"prefetch depth " + std::to_string(depth),
                                  {{pointer, {{"kind", "prefetch"}, {"depth", depth}}}},
                                  false});
    }
    return choice;
}

/// From what stands in HBM least to what does most.
Choice table_tier_choice()
{
    return {"table_tier",
            {{},
             {"tables in HBM",
              {{alx_fields + "table_tier", {{"updated", "hbm"}, {"fixed", "hbm"}}}},
              true},
             {"the table that is solved for in host memory",
              {{alx_fields + "table_tier", {{"updated", "host"}, {"fixed", "hbm"}}}},
              false,
              "HBM holds one table's shard at a time: solved rows leave beside the next step, and "
              "the two change places before the other half"},
             {"tables in host memory",
              {{alx_fields + "table_tier", {{"updated", "host"}, {"fixed", "host"}}}},
              false,
              "HBM holds the rows that a step's batches ask for alone: the host picks and sends "
              "them beside the step before"},
             {"tables in storage",
              {{alx_fields + "table_tier", {{"updated", "host"}, {"fixed", "storage"}}}},
              false,
              "tables pass the host's memory for many steps at a time"}}};
}

/// Which torus axes a table's rows, or its embedding columns, are spread over.
Choice sharding_choice(const std::string& words, const std::string& name,
                       const std::vector<std::vector<std::string>>& groups)
{
    Choice choice{name, {{}}};
    for (const std::vector<std::string>& group : groups) {
        choice.options.push_back(
            {words + " over " + join(group, " and "), {{alx_fields + name, group}}, false});
    }
    return choice;
}

std::vector<Choice> sharding_choices(int torus_axes)
{
    std::vector<std::vector<std::string>> rows{{"x"}, {"y"}};
    std::vector<std::vector<std::string>> columns = rows;
    if (torus_axes == 3) {
        rows.insert(rows.end(), {{"z"}, {"x", "y"}, {"x", "z"}, {"y", "z"}});
        columns.push_back({"z"});
    }
    return {sharding_choice("rows", "group_axes", rows),
            sharding_choice("embedding columns", "embedding_axes", columns)};
}

/// The other variants of a choice of the job.
void add_variants(std::vector<Alternative>& alternatives, const std::string& choice,
                  const std::vector<std::string>& names, const std::string& chosen)
{
    for (const std::string& name : names) {
        if (name != chosen) {
            alternatives.push_back(
                {choice + " " + name + " in place of " + chosen, {{alx_fields + choice, name}}});
        }
    }
}

/// Whether a run tells it: that owners alone take part; and where they do in gathers, the released
/// code's sums over all cores. These put the sweet spot elsewhere most often.
bool is_told(const Alternative& other, const AlxConfig& config)
{
    const auto& [field, name] = *other.set.begin();
    return name == "all_to_all" || (field == alx_fields + "gather" && name == "all_reduce_loop" &&
                                    config.gather == "all_to_all");
}

void add_input(std::vector<Alternative>& alternatives, const topologies::InputRates& input)
{
    const std::string fields = alx_fields + "input/";
    alternatives.push_back({"hosts that read and parse twice as fast",
                            {{fields + "bytes_per_second", 2 * input.bytes_per_second},
                             {fields + "ids_per_second", 2 * input.ids_per_second}}});
    if (input.every_host_reads_all) {
        alternatives.push_back(
            {"each host reads its own records alone", {{fields + "reads", "own"}}});
    }
}

} // namespace

workloads::Choices choices_of(const Job& job, int torus_axes)
{
    using workloads::slice_choice;
    BatchOptions batches = batch_options(job);
    workloads::Choices choices;
    choices.pinned = std::move(batches.pinned);
    choices.list = {strategy_choice("gather", gather_strategies().names()),
                    strategy_choice("scatter", scatter_strategies().names()),
                    strategy_choice("statistics", statistics_strategies().names())};
    for (Choice& choice : sharding_choices(torus_axes)) {
        choices.list.push_back(std::move(choice));
    }
    choices.list.push_back(strategy_choice("placement", placements().names()));
    choices.list.push_back(overlap_choice());
    choices.list.push_back({"batch", std::move(batches.rows)});
    choices.list.push_back({"column_batch", std::move(batches.columns)});
    // How rows travel and what is done with them; the torus and what is spread over its axes; where
    // rows are and who asks for them.
    choices.if_too_large = {table_tier_choice()};
    choices.blocks = {{"gather", "scatter", "statistics"},
                      {"batch"},
                      {"column_batch"},
                      {slice_choice, "group_axes", "embedding_axes"},
                      {"placement", "gather", "scatter"},
                      {"overlap", "gather", "statistics"}};
    choices.family = {"gather", "scatter", "statistics"};
    choices.ladders = {"batch", "column_batch"};
    choices.by_interest = {"gather",     "placement",      "scatter", "statistics", slice_choice,
                           "group_axes", "embedding_axes", "overlap", "batch",      "column_batch"};
    return choices;
}

std::vector<std::string> choice_names()
{
    return {"gather",    "scatter", "statistics", "group_axes",   "embedding_axes",
            "placement", "overlap", "batch",      "column_batch", "table_tier"};
}

std::vector<Alternative> alternatives_of(const Job& job)
{
    std::vector<Alternative> alternatives;
    add_variants(alternatives, "gather", gather_strategies().names(), job.config.gather);
    add_variants(alternatives, "scatter", scatter_strategies().names(), job.config.scatter);
    for (Alternative& other : alternatives) {
        other.is_told_by_runs = is_told(other, job.config);
    }
    add_variants(alternatives, "statistics", statistics_strategies().names(),
                 job.config.statistics);
    const auto doubled = [](const BatchGeometry& batch) {
        return Json{{"lines", 2 * batch.lines},
                    {"line_length", batch.line_length},
                    {"rows", 2 * batch.rows}};
    };
    add_input(alternatives, job.config.input);
    alternatives.push_back({"twice the lines and rows in a batch",
                            {{alx_fields + "batch", doubled(job.config.batch)},
                             {alx_fields + "column_batch", doubled(job.config.column_batch)}}});
    return alternatives;
}

} // namespace alxsim::alx
