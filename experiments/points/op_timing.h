// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/points/study/machine_request.h"
#include "sim/hbm_model.h"
#include "topologies/machine.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace alxsim::model {
struct OpGraph;
} // namespace alxsim::model

namespace alxsim::experiments {

class PointTrace; // trace/point_trace.h

/// The machine that is asked for, for one op alone: no host program around it. Throws InputError at
/// the field's place in `file`.
topologies::Machine machine_for_op(const MachineRequest& request, const std::string& file);

/// The machine where nothing is dispatched by a host and no device is slower than another, for one
/// op alone.
topologies::Machine without_host_program(topologies::Machine machine);

/// By the analytic model, what a graph takes on `machine`. Throws InputError.
Picoseconds estimated_time(const std::shared_ptr<const model::OpGraph>& graph,
                           const topologies::Machine& machine);

/// What ops take by themselves.
struct OpTime {
    double bound_seconds = 0;
    double closed_form_seconds = 0;
    double simulated_seconds = 0;       ///< through SystemC
    std::optional<std::int64_t> cycles; ///< of one op
    std::string limited_by;
    std::string why;
    std::optional<std::string> schedule; ///< of a collective, as what follows
    std::optional<Json> algorithm;       ///< the same for programs, see docs/op_graph.md
    std::optional<double> efficiency;
    std::optional<double> textbook_seconds;
    /// Seconds of each role's ops by themselves, in the order of the roles: one after another and
    /// without waiting for other roles.
    std::optional<std::vector<double>> role_ops_seconds;
};

template <class Fields>
void list_fields(Fields& fields, OpTime& time)
{
    fields("bound_seconds", time.bound_seconds);
    fields("closed_form_seconds", time.closed_form_seconds);
    fields("simulated_seconds", time.simulated_seconds);
    fields("cycles", time.cycles);
    fields("limited_by", time.limited_by);
    fields("why", time.why);
    fields("schedule", time.schedule);
    fields("algorithm", time.algorithm);
    fields("efficiency", time.efficiency);
    fields("textbook_seconds", time.textbook_seconds);
    fields("role_ops_seconds", time.role_ops_seconds);
}

/// One op by itself. Throws InputError naming `place` for work that is malformed or that the
/// machine cannot do. `trace`: watches the simulation; null: nobody does.
OpTime time_op(const Json& work, const std::string& place, const topologies::Machine& machine,
               sim::HbmModel hbm, PointTrace* trace = nullptr);

/// The same of ops that follow one another on each device, or of the ops of roles; the bound is the
/// largest of the ops'. Of roles, what limits it is told of the one whose ops take longest. Throws
/// InputError for a graph without ops, naming `place`.
OpTime time_graph(const std::shared_ptr<const model::OpGraph>& graph, const std::string& place,
                  const topologies::Machine& machine, sim::HbmModel hbm,
                  PointTrace* trace = nullptr);

} // namespace alxsim::experiments
