// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/schema/field_words.h"
#include "report/band_fields.h"
#include "report/series.h"

/// The fields of a series in a report, in the schema's order.
namespace alxsim::report {

/// Lists the fit of a phase alone; that of a whole curve has spare_points, too.
template <class Fields>
void list_fields(Fields& fields, Fit& fit)
{
    fields("a_over_n", fit.a_over_n, "What cores share: the term divides by their number.",
           limits::amount);
    fields("constant", fit.constant, "What stays, however many cores there are.", limits::amount);
    fields("log", fit.log,
           "There only where it at least halves the variance left, from 5 points on.",
           limits::amount);
    fields("per_core", fit.per_core, "What each further core adds.", limits::amount);
    fields("r2", fit.r2, "Coefficient of determination; 1: the fit leaves no error.",
           limits::at_most(1));
    fields.newer("largest_residual", fit.largest_residual,
                 "|fit - time|/epoch_seconds at the worst point.", limits::amount);
}

template <class Fields>
void list_fields(Fields& fields, CurveFit& fit)
{
    list_fields(fields, fit.whole);
    fields.newer("spare_points", fit.whole.spare_points,
                 "Points beyond the terms that are not zero; 0: the fit passes through all points, "
                 "and r2 says nothing.",
                 limits::amount);
    fields.newer("by_phase", fit.by_phase,
                 "The same terms fitted to each phase, errors relative to epoch_seconds: what each "
                 "term is made of. They add up to the fit, unless a phase would need a negative "
                 "term. r2 is the phase's own.");
}

template <class Fields>
void list_fields(Fields& fields, Regime& regime)
{
    fields("cores", regime.cores, "Of its points.", limits::and_not_empty(limits::at_least(1)));
    fields("wrap", regime.wrap, "Of each torus axis, whether its ends are joined.");
    fields("fit", regime.fit, "Absent for fewer than 3 points.");
}

template <class Fields>
void list_fields(Fields& fields, Gain& gain)
{
    fields("from", gain.from, "Cores before the step.", limits::at_least(1));
    fields("to", gain.to, "Cores after it.", limits::at_least(1));
    fields("gain", gain.gain, "What the step brought of its ideal.");
}

template <class Fields>
void list_fields(Fields& fields, SweetSpot& spot)
{
    fields("cores", spot.cores, "Where it lies.", limits::at_least(1));
    fields.unless_empty("at_edge", spot.at_edge, "low: the first step fails; high: none does.",
                        limits::one_of("low|high"));
    fields("gains", spot.gains,
           "(T_from/T_to - 1)/(to/from - 1) of consecutive fitting points; 1 is perfect scaling.");
    fields("cores_p05", spot.cores_p05, "In 5 % of the draws the sweet spot is lower.",
           limits::at_least(1));
    fields("cores_p50", spot.cores_p50, "Half of the draws have theirs there or lower.",
           limits::at_least(1));
    fields("cores_p95", spot.cores_p95, "In 5 % of the draws it is higher.", limits::at_least(1));
    list_former(fields, "low", "cores_p05", spot.cores_p05);
    list_former(fields, "median", "cores_p50", spot.cores_p50);
    list_former(fields, "high", "cores_p95", spot.cores_p95);
    fields.unless_empty("shares", spot.shares,
                        "Cores to the share of draws with the sweet spot there.");
}

template <class Fields>
void list_fields(Fields& fields, PhaseChange& change)
{
    fields("phase", change.phase, "Its name.");
    fields("seconds_first", change.seconds_first, "What it takes at the first of these points.",
           limits::amount);
    fields("seconds_last", change.seconds_last, "What it takes at the largest point.",
           limits::amount);
    fields("share_of_last", change.share_of_last, "The latter, of that point's epoch_seconds.",
           limits::amount);
}

template <class Fields>
void list_fields(Fields& fields, MovedSpot& moved)
{
    fields("what", moved.what, "What lies elsewhere with it.",
           limits::one_of("sweet spot|fastest"));
    fields("set", moved.set, "JSON pointer into the study to the other choice.");
    fields("cores", moved.cores, "Where it lies then.", limits::at_least(1));
    fields.unless_empty("at_edge", moved.at_edge, "As of a sweet spot.",
                        limits::one_of("low|high"));
    fields("own_cores", moved.own_cores, "Where it lies as the job is.", limits::at_least(1));
    fields("compared_at", moved.compared_at,
           "Cores at which both are timed: the larger of cores and own_cores.",
           limits::at_least(1));
    fields("seconds", moved.seconds, "Of an interval there with the other choice, by closed forms.",
           limits::amount);
    fields("own_seconds", moved.own_seconds, "As the job is, likewise.", limits::amount);
}

template <class Fields>
void list_fields(Fields& fields, Series& series)
{
    fields("name", series.name, "As the study calls it.");
    fields("points", series.points, "Indices into points.", limits::amount);
    fields("scaling", series.scaling,
           "weak: the work grows along with the core count. Speed-up is then that of useful "
           "operations a second, and the time would ideally be that of the smallest point x its "
           "growth of work / its growth of cores.",
           limits::one_of("weak"));
    fields.beginning_with("target_", series.targets,
                          "By metric, what seconds_to_ of its points is the time to: the study's "
                          "own, or what all of them reach, nearly.");
    fields("sweet_spot", series.sweet_spot,
           "The largest core count up to which every gain is at least 0.5.");
    fields("fastest", series.fastest, "Index into points: where an interval takes least time.",
           limits::amount);
    fields(
        "cheapest", series.cheapest,
        "Index into points: where an interval costs least, or a unit of what it gets through, if "
        "points do not get through as many.",
        limits::amount);
    fields("fit", series.fit,
           "epoch_seconds = a_over_n/N + constant + log*log2(N) + per_core*N, each term at least "
           "0. By least squares of relative errors; at least 3 points.");
    fields.unless_empty(
        "regimes", series.regimes,
        "Runs of consecutive fitting points whose torus axes wrap alike, fewest cores first.");
    fields("phases_that_do_not_shrink", series.phases_that_do_not_shrink,
           "From the sweet spot (or, at the upper edge, the smallest point) to the largest point.");
    fields.unless_empty("moved_by", series.moved_by,
                        "Other choices of the job with which the sweet spot, or the fastest core "
                        "count, is another. Of jobs that are quick to make alone.");
}

} // namespace alxsim::report
