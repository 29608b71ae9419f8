// SPDX-License-Identifier: Apache-2.0
#include "base/input_error.h"
#include "model/compiled_graph.h"
#include "model/matmul.h"

#include <algorithm>
#include <cmath>

namespace alxsim::model {
namespace {

using topologies::DeviceSpec;
using topologies::Machine;

Picoseconds time_of(Cycles cycles, const DeviceSpec& device)
{
    return to_picoseconds(Seconds(static_cast<double>(cycles.count()) / device.clock_hz));
}

Picoseconds time_of(double bytes, double bytes_per_second)
{
    return to_picoseconds(Seconds(bytes / bytes_per_second));
}

/// Bytes of the uses that stand in HBM, from the `skip`-th on (a gathered table is counted by its
/// rows).
Bytes in_hbm(const std::vector<BufferUse>& uses, const Placement& placement, std::size_t skip = 0)
{
    Bytes sum(0);
    for (std::size_t i = skip; i < uses.size(); ++i) {
        sum += placement.vmem(uses[i].name) ? Bytes(0) : uses[i].bytes;
    }
    return sum;
}

/// Costs one kind of work each; `Cost` in, body, bytes and the name of the mechanism out.
class WorkCost {
public:
    WorkCost(const Op& op, const Placement& placement, const Machine& machine)
        : op_(op),
          placement_(placement),
          machine_(machine),
          device_(machine.device)
    {
        cost_.launch = to_picoseconds(device_.op_overhead);
    }

    OpCost result() const { return cost_; }

    void operator()(const Matmul& matmul)
    {
        if (matmul.dtype != DType::bf16 && matmul.dtype != DType::f32) {
            throw InputError("", "matmul '" + op_.name + "'",
                             "an MXU multiplies bf16, or f32 in passes; allowed dtypes: bf16, f32");
        }
        cost_.unit = Unit::mxu;
        cost_.body = time_of(matmul_cycles(matmul, device_), device_);
        cost_.body_is_compute = true;
        cost_.limited_by = "MXU";
        stream_operands();
    }

    void operator()(const Vector& vector)
    {
        cost_.unit = Unit::vpu;
        const double registers =
            std::ceil(static_cast<double>(vector.elements) /
                      (static_cast<double>(device_.vpu_lanes) * device_.vpu_sublanes));
        const double alus =
            device_.vpu_operations_per_cycle / (device_.vpu_lanes * device_.vpu_sublanes);
        // 16-bit operands are widened: the ALUs work on 32-bit registers (facts, section 4).
        const Cycles cycles(
            static_cast<std::int64_t>(std::ceil(registers * vector.ops_per_element / alus)));
        const Picoseconds loads = time_of(touched_bytes(), device_.vmem_bytes_per_second);
        cost_.body = std::max(time_of(cycles, device_), loads);
        cost_.body_is_compute = true;
        cost_.limited_by = cost_.body == loads ? "VMEM loads" : "VPU";
        stream_operands();
    }

    void operator()(const HbmStream& stream)
    {
        cost_.unit = Unit::dma;
        cost_.limited_by = "HBM";
        move(stream.bytes_read + stream.bytes_written);
    }

    void operator()(const Infeed& infeed)
    {
        cost_.unit = Unit::host;
        cost_.body =
            time_of(static_cast<double>(infeed.bytes.count()),
                    machine_.host.pcie_bytes_per_second_per_chip / machine_.devices_per_chip);
        cost_.limited_by = "PCIe";
    }

    void operator()(const RowGather& gather)
    {
        cost_.unit = Unit::dma;
        cost_.body =
            to_picoseconds(Seconds(static_cast<double>(gather.rows) * device_.gather_row.count()));
        cost_.limited_by = "row issue";
        move(granules(gather.rows, gather.row_bytes) + in_hbm(op_.reads, placement_, 1) +
             in_hbm(op_.writes, placement_));
    }

    void operator()(const RowScatter& scatter)
    {
        cost_.unit = Unit::dma;
        const bool to_vmem = !op_.writes.empty() && placement_.vmem(op_.writes.front().name);
        const bool window = scatter.accumulate && scatter.row_bytes > device_.hbm_granule;
        const Seconds per_row =
            window && !to_vmem ? device_.window_scatter_latency : device_.scatter_row;
        const Bytes touched = scatter.row_bytes * (scatter.accumulate ? 3 : 1);
        // A window is read, added to and written back before the next one: latency and bytes in
        // turn.
        const double rate = to_vmem ? device_.vmem_bytes_per_second : fair_hbm_share(machine_);
        const double serial =
            scatter.accumulate ? static_cast<double>(touched.count()) / rate : 0.0;
        cost_.body =
            to_picoseconds(Seconds(static_cast<double>(scatter.rows) * (per_row.count() + serial)));
        cost_.limited_by = window ? "window read-modify-write" : "row issue";
        const Bytes target =
            to_vmem ? Bytes(0)
                    : granules(scatter.rows, scatter.row_bytes) * (scatter.accumulate ? 2 : 1);
        move(target + in_hbm(op_.reads, placement_));
    }

    void operator()(const Collective&)
    {
        cost_.unit = Unit::network;
        cost_.launch = to_picoseconds(device_.collective_launch);
        cost_.limited_by = "ICI";
    }

    void operator()(const Repeat&)
    {
        cost_.unit = Unit::control;
        cost_.launch = to_picoseconds(device_.while_iteration);
        cost_.limited_by = "loop";
    }

private:
    double touched_bytes() const
    {
        Bytes sum(0);
        for (const BufferUse& use : op_.reads) {
            sum += use.bytes;
        }
        for (const BufferUse& use : op_.writes) {
            sum += use.bytes;
        }
        return static_cast<double>(sum.count());
    }

    Bytes granules(std::int64_t rows, Bytes row_bytes) const
    {
        return Bytes(round_up(row_bytes.count(), device_.hbm_granule.count())) * rows;
    }

    void stream_operands() { move(in_hbm(op_.reads, placement_) + in_hbm(op_.writes, placement_)); }

    void move(Bytes bytes)
    {
        cost_.hbm = bytes;
        if (bytes > Bytes(0)) {
            cost_.first_tile = std::min(bytes, device_.dma_tile);
            cost_.fill =
                to_picoseconds(device_.dma_latency) +
                time_of(static_cast<double>(cost_.first_tile.count()), fair_hbm_share(machine_));
        }
    }

    const Op& op_;
    const Placement& placement_;
    const Machine& machine_;
    const DeviceSpec& device_;
    OpCost cost_;
};

} // namespace

double fair_hbm_share(const Machine& machine)
{
    return machine.device.hbm_chip_bytes_per_second / machine.devices_per_chip;
}

OpCost op_cost(const Op& op, const Placement& placement, const Machine& machine)
{
    WorkCost cost(op, placement, machine);
    std::visit(cost, op.work);
    return cost.result();
}

} // namespace alxsim::model
