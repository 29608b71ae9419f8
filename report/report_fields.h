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
    fields("version", tool.version, "Of the program that made the report.");
    fields("commit", tool.commit, "From which the program was built.");
}

template <class Fields>
void list_fields(Fields& fields, HostUse& work)
{
    fields("kind", work.kind, "Points by the analytic model, through SystemC, or with numbers.",
           limits::one_of("analytic|SystemC|numbers"));
    fields("points", work.points, "How many.", limits::at_least(1));
    fields("predicted_cpu_seconds", work.predicted_cpu_seconds,
           "What check predicts for all of them.", limits::amount);
    fields("cpu_seconds", work.cpu_seconds, "What they took.", limits::amount);
    fields("predicted_memory_bytes", work.predicted_memory_bytes,
           "What check predicts for the largest of them.", limits::amount);
    fields("memory_bytes", work.memory_bytes, "What that one took.", limits::amount);
}

template <class Fields>
void list_fields(Fields& fields, Host& host)
{
    fields("wall_seconds", host.wall_seconds, "From start to end.", limits::amount);
    fields("threads", host.threads, "That worked at the same time.", limits::at_least(1));
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
    fields("chip", assumption.chip, "Whose preset has it; absent: it is the workload's.");
    fields("name", assumption.name, "A key of the preset, or what the workload assumes.");
    fields("value", assumption.value, "What is calculated with.");
    fields("low", assumption.low, "The least that it may be.");
    fields("high", assumption.high, "The most that it may be.");
    fields("unit", assumption.unit, "Of these values.");
    fields("kind", assumption.kind,
           "Where it comes from: sourced, derived, assumed, calibrated, overridden.");
    fields("source", assumption.source, "Where it was read, or why it was chosen.");
}

template <class Fields>
void list_fields(Fields& fields, MetricWords& words)
{
    fields.unless_empty("title", words.title, "What people call it.");
    fields.unless_empty("unit", words.unit, "Of its values.");
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
    fields("kind", search.kind, "All combinations, or some at random.",
           limits::one_of("grid|random"));
    fields("maximize", search.maximize, "The metric that chose.");
    fields("candidates", search.candidates, "What was tried, and what it reached.",
           limits::not_empty);
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
    fields("tool", report.tool, "The program that made the report.");
    fields("host", report.host,
           "The machine that ran the simulation: the only part that differs from run to run.");
    fields("study", report.study, "The study as run, defaults filled in (from version 2 on).",
           limits::as_json(R"({"type": "object", "required": ["study"],
                       "properties": {"study": {"description": "Its name.", "type": "string"}}})"));
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
    fields("points", report.points, "One for each combination of swept values, series by series.");
    fields("series", report.series,
           "Of each, one curve. What compares core counts is there only where the core count, and "
           "nothing else, is swept.");
    fields("hypotheses", report.hypotheses, "The study's claims, judged.");
    fields("validation", report.validation,
           "Known figures against simulated ones; empty where none were asked for.",
           limits::as_json(R"({"type": "array"})"));
    fields("search", report.search,
           "Parameters chosen before the points ran: by a metric on data that is held back to "
           "validate on, never on the test's.");
}

} // namespace alxsim::report
