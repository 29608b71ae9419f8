// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/text/document.h"
#include "experiments/answers/validate/figure.h"

#include <optional>
#include <string>
#include <vector>

namespace alxsim::experiments {

/// A figure of others.
struct ValidationRow {
    std::string topic;
    std::string name;
    double reference = 0;
    std::string unit;
    std::optional<double> tolerance;  ///< absent: 0
    std::optional<std::string> check; ///< "equal", "at_most"; absent: "near"
    std::string kind;
    std::string source;
    std::optional<std::string> note;
    FigureRequest simulate;
    std::string file; ///< that it stands in
};

/// The same against the simulator's.
struct ValidatedRow {
    std::string topic;
    std::string name;
    double reference = 0;
    std::optional<double> simulated; ///< absent where the job does not fit
    std::string unit;
    std::optional<double> error; ///< simulated/reference - 1
    double tolerance = 0;
    std::string check;
    std::string kind;
    bool passes = false;
    std::string term; ///< what most of it comes from
    std::string source;
    std::optional<std::string> note;
};

struct ErrorStatistics {
    std::string topic;
    std::size_t count = 0;
    double median = 0;
    double percentile_90 = 0; ///< the smallest error that 90 % of the rows do not exceed
    double largest = 0;
};

struct Validation {
    std::vector<ValidatedRow> rows;
    std::vector<ErrorStatistics> statistics;

    bool passes() const;
};

/// What is its own, without what it asks for.
template <class Fields>
void list_fields(Fields& fields, ValidationRow& row)
{
    fields("name", row.name);
    fields("reference", row.reference);
    fields("unit", row.unit);
    fields("tolerance", row.tolerance);
    fields("check", row.check);
    fields("kind", row.kind);
    fields("source", row.source);
    fields("note", row.note);
}

template <class Fields>
void list_fields(Fields& fields, ValidatedRow& row)
{
    fields("topic", row.topic);
    fields("name", row.name);
    fields("reference", row.reference);
    fields.nullable("simulated", row.simulated);
    fields("unit", row.unit);
    fields.nullable("error", row.error);
    fields("tolerance", row.tolerance);
    fields("check", row.check);
    fields("kind", row.kind);
    fields("passes", row.passes);
    fields("term", row.term);
    fields("source", row.source);
    fields("note", row.note);
}

template <class Fields>
void list_fields(Fields& fields, ErrorStatistics& statistics)
{
    fields("topic", statistics.topic);
    fields("count", statistics.count);
    fields("median", statistics.median);
    fields("percentile_90", statistics.percentile_90);
    fields("largest", statistics.largest);
}

template <class Fields>
void list_fields(Fields& fields, Validation& validation)
{
    fields("validation", validation.rows);
    fields("statistics", validation.statistics);
}

/// Reads files of validation rows: `paths`, or those that come with the program
/// (answers/validate/rows/) if there are none. Throws InputError where one does not obey
/// answers/validate/rows/rows.schema.json.
std::vector<ValidationRow> load_validation(const std::vector<std::string>& paths);

/// Simulates every row.
Validation validate(const std::vector<ValidationRow>& rows);

/// Returns statistics of |error| over the rows that predict an amount (kind `predicted`, check
/// `near`), topic by topic and over all. Topics without such rows are left out.
std::vector<ErrorStatistics> error_statistics(const std::vector<ValidatedRow>& rows);

/// For people: rows by topic and statistics; of rows that fail, the term responsible.
Document document_of(const Validation& validation);

} // namespace alxsim::experiments
