// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_document.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace alxsim::experiments {

/// What a statement speaks of.
struct FigureEntry {
    std::optional<std::string> run;
    std::optional<Json> at; ///< merged onto the study
    std::optional<std::string> figure;
    std::optional<Json> op;
    double times = 1;
};

struct FirstGain {
    std::size_t first = 1;
    double at_least = 0;
};

struct LaterGain {
    bool any = true;
    double at_most = 0;
};

struct ShapeEntry {
    FirstGain gain;
    LaterGain later;
};

/// A statement, or a measurement that could be made, as its file has it.
struct StatementEntry {
    std::string name;
    std::string source;
    FigureEntry figure;
    std::optional<double> value;
    double tolerance = 0.05;
    std::optional<double> at_most;
    std::optional<double> at_least;
    std::optional<bool> is;
    std::optional<FigureEntry> ratio_to;
    std::vector<std::int64_t> cores; ///< of a curve
    std::optional<ShapeEntry> shape;
    std::optional<std::string> claim;
    double weight = 1;
};

/// A file of them; one of statements may have no measurements, and the other way round.
struct StatementFile {
    std::optional<std::vector<StatementEntry>> statements;
    std::optional<std::vector<StatementEntry>> measurements;
};

/// The JSON Schema of such a file.
const Json& statements_schema();

/// Throws InputError, naming `file`, for what does not obey the schema.
StatementFile statement_file(const Json& document, const std::string& file);

} // namespace alxsim::experiments
