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
    fields("deadline_seconds", limits.deadline_seconds);
    fields("max_cost_usd", limits.max_cost_usd);
}

template <class Fields>
void list_fields(Fields& fields, PlanTimes& times)
{
    fields("epoch_seconds", times.epoch.seconds);
    report::list_band(fields, "epoch_seconds", times.low_seconds, times.high_seconds);
    fields("fidelity", times.fidelity);
    fields("confidence", times.confidence);
    list_fields(fields, times.epoch);
    fields("cost_usd", times.cost_usd);
    fields("energy_joules", times.energy_joules);
}

template <class Fields>
void list_fields(Fields& fields, SimulatedPlan& simulated)
{
    fields.inlined("epoch_seconds", simulated.times);
    fields("error", simulated.error);
}

template <class Fields>
void list_fields(Fields& fields, PartOfEpoch& part)
{
    fields("name", part.name);
    fields("part", part.part);
}

template <class Fields>
void list_fields(Fields& fields, BoundBy& bound)
{
    fields("phase", bound.phase);
    fields("share", bound.share);
}

template <class Fields>
void list_fields(Fields& fields, Plan& plan)
{
    fields.nullable("rank", plan.rank);
    fields("released", plan.as_studied);
    fields("role", plan.role);
    fields("changes", plan.changes);
    fields("set", plan.set);
    fields("machine", plan.estimate.machine);
    fields("fits", plan.estimate.fits);
    fields("memory", plan.estimate.memory);
    fields("geometry", plan.estimate.geometry);
    fields("geometry_words", plan.estimate.geometry_words);
    fields("analytic", plan.estimate.times);
    fields.nullable("simulated", plan.simulated);
    fields("bound_by", plan.bound_by);
    fields("study", plan.study.document);
    fields.nullable("speedup", plan.speedup);
    fields("why", plan.why);
    fields.nullable("best_in_draws", plan.best_in_draws);
    fields.if_true("beyond_limits", plan.beyond_limits);
    if (!plan.estimate.left_out.empty()) {
        fields("left_out", plan.estimate.left_out);
    }
    fields("assumed", plan.estimate.assumed);
    fields.unless_empty("notes", plan.estimate.notes);
    if (!plan.estimate.unit.empty()) {
        fields("unit", plan.estimate.unit);
        fields("units", plan.estimate.units);
    }
}

template <class Fields>
void list_fields(Fields& fields, Refusals& refusals)
{
    fields("why", refusals.why);
    fields("plans", refusals.plans);
}

template <class Fields>
void list_fields(Fields& fields, NotPossible& refused)
{
    fields("plans", refused.plans);
    fields("reasons", refused.reasons);
}

template <class Fields>
void list_fields(Fields& fields, LargePlan& plan)
{
    fields("changes", plan.changes);
    fields("set", plan.set);
    fields("epoch_seconds", plan.epoch_seconds);
    fields("memory", plan.memory);
}

template <class Fields>
void list_fields(Fields& fields, TooLarge& large)
{
    fields("plans", large.plans);
    fields.nullable("best", large.best);
}

template <class Fields>
void list_fields(Fields& fields, RefusedOption& option)
{
    fields("option", option.words);
    fields("why", option.why);
}

template <class Fields>
void list_fields(Fields& fields, ChipWithoutPlan& without)
{
    fields("chip", without.chip);
    fields("why", without.why);
}

template <class Fields>
void list_fields(Fields& fields, TriedTold& told)
{
    fields("tried", told.tried);
    fields("all", told.all);
}

template <class Fields>
void list_fields(Fields& fields, UntriedTold& told)
{
    fields("choice", told.choice);
    fields("options", told.options);
}

template <class Fields>
void list_fields(Fields& fields, MachineBest& best)
{
    fields("chip", best.chip);
    fields("cores", best.cores);
    fields.nullable("plan", best.plan);
}

template <class Fields>
void list_fields(Fields& fields, SearchTold& search)
{
    fields("complete", search.complete);
    fields("tried", search.tried);
    fields("possible", search.possible);
    fields("single_changes", search.single);
    fields("pairs", search.pairs);
    fields("untried_options", search.untried);
    fields("not_possible", search.not_possible);
    fields("too_large", search.too_large);
    fields("refused_options", search.refused_options);
    fields.unless_empty("chips_without_plan", search.chips_without_plan);
}

template <class Fields>
void list_fields(Fields& fields, ConfirmedTold& confirmed)
{
    fields("complete", confirmed.complete);
    fields("simulated", confirmed.simulated);
}

template <class Fields>
void list_fields(Fields& fields, AdviceHost& host)
{
    fields("wall_seconds", host.wall_seconds);
    fields("jobs", host.jobs);
}

template <class Fields>
void list_fields(Fields& fields, Advice& advice)
{
    const std::string objective = advice.objective == Objective::time ? "time" : "cost";
    fields("schema_version", advice.schema_version);
    fields("study", advice.study.document);
    fields("objective", objective);
    if (advice.limits.given()) {
        fields("limits", advice.limits);
    }
    fields("search", advice.search);
    fields("confirmed", advice.confirmed);
    fields("plans", advice.plans);
    fields.unless_empty("table", advice.table);
    fields("counted", advice.counted);
    fields("drawn", advice.drawn);
    fields("interrupted", advice.interrupted);
    fields("host", advice.host);
}

} // namespace alxsim::experiments
