// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_fields.h"
#include "base/schema/field_words.h"
#include "report/point.h"
#include "report/point_fields.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace alxsim::experiments {

// What `alxsim check --json` prints. What a field is stands beside it in list_fields().

struct NeededHost {
    double cpu_seconds = 0;
    std::optional<std::int64_t> memory_bytes;
};

/// A way to hold a job that is too large.
struct WayToHold {
    std::string with;
    std::optional<int> cores;
    std::string refusal;
};

struct SeriesTooLarge {
    std::string series;
    std::string chip;
    std::vector<WayToHold> ways;
};

struct Checked {
    std::vector<report::Point> points;
    std::size_t search_candidates = 0;
    NeededHost host;
    std::vector<SeriesTooLarge> fewest_cores;
};

template <class Fields>
void list_fields(Fields& fields, NeededHost& host)
{
    fields("cpu_seconds", host.cpu_seconds,
           "What a run takes of one core, all points and the candidates of a search together.",
           limits::amount);
    fields("memory_bytes", host.memory_bytes,
           "What the point that keeps most keeps in this host's memory; absent where that is "
           "little.",
           limits::amount);
}

template <class Fields>
void list_fields(Fields& fields, WayToHold& way)
{
    fields.unless_empty("with", way.with,
                        "What the job does to be smaller in HBM, in words; absent: as it is.");
    fields("cores", way.cores, "The fewest that hold it; absent: no slice of the chip does.",
           limits::at_least(1));
    fields.unless_empty("refusal", way.refusal, "Why the study is refused on all core counts.");
}

template <class Fields>
void list_fields(Fields& fields, SeriesTooLarge& series)
{
    fields("series", series.series, "Its name.");
    fields("chip", series.chip, "On which it is too large.");
    fields("ways", series.ways,
           "As it is, then with what its kind of work has for too little HBM.");
}

template <class Fields>
void list_fields(Fields& fields, Checked& checked)
{
    fields("points", checked.points,
           "As a report has them, of fidelity analytic: central values, nothing trained, "
           "drawn or simulated.");
    fields("search_candidates", checked.search_candidates,
           "How many points a search runs before them.", limits::amount);
    fields("host", checked.host, "What a run takes of the host.");
    fields("fewest_cores", checked.fewest_cores,
           "Of each series with a point that does not fit: the fewest cores that hold its job.");
}

/// The JSON Schema of it.
const Json& checked_schema();

} // namespace alxsim::experiments
