// SPDX-License-Identifier: Apache-2.0
#include "base/input_error.h"
#include "experiments/answers/chips/chips_answer.h"
#include "experiments/points/op_timing.h"
#include "experiments/points/study/machine_request.h"
#include "experiments/points/study/study_schema.h"
#include "model/estimate.h"
#include "model/graph/op_graph.h"
#include "program/requests/op_answer.h"
#include "python/extension/background.h"
#include "python/extension/parts.h"
#include "python/extension/values.h"
#include "report/point_fields.h"
#include "topologies/describe.h"
#include "topologies/preset.h"

#include <pybind11/stl.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace py = pybind11;

namespace alxsim::python {
namespace {

using namespace experiments;

/// An op graph as its document has it, and as it was read for machines of so many devices: sizes
/// may name them.
class Graph {
public:
    explicit Graph(Json document) : document_(std::move(document)) {}

    std::shared_ptr<const model::OpGraph> on(int devices)
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        std::shared_ptr<const model::OpGraph>& read = read_[devices];
        if (!read) {
            read = std::make_shared<const model::OpGraph>(
                model::op_graph_from_json(document_, "graph", devices));
        }
        return read;
    }

private:
    const Json document_;
    std::mutex mutex_;
    std::map<int, std::shared_ptr<const model::OpGraph>> read_;
};

/// What a step takes on a machine, apart from its dispatch.
struct Estimate {
    model::StepEstimate step;

    double seconds() const { return to_seconds(step.on_device.total).count(); }
    std::map<std::string, double> phases() const
    {
        std::map<std::string, double> phases;
        for (const auto& [name, time] : step.on_device.phases) {
            phases[name] = to_seconds(time).count();
        }
        return phases;
    }
    std::map<std::string, double> shares() const
    {
        std::map<std::string, double> shares;
        for (const Share share : all_shares) {
            shares[name_of(share)] = to_seconds(step.on_device.share(share)).count();
        }
        return shares;
    }
    double infeed_seconds() const { return to_seconds(step.infeed.longest()).count(); }
};

/// What is asked for, held against the schema of a study's /machine.
MachineRequest request_of(const Json& fields)
{
    const Json study{{"study", "machine"}, {"machine", fields}, {"workload", Json::object()}};
    Json whole;
    return with_chip_named(value_of_json<MachineRequest>(
                               valid_json(study, study_schema(), "Machine", whole).at("machine")),
                           "Machine");
}

/// For ops by themselves: no step is dispatched, and no device waits for another. One core, unless
/// `fields` say more.
topologies::Machine machine_without_job(const Json& fields)
{
    MachineRequest request = request_of(fields);
    request.cores = request.cores.value_or(1);
    return machine_for_op(request, "Machine");
}

/// A machine, and the analytic model with what it has compiled for it.
class Machine {
public:
    explicit Machine(const Json& fields) : machine_(machine_without_job(fields)), model_(machine_)
    {
    }

    Estimate estimate(Graph& graph)
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        return {model_.step({graph.on(machine_.devices), {}})};
    }
    double seconds(Graph& graph)
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        return to_seconds(model_.numbered_step({graph.on(machine_.devices), {}}).on_device.total())
            .count();
    }
    int devices() const { return machine_.devices; }
    Json told() const { return json_of(machine_told(machine_, {})); }
    std::string in_words() const { return topologies::machine_in_words(machine_); }

private:
    const topologies::Machine machine_;
    std::mutex mutex_; ///< of what follows
    model::AnalyticModel model_;
};

/// As `alxsim chips NAME --json` tells one; all presets without a name.
Json told_chips(const std::string& name)
{
    if (!name.empty()) {
        return json_of(named_chip(name));
    }
    Json chips = Json::array();
    for (const std::string& one : topologies::Preset::names()) {
        chips.push_back(json_of(named_chip(one)));
    }
    return chips;
}

/// What `alxsim op` is asked beside the op and its machine.
program::OpRequest op_request(const std::string& hbm, const std::string& output,
                              const std::string& trace, const std::string& title)
{
    if (hbm != "rates" && hbm != "banks") {
        throw InputError("hbm", "", "found '" + hbm + "'; allowed: rates, banks");
    }
    program::OpRequest request;
    request.hbm = hbm == "banks" ? sim::HbmModel::banks : sim::HbmModel::rates;
    request.output = output;
    request.trace.file = trace;
    request.op = title;
    return request;
}

py::object timed_op(const py::object& op, const py::dict& machine, const std::string& hbm,
                    const std::string& output, const std::string& trace)
{
    const program::GivenOps given{"op", with_whole_numbers(json_of_object(op))};
    const program::OpRequest request = op_request(hbm, output, trace, given.json.dump());
    const topologies::Machine on = machine_without_job(json_of_object(machine));
    program::OpAnswer answer;
    run_in_background([&](const Stop&) { answer = program::answer_of_op(given, request, on); },
                      py::none());
    return py::make_tuple(object_of_json(answer.result), answer.notes);
}

} // namespace

void add_machines(py::module_& module)
{
    py::class_<Graph>(module, "Graph").def(py::init([](const py::object& document) {
        return std::make_unique<Graph>(with_whole_numbers(json_of_object(document)));
    }));
    py::class_<Estimate>(module, "Estimate", "What a step takes by the analytic model, in seconds.")
        .def_property_readonly("seconds", &Estimate::seconds, "From its first op to its last.")
        .def_property_readonly("phases", &Estimate::phases,
                               "Of each phase: they add up to seconds.")
        .def_property_readonly(
            "shares", &Estimate::shares,
            "What holds it up: compute, hbm, communication, ...: they add up to seconds, too.")
        .def_property_readonly("infeed_seconds", &Estimate::infeed_seconds,
                               "What its data take on the host, hidden behind earlier steps if "
                               "these take longer.")
        .def("__float__", &Estimate::seconds)
        .def("__repr__", [](const Estimate& estimate) {
            return "Estimate(seconds=" +
                   py::repr(py::float_(estimate.seconds())).cast<std::string>() + ")";
        });
    py::class_<Machine>(module, "Machine")
        .def(py::init([](const py::dict& fields) {
            return std::make_unique<Machine>(json_of_object(fields));
        }))
        .def("estimate", &Machine::estimate, py::call_guard<py::gil_scoped_release>())
        .def("seconds", &Machine::seconds, py::call_guard<py::gil_scoped_release>())
        .def_property_readonly("devices", &Machine::devices)
        .def("told", [](const Machine& machine) { return object_of_json(machine.told()); })
        .def("in_words", &Machine::in_words);
    module.def(
        "chips", [](const std::string& name) { return object_of_json(told_chips(name)); },
        py::arg("name"));
    module.def("op", &timed_op, py::arg("op"), py::arg("machine"), py::arg("hbm"),
               py::arg("output"), py::arg("trace"));
}

} // namespace alxsim::python
