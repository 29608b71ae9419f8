// SPDX-License-Identifier: Apache-2.0
#include "experiments/points/timing/memory_time.h"

#include "model/costs/op_cost.h"
#include "model/graph/for_each_op.h"

#include <algorithm>
#include <numeric>

namespace alxsim::experiments {
namespace {

using topologies::DeviceSpec;

/// A row-wise op: the preset value that sets its rate, and its seconds a row.
struct RowRate {
    std::string key;
    double seconds = 0;
};

RowRate gather_rate(const model::Op& op, const model::BufferPlacement& placement,
                    const DeviceSpec& device)
{
    const auto& gather = std::get<model::RowGather>(op.work);
    const bool from_vmem = !op.reads.empty() && placement.vmem(op.reads.front().buffer);
    if (gather.on_sparse_core || (device.sparsecore_gathers && !from_vmem)) {
        return {"sparsecore_gather_row_s", device.sparsecore_row.count()};
    }
    if (from_vmem) {
        return {"vmem_row_cycles", device.vmem_row.count()};
    }
    const double engine = model::gather_row_time(gather, device).count();
    const RowRate rates[] = {
        {gather.issue_cycles > 0 ? "clock_hz" : "gather_row_s", engine},
        {"dma_requests_per_cycle_core", 1 / device.dma_requests_per_second},
        {"dma_latency_s", device.dma_latency.count() / device.dma_outstanding}};
    return *std::max_element(
        std::begin(rates), std::end(rates),
        [](const RowRate& a, const RowRate& b) { return a.seconds < b.seconds; });
}

/// Leaves the bytes of a window's read-modify-write to the bandwidth.
RowRate scatter_rate(const model::RowScatter& scatter, const model::OpCost& cost,
                     const DeviceSpec& device)
{
    if (scatter.on_sparse_core) {
        return {"sparsecore_gather_row_s", device.sparsecore_row.count()};
    }
    return cost.limited_by == "row issue"
               ? RowRate{"scatter_row_s", model::scatter_row_time(scatter, device).count()}
               : RowRate{"window_scatter_latency_s", device.window_scatter_latency.count()};
}

class MemoryTimer {
public:
    MemoryTimer(const model::Step& step, const model::BufferPlacement& placement,
                const topologies::Machine& machine, MemoryTime& time)
        : step_(step),
          placement_(placement),
          machine_(machine),
          streams_(machine.hbm),
          time_(time)
    {
    }

    void count(const model::OpGraph& graph, double times)
    {
        model::for_each_op(graph, times, model::RoundsOfFirstDevice{step_.counts},
                           [this](const model::Op& op, double runs) { add(op, runs); });
    }

private:
    /// As the analytic model files the op's time.
    void add(const model::Op& op, double times)
    {
        const model::OpCost cost = model::op_cost(op, op.work, placement_, machine_, streams_);
        if (model::is_of_host(cost.unit) || cost.unit == model::Unit::network) {
            return;
        }
        const model::OpTime time = model::op_time(cost, machine_);
        const double body = to_seconds(time.body()).count();
        time_.bytes += times * to_seconds(time.fill()).count();
        if (!time.unit_is_last()) {
            time_.bytes += times * body;
        } else if (!cost.body_is_compute) {
            add_rows(op, cost, body, times);
        }
    }

    void add_rows(const model::Op& op, const model::OpCost& cost, double body, double times)
    {
        RowRate rate;
        double issued = 0;
        if (const auto* gather = std::get_if<model::RowGather>(&op.work)) {
            rate = gather_rate(op, placement_, machine_.device);
            issued = static_cast<double>(gather->rows);
        } else if (const auto* scatter = std::get_if<model::RowScatter>(&op.work)) {
            rate = scatter_rate(*scatter, cost, machine_.device);
            issued = static_cast<double>(scatter->rows);
        }
        const double issue = std::min(body, issued * rate.seconds);
        if (issue > 0) {
            time_.issue[rate.key] += times * issue;
        }
        time_.bytes += times * (body - issue);
    }

    const model::Step& step_;
    const model::BufferPlacement& placement_;
    const topologies::Machine& machine_;
    model::StreamRates streams_;
    MemoryTime& time_;
};

bool issues_rows(const model::Program& interval)
{
    const auto by_rows = [](const model::Op& op) {
        return std::holds_alternative<model::RowGather>(op.work) ||
               std::holds_alternative<model::RowScatter>(op.work);
    };
    return std::any_of(interval.begin(), interval.end(), [&](const model::StepGroup& group) {
        return model::any_op(*group.step.graph, by_rows);
    });
}

} // namespace

double MemoryTime::issue_seconds() const
{
    return std::accumulate(issue.begin(), issue.end(), 0.0,
                           [](double sum, const auto& one) { return sum + one.second; });
}

double MemoryTime::issue_share() const
{
    const double issuing = issue_seconds();
    return issuing > 0 ? issuing / (issuing + bytes) : 0;
}

MemoryTime memory_time(const model::Program& interval, const topologies::Machine& machine)
{
    MemoryTime time;
    if (!issues_rows(interval)) {
        return time;
    }
    for (const model::StepGroup& group : interval) {
        const model::OpGraph& graph = *group.step.graph;
        const model::BufferPlacement placement = model::place(graph, machine.device);
        MemoryTimer(group.step, placement, machine, time)
            .count(graph, static_cast<double>(group.times));
    }
    return time;
}

} // namespace alxsim::experiments
