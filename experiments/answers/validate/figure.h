// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/points/study/machine_request.h"

#include <optional>
#include <string>

namespace alxsim::experiments {

/// What the simulator says where a reference has a figure.
struct Figure {
    double value = 0; ///< in the SI unit of the reference; infinite where the job does not fit
    std::string term; ///< what most of it comes from, in words
};

/// One op alone on a machine.
struct OpOnMachine {
    Json op; ///< as the op graph's schema has it
    MachineRequest machine;
};

/// What a validation row asks for (`simulate` in answers/validate/rows/rows.schema.json): one op
/// alone, through SystemC, or a study's point, by the analytic model.
struct FigureRequest {
    std::string figure;
    double times = 1;
    std::optional<OpOnMachine> op;
    std::optional<OpOnMachine> less; ///< what the op's figure is a difference to
    std::optional<OpOnMachine> over; ///< what it is a ratio to
    std::optional<double> amount;    ///< what a rate is of
    std::optional<Json> study;
};

template <class Fields>
void list_fields(Fields& fields, OpOnMachine& op)
{
    fields("op", op.op);
    fields("machine", op.machine);
}

/// Without `less` and `over`.
template <class Fields>
void list_fields(Fields& fields, FigureRequest& request)
{
    fields("figure", request.figure);
    fields.newer("times", request.times);
    fields.inlined("op", request.op);
    fields("amount", request.amount);
    fields("study", request.study);
}

/// Reads JSON that obeys the schema; `less` and `over` are the op with what they say merged on top.
/// Throws InputError at `place` for what the figure needs beside itself and lacks.
FigureRequest figure_request(const Json& simulate, const std::string& file,
                             const std::string& place);

/// `reference` is the figure that a band of epoch times is asked for. Throws InputError naming
/// `file` for an op or a study that is wrong.
Figure simulated_figure(const FigureRequest& request, double reference, const std::string& file);

} // namespace alxsim::experiments
