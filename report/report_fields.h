// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "report/point_fields.h"
#include "report/report.h"
#include "report/series_fields.h"

/// The fields of a report, in the schema's order.
namespace alxsim::report {

template <class Fields>
void list_fields(Fields& fields, Tool& tool)
{
    fields("version", tool.version);
    fields("commit", tool.commit);
}

template <class Fields>
void list_fields(Fields& fields, HostUse& work)
{
    fields("kind", work.kind);
    fields("points", work.points);
    fields("predicted_cpu_seconds", work.predicted_cpu_seconds);
    fields("cpu_seconds", work.cpu_seconds);
    fields("predicted_memory_bytes", work.predicted_memory_bytes);
    fields("memory_bytes", work.memory_bytes);
}

template <class Fields>
void list_fields(Fields& fields, Host& host)
{
    fields("wall_seconds", host.wall_seconds);
    fields("threads", host.threads);
    fields("cpu_level", host.cpu_level);
    fields("work", host.work);
    fields("study", host.study);
}

template <class Fields>
void list_fields(Fields& fields, Assumption& assumption)
{
    fields("chip", assumption.chip);
    fields("name", assumption.name);
    fields("value", assumption.value);
    fields("low", assumption.low);
    fields("high", assumption.high);
    fields("unit", assumption.unit);
    fields("kind", assumption.kind);
    fields("source", assumption.source);
}

template <class Fields>
void list_fields(Fields& fields, MetricWords& words)
{
    fields.unless_empty("title", words.title);
    fields.unless_empty("unit", words.unit);
}

template <class Fields>
void list_fields(Fields& fields, SearchCandidate& candidate)
{
    fields("values", candidate.values);
    fields.others(candidate.reached, {"values"});
}

template <class Fields>
void list_fields(Fields& fields, SearchOutcome& search)
{
    fields("kind", search.kind);
    fields("maximize", search.maximize);
    fields("candidates", search.candidates);
    fields("best", search.best);
    fields.unless_empty("at_edge", search.at_edge);
}

template <class Fields>
void list_fields(Fields& fields, Report& report)
{
    fields("schema_version", report.version);
    fields("tool", report.tool);
    fields("host", report.host);
    fields("study", report.study);
    fields("dataset", report.dataset);
    fields("assumptions", report.assumptions);
    fields.unless_empty("metrics", report.metrics);
    fields("points", report.points);
    fields("series", report.series);
    fields("hypotheses", report.hypotheses);
    fields("validation", report.validation);
    fields("search", report.search);
}

} // namespace alxsim::report
