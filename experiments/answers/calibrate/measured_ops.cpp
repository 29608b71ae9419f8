// SPDX-License-Identifier: Apache-2.0
#include "experiments/answers/calibrate/measured_ops.h"

#include "base/input_error.h"
#include "base/schema/json_schema.h"
#include "base/text/printed.h"
#include "experiments/answers/profile/matching.h"
#include "experiments/points/op_timing.h"
#include "experiments/points/study/job.h"
#include "model/compiled_graph.h"
#include "model/costs/op_cost.h"
#include "model/estimate.h"
#include "model/graph/op_graph.h"

#include <algorithm>
#include <map>

namespace alxsim::experiments {

/// An op that was measured by itself.
struct MeasuredRow {
    std::string name;
    Json op = Json::object();
    Json machine = Json::object();
    double seconds = 0;
    double spread = 0;
};

/// What alxsim-measure writes.
struct MeasuredRows {
    std::string device;
    bool of_tpu = false;
    std::vector<MeasuredRow> rows;
    Json host = Json::array(); ///< copies from and to the host, dispatch: for people, not fitted
};

template <class Fields>
void list_fields(Fields& fields, MeasuredRow& row)
{
    fields("name", row.name, limits::not_empty);
    fields("op", row.op, "As `alxsim op` takes it.", limits::any_object);
    fields("machine", row.machine, "As a study has it.", limits::any_object);
    fields("seconds", row.seconds, limits::above(0));
    fields("spread", row.spread, limits::at_least(0));
}

template <class Fields>
void list_fields(Fields& fields, MeasuredRows& rows)
{
    fields("device", rows.device);
    fields("of_tpu", rows.of_tpu);
    fields("rows", rows.rows, limits::not_empty);
    fields.newer("host", rows.host, "Copies from and to the host, dispatch; not fitted.");
}

namespace {

constexpr double shortest_call = 1e-6;

/// An op of a program.
struct OpSum {
    std::int64_t calls = 0;
    double seconds = 0;
};
using OpSums = std::map<std::string, OpSum>;

void add_ops(const model::CompiledGraph& graph, const topologies::Machine& machine,
             std::int64_t times, OpSums& sums)
{
    for (const model::CompiledOp& op : graph.ops) {
        if (op.body) {
            add_ops(*op.body, machine, times * model::as_repeat(op)->times, sums);
            continue;
        }
        const Picoseconds once = op.schedule ? op.cost.launch + op.schedule_time
                                             : model::op_time(op.cost, machine).total();
        OpSum& sum = sums[op.op->name.text()];
        sum.calls += times;
        sum.seconds += to_seconds(once).count() * static_cast<double>(times);
    }
}

/// What the ops of a point's program take in the first of its steps, by closed forms, on a device
/// that waits for no slower one: a profile has the times of one device, in a graph of roles of the
/// first.
OpSums op_sums(const PointStudy& study)
{
    const Job job = job_of(study);
    const topologies::Machine machine = without_host_program(job.machine);
    model::AnalyticModel model(machine);
    OpSums sums;
    add_ops(model.compiled(job.workload->program().front().step.graph)->of_device(0), machine, 1,
            sums);
    return sums;
}

PointStudy with_values(const PointStudy& study, const Named<double>& values)
{
    Settings overrides;
    for (const auto& [key, value] : values) {
        overrides.set("/machine/overrides/" + key, value);
    }
    return changed(study, overrides);
}

/// So many, for a sentence.
class LeftOut {
public:
    void add(const std::string& why, const std::string& name, double seconds)
    {
        Group& group = groups_[why];
        ++group.ops;
        group.seconds += seconds;
        if (seconds > group.longest) {
            group.longest = seconds;
            group.name = name;
        }
    }
    std::vector<std::string> in_words() const
    {
        std::vector<std::string> words;
        for (const auto& [why, group] : groups_) {
            words.push_back(std::to_string(group.ops) + (group.ops == 1 ? " op, " : " ops, ") +
                            printed("%.4g us of the step: ", group.seconds * 1e6) + why + " (" +
                            group.name + ")");
        }
        return words;
    }

private:
    struct Group {
        int ops = 0;
        double seconds = 0, longest = -1;
        std::string name;
    };
    std::map<std::string, Group> groups_;
};

/// Why a pair is no measurement; "" if it is one.
std::string why_not(const MatchedNames& pair, std::int64_t calls, double seconds,
                    std::int64_t simulated_calls)
{
    if (is_end_of_async(pair.a.front())) {
        return "overlapped: ends of asynchronous work";
    }
    if (calls != simulated_calls) {
        return "runs another number of times in the profile than in the study's program";
    }
    return seconds < shortest_call * static_cast<double>(calls) ? "below a microsecond a run" : "";
}

} // namespace

ProfiledPoint profiled_point(const Study& study, const Profile& profile)
{
    const PointStudy point =
        single_point(study, {{"/numerics", false}, {"/fidelity", name_of(Fidelity::analytic)}});
    const OpSums simulated = op_sums(point);
    std::map<std::string, const ProfiledOp*> real;
    std::vector<std::string> names, own;
    for (const ProfiledOp& op : profile.ops) {
        real[op.name] = &op;
        names.push_back(op.name);
    }
    for (const auto& [name, sum] : simulated) {
        own.push_back(name);
    }
    const Matching matching = matched(names, own);
    ProfiledPoint profiled{{profile.file, point, {}}, {}};
    LeftOut left_out;
    for (const MatchedNames& pair : matching.pairs) {
        MeasuredFigure figure{pair.exact ? "" : pair.name, 0, false, pair.b};
        std::int64_t calls = 0, simulated_calls = 0;
        for (const std::string& name : pair.a) {
            calls += real.at(name)->calls;
            figure.seconds += real.at(name)->seconds;
        }
        for (const std::string& name : pair.b) {
            simulated_calls += simulated.at(name).calls;
        }
        const std::string why = why_not(pair, calls, figure.seconds, simulated_calls);
        if (why.empty()) {
            profiled.point.figures.push_back(std::move(figure));
        } else {
            left_out.add(why, pair.name, figure.seconds);
        }
    }
    for (const std::string& name : matching.only_a) {
        left_out.add("only in the profile", name, real.at(name)->seconds);
    }
    for (const std::string& name : matching.only_b) {
        left_out.add("only in the study's program", name, simulated.at(name).seconds);
    }
    profiled.left_out = left_out.in_words();
    if (profiled.point.figures.empty()) {
        throw InputError(profile.file, "",
                         "found no op of the study's program that can be used (" +
                             join(profiled.left_out) + "); allowed: a profile of that program");
    }
    return profiled;
}

std::vector<MeasuredPoint> measured_rows(const std::string& path)
{
    const Json document = load_json(path);
    static const std::string schema =
        json_schema::of_type<MeasuredRows>({}, json_schema::Use::read).dump();
    validate_json(document, schema, path);
    const auto measured = value_of_file<MeasuredRows>(document, path);
    if (!measured.of_tpu) {
        throw InputError(path, "/of_tpu",
                         "found false: rows of '" + measured.device +
                             "'; allowed: rows that alxsim-measure wrote on a TPU");
    }
    std::vector<MeasuredPoint> points;
    for (const MeasuredRow& row : measured.rows) {
        MeasuredPoint point;
        point.name = row.name;
        point.study.file = path;
        point.study.machine =
            with_chip_named(value_of_file<MachineRequest>(row.machine, path), path);
        point.study.document = {{"machine", row.machine}};
        point.figures.push_back({"", row.seconds, false});
        point.op = with_whole_numbers(row.op);
        point.spread = row.spread;
        points.push_back(std::move(point));
        if (points.back().study.machine.chip != points.front().study.machine.chip) {
            throw InputError(path, "/rows/" + std::to_string(points.size() - 1) + "/machine/chip",
                             "found another chip than in row 0; allowed: rows of one");
        }
    }
    return points;
}

std::vector<double> estimated_ops(const MeasuredPoint& point, const Named<double>& values)
{
    if (point.op) {
        MachineRequest request = point.study.machine;
        for (const auto& [key, value] : values) {
            request.overrides.emplace_back(key, value);
        }
        const topologies::Machine machine = machine_for_op(request, point.study.file);
        auto graph = std::make_shared<model::OpGraph>();
        graph->add(model::op_from_json(*point.op, point.name, machine.devices));
        return {to_seconds(estimated_time(graph, machine)).count()};
    }
    const OpSums sums = op_sums(with_values(point.study, values));
    std::vector<double> seconds;
    for (const MeasuredFigure& figure : point.figures) {
        double sum = 0;
        for (const std::string& name : figure.ops) {
            sum += sums.at(name).seconds;
        }
        seconds.push_back(sum);
    }
    return seconds;
}

} // namespace alxsim::experiments
