// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/points/study/point_study.h"
#include "report/point_fields.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace alxsim::experiments {

/// What is made small: seconds of an epoch, or what the chips cost meanwhile.
enum class Objective { time, cost };

/// What an epoch of a plan may take at most.
struct PlanLimits {
    std::optional<double> deadline_seconds;
    std::optional<double> max_cost_usd;

    bool given() const { return deadline_seconds || max_cost_usd; }
};

/// What time and money an epoch of a plan takes.
struct PlanTimes {
    report::Breakdown epoch;
    std::optional<double> low_seconds;
    std::optional<double> high_seconds;
    std::optional<std::string> fidelity; ///< absent: closed forms
    std::optional<report::Confidence> confidence;
    std::optional<double> cost_usd;
    std::optional<double> energy_joules;
    std::optional<double> mfu; ///< model FLOP utilization, of a workload that tells its work
};

/// How a simulation ended.
struct SimulatedPlan {
    std::optional<PlanTimes> times;
    std::optional<std::string> error;
};

/// A part of an epoch and how much of it that is.
struct PartOfEpoch {
    std::string name;
    double part = 0;
};

struct BoundBy {
    PartOfEpoch phase; ///< the longest
    PartOfEpoch share; ///< compute, HBM, communication, host or idle: what most of it is
};

/// What the analytic model says of a plan.
struct PlanEstimate {
    report::PointMachine machine;
    bool fits = true;
    report::PointMemory memory;
    Json geometry;                     ///< the workload's own
    Named<std::string> geometry_words; ///< column -> cell
    std::string geometry_note;         ///< how to read these
    PlanTimes times;
    std::string unit;           ///< of what an interval gets through; "": intervals are all alike
    double units = 1;           ///< of an interval
    Named<std::string> remarks; ///< phase -> what its time leaves unsaid, where there is something
    std::string left_out = {};  ///< what it does without, in words; "": nothing
    std::optional<report::AssumedTime> assumed = {}; ///< of a workload that tells it
    std::vector<std::string> notes = {};             ///< what its times rest on
};

/// A plan as it is told.
struct Plan {
    std::optional<int> rank; ///< none: does not fit, or no answer to what was asked
    bool as_studied = false; ///< the study as it is
    std::string role;        ///< why it is listed
    std::vector<std::string> changes;
    Settings set; ///< what runs the plan when it is set in the study as it was given
    PlanEstimate estimate;
    std::optional<SimulatedPlan> simulated;
    BoundBy bound_by;
    PointStudy study;
    std::optional<double> speedup; ///< over the studied plan, if that fits
    std::string why;
    std::optional<double> best_in_draws; ///< none of one that does not fit, or without a band
    bool beyond_limits = false;          ///< by its figures

    bool is_simulated() const { return simulated && simulated->times; }
    /// The simulated figures, or else the estimated ones.
    const PlanTimes& figures() const { return is_simulated() ? *simulated->times : estimate.times; }
};

/// Plans that are refused for one reason.
struct Refusals {
    std::string why;
    int plans = 0;
};

struct NotPossible {
    int plans = 0;
    std::vector<Refusals> reasons;
};

/// The fastest plan that does not fit.
struct LargePlan {
    std::vector<std::string> changes;
    Settings set;
    double epoch_seconds = 0;
    report::PointMemory memory;
};

struct TooLarge {
    int plans = 0;
    std::optional<LargePlan> best;
};

/// An option that the schema, this release or the chip refuses.
struct RefusedOption {
    std::string words;
    std::string why;
};

/// A chip to choose among of which no plan that was tried is possible and fits.
struct ChipWithoutPlan {
    std::string chip;
    std::string why;
};

/// How many of a kind were tried, of how many there are.
struct TriedTold {
    std::size_t tried = 0;
    std::size_t all = 0;
};

/// Options of a choice that are in no plan that was tried.
struct UntriedTold {
    std::string choice;
    std::vector<std::string> options;
};

struct SearchTold {
    bool complete = true; ///< not cut short
    std::size_t tried = 0;
    std::size_t possible = 0;
    TriedTold single; ///< changes of the studied plan
    TriedTold pairs;  ///< of such changes
    std::vector<UntriedTold> untried;
    NotPossible not_possible;
    TooLarge too_large;
    std::vector<RefusedOption> refused_options;
    std::vector<ChipWithoutPlan> chips_without_plan = {}; ///< where chips were asked for
};

struct ConfirmedTold {
    bool complete = true;
    std::size_t simulated = 0;
};

/// The best plan on one chip and count, by the analytic model; none where no tried one is possible
/// and fits.
struct MachineBest {
    std::string chip;
    int cores = 0;
    std::optional<Plan> plan;
};

struct AdviceHost {
    double wall_seconds = 0;
    int jobs = 1;
};

struct Advice {
    int schema_version = 2; ///< 1 named the parts of bound_by otherwise
    PointStudy study;       ///< the plan to beat
    report::IntervalWords interval;
    Objective objective = Objective::time;
    PlanLimits limits;
    SearchTold search;
    ConfirmedTold confirmed;
    std::vector<Plan> plans;            ///< the best first; empty: time was up before there was any
    std::vector<MachineBest> table;     ///< where it was asked for
    std::optional<std::string> counted; ///< what a finished report counted for this one
    bool drawn = true;                  ///< false: time was up before the bands were drawn
    bool interrupted = false;
    AdviceHost host;
};

template <class Fields>
void list_fields(Fields& fields, PlanLimits& limits)
{
    fields("deadline_seconds", limits.deadline_seconds, "What --deadline allows an interval.",
           limits::amount);
    fields("max_cost_usd", limits.max_cost_usd, "What --max-cost allows an interval.",
           limits::amount);
}

template <class Fields>
void list_fields(Fields& fields, PlanTimes& times)
{
    fields("epoch_seconds", times.epoch.seconds,
           "Time of one interval, as the workload has it: a training step, for instance.",
           limits::amount);
    report::list_band(fields, "epoch_seconds", times.low_seconds, times.high_seconds);
    fields("fidelity", times.fidelity, "How it was simulated; absent: by closed forms.");
    fields("confidence", times.confidence, "How much of the interval was simulated.");
    list_fields(fields, times.epoch);
    fields("cost_usd", times.cost_usd,
           "What its chips cost meanwhile; absent: a chip without a price.", limits::amount);
    fields("mfu", times.mfu,
           "Model FLOP utilization, as in a point of a report; absent: the workload tells no work.",
           limits::amount);
    fields("energy_joules", times.energy_joules, "What its chips take meanwhile.", limits::amount);
}

template <class Fields>
void list_fields(Fields& fields, SimulatedPlan& simulated)
{
    fields.inlined("epoch_seconds", simulated.times);
    fields("error", simulated.error, "Why its simulation failed.");
}

template <class Fields>
void list_fields(Fields& fields, PartOfEpoch& part)
{
    fields("name", part.name,
           "A phase, or a share of the time: compute, HBM, communication, host or idle.");
    fields("part", part.part, "How much of the interval that is.", limits::amount);
}

template <class Fields>
void list_fields(Fields& fields, BoundBy& bound)
{
    fields("phase", bound.phase, "The longest phase.");
    fields("share", bound.share, "What most of the interval is.");
}

template <class Fields>
void list_fields(Fields& fields, Plan& plan)
{
    fields.nullable("rank", plan.rank,
                    "1 is the best; null: it does not fit, or is no answer to what was asked.",
                    limits::at_least(1));
    fields("released", plan.as_studied, "Whether it is the study as it is.");
    fields("role", plan.role, "Why it is listed.");
    fields("changes", plan.changes, "What differs from the study, in words.");
    fields("set", plan.set, "What --set takes to run it, pointer by pointer.");
    fields("machine", plan.estimate.machine, "Where it runs.");
    fields("fits", plan.estimate.fits, "Whether it fits into HBM.");
    fields("memory", plan.estimate.memory, "What it needs of HBM.");
    fields("geometry", plan.estimate.geometry,
           "The workload's own figures of it, as in a point of a report.", limits::any_object);
    fields("geometry_words", plan.estimate.geometry_words, "Cells of the table, by column.");
    fields("analytic", plan.estimate.times, "What it takes by closed forms.");
    fields.nullable("simulated", plan.simulated,
                    "What it takes as simulated, or why that failed; null: not simulated.");
    fields("bound_by", plan.bound_by, "What most of its time goes to.");
    fields("study", plan.study.document, "The plan as a study of its own.", limits::any_object);
    fields.nullable("speedup", plan.speedup,
                    "Over the study as it is, for as many units; null: that does not fit.",
                    limits::amount);
    fields("why", plan.why, "What becomes shorter, in words.");
    fields.nullable("best_in_draws", plan.best_in_draws,
                    "Share of the draws in which it beats the other plans; null: no band was "
                    "drawn, or it does not fit.",
                    limits::share_of_one);
    fields.if_true("beyond_limits", plan.beyond_limits,
                   "It takes more than --deadline or --max-cost allow.");
    fields.unless_empty("left_out", plan.estimate.left_out, "What it does without, in words.");
    fields("assumed", plan.estimate.assumed, "Which of its time rests on assumptions.");
    fields.unless_empty("notes", plan.estimate.notes, "What its times rest on.");
    std::optional<double> units;
    if (!plan.estimate.unit.empty()) {
        units = plan.estimate.units;
    }
    fields.unless_empty("unit", plan.estimate.unit,
                        "What an interval gets through: tokens; absent: intervals are all alike.");
    fields("units", units, "How many in an interval.", limits::amount);
}

template <class Fields>
void list_fields(Fields& fields, Refusals& refusals)
{
    fields("why", refusals.why, "The reason.");
    fields("plans", refusals.plans, "How many plans it refuses.");
}

template <class Fields>
void list_fields(Fields& fields, NotPossible& refused)
{
    fields("plans", refused.plans, "How many.");
    fields("reasons", refused.reasons, "Why, the most frequent first.");
}

template <class Fields>
void list_fields(Fields& fields, LargePlan& plan)
{
    fields("changes", plan.changes, "What differs from the study, in words.");
    fields("set", plan.set, "What --set takes to run it.");
    fields("epoch_seconds", plan.epoch_seconds, "Time of an interval, by closed forms.",
           limits::amount);
    fields("memory", plan.memory, "What it would need of HBM.");
}

template <class Fields>
void list_fields(Fields& fields, TooLarge& large)
{
    fields("plans", large.plans, "How many.");
    fields.nullable("best", large.best, "The fastest of them; null: there is none.");
}

template <class Fields>
void list_fields(Fields& fields, RefusedOption& option)
{
    fields("option", option.words, "Its name.");
    fields("why", option.why, "Which schema, release or chip refuses it.");
}

template <class Fields>
void list_fields(Fields& fields, ChipWithoutPlan& without)
{
    fields("chip", without.chip, "A chip to choose among.");
    fields("why", without.why, "Why no plan that was tried is possible and fits there.");
}

template <class Fields>
void list_fields(Fields& fields, TriedTold& told)
{
    fields("tried", told.tried, "How many were tried.");
    fields("all", told.all, "How many there are.");
}

template <class Fields>
void list_fields(Fields& fields, UntriedTold& told)
{
    fields("choice", told.choice, "Its name.");
    fields("options", told.options, "Those in no plan that was tried.");
}

template <class Fields>
void list_fields(Fields& fields, MachineBest& best)
{
    fields("chip", best.chip, "Its name.");
    fields("cores", best.cores, "How many.", limits::at_least(1));
    fields.nullable("plan", best.plan,
                    "The best plan there, by closed forms; null: none that was tried fits.");
}

template <class Fields>
void list_fields(Fields& fields, SearchTold& search)
{
    fields("complete", search.complete, "Whether the budget did not cut it short.");
    fields("tried", search.tried, "Plans that were tried.");
    fields("possible", search.possible, "How many of them run.");
    fields("single_changes", search.single, "Single changes of the study's own plan.");
    fields("pairs", search.pairs, "Pairs of such changes.");
    fields("untried_options", search.untried, "Options that are in no plan that was tried.");
    fields("not_possible", search.not_possible, "Plans that were refused.");
    fields("too_large", search.too_large, "Plans that do not fit into HBM.");
    fields("refused_options", search.refused_options,
           "Options that are refused whatever the plan.");
    fields.unless_empty("chips_without_plan", search.chips_without_plan,
                        "Of --chips, those without a plan.");
}

template <class Fields>
void list_fields(Fields& fields, ConfirmedTold& confirmed)
{
    fields("complete", confirmed.complete, "Whether every plan that fits was simulated.");
    fields("simulated", confirmed.simulated, "How many were.");
}

template <class Fields>
void list_fields(Fields& fields, AdviceHost& host)
{
    fields("wall_seconds", host.wall_seconds, "How long this took.", limits::amount);
    fields("jobs", host.jobs, "Threads of the search, and plans simulated at once.",
           limits::at_least(1));
}

template <class Fields>
void list_fields(Fields& fields, Advice& advice)
{
    std::string objective = advice.objective == Objective::time ? "time" : "cost";
    std::optional<PlanLimits> limits_of_plans;
    if (advice.limits.given()) {
        limits_of_plans = advice.limits;
    }
    fields("schema_version", advice.schema_version, "2; 1 named the parts of bound_by otherwise.");
    fields("study", advice.study.document, "The plan to beat, as a study.", limits::any_object);
    fields("objective", objective, "What is made small.", limits::one_of("time|cost"));
    fields("limits", limits_of_plans, "What an interval may take at most.");
    fields("search", advice.search, "What was tried.");
    fields("confirmed", advice.confirmed, "What was simulated.");
    fields("plans", advice.plans, "The best first; empty: time was up before there was any.");
    fields.unless_empty("table", advice.table,
                        "With --table: the best plan for each chip and core count.");
    fields("counted", advice.counted, "With --like: what the finished report counted.");
    fields("drawn", advice.drawn, "Whether bands were drawn: false, where time was up.");
    fields("interrupted", advice.interrupted, "Whether Ctrl-C ended it.");
    fields("host", advice.host, "What it took of this host.");
}

/// The JSON Schema of an Advice.
const Json& advice_schema();

} // namespace alxsim::experiments
