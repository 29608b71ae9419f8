// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/schema/field_words.h"
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
    fields("kind", work.kind, limits::one_of("analytic|SystemC|numbers"));
    fields("points", work.points, limits::at_least(1));
    fields("predicted_cpu_seconds", work.predicted_cpu_seconds, limits::amount);
    fields("cpu_seconds", work.cpu_seconds, limits::amount);
    fields("predicted_memory_bytes", work.predicted_memory_bytes, limits::amount);
    fields("memory_bytes", work.memory_bytes, limits::amount);
}

template <class Fields>
void list_fields(Fields& fields, Host& host)
{
    fields("wall_seconds", host.wall_seconds, limits::amount);
    fields("threads", host.threads, limits::at_least(1));
    fields("cpu_level", host.cpu_level,
           "The instructions that the inner loops used; no number depends on them.");
    fields("work", host.work,
           "What points of each kind were predicted to take of the host's CPUs, and what they "
           "took: 'alxsim check --like' goes by it. Memory: of the point that took most, where any "
           "was predicted.");
    fields(
        "study", host.study,
        "Where the study stood, from the report's folder: data that it names are relative to it.");
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
    fields("values", candidate.values, "JSON pointer into the study to value.");
    fields.others(candidate.reached, {"values"});
}

template <class Fields>
void list_fields(Fields& fields, SearchOutcome& search)
{
    fields("kind", search.kind, limits::one_of("grid|random"));
    fields("maximize", search.maximize);
    fields("candidates", search.candidates, limits::not_empty);
    fields("best", search.best, "Index into candidates; the points ran with its values.",
           limits::amount);
    fields.unless_empty("at_edge", search.at_edge,
                        "Of a grid: pointers of which the best candidate has the least or the "
                        "greatest value tried, so that a wider grid may hold a better one.");
}

template <class Fields>
void list_fields(Fields& fields, Report& report)
{
    fields("schema_version", report.version,
           "1: reports of earlier programs, whose study is as it was given. 2: its defaults are "
           "filled in.",
           limits::between(1, schema_version));
    fields("tool", report.tool);
    fields("host", report.host,
           "The machine that ran the simulation: the only part that differs from run to run.");
    fields("study", report.study, "The study as run, defaults filled in (from version 2 on).",
           limits::as_json(R"({"type": "object", "required": ["study"],
                       "properties": {"study": {"type": "string"}}})"));
    fields("dataset", report.dataset, "Name, sizes and statistics of the input.",
           limits::as_json(R"({"type": ["object", "null"]})"));
    fields.unless_empty("inputs", report.inputs,
                        "Files that its points were computed from, and what they held. Those that "
                        "come with the program are not told.");
    fields("assumptions", report.assumptions,
           "Numbers that we cannot know and that the results rest on.");
    fields.unless_empty("metrics", report.metrics,
                        "By name, metrics of its points that people call otherwise, or that have "
                        "a unit.");
    fields("points", report.points);
    fields("series", report.series,
           "Of each, one curve. What compares core counts is there only where the core count, and "
           "nothing else, is swept.");
    fields("hypotheses", report.hypotheses);
    fields("validation", report.validation, limits::as_json(R"({"type": "array"})"));
    fields("search", report.search,
           "Parameters chosen before the points ran: by a metric on data that is held back to "
           "validate on, never on the test's.");
}

} // namespace alxsim::report
