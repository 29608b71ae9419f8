// SPDX-License-Identifier: Apache-2.0
#include "experiments/answers/validate/validate.h"

#include "base/input_error.h"
#include "base/inputs/gunzip.h"
#include "experiments/resources.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace alxsim::experiments {
namespace {

constexpr std::int64_t most_bytes = 100'000'000; ///< of rows, unpacked
const char* const schema = "answers/validate/rows/rows.schema.json";

/// Files with the rows of a topic.
std::vector<std::string> embedded_topics()
{
    std::vector<std::string> names;
    for (const Resources::Entry& entry : resources().entries()) {
        const std::string name(entry.name);
        if (name.rfind("answers/validate/rows/", 0) == 0 && name != schema) {
            names.push_back(name);
        }
    }
    return names;
}

/// The rows of a file, with `simulate` of the topic put under that of its rows.
void append_rows(std::vector<ValidationRow>& rows, Json topic, const std::string& file)
{
    if (topic.is_object() && topic.contains("simulate") && topic.contains("rows")) {
        for (Json& row : topic.at("rows")) {
            if (!row.is_object()) {
                break; // the schema will say so
            }
            Json simulate = topic.at("simulate");
            simulate.merge_patch(row.value("simulate", Json::object()));
            row["simulate"] = simulate;
        }
    }
    validate_json(topic, resources().get(schema), file);
    for (std::size_t i = 0; i < topic.at("rows").size(); ++i) {
        const Json& json = topic.at("rows").at(i);
        const std::string pointer = "/rows/" + std::to_string(i);
        auto row = value_of_file<ValidationRow>(json, file, pointer);
        row.topic = topic.at("topic").get<std::string>();
        row.simulate = figure_request(json.at("simulate"), file, pointer + "/simulate");
        row.file = file;
        rows.push_back(std::move(row));
    }
}

bool passes(const std::string& check, double error, double tolerance)
{
    return check == "at_most" ? error <= tolerance : std::abs(error) <= tolerance;
}

/// JSON has no numbers without end.
std::optional<double> if_finite(double value)
{
    return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

ValidatedRow result_of(const ValidationRow& row)
{
    const Figure figure = simulated_figure(row.simulate, row.reference, row.file);
    const double error = figure.value / row.reference - 1;
    const std::string check = row.check.value_or("near");
    const double tolerance = row.tolerance.value_or(0);
    return {row.topic,     row.name,
            row.reference, if_finite(figure.value),
            row.unit,      if_finite(error),
            tolerance,     check,
            row.kind,      passes(check, error, tolerance),
            figure.term,   row.source,
            row.note};
}

ErrorStatistics statistics_of(const std::string& topic, std::vector<double> errors)
{
    std::sort(errors.begin(), errors.end());
    const std::size_t count = errors.size();
    const double median = (errors[(count - 1) / 2] + errors[count / 2]) / 2;
    const std::size_t within_90 = (9 * count + 9) / 10; // rounded up
    return {topic, count, median, errors[within_90 - 1], errors.back()};
}

} // namespace

bool Validation::passes() const
{
    return std::all_of(rows.begin(), rows.end(),
                       [](const ValidatedRow& row) { return row.passes; });
}

std::vector<ValidationRow> load_validation(const std::vector<std::string>& paths)
{
    std::vector<ValidationRow> rows;
    for (const std::string& path : paths) {
        append_rows(rows, load_json(path), path);
    }
    if (paths.empty()) {
        for (const std::string& file : embedded_topics()) {
            const std::string content(resources().get(file));
            append_rows(rows, parse_json(gunzipped(content, file, most_bytes), file), file);
        }
    }
    return rows;
}

Validation validate(const std::vector<ValidationRow>& rows)
{
    Validation validation;
    std::transform(rows.begin(), rows.end(), std::back_inserter(validation.rows), result_of);
    validation.statistics = error_statistics(validation.rows);
    return validation;
}

std::vector<ErrorStatistics> error_statistics(const std::vector<ValidatedRow>& rows)
{
    Named<std::vector<double>> by_topic;
    std::vector<double> all;
    for (const ValidatedRow& row : rows) {
        if (row.kind != "predicted" || row.check != "near" || !row.error) {
            continue;
        }
        if (by_topic.empty() || by_topic.back().first != row.topic) {
            by_topic.push_back({row.topic, {}});
        }
        by_topic.back().second.push_back(std::abs(*row.error));
        all.push_back(std::abs(*row.error));
    }
    std::vector<ErrorStatistics> statistics;
    for (const auto& [topic, errors] : by_topic) {
        statistics.push_back(statistics_of(topic, errors));
    }
    if (!all.empty()) {
        statistics.push_back(statistics_of("all", all));
    }
    return statistics;
}

} // namespace alxsim::experiments
