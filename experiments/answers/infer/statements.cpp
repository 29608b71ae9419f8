// SPDX-License-Identifier: Apache-2.0
#include "experiments/answers/infer/statements.h"

#include "base/input_error.h"
#include "base/portable_math.h"
#include "experiments/answers/infer/statement_entries.h"
#include "experiments/points/study/known_phases.h"
#include "experiments/resources.h"
#include "model/graph/op_graph.h"
#include "report/linear_then_flat.h"
#include "workloads/registry.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace alxsim::experiments {
namespace {

void check_figure(const std::string& name, const workloads::Kind& kind, const PointStudy& study,
                  const std::string& file, const std::string& place)
{
    const std::string prefix = "phases.";
    KnownPhases phases({&study});
    if (name.rfind(prefix, 0) == 0 && phases.has(name.substr(prefix.size()))) {
        return;
    }
    std::vector<std::string> names{"epoch_seconds", "fits"};
    for (const Share share : all_shares) {
        names.push_back(report::field_of(share));
    }
    for (const std::string& phase : phases.names()) {
        names.push_back(prefix + phase);
    }
    names.insert(names.end(), kind.figures.begin(), kind.figures.end());
    if (std::find(names.begin(), names.end(), name) == names.end()) {
        throw InputError(file, place,
                         "found '" + name + "'" + did_you_mean(name, names) +
                             " (allowed: " + join(names) + ")");
    }
}

/// Reads one statement after another; points that are asked for twice are one.
class Reader {
public:
    Reader(const PointStudy& study, std::string file) : study_(study), file_(std::move(file)) {}

    Statements statements(const std::vector<StatementEntry>& entries)
    {
        for (std::size_t i = 0; i < entries.size(); ++i) {
            place_ = "/statements/" + std::to_string(i);
            if (!entries[i].figure.run) {
                throw InputError(file_, place_,
                                 "missing field 'run': a name for the run that it is about, whose "
                                 "batches and hosts are its own");
            }
            refuse_second(entries[i].name);
            result_.statements.push_back(statement_of(entries[i], condition_of(entries[i])));
        }
        return std::move(result_);
    }

    /// Without conditions.
    Statements measurements(const std::vector<StatementEntry>& entries)
    {
        for (std::size_t i = 0; i < entries.size(); ++i) {
            place_ = "/measurements/" + std::to_string(i);
            refuse_second(entries[i].name);
            if (is_of_other_work(entries[i])) {
                result_.left_out.push_back(entries[i].name);
                continue;
            }
            result_.statements.push_back(
                statement_of(entries[i], {Condition::Kind::near, 0, entries[i].tolerance}));
        }
        return std::move(result_);
    }

private:
    /// Whether it sets what another workload than the study's has.
    bool is_of_other_work(const StatementEntry& entry) const
    {
        const workloads::Registry& kinds = workloads::registry();
        const workloads::Kind* const own = kinds.find(study_.document);
        const workloads::Kind* const named =
            entry.figure.at ? kinds.find(*entry.figure.at) : nullptr;
        return named != nullptr && named != own;
    }

    /// Statements are told by their names.
    void refuse_second(const std::string& name) const
    {
        const auto known = std::find_if(result_.statements.begin(), result_.statements.end(),
                                        [&](const Statement& one) { return one.name == name; });
        if (known != result_.statements.end()) {
            throw InputError(file_, place_ + "/name",
                             "found '" + name + "', which an earlier one has (number " +
                                 std::to_string(known - result_.statements.begin()) +
                                 " from 0); allowed: a name of its own");
        }
    }

    Statement statement_of(const StatementEntry& entry, const Condition& condition)
    {
        Statement statement{entry.name, entry.source, entry.weight, condition, {}, {}, entry.cores};
        if (entry.cores.empty()) {
            statement.figures.push_back(figure_of(entry.figure));
        }
        if (entry.cores.empty() && entry.ratio_to) {
            FigureEntry other = *entry.ratio_to;
            other.at = other.at ? other.at : entry.figure.at;
            other.run = other.run ? other.run : entry.figure.run;
            statement.over = figure_of(other);
        }
        for (const std::int64_t cores : entry.cores) {
            FigureEntry one = entry.figure;
            one.at = one.at.value_or(Json::object());
            (*one.at)["machine"]["cores"] = cores;
            statement.figures.push_back(figure_of(one));
        }
        return statement;
    }

    Condition condition_of(const StatementEntry& entry) const
    {
        using Kind = Condition::Kind;
        Condition condition;
        if (entry.value) {
            condition = {Kind::near, *entry.value, entry.tolerance};
        } else if (entry.at_most) {
            condition = {Kind::at_most, *entry.at_most};
        } else if (entry.at_least) {
            condition = {Kind::at_least, *entry.at_least};
        } else if (entry.is) {
            condition = {Kind::is, *entry.is ? 1.0 : 0.0};
        } else if (entry.shape) {
            condition = {Kind::shape,
                         0,
                         0,
                         entry.shape->gain.first,
                         entry.shape->gain.at_least,
                         entry.shape->later.any,
                         entry.shape->later.at_most};
        } else if (entry.claim) {
            condition.kind = Kind::linear_then_flat;
        } else {
            throw InputError(file_, place_,
                             "says nothing of its figure: allowed are value (with tolerance), "
                             "at_most, at_least, is; and with cores: shape, claim");
        }
        const bool curve = condition.kind >= Kind::shape;
        if (curve == entry.cores.empty()) {
            throw InputError(file_, place_,
                             curve ? "shape and claim are about a curve: 'cores' is missing"
                                   : "found 'cores', which goes with shape or claim alone");
        }
        return condition;
    }

    StatedFigure figure_of(const FigureEntry& entry)
    {
        if (entry.op && entry.figure) {
            throw InputError(file_, place_, "found both 'op' and 'figure': allowed is one of them");
        }
        const std::size_t point =
            point_of(entry.at.value_or(Json::object()), entry.run.value_or("measured"));
        if (entry.op) {
            const MachineRequest& machine = result_.points[point].study.machine;
            return {point, "op_seconds", entry.times,
                    model::op_from_json(*entry.op, file_ + ": " + place_ + "/op",
                                        machine_of(machine, study_.file).devices)};
        }
        const std::string name = entry.figure.value_or("epoch_seconds");
        const workloads::Kind& kind =
            workloads::registry().kind_of(result_.points[point].study.document, file_);
        check_figure(name, kind, result_.points[point].study, file_, place_ + "/figure");
        const bool of_workload =
            std::find(kind.figures.begin(), kind.figures.end(), name) != kind.figures.end();
        return {point, name, entry.times, {}, of_workload};
    }

    /// A job of other data has nothing of the study's own.
    static void drop_replaced(Json& document, const Json& at)
    {
        for (const workloads::Kind& kind : workloads::registry().kinds()) {
            for (const std::string& field : kind.whole_fields) {
                if (at.contains("workload") && at.at("workload").contains(field) &&
                    !at.at("workload").at(field).empty()) { // an empty one names its kind alone
                    document["workload"].erase(field);
                }
            }
        }
    }

    std::size_t point_of(const Json& at, const std::string& run)
    {
        Json document = study_.document;
        PointStudy study;
        try {
            Json named = at;
            if (named.contains("machine")) {
                name_chip(named.at("machine"), "");
            }
            drop_replaced(document, named);
            document.merge_patch(named);
            study = point_study(document, study_.file);
        } catch (const InputError& error) {
            throw InputError(file_, place_ + "/at", error.what());
        }
        for (std::size_t i = 0; i < result_.points.size(); ++i) {
            if (result_.points[i].run == run &&
                result_.points[i].study.document == study.document) {
                return i;
            }
        }
        result_.points.push_back({std::move(study), run});
        return result_.points.size() - 1;
    }

    const PointStudy& study_;
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

Statements statements_of(const Json& document, const std::string& file, const PointStudy& study)
{
    const StatementFile read = statement_file(document, file);
    if (!read.statements) {
        throw InputError(file, "",
                         "found no \"statements\"; measurements that could be made are for "
                         "--measure");
    }
    return Reader(study, file).statements(*read.statements);
}

Statements read_statements(const std::string& path, const PointStudy& study)
{
    return statements_of(load_json(path), path, study);
}

void leave_out(Statements& statements, const std::vector<std::string>& names)
{
    std::vector<Statement>& all = statements.statements;
    for (const std::string& name : names) {
        const auto named = [&](const Statement& statement) {
            return statement.name.find(name) != std::string::npos;
        };
        const auto found = std::find_if(all.begin(), all.end(), named);
        const bool one =
            found != all.end() && std::find_if(found + 1, all.end(), named) == all.end();
        if (!one) {
            std::vector<std::string> known;
            for (const Statement& statement : all) {
                known.push_back("'" + statement.name + "'");
            }
            throw InputError("", "--without",
                             "found '" + name +
                                 "', allowed is a part of just one of: " + join(known));
        }
        all.erase(found);
    }
}

Statements read_measurements(const std::string& path, const PointStudy& study)
{
    const std::string file = path.empty() ? "measurements.json" : path;
    const Json document = path.empty()
                              ? parse_json(resources().get("statements/measurements.json"), file)
                              : load_json(path);
    const StatementFile read = statement_file(document, file);
    if (!read.measurements) {
        throw InputError(file, "", "found no \"measurements\"");
    }
    return Reader(study, file).measurements(*read.measurements);
}

bool holds(const Statement& statement, const std::vector<double>& values, double discrepancy)
{
    return misfit(statement, values, discrepancy) <= 1;
}

std::optional<double> allowed_deviation(const Condition& condition, double discrepancy)
{
    switch (condition.kind) {
    case Condition::Kind::near:
        return std::sqrt(condition.tolerance * condition.tolerance + discrepancy * discrepancy);
    case Condition::Kind::at_most:
    case Condition::Kind::at_least:
        return discrepancy;
    default:
        return std::nullopt;
    }
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
        const double allowed = *allowed_deviation(condition, discrepancy);
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
