// SPDX-License-Identifier: Apache-2.0
#include "experiments/infer/statements.h"

#include "base/input_error.h"
#include "base/portable_math.h"
#include "experiments/registration/workloads.h"
#include "experiments/resources.h"
#include "model/op_graph.h"
#include "report/claims.h"
#include "report/series.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace alxsim::experiments {
namespace {

/// A phase of a workload whose phases depend on its ops may have any name.
void check_figure(const std::string& name, const workloads::Kind& kind, const std::string& file,
                  const std::string& place)
{
    std::vector<std::string> names{"epoch_seconds",        "fits",         "compute_seconds",
                                   "hbm_seconds",          "host_seconds", "idle_seconds",
                                   "communication_seconds"};
    for (const std::string& phase : kind.phases) {
        names.push_back("phases." + phase);
    }
    const bool any_phase = kind.phases.empty() && name.rfind("phases.", 0) == 0;
    if (!any_phase && std::find(names.begin(), names.end(), name) == names.end()) {
        throw InputError(file, place,
                         "found '" + name + "'" + did_you_mean(name, names) +
                             " (allowed: " + join(names) + ")");
    }
}

/// Reads one statement after another; points that are asked for twice are one.
class Reader {
public:
    Reader(const Study& study, std::string file) : study_(study), file_(std::move(file)) {}

    /// `kind`: "statements", or "measurements", which have no condition.
    Statements read(const Json& document, const std::string& kind)
    {
        const Json& list = document.at(kind);
        for (std::size_t i = 0; i < list.size(); ++i) {
            place_ = "/" + kind + "/" + std::to_string(i);
            if (kind == "statements" && !list.at(i).contains("run")) {
                throw InputError(file_, place_,
                                 "missing field 'run': a name for the run that it is about, whose "
                                 "batches and hosts are its own");
            }
            const Condition unknown{Condition::Kind::near, 0, list.at(i).value("tolerance", 0.05)};
            result_.statements.push_back(statement_of(
                list.at(i), kind == "measurements" ? unknown : condition_of(list.at(i))));
        }
        return std::move(result_);
    }

private:
    Statement statement_of(const Json& json, const Condition& condition)
    {
        Statement statement;
        statement.name = json.at("name").get<std::string>();
        statement.source = json.value("source", "");
        statement.weight = json.value("weight", 1.0);
        statement.condition = condition;
        const std::string run = json.value("run", "measured");
        if (!json.contains("cores")) {
            statement.figures.push_back(figure_of(json, json.value("at", Json::object()), run));
            if (json.contains("ratio_to")) {
                const Json& other = json.at("ratio_to");
                statement.over =
                    figure_of(other, other.value("at", json.value("at", Json::object())),
                              other.value("run", run));
            }
            return statement;
        }
        for (const Json& cores : json.at("cores")) {
            Json at = json.value("at", Json::object());
            at["machine"]["cores"] = cores;
            statement.figures.push_back(figure_of(json, at, run));
            statement.cores.push_back(cores.get<std::int64_t>());
        }
        return statement;
    }

    Condition condition_of(const Json& json) const
    {
        using Kind = Condition::Kind;
        Condition condition;
        if (json.contains("value")) {
            condition = {Kind::near, json.at("value").get<double>(), json.value("tolerance", 0.05)};
        } else if (json.contains("at_most")) {
            condition = {Kind::at_most, json.at("at_most").get<double>()};
        } else if (json.contains("at_least")) {
            condition = {Kind::at_least, json.at("at_least").get<double>()};
        } else if (json.contains("is")) {
            condition = {Kind::is, json.at("is").get<bool>() ? 1.0 : 0.0};
        } else if (json.contains("shape")) {
            const Json& gain = json.at("shape").at("gain");
            const Json& later = json.at("shape").at("later");
            condition.kind = Kind::shape;
            condition.first_steps = gain.value("first", std::size_t{1});
            condition.first_gain = gain.at("at_least").get<double>();
            condition.any_later = later.value("any", true);
            condition.later_gain = later.at("at_most").get<double>();
        } else if (json.contains("claim")) {
            condition.kind = Kind::linear_then_flat;
        } else {
            throw InputError(file_, place_,
                             "says nothing of its figure: allowed are value (with tolerance), "
                             "at_most, at_least, is; and with cores: shape, claim");
        }
        const bool curve = condition.kind >= Kind::shape;
        if (curve != json.contains("cores")) {
            throw InputError(file_, place_,
                             curve ? "shape and claim are about a curve: 'cores' is missing"
                                   : "found 'cores', which goes with shape or claim alone");
        }
        return condition;
    }

    StatedFigure figure_of(const Json& json, const Json& at, const std::string& run)
    {
        if (json.contains("op") && json.contains("figure")) {
            throw InputError(file_, place_, "found both 'op' and 'figure': allowed is one of them");
        }
        if (json.contains("op")) {
            return {point_of(at, run), "op_seconds", json.value("times", 1.0),
                    model::op_from_json(json.at("op"), file_ + ": " + place_ + "/op")};
        }
        const std::string name = json.value("figure", "epoch_seconds");
        const std::size_t point = point_of(at, run);
        check_figure(name, workload_kinds().kind_of(result_.points[point].study, file_), file_,
                     place_ + "/figure");
        return {point, name, json.value("times", 1.0)};
    }

    /// A job of other data has nothing of the study's own.
    static void drop_replaced(Json& document, const Json& at)
    {
        for (const workloads::Kind& kind : workload_kinds().kinds()) {
            for (const std::string& field : kind.whole_fields) {
                if (at.contains("workload") && at.at("workload").contains(field)) {
                    document["workload"].erase(field);
                }
            }
        }
    }

    std::size_t point_of(const Json& at, const std::string& run)
    {
        Study point{study_.document, study_.file};
        for (const char* field : {"series", "sweep", "hypotheses", "search"}) {
            point.document.erase(field);
        }
        drop_replaced(point.document, at);
        point.document.merge_patch(at);
        try {
            set_values(point, Json::object()); // checks it
        } catch (const InputError& error) {
            throw InputError(file_, place_ + "/at", error.what());
        }
        for (std::size_t i = 0; i < result_.points.size(); ++i) {
            if (result_.points[i].run == run && result_.points[i].study == point.document) {
                return i;
            }
        }
        result_.points.push_back({point.document, run});
        return result_.points.size() - 1;
    }

    const Study& study_;
    std::string file_;
    std::string place_;
    Statements result_;
};

std::vector<report::CoreTime> curve_of(const Statement& statement,
                                       const std::vector<double>& values)
{
    std::vector<report::CoreTime> curve;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (std::isfinite(values[i])) {
            curve.push_back({statement.cores[i], values[i]});
        }
    }
    return curve;
}

bool has_shape(const Condition& condition, const std::vector<report::CoreTime>& curve)
{
    if (curve.size() < condition.first_steps + 2) {
        return false;
    }
    const std::vector<report::Gain> gains = report::gains_of(curve);
    const auto later = gains.begin() + static_cast<std::ptrdiff_t>(condition.first_steps);
    const auto enough = [&](const report::Gain& gain) { return gain.gain >= condition.first_gain; };
    const auto flat = [&](const report::Gain& gain) { return gain.gain <= condition.later_gain; };
    return std::all_of(gains.begin(), later, enough) &&
           (condition.any_later ? std::any_of(later, gains.end(), flat)
                                : std::all_of(later, gains.end(), flat));
}

} // namespace

Statements read_statements(const std::string& path, const Study& study)
{
    const Json document = load_json(path);
    validate_json(document, resources().get("schema/statements.schema.json"), path);
    if (!document.contains("statements")) {
        throw InputError(path, "",
                         "found no \"statements\"; measurements that could be made are "
                         "for --measure");
    }
    return Reader(study, path).read(document, "statements");
}

Statements measurements_of(const Json& document, const std::string& file, const Study& study)
{
    validate_json(document, resources().get("schema/statements.schema.json"), file);
    if (!document.contains("measurements")) {
        throw InputError(file, "", "found no \"measurements\"");
    }
    return Reader(study, file).read(document, "measurements");
}

bool holds(const Statement& statement, const std::vector<double>& values, double discrepancy)
{
    return misfit(statement, values, discrepancy) <= 1;
}

double misfit(const Statement& statement, const std::vector<double>& values, double discrepancy)
{
    using Kind = Condition::Kind;
    constexpr double never = std::numeric_limits<double>::infinity();
    const Condition& condition = statement.condition;
    const double value = values.front();
    // NaN, of a point that does not fit, is never near enough.
    const auto passed_by = [](double ratio) {
        return ratio <= 1 ? 0.0 : ratio > 1 ? 1 + portable::log(ratio) / 0.1 : never;
    };
    switch (condition.kind) {
    case Kind::near: {
        const double allowed =
            std::sqrt(condition.tolerance * condition.tolerance + discrepancy * discrepancy);
        const double off = std::abs(value / condition.value - 1);
        return off <= allowed ? (off > 0 ? off / allowed : 0.0) : off > 0 ? off / allowed : never;
    }
    case Kind::at_most:
        return passed_by(value / (condition.value * (1 + discrepancy)));
    case Kind::at_least:
        return passed_by(condition.value / (1 + discrepancy) / value);
    case Kind::is:
        return value == condition.value ? 0.0 : never;
    case Kind::shape:
        return has_shape(condition, curve_of(statement, values)) ? 0.0 : never;
    case Kind::linear_then_flat:
        return report::is_linear_then_flat(curve_of(statement, values)) ? 0.0 : never;
    }
    return never;
}

} // namespace alxsim::experiments
