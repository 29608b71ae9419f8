// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_document.h"
#include "model/op_graph.h"
#include "sim/hbm_model.h"
#include "topologies/machine.h"

#include <memory>
#include <string>

namespace alxsim::experiments {

/// The machine that a study's `machine` asks for, for one op alone: no host program around it.
/// Throws InputError at the field's place in `file`.
topologies::Machine machine_for_op(const Json& machine, const std::string& file);

/// The machine where nothing is dispatched by a host, for one op alone.
topologies::Machine without_host_program(topologies::Machine machine);

/// One op by itself: {bound_seconds, closed_form_seconds, simulated_seconds (through SystemC),
/// cycles, limited_by, why} and, of a collective, {schedule, efficiency, textbook_seconds}.
/// Throws InputError naming `place` for work that is malformed or that the machine cannot do.
Json time_op(const Json& work, const std::string& place, const topologies::Machine& machine,
             sim::HbmModel hbm);

/// The same of ops that follow one another on each device: {bound_seconds (the largest of the
/// ops'), closed_form_seconds, simulated_seconds, limited_by, why}.
Json time_graph(const std::shared_ptr<const model::OpGraph>& graph,
                const topologies::Machine& machine, sim::HbmModel hbm);

} // namespace alxsim::experiments
