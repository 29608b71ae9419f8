// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "report/series.h"

/// The fields of a series in a report, in the schema's order.
namespace alxsim::report {

/// Of a phase alone; that of a whole curve has spare_points, too.
template <class Fields>
void list_fields(Fields& fields, Fit& fit)
{
    fields("a_over_n", fit.a_over_n);
    fields("constant", fit.constant);
    fields("log", fit.log);
    fields("per_core", fit.per_core);
    fields("r2", fit.r2);
    fields.newer("largest_residual", fit.largest_residual);
}

template <class Fields>
void list_fields(Fields& fields, CurveFit& fit)
{
    list_fields(fields, fit.whole);
    fields.newer("spare_points", fit.whole.spare_points);
    fields.newer("by_phase", fit.by_phase);
}

template <class Fields>
void list_fields(Fields& fields, Regime& regime)
{
    fields("cores", regime.cores);
    fields("wrap", regime.wrap);
    fields("fit", regime.fit);
}

template <class Fields>
void list_fields(Fields& fields, Gain& gain)
{
    fields("from", gain.from);
    fields("to", gain.to);
    fields("gain", gain.gain);
}

template <class Fields>
void list_fields(Fields& fields, SweetSpotDraws& draws)
{
    fields("low", draws.low);
    fields("median", draws.median);
    fields("high", draws.high);
    fields("shares", draws.shares);
}

template <class Fields>
void list_fields(Fields& fields, SweetSpot& spot)
{
    fields("cores", spot.cores);
    fields.unless_empty("at_edge", spot.at_edge);
    fields("gains", spot.gains);
    fields.inlined("low", spot.draws);
}

template <class Fields>
void list_fields(Fields& fields, PhaseChange& change)
{
    fields("phase", change.phase);
    fields("seconds_first", change.seconds_first);
    fields("seconds_last", change.seconds_last);
    fields("share_of_last", change.share_of_last);
}

template <class Fields>
void list_fields(Fields& fields, Series& series)
{
    fields("name", series.name);
    fields("points", series.points);
    fields("scaling", series.scaling);
    fields.beginning_with("target_", series.targets);
    fields("sweet_spot", series.sweet_spot);
    fields("fastest", series.fastest);
    fields("cheapest", series.cheapest);
    fields("fit", series.fit);
    fields.unless_empty("regimes", series.regimes);
    fields("phases_that_do_not_shrink", series.phases_that_do_not_shrink);
}

} // namespace alxsim::report
