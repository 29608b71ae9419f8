// SPDX-License-Identifier: Apache-2.0
#include "model/costs/op_cost.h"

#include "base/input_error.h"
#include "base/portable_math.h"
#include "model/costs/matmul.h"
#include "model/costs/row_operation.h"
#include "model/costs/vector_unit.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace alxsim::model {
namespace {

using topologies::DataPath;
using topologies::DeviceSpec;
using topologies::Machine;
using topologies::Tier;

/// Longer rows that are added to are windows: read, added to and written back one by one. 512 B is
/// the granularity of fast strides (Cloud TPU documentation, v4).
constexpr Bytes narrow_row{512};

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
Bytes in_hbm(const std::vector<BufferUse>& uses, const BufferPlacement& placement,
             std::size_t skip = 0)
{
    Bytes sum(0);
    for (std::size_t i = skip; i < uses.size(); ++i) {
        sum += placement.vmem(uses[i].buffer) ? Bytes(0) : uses[i].touched;
    }
    return sum;
}

/// Throws InputError if an op uses a buffer that stands there, or in storage.
void check_no_host_memory(const Op& op, const BufferPlacement& placement)
{
    for (const std::vector<BufferUse>* uses : {&op.reads, &op.writes}) {
        for (const BufferUse& use : *uses) {
            const Tier tier = placement.tier_of(use.buffer);
            if (tier == Tier::host || tier == Tier::storage) {
                throw InputError("", "op '" + op.name + "'",
                                 "uses buffer '" + use.buffer + "', which stands in " +
                                     (tier == Tier::host ? "host memory" : "storage") +
                                     "; allowed: for copies from or to the host");
            }
        }
    }
}

/// A row times a matrix as the compiler writes it before 7x: a multiplication and an addition for
/// each of the matrix's numbers (machine code of libtpu 0.0.42.1: no MXU instruction in it).
Vector product_of_a_row(const Matmul& matmul)
{
    Vector vector;
    vector.elements = matmul.batch * matmul.k * matmul.n;
    vector.ops_per_element = 2;
    vector.dtype = matmul.dtype;
    return vector;
}

/// Costs one kind of work each, into a new `cost`; of the op itself only its name and buffers
/// count.
class WorkCost {
public:
    WorkCost(const Op& op, const BufferPlacement& placement, const Machine& machine,
             StreamRates& streams, OpCost& cost)
        : op_(op),
          placement_(placement),
          machine_(machine),
          streams_(streams),
          device_(machine.device),
          cost_(cost)
    {
        cost_.launch = to_picoseconds(device_.op_overhead);
    }

    void operator()(const Matmul& matmul)
    {
        check_product(matmul.dtype, "matmul");
        if (matmul.m == 1 && !device_.mxu_takes_single_rows) {
            (*this)(product_of_a_row(matmul));
            cost_.body += time_of_epilogue(matmul);
            return;
        }
        cost_.unit = Unit::mxu;
        const Seconds at_full_clock = to_seconds(time_of(matmul_cycles(matmul, device_), device_));
        cost_.body = to_picoseconds(Seconds(at_full_clock.count() / device_.mxu_sustained));
        cost_.launch += to_picoseconds(device_.matmul_startup);
        cost_.body_is_compute = true;
        cost_.limited_by = "MXU";
        cost_.beside = time_of_epilogue(matmul);
        if (cost_.beside > cost_.body) {
            std::swap(cost_.beside, cost_.body);
            cost_.unit = Unit::vpu;
            cost_.limited_by = "VPU";
        }
        const double exposed = device_.epilogue_exposed * to_seconds(cost_.beside).count();
        cost_.body += to_picoseconds(Seconds(exposed));
        stream_operands();
    }

    void operator()(const Vector& vector)
    {
        cost_.unit = Unit::vpu;
        const VectorWork work = vector_work(vector, device_);
        const Picoseconds loads = time_of(touched_bytes(), device_.vmem_bytes_per_second);
        cost_.body = std::max(time_of(work.arithmetic + work.reduction, device_), loads);
        cost_.body_is_compute = true;
        cost_.limited_by = cost_.body == loads                ? "VMEM loads"
                           : work.reduction > work.arithmetic ? "XLU"
                                                              : "VPU";
        stream_operands();
    }

    void operator()(const AlongRows& rows)
    {
        cost_.unit = Unit::vpu;
        cost_.body = time_of(row_operation_cycles(rows, device_), device_);
        cost_.body_is_compute = true;
        cost_.limited_by = "VPU";
        const Bytes passes = pass_bytes(rows) * hbm_passes(rows, device_);
        cost_.access.read = in_hbm(op_.reads, placement_) + passes;
        cost_.access.written = in_hbm(op_.writes, placement_) + passes;
        move();
    }

    void operator()(const Fixed& fixed)
    {
        cost_.launch = Picoseconds(0);
        cost_.unit = fixed.unit == FixedUnit::tensor_core   ? Unit::vpu
                     : fixed.unit == FixedUnit::sparse_core ? Unit::sparse_core
                     : fixed.unit == FixedUnit::dma         ? Unit::dma
                     : fixed.unit == FixedUnit::host_cpu    ? Unit::host_cpu
                                                            : Unit::host_in;
        cost_.body = to_picoseconds(fixed.seconds);
        cost_.body_is_compute = cost_.unit == Unit::vpu || cost_.unit == Unit::sparse_core;
        cost_.limited_by = "its known time";
        stream_operands();
    }

    void operator()(const Custom& custom)
    {
        check_product(custom.dtype, "custom");
        const double share = custom.attention ? device_.attention_kernel_mxu : 1;
        const Picoseconds products =
            to_picoseconds(Seconds(custom.flops / (device_.matmul_flops() * device_.mxu_sustained *
                                                   mxu_rate(custom.dtype, device_) * share)));
        const double registers =
            custom.transcendentals / static_cast<double>(device_.vpu_lanes * device_.vpu_sublanes);
        const Picoseconds pushes =
            to_picoseconds(Seconds(registers * device_.eup_push / device_.vpus / device_.clock_hz));
        cost_.unit = products >= pushes ? Unit::mxu : Unit::vpu;
        cost_.body = std::max(products, pushes);
        cost_.beside = std::min(products, pushes);
        cost_.body_is_compute = true;
        cost_.limited_by = products >= pushes ? "MXU" : "transcendental unit";
        stream_operands();
    }

    void operator()(const Copy& copy)
    {
        const std::optional<DataPath> path = data_path(machine_, copy.from, copy.to, copy.io);
        if (!path || (copy.with_host() && copy.bytes_back > Bytes(0))) {
            refuse(copy);
        }
        if (!copy.with_host()) {
            stream(copy);
        } else if (copy.with_storage()) {
            copy_with_storage(copy, *path);
        } else if (copy.from == copy.to) {
            work_in_host_memory(copy);
        } else if (copy.from == Tier::host && !reads_host_memory()) {
            infeed(copy);
        } else {
            copy_with_host(copy, *path);
        }
    }

    void operator()(const RowGather& gather)
    {
        const bool from_vmem = !op_.reads.empty() && placement_.vmem(op_.reads.front().buffer);
        const bool by_sparsecore =
            on_sparse_core(gather.on_sparse_core) || (device_.sparsecore_gathers && !from_vmem);
        cost_.unit = by_sparsecore ? Unit::sparse_core : Unit::dma;
        cost_.body = rows_at(gather.rows, by_sparsecore ? device_.sparsecore_row
                                          : from_vmem   ? device_.vmem_row
                                                        : row_issue(gather));
        cost_.limited_by = by_sparsecore ? "SparseCore row issue" : "row issue";
        if (!from_vmem) {
            cost_.access.rows.rows = gather.rows;
            cost_.access.rows.stride = in_granules(gather.row_bytes);
            cost_.access.rows.table_rows = gather.table_rows;
            cost_.access.rows.pattern = gather.pattern;
            cost_.access.rows.owned_rows = gather.owned_rows;
            cost_.access.rows.trace = gather.ids;
        }
        cost_.access.read = in_hbm(op_.reads, placement_, 1);
        cost_.access.written = in_hbm(op_.writes, placement_);
        move();
    }

    void operator()(const RowScatter& scatter)
    {
        const bool by_sparsecore = on_sparse_core(scatter.on_sparse_core);
        cost_.unit = by_sparsecore ? Unit::sparse_core : Unit::dma;
        const bool to_vmem = !op_.writes.empty() && placement_.vmem(op_.writes.front().buffer);
        const bool window = !by_sparsecore && scatter.accumulate && scatter.row_bytes > narrow_row;
        const Seconds per_row = window && !to_vmem ? device_.window_scatter_latency
                                                   : scatter_row_time(scatter, device_);
        const Seconds moving = window ? read_modify_write(scatter.row_bytes, to_vmem) : Seconds(0);
        cost_.body =
            rows_at(scatter.rows, by_sparsecore ? device_.sparsecore_row : per_row + moving);
        cost_.limited_by = by_sparsecore ? "SparseCore row issue"
                           : window      ? "window read-modify-write"
                                         : "row issue";
        if (!to_vmem) {
            cost_.access.rows.rows = scatter.rows;
            cost_.access.rows.stride = in_granules(scatter.row_bytes);
            cost_.access.rows.table_rows = scatter.table_rows;
            cost_.access.rows.write = true;
            cost_.access.rows.read_first = scatter.accumulate;
        }
        cost_.access.read = in_hbm(op_.reads, placement_);
        move();
    }

    void operator()(const Collective& collective)
    {
        cost_.unit = Unit::network;
        cost_.launch =
            collective.launched ? to_picoseconds(device_.collective_launch) : Picoseconds(0);
        cost_.limited_by = "ICI";
    }

    void operator()(const Repeat&)
    {
        cost_.unit = Unit::control;
        cost_.launch = to_picoseconds(device_.while_iteration);
        cost_.limited_by = "loop";
    }

private:
    /// Throws InputError.
    void check_product(DType dtype, const char* work) const
    {
        if (dtype == DType::f64 || dtype == DType::i32) {
            throw InputError("", work + (" '" + op_.name) + "'",
                             "an MXU multiplies bf16 and numbers of fewer bits, or f32 in passes; "
                             "allowed dtypes: bf16, f32, i8, i4, fp8_e4m3, fp8_e5m2, fp4");
        }
    }

    /// Throws InputError where one is asked for that the chip has not.
    bool on_sparse_core(bool asked) const
    {
        if (asked && device_.sparsecore_row == Seconds(0)) {
            throw InputError("", "'" + op_.name + "'",
                             "found engine sparse_core, but " + machine_.preset.name() +
                                 " has no SparseCores; allowed: no engine, or tpu_v4, tpu_v5p, "
                                 "tpu_v6e, tpu_7x");
        }
        return asked;
    }

    Picoseconds time_of_epilogue(const Matmul& matmul) const
    {
        return matmul.epilogue ? time_of(vector_cycles(*matmul.epilogue, device_), device_)
                               : Picoseconds(0);
    }

    [[noreturn]] void refuse(const Copy& copy) const
    {
        throw InputError("", "copy '" + op_.name + "'",
                         "found from " + std::string(name_of(copy.from)) + " to " +
                             std::string(name_of(copy.to)) +
                             (copy.bytes_back > Bytes(0) ? " and back" : "") +
                             "; allowed: between hbm and vmem, hbm and hbm, also with bytes_back; "
                             "host and hbm, storage and host, host and host, one way");
    }

    bool reads_host_memory() const
    {
        return std::any_of(op_.reads.begin(), op_.reads.end(), [&](const BufferUse& use) {
            return placement_.tier_of(use.buffer) == Tier::host;
        });
    }

    void stream(const Copy& copy)
    {
        cost_.unit = Unit::dma;
        cost_.limited_by = "HBM bandwidth";
        const Bytes both = copy.bytes + copy.bytes_back;
        const bool within_hbm = copy.from == copy.to;
        cost_.access.read = within_hbm               ? both
                            : copy.from == Tier::hbm ? copy.bytes
                                                     : copy.bytes_back;
        cost_.access.written = within_hbm             ? both
                               : copy.to == Tier::hbm ? copy.bytes
                                                      : copy.bytes_back;
        move();
    }

    void infeed(const Copy& copy)
    {
        cost_.unit = Unit::host;
        cost_.input = input_times(copy);
        cost_.body = cost_.input.longest();
        cost_.limited_by = cost_.body == cost_.input.transfer ? "PCIe"
                           : cost_.body == cost_.input.read   ? "reading of records"
                                                              : "parsing of records";
    }

    /// Devices of a host have equal shares of it; all wait for what each host reads of all.
    InputTimes input_times(const Copy& copy) const
    {
        const topologies::InputRates& rates = machine_.host.input;
        const double fed = machine_.devices_of_host();
        const double read_for = rates.every_host_reads_all ? machine_.devices : fed;
        const auto limited = [](double amount, double rate) {
            return rate > 0 ? time_of(amount, rate) : Picoseconds(0);
        };
        return {
            limited(static_cast<double>(copy.records.count()) * read_for, rates.bytes_per_second),
            limited(static_cast<double>(copy.ids) * fed, rates.ids_per_second),
            time_of(static_cast<double>(copy.bytes.count()),
                    machine_.host.pcie_bytes_per_second_per_chip / machine_.devices_per_chip)};
    }

    void copy_with_host(const Copy& copy, const DataPath& path)
    {
        const double rate = device_bytes_per_second(machine_, path);
        cost_.unit = copy.from == Tier::host ? Unit::host_in : Unit::host_out;
        cost_.body = time_of(static_cast<double>(copy.bytes.count()), rate);
        cost_.fill = to_picoseconds(path.latency);
        const double pcie = path.bytes_per_second / devices_sharing(machine_, path.shared_by);
        cost_.limited_by = rate < pcie ? "host memory" : "PCIe";
    }

    /// The slower of the drives and the host's memory, each shared by all devices of the host. The
    /// device launches nothing.
    void copy_with_storage(const Copy& copy, const DataPath& path)
    {
        if (!(path.bytes_per_second > 0)) {
            throw InputError("", "copy '" + op_.name + "'",
                             "found storage, of which preset " + machine_.preset.name() +
                                 " says nothing; allowed: with storage_read_bw and the other "
                                 "values of storage, as in the presets that come along");
        }
        const StorageTime time = storage_time(storage_queue_of(copy, machine_), copy.bytes);
        const Picoseconds in_memory = host_memory_time(copy, machine_);
        cost_.unit = copy.from == Tier::storage ? Unit::storage_read : Unit::storage_write;
        cost_.launch = Picoseconds(0);
        cost_.fill = time.first;
        cost_.body = std::max(time.total, in_memory) - time.first;
        cost_.limited_by = in_memory > time.total ? "host memory"
                           : copy.in_a_stream     ? limit_of_a_stream(copy)
                                                  : time.limited_by;
    }

    std::string_view limit_of_a_stream(Copy copy) const
    {
        constexpr std::int64_t many_blocks = 4096;
        copy.in_a_stream = false;
        const StorageQueue queue = storage_queue_of(copy, machine_);
        return storage_time(queue, queue.block * many_blocks).limited_by;
    }

    /// Each byte is read and written by the host's cores, as fast as its memory allows.
    void work_in_host_memory(const Copy& copy)
    {
        cost_.unit = Unit::host_cpu;
        cost_.launch = Picoseconds(0);
        cost_.body = host_memory_time(copy, machine_);
        cost_.limited_by = "host memory";
    }

    double touched_bytes() const
    {
        Bytes sum(0);
        for (const BufferUse& use : op_.reads) {
            sum += use.touched;
        }
        for (const BufferUse& use : op_.writes) {
            sum += use.touched;
        }
        return static_cast<double>(sum.count());
    }

    Bytes in_granules(Bytes row_bytes) const
    {
        return Bytes(round_up(row_bytes.count(), device_.hbm_granule.count()));
    }

    static Picoseconds rows_at(std::int64_t rows, Seconds each)
    {
        return to_picoseconds(Seconds(static_cast<double>(rows) * each.count()));
    }

    /// A row's descriptor: what the engine takes for it, or what the TensorCore's requests allow
    /// that are under way at once.
    Seconds row_issue(const RowGather& gather) const
    {
        return Seconds(
            std::max({gather_row_time(gather, device_).count(), 1 / device_.dma_requests_per_second,
                      device_.dma_latency.count() / device_.dma_outstanding}));
    }

    /// A window is read, added to and written back before the next one: its bytes, and those of
    /// what is added, move in turn.
    Seconds read_modify_write(Bytes window, bool in_vmem) const
    {
        const double rate =
            in_vmem ? device_.vmem_bytes_per_second : streams_.copied() / machine_.devices_per_chip;
        return Seconds(3 * static_cast<double>(window.count()) / rate);
    }

    void stream_operands()
    {
        cost_.access.read = in_hbm(op_.reads, placement_);
        cost_.access.written = in_hbm(op_.writes, placement_);
        move();
    }

    void move()
    {
        cost_.hbm = hbm_cost(cost_.access, machine_, streams_);
        if (cost_.hbm.bytes > Bytes(0)) {
            // Rows are worked on as they come, streams tile by tile.
            const bool by_rows = cost_.access.rows.rows > 0;
            const double first = by_rows ? 0.0 : std::min(1.0, device_.dma_tile / cost_.hbm.bytes);
            const Seconds whole = to_seconds(hbm_time(cost_.hbm, machine_));
            cost_.first_tile = to_picoseconds(Seconds(whole.count() * first));
            cost_.fill = to_picoseconds(device_.dma_latency) + cost_.first_tile;
        }
    }

    const Op& op_;
    const BufferPlacement& placement_;
    const Machine& machine_;
    StreamRates& streams_;
    const DeviceSpec& device_;
    OpCost& cost_;
};

} // namespace

StorageQueue storage_queue_of(const Copy& copy, const Machine& machine)
{
    const bool reads = copy.from == Tier::storage;
    const StorageQueue queue =
        storage_queue(machine.host.storage, reads ? StorageWay::read : StorageWay::write, copy.io,
                      1.0 / devices_sharing(machine, topologies::SharedBy::host));
    return copy.in_a_stream ? in_a_stream(queue, copy.bytes) : queue;
}

Bytes bytes_in_host_memory(const Copy& copy)
{
    const bool bounces = copy.with_storage() && copy.io == topologies::StorageIo::kernel;
    return copy.bytes * (bounces ? 3 : copy.from == copy.to ? 2 : 1);
}

Picoseconds host_memory_time(const Copy& copy, const Machine& machine)
{
    const topologies::MemoryTier memory = memory_tier(machine, Tier::host);
    return memory.bytes_per_second > 0
               ? time_of(static_cast<double>(bytes_in_host_memory(copy).count()),
                         memory.bytes_per_second / devices_sharing(machine, memory.shared_by))
               : Picoseconds(0);
}

Seconds gather_row_time(const RowGather& gather, const DeviceSpec& device)
{
    if (gather.issue_cycles == 0 || device.sparsecore_gathers) {
        return device.gather_row;
    }
    const int cores = device.vpus; // each has one
    return Seconds(gather.issue_cycles / device.clock_hz / cores);
}

Seconds scatter_row_time(const RowScatter& scatter, const DeviceSpec& device)
{
    const double none =
        portable::pow(1 - std::min(1.0, scatter.written_share()), device.scatter_group);
    return Seconds(device.scatter_row.count() +
                   (1 - none) * device.scatter_write.count() / device.scatter_group);
}

Picoseconds hbm_time(const HbmCost& cost, const Machine& machine)
{
    return std::max(cost.busy * machine.devices_per_chip, cost.alone);
}

std::string_view hbm_limit(const HbmCost& cost, const Machine& machine)
{
    const bool shared = cost.busy * machine.devices_per_chip > cost.alone;
    return shared && cost.alone_limit == "DMA engines" ? "HBM bandwidth" : cost.alone_limit;
}

OpCost op_cost(const Op& op, const Work& work, const BufferPlacement& placement,
               const Machine& machine, StreamRates& streams)
{
    const Copy* copy = std::get_if<Copy>(&work);
    if (!placement.in_host.empty() && (copy == nullptr || !copy->with_host())) {
        check_no_host_memory(op, placement);
    }
    OpCost cost;
    std::visit(WorkCost(op, placement, machine, streams, cost), work);
    // All work as the slowest of a step is expected to, since the others wait for it.
    cost.body = unit_time(cost, 1 / machine.straggling);
    cost.beside = at_speed(cost.beside, 1 / machine.straggling);
    return cost;
}

OpCost op_cost(const Op& op, const Work& work, const BufferPlacement& placement,
               const Machine& machine)
{
    StreamRates streams(machine.hbm);
    return op_cost(op, work, placement, machine, streams);
}

double slowest_speed(const Machine& machine)
{
    const std::vector<double>& speeds = machine.faults.device_speed;
    return speeds.empty() ? 1.0 : *std::min_element(speeds.begin(), speeds.end());
}

double straggling_of(const Machine& machine)
{
    std::vector<double> speeds = machine.faults.device_speed;
    if (speeds.empty()) {
        return machine.straggling;
    }
    const auto middle = speeds.begin() + static_cast<std::ptrdiff_t>(speeds.size() / 2);
    std::nth_element(speeds.begin(), middle, speeds.end());
    return machine.straggling * *middle / slowest_speed(machine);
}

Picoseconds at_speed(Picoseconds time, double speed)
{
    return speed == 1.0 ? time : to_picoseconds(Seconds(to_seconds(time).count() / speed));
}

Picoseconds unit_time(const OpCost& cost, double speed)
{
    return cost.body_is_compute ? at_speed(cost.body, speed) : cost.body;
}

OpTime op_time(const OpCost& cost, const Machine& machine, double speed)
{
    return {cost.launch, cost.fill - cost.first_tile, cost.first_tile, unit_time(cost, speed),
            hbm_time(cost.hbm, machine) - cost.first_tile};
}

std::string_view body_limit(const OpCost& cost, const Machine& machine)
{
    return op_time(cost, machine).unit_is_last() ? cost.limited_by : hbm_limit(cost.hbm, machine);
}

} // namespace alxsim::model
