// SPDX-License-Identifier: Apache-2.0
#include "experiments/points/uncertainty/machine_unknowns.h"

#include "topologies/override_notes.h"
#include "topologies/row_pipeline.h"

#include <algorithm>
#include <cmath>

namespace alxsim::experiments {
namespace {

using workloads::flag_unknown;

/// The rates of the memory's banks are measured anew for each value of these: they are drawn from
/// low, central and high alone.
const char* const granule = "hbm_access_granule_bytes";
const char* const interleave = "hbm_channel_interleave_bytes";
const char* const hbm_bandwidth = "hbm_bw_chip";

/// That slices of v3 below a pod wrap: nothing published says it or rules it out.
constexpr double wrap_is_likely = 0.35;

/// What the analytic model has no use for: timing of the banks, buffers of the routers. And what
/// is drawn under another name: how many row transfers are under way at once counts for
/// rows that follow from no blocks.
bool is_detail(const std::string& key)
{
    const bool of_banks =
        key.rfind("hbm_", 0) == 0 && key != granule && key != interleave && key != hbm_bandwidth;
    return of_banks || key == "ici_vc_buffer_bytes" || key == "dma_outstanding";
}

double nearest_of(const model::UnknownNumber& unknown, double value)
{
    const double half_low = (unknown.low + unknown.central) / 2;
    const double half_high = (unknown.central + unknown.high) / 2;
    return value < half_low ? unknown.low : value > half_high ? unknown.high : unknown.central;
}

double as_number(const Json& value)
{
    return value.is_boolean() ? static_cast<double>(value.get<bool>()) : value.get<double>();
}

bool is_whole(const topologies::PresetValue& entry)
{
    return entry.low.is_number_integer() && entry.value.is_number_integer() &&
           entry.high.is_number_integer();
}

/// What a draw of a preset's value may be.
enum class DrawnAs { number, whole, flag };

/// Whole where the preset's band is whole.
DrawnAs drawn_as(const topologies::PresetValue& entry)
{
    return entry.value.is_boolean() ? DrawnAs::flag
           : is_whole(entry)        ? DrawnAs::whole
                                    : DrawnAs::number;
}

double like(DrawnAs kind, double value)
{
    switch (kind) {
    case DrawnAs::flag:
        return value > 0.5 ? 1 : 0;
    case DrawnAs::whole:
        return static_cast<double>(std::llround(value));
    case DrawnAs::number:
        break;
    }
    return value;
}

bool is_of_storage(const std::string& key)
{
    return key.rfind("storage_", 0) == 0;
}

/// What hosts do: another run has others.
bool of_run(const std::string& key)
{
    return key.rfind("host_", 0) == 0 || key.rfind("pcie_", 0) == 0 || is_of_storage(key) ||
           key == "chips_per_host" || key == "step_dispatch_s";
}

/// What sets the value of `key`, which is looked up here, once for all draws.
std::function<void(MachineInputs&, double)>
draw_of(const topologies::Preset& preset, const std::string& key, const model::UnknownNumber& range)
{
    if (key == hbm_bandwidth) {
        // The whole memory faster or slower, its banks with it: nothing to measure anew.
        return [central = range.central](MachineInputs& inputs, double value) {
            inputs.hbm_clock = value / central;
        };
    }
    if (key == interleave) {
        return [range](MachineInputs& inputs, double value) {
            inputs.edge_interleave = Bytes(std::llround(nearest_of(range, value)));
        };
    }
    const std::size_t place = preset.place_of(key);
    const DrawnAs kind = drawn_as(preset.at(key));
    if (key == granule) {
        return [range, place, kind](MachineInputs& inputs, double value) {
            inputs.preset.draw_value_at(place, like(kind, nearest_of(range, value)));
        };
    }
    return [place, kind](MachineInputs& inputs, double value) {
        inputs.preset.draw_value_at(place, like(kind, value));
    };
}

void add_preset(const MachineInputs& inputs, std::vector<MachineUnknown>& unknowns)
{
    const topologies::Preset& preset = inputs.preset;
    for (const std::string& key : preset.keys()) {
        const topologies::PresetValue& entry = preset.at(key);
        if (!topologies::concerns(key, inputs.slice) ||
            (is_of_storage(key) && !inputs.uses_storage)) {
            continue;
        }
        const bool scalar = entry.value.is_number() || entry.value.is_boolean();
        if (entry.low.is_null() || !scalar || entry.low == entry.high || is_detail(key) ||
            topologies::follows_dma_latency(preset, key)) {
            continue;
        }
        const model::UnknownNumber range{as_number(entry.low), as_number(entry.value),
                                         as_number(entry.high)};
        unknowns.push_back({{key, entry.low, entry.value, entry.high, entry.unit, range,
                             of_run(key) ? UnknownOf::run : UnknownOf::machine},
                            draw_of(preset, key, range)});
    }
}

/// What is left between the model and measurements of single ops: `alxsim validate` prints the
/// figures. None of a whole job is among them.
void add_model_errors(std::vector<MachineUnknown>& unknowns)
{
    const auto add = [&](const char* of, model::UnknownNumber range, double ModelError::*error,
                         const char* source) {
        Unknown unknown = workloads::number_unknown(std::string("model error of ") + of, range, "1",
                                                    UnknownOf::machine);
        unknown.source = source;
        unknowns.push_back({unknown, [error](MachineInputs& inputs, double value) {
                                inputs.error.*error = value;
                            }});
    };
    add("products", {1, 1, 1.12}, &ModelError::products,
        "Time over time said. High: the largest miss of the predicted products of validate, 12 %, "
        "which was a product that took less, taken upwards; the arrays bound it below");
    add("vector work", {0.65, 1, 1.55}, &ModelError::vector_work,
        "Time over time said. No vector op is measured; of 155 loops of the compiler's code nine "
        "in ten have bundles within 56 % of what is said (tests/oracle/xla/vector_bundles.json)");
    add("collectives", {0.83, 1, 1.44}, &ModelError::collectives,
        "Time over time said. Low: the miss of a predicted ratio of two all-to-alls of validate, "
        "19 %, taken downwards; high: the largest miss of a large collective there, an all-reduce "
        "on 16 x 16 chips of v6e (tpu-recipes, microbenchmarks/trillium/collectives)");
}

void apply(const ModelError& error, topologies::Machine& machine)
{
    machine.device.mxu_sustained /= error.products;
    machine.device.vpu_operations_per_cycle /= error.vector_work;
    for (double* share : {&machine.network.ring_efficiency, &machine.network.line_efficiency,
                          &machine.network.dcn_efficiency}) {
        *share = std::min(1.0, *share / error.collectives);
    }
}

topologies::Slice wrapped(const topologies::Slice& slice)
{
    std::vector<topologies::Axis> axes = slice.ici_axes();
    for (topologies::Axis& axis : axes) {
        axis.wraps = axis.length > 2;
    }
    return {axes, slice.cores_per_chip(), slice.assumed(), slice.twisted(), slice.slices()};
}

/// Where an axis is a line: which sub-slices wrap is published for few shapes.
void add_wrap(const topologies::Slice& slice, std::vector<MachineUnknown>& unknowns)
{
    const std::vector<topologies::Axis> axes = slice.ici_axes();
    const bool has_line = std::any_of(axes.begin(), axes.end(), [](const topologies::Axis& axis) {
        return axis.length > 2 && !axis.wraps;
    });
    if (has_line) {
        unknowns.push_back({flag_unknown("wrap of all axes", UnknownOf::machine, wrap_is_likely),
                            [](MachineInputs& inputs, double value) {
                                if (value > 0) {
                                    inputs.slice = wrapped(inputs.slice);
                                }
                            }});
    }
}

} // namespace

topologies::Machine machine_of(const MachineInputs& inputs)
{
    topologies::Machine machine = topologies::make_machine(inputs.preset, inputs.slice);
    machine.faults = inputs.faults;
    machine.schedule = inputs.schedule;
    topologies::compile_with(inputs.compiler_flags, machine);
    machine.host.input = inputs.input;
    machine.hbm.edge_interleave = inputs.edge_interleave;
    machine.hbm.clock_hz *= inputs.hbm_clock;
    machine.device.hbm_chip_bytes_per_second *= inputs.hbm_clock;
    apply(inputs.error, machine);
    return machine;
}

std::vector<MachineUnknown> machine_unknowns(const MachineInputs& inputs)
{
    std::vector<MachineUnknown> unknowns;
    add_preset(inputs, unknowns);
    if (!inputs.wrap_is_given) {
        add_wrap(inputs.slice, unknowns);
    }
    add_model_errors(unknowns);
    return unknowns;
}

} // namespace alxsim::experiments
