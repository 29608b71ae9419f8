// SPDX-License-Identifier: Apache-2.0
#include "base/input_error.h"
#include "experiments/study.h"
#include "report/resources.h"

#include <algorithm>
#include <sstream>

namespace alxsim::experiments {
namespace {

/// The fields that a point of a report, or its series, can have.
std::vector<std::string> field_names()
{
    const Json schema =
        parse_json(report::resources().get("schema/report.schema.json"), "report.schema.json");
    std::vector<std::string> names;
    for (const char* kind : {"fitting_point", "series"}) {
        for (const auto& [name, field] :
             schema.at("definitions").at(kind).at("properties").items()) {
            names.push_back(name);
        }
    }
    return names;
}

void check_name(const std::string& name, const std::vector<std::string>& names,
                const std::string& place, const std::string& file, const std::string& what)
{
    if (std::find(names.begin(), names.end(), name) == names.end()) {
        throw InputError(file, place,
                         "found '" + name + "', which is no " + what + did_you_mean(name, names) +
                             " (allowed: " + join(names) + ")");
    }
}

/// "communication_seconds/epoch_seconds", "sweet_spot.cores": the part before the first dot of each
/// figure.
void check_value(const std::string& value, const std::string& place, const std::string& file)
{
    static const std::vector<std::string> names = field_names();
    std::istringstream figures(value);
    for (std::string figure; std::getline(figures, figure, '/');) {
        check_name(figure.substr(0, figure.find('.')), names, place, file,
                   "field of a point or a series");
    }
}

} // namespace

void check_hypotheses(const Json& document, const std::vector<std::string>& series,
                      const std::string& file)
{
    const Json hypotheses = document.value("hypotheses", Json::array());
    for (std::size_t i = 0; i < hypotheses.size(); ++i) {
        const std::string place = "/hypotheses/" + std::to_string(i);
        const Json& hypothesis = hypotheses.at(i);
        check_name(hypothesis.at("series").get<std::string>(), series, place + "/series", file,
                   "series of this study");
        check_value(hypothesis.at("value").get<std::string>(), place + "/value", file);
        if (hypothesis.at("than").is_object()) {
            const Json& than = hypothesis.at("than");
            check_name(than.at("series").get<std::string>(), series, place + "/than/series", file,
                       "series of this study");
            check_value(than.at("value").get<std::string>(), place + "/than/value", file);
        }
    }
}

} // namespace alxsim::experiments
