// SPDX-License-Identifier: Apache-2.0
#include "experiments/points/roofline.h"

#include "base/text/printed.h"
#include "base/text/text_table.h"
#include "model/collectives/group_source.h"
#include "model/compiled_graph.h"
#include "model/costs/matmul.h"
#include "model/explain_op.h"
#include "sim/simulator.h"

#include <optional>
#include <vector>

namespace alxsim::experiments {
namespace {

using model::AccessPattern;
using topologies::Machine;

/// An op that shows one mechanism at its best, or at its worst.
struct Probe {
    std::string name;
    model::Op op;
    double amount = 0; ///< of one device's op, in `unit` times 1 s
    double scale = 1;
    std::string unit;
    std::optional<double> datasheet; ///< of the chip, in the amount's unit per second
};

model::Op op_of(model::Work work, std::vector<model::BufferUse> reads = {},
                std::vector<model::BufferUse> writes = {})
{
    return {"probe", "probe", std::move(work), std::move(reads), std::move(writes), {}, nullptr};
}

std::optional<double> on_data_sheet(const Machine& machine, const char* key)
{
    return machine.preset.has(key) ? std::optional<double>(machine.preset.number(key))
                                   : std::nullopt;
}

Probe matmul_probe(const Machine& machine)
{
    const std::int64_t side = 8192;
    const Bytes matrix(side * side * 2);
    const model::Matmul matmul{1, side, side, side, model::DType::bf16, 1, true};
    return {"matmul bf16 8192^3",
            op_of(matmul, {{"a", matrix}, {"b", matrix}}, {{"c", matrix}}),
            model::matmul_operations(matmul),
            1e12,
            "TFLOP/s",
            on_data_sheet(machine, "peak_bf16_flops_chip")};
}

Probe vector_probe(const Machine& machine)
{
    const model::Vector vector{std::int64_t{1} << 22, 1000, model::DType::f32};
    return {"vector f32, operands in VMEM",
            op_of(vector),
            static_cast<double>(vector.elements) * vector.ops_per_element,
            1e12,
            "TFLOP/s",
            on_data_sheet(machine, "vpu_flops_chip")};
}

Probe stream_probe(const Machine& machine, const std::string& name, Bytes read, Bytes written)
{
    return {name,
            op_of(model::stream_of(read, written)),
            static_cast<double>((read + written).count()),
            1e9,
            "GB/s",
            on_data_sheet(machine, "hbm_bw_chip")};
}

/// `in_bytes`: the rows' bytes, to hold against the memory; otherwise how many rows.
Probe gather_probe(const Machine& machine, const std::string& name, AccessPattern pattern,
                   bool in_bytes)
{
    const std::int64_t rows = 1 << 22;
    const std::int64_t row_bytes = 256;
    const auto count = static_cast<double>(rows);
    return {name,
            op_of(model::RowGather{rows, Bytes(row_bytes), std::int64_t{1} << 24, pattern}),
            in_bytes ? count * row_bytes : count,
            in_bytes ? 1e9 : 1e6,
            in_bytes ? "GB/s" : "Mrows/s",
            in_bytes ? on_data_sheet(machine, "hbm_bw_chip") : std::nullopt};
}

std::vector<Probe> probes_of(const Machine& machine)
{
    const Bytes size(std::int64_t{1} << 30);
    return {matmul_probe(machine),
            vector_probe(machine),
            stream_probe(machine, "stream, read", size, Bytes(0)),
            stream_probe(machine, "stream, copy", size, size),
            gather_probe(machine, "gather of 256-byte rows, uniform", AccessPattern::uniform, true),
            gather_probe(machine, "  the same, in rows", AccessPattern::uniform, false),
            gather_probe(machine, "gather of one clamped row", AccessPattern::clamped, false)};
}

double simulated_seconds(const model::Op& op, const Machine& machine)
{
    auto graph = std::make_shared<model::OpGraph>();
    graph->add(op);
    model::StepGroup group;
    group.step.graph = graph;
    model::GroupSource source({group});
    return to_seconds(sim::Simulator(machine).run(source).epochs.front().finish).count();
}

std::string unit_of(const Probe& probe)
{
    return probe.unit == "TFLOP/s" ? "flop" : probe.unit == "GB/s" ? "bytes" : "rows";
}

RooflineRow row_of(const Probe& probe, const Machine& machine)
{
    return {probe.name, unit_of(probe),
            probe.amount * machine.devices / simulated_seconds(probe.op, machine), probe.datasheet,
            model::explain_op(probe.op, machine).limited_by};
}

/// What the banks alone would let a gather have: no engine issues descriptors that fast.
RooflineRow bank_row(const Probe& gather, const Machine& machine)
{
    const model::HbmCost cost = model::op_cost(gather.op, model::BufferPlacement{}, machine).hbm;
    const double seconds = to_seconds(model::hbm_time(cost, machine)).count();
    return {"  its HBM banks alone", unit_of(gather), gather.amount * machine.devices / seconds,
            std::nullopt, std::string(model::hbm_limit(cost, machine))};
}

TableRow told(const RooflineRow& row, const Probe& probe)
{
    const double rate = row.simulated_per_second / probe.scale;
    const double sheet = row.datasheet_per_second.value_or(0) / probe.scale;
    return {"  " + row.name,
            printed("%.4g", rate),
            row.datasheet_per_second ? printed("%.4g", sheet) : "-",
            row.datasheet_per_second ? printed("%.4g %%", 100 * rate / sheet) : "-",
            probe.unit,
            row.limited_by};
}

/// One chip with all its cores, and nothing but the op: no host, no program around it.
Machine one_chip(const topologies::Preset& preset)
{
    topologies::SliceRequest request;
    request.cores = static_cast<int>(preset.number("tensorcores_per_chip"));
    Machine machine = topologies::make_machine(preset, request);
    machine.device.step_dispatch = Seconds(0);
    machine.device.program_overhead = Seconds(0);
    return machine;
}

/// A probe's rows: what it reaches and, of a gather, what its banks would let it have.
std::vector<RooflineRow> rows_of(const Probe& probe, const Machine& machine)
{
    std::vector<RooflineRow> rows{row_of(probe, machine)};
    if (std::holds_alternative<model::RowGather>(probe.op.work) && !probe.datasheet) {
        rows.push_back(bank_row(probe, machine));
    }
    return rows;
}

} // namespace

std::vector<RooflineRow> roofline(const topologies::Preset& preset)
{
    const Machine machine = one_chip(preset);
    std::vector<RooflineRow> rows;
    for (const Probe& probe : probes_of(machine)) {
        for (RooflineRow& row : rows_of(probe, machine)) {
            row.name.erase(0, row.name.find_first_not_of(' '));
            rows.push_back(std::move(row));
        }
    }
    return rows;
}

std::string roofline_table(const topologies::Preset& preset)
{
    const Machine machine = one_chip(preset);
    std::vector<std::vector<std::string>> rows{
        {"one chip of " + preset.name(), "simulated", "datasheet", "share", "unit", "limited by"}};
    for (const Probe& probe : probes_of(machine)) {
        for (const RooflineRow& row : rows_of(probe, machine)) {
            rows.push_back(told(row, probe));
        }
    }
    return text_table(rows, {false, true, true, true, false, false}) +
           "  HBM: " + std::to_string(machine.hbm.channels) + " channels, mapping '" +
           machine.hbm.mapping.text() + "', " +
           std::to_string(machine.hbm.mapping.interleave.count()) + " bytes to a channel\n";
}

} // namespace alxsim::experiments
