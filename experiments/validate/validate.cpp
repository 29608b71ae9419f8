// SPDX-License-Identifier: Apache-2.0
#include "experiments/validate/validate.h"

#include "base/input_error.h"
#include "experiments/resources.h"
#include "experiments/validate/figure.h"

#include <algorithm>
#include <cmath>

namespace alxsim::experiments {
namespace {

const char* const schema = "validate/rows/rows.schema.json";

/// Files with the rows of a topic.
std::vector<std::string> embedded_topics()
{
    std::vector<std::string> names;
    for (const Resources::Entry& entry : resources().entries()) {
        const std::string name(entry.name);
        if (name.rfind("validate/rows/", 0) == 0 && name != schema) {
            names.push_back(name);
        }
    }
    return names;
}

/// Which fields a figure needs beside itself: more than the schema says.
std::vector<std::string> needed_for(const std::string& figure)
{
    if (figure == "rate") {
        return {"op", "machine", "amount"};
    }
    if (figure == "ratio") {
        return {"op", "machine", "over"};
    }
    return figure == "seconds" || figure == "cycles" ? std::vector<std::string>{"op", "machine"}
                                                     : std::vector<std::string>{"study"};
}

void check_figures(const Json& topic, const std::string& file)
{
    for (std::size_t i = 0; i < topic.at("rows").size(); ++i) {
        const Json& simulate = topic.at("rows").at(i).at("simulate");
        const std::string figure = simulate.at("figure");
        for (const std::string& field : needed_for(figure)) {
            if (!simulate.contains(field)) {
                throw InputError(file, "/rows/" + std::to_string(i) + "/simulate",
                                 "missing field '" + field + "', which the figure '" + figure +
                                     "' needs");
            }
        }
    }
}

/// With `simulate` of the topic put under that of its rows.
Json checked(Json topic, const std::string& file)
{
    if (topic.is_object() && topic.contains("simulate") && topic.contains("rows")) {
        for (Json& row : topic.at("rows")) {
            Json simulate = topic.at("simulate");
            simulate.merge_patch(row.value("simulate", Json::object()));
            row["simulate"] = simulate;
        }
    }
    validate_json(topic, resources().get(schema), file);
    check_figures(topic, file);
    topic["file"] = file;
    return topic;
}

bool passes(const std::string& check, double error, double tolerance)
{
    return check == "at_most" ? error <= tolerance : std::abs(error) <= tolerance;
}

Json result_of(const Json& row, const Json& topic)
{
    const Figure figure =
        simulated_figure(row.at("simulate"), row.at("reference"), topic.at("file"));
    const double error = figure.value / row.at("reference").get<double>() - 1;
    const std::string check = row.value("check", "near");
    Json result{{"topic", topic.at("topic")},
                {"name", row.at("name")},
                {"reference", row.at("reference")},
                {"simulated", figure.value}, // not finite: null
                {"unit", row.at("unit")},
                {"error", error},
                {"tolerance", row.value("tolerance", 0.0)},
                {"check", check},
                {"kind", row.at("kind")},
                {"passes", passes(check, error, row.value("tolerance", 0.0))},
                {"term", figure.term},
                {"source", row.at("source")}};
    if (row.contains("note")) {
        result["note"] = row.at("note");
    }
    return Json::parse(result.dump()); // as it is written: what is not finite is null
}

Json statistics_of(const std::string& topic, std::vector<double> errors)
{
    std::sort(errors.begin(), errors.end());
    const std::size_t count = errors.size();
    const double median = (errors[(count - 1) / 2] + errors[count / 2]) / 2;
    const std::size_t within_90 = (9 * count + 9) / 10; // rounded up
    return {{"topic", topic},
            {"count", count},
            {"median", median},
            {"percentile_90", errors[within_90 - 1]},
            {"largest", errors.back()}};
}

} // namespace

Json load_validation(const std::vector<std::string>& paths)
{
    Json topics = Json::array();
    for (const std::string& path : paths) {
        topics.push_back(checked(load_json(path), path));
    }
    if (paths.empty()) {
        for (const std::string& file : embedded_topics()) {
            topics.push_back(checked(parse_json(resources().get(file), file), file));
        }
    }
    return topics;
}

Json validate(const Json& topics)
{
    Json rows = Json::array();
    for (const Json& topic : topics) {
        for (const Json& row : topic.at("rows")) {
            rows.push_back(result_of(row, topic));
        }
    }
    const Json statistics = error_statistics(rows);
    return {{"validation", rows}, {"statistics", statistics}};
}

Json error_statistics(const Json& rows)
{
    std::vector<std::pair<std::string, std::vector<double>>> by_topic;
    std::vector<double> all;
    for (const Json& row : rows) {
        if (row.at("kind") != "predicted" || row.at("check") != "near" ||
            row.at("error").is_null()) {
            continue;
        }
        if (by_topic.empty() || by_topic.back().first != row.at("topic")) {
            by_topic.push_back({row.at("topic"), {}});
        }
        const double error = std::abs(row.at("error").get<double>());
        by_topic.back().second.push_back(error);
        all.push_back(error);
    }
    Json statistics = Json::array();
    for (const auto& [topic, errors] : by_topic) {
        statistics.push_back(statistics_of(topic, errors));
    }
    if (!all.empty()) {
        statistics.push_back(statistics_of("all", all));
    }
    return statistics;
}

} // namespace alxsim::experiments
