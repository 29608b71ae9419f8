// SPDX-License-Identifier: Apache-2.0
#include "topologies/machine.h"

#include "base/input_error.h"
#include "base/portable_math.h"
#include "topologies/preset_reader.h"
#include "topologies/row_pipeline.h"

#include <algorithm>
#include <cmath>

namespace alxsim::topologies {
namespace {

void read_mxu(const PresetReader& read, int device_cores, DeviceSpec& device)
{
    const int chip_cores = read.count("tensorcores_per_chip");
    device.mxus = read.count("mxu_per_core") * device_cores;
    device.mxu_rows = read.count("mxu_rows");
    device.mxu_columns = read.count("mxu_cols");
    const double macs_per_row = static_cast<double>(read.count("mxu_per_core")) * chip_cores *
                                device.mxu_rows * device.mxu_columns;
    device.rows_per_cycle = read.positive("macs_per_cycle_chip") / macs_per_row;
    device.mxu_weight_load = Cycles(read.count("mxu_weight_load_cycles"));
    device.mxu_adder_group_rows = read.count("mxu_adder_group_rows");
    device.mxu_window_macs = read.has("mxu_window_macs") ? read.positive("mxu_window_macs") : 0;
    device.mxu_window_cycles =
        read.has("mxu_window_cycles") ? read.not_negative("mxu_window_cycles") : 0;
    device.mxu_takes_single_rows =
        !read.has("mxu_takes_single_rows") || read.flag("mxu_takes_single_rows");
    device.mxu_sustained =
        read.has("mxu_sustained_frac") ? read.efficiency("mxu_sustained_frac") : 1;
    device.matmul_startup =
        read.has("matmul_startup_s") ? read.seconds("matmul_startup_s") : Seconds(0);
    const auto rate = [&read](const char* key) { return read.has(key) ? read.positive(key) : 1; };
    device.mxu_rates = {rate("mxu_int8_rate"), rate("mxu_int4_rate"), rate("mxu_fp8_e4m3_rate"),
                        rate("mxu_fp8_e5m2_rate"), rate("mxu_fp4_rate")};
    device.peak_bf16_flops = read.positive("peak_bf16_flops_chip") * device_cores / chip_cores;
}

/// What is whole but for the rounding of a clock that it was multiplied and divided with.
double near_whole(double number)
{
    const double whole = std::round(number);
    return std::abs(number - whole) <= 1e-9 * number ? whole : number;
}

void read_vpu(const PresetReader& read, int device_cores, DeviceSpec& device)
{
    device.vpu_lanes = read.count("vpu_lanes");
    device.vpu_sublanes = read.count("vpu_sublanes");
    device.vpu_operations_per_cycle =
        near_whole(read.positive("vpu_flops_chip") / read.positive("clock_hz") /
                   read.count("tensorcores_per_chip")) *
        device_cores;
    device.vpus = device_cores;
    const auto or_else = [&read](const char* key, double otherwise) {
        return read.has(key) ? read.positive(key) : otherwise;
    };
    device.vpu_medium_op = read.positive("vpu_medium_op_cycles");
    device.vpu_division_op = or_else("vpu_division_op_cycles", device.vpu_medium_op);
    device.vpu_power_op = or_else("vpu_power_op_cycles", device.vpu_medium_op);
    device.vpu_expensive_op = read.positive("vpu_expensive_op_cycles");
    device.vpu_matvec_op = or_else("vpu_matvec_op_cycles", 1);
    device.vpu_bf16_conversion = or_else("vpu_bf16_conversion_cycles", 1);
    device.vpu_bf16_packed = read.has("vpu_bf16_packed") && read.flag("vpu_bf16_packed");
    device.vpu_register_pass = or_else("vpu_register_pass_cycles", 0);
    device.eup_push = or_else("eup_push_cycles", 0);
    device.attention_kernel_mxu =
        read.has("attention_kernel_mxu_frac") ? read.efficiency("attention_kernel_mxu_frac") : 1;
    device.epilogue_exposed =
        read.has("epilogue_exposed_frac") ? read.share("epilogue_exposed_frac") : 0;
    device.xlu_lane_reduction = read.positive("xlu_lane_reduction_cycles");
    device.xlu_transpose = or_else("xlu_transpose_cycles", device.xlu_lane_reduction);
    device.sort_stage = or_else("sort_stage_cycles", device.xlu_lane_reduction);
    device.argmax = or_else("argmax_cycles", device.xlu_lane_reduction);
    device.cumulative_sum = or_else("cumulative_sum_cycles", device.xlu_lane_reduction);
}

/// Returns the time of a row by the cores of a device, which share its rows: the preset's is of one
/// core.
Seconds shared(Seconds of_core, int device_cores)
{
    return Seconds(of_core.count() / device_cores);
}

void read_gather_engine(const PresetReader& read, int device_cores, DeviceSpec& device)
{
    // Op graphs name engines with a line between the words.
    const std::string engine = read.text("gather_engine");
    const bool on_sparsecore = engine == "sparsecore" || engine == "sparse_core";
    const bool on_tensorcore = engine == "tensorcore" || engine == "tensor_core";
    const auto has_sparsecores = [&] { return read.not_negative("sparsecores") > 0; };
    if (!on_tensorcore && (!on_sparsecore || !has_sparsecores())) {
        throw InputError("preset " + read.name(), "gather_engine",
                         "found '" + engine + "'; allowed: tensorcore" +
                             (has_sparsecores() ? " or sparsecore, or tensor_core or sparse_core"
                                                : " (this generation has no SparseCores)"));
    }
    device.sparsecore_gathers = on_sparsecore;
    if (read.has("sparsecore_gather_row_s") && has_sparsecores()) {
        device.sparsecore_row = read.seconds("sparsecore_gather_row_s");
    }
    if (device.sparsecore_gathers) {
        device.gather_row = read.seconds("sparsecore_gather_row_s");
        return;
    }
    const auto pipeline = gather_pipeline(read.preset());
    device.gather_row = shared(pipeline ? pipeline->row(device.clock_hz, device.dma_latency)
                                        : read.seconds("gather_row_s"),
                               device_cores);
}

void read_scatter(const PresetReader& read, int device_cores, DeviceSpec& device)
{
    const auto pipeline = scatter_pipeline(read.preset());
    if (pipeline) {
        device.scatter_row =
            shared(pipeline->row(device.clock_hz, device.dma_latency), device_cores);
        device.scatter_write = shared(device.dma_latency, device_cores);
        device.scatter_group = pipeline->rows;
    } else {
        device.scatter_row = shared(read.seconds("scatter_row_s"), device_cores);
    }
    device.window_scatter_latency = shared(read.seconds("window_scatter_latency_s"), device_cores);
}

/// Most that the HBM may move at least: beyond a page of any part.
constexpr Bytes largest_granule(1 << 20);

/// All of the chip's HBM where a preset of one's own does not say how much of it a program gets.
Bytes usable_hbm(const PresetReader& read)
{
    const Bytes all = read.bytes("hbm_bytes_chip");
    const char* key = "hbm_usable_bytes_chip";
    const Bytes usable = read.has(key) ? read.bytes(key) : all;
    if (usable > all) {
        read.refuse(key, "bytes from 1 to the chip's", read.and_value("hbm_bytes_chip"));
    }
    return usable;
}

void read_memories(const PresetReader& read, int device_cores, DeviceSpec& device)
{
    const int chip_cores = read.count("tensorcores_per_chip");
    device.vmem = read.bytes("vmem_bytes_core") * device_cores;
    device.keeps_arrays_in_vmem =
        !read.has("arrays_stay_in_vmem") || read.flag("arrays_stay_in_vmem");
    device.vmem_bytes_per_second = read.positive("vmem_load_bw_core") * device_cores;
    device.hbm = read.bytes("hbm_bytes_chip") * device_cores / chip_cores;
    device.usable_hbm = usable_hbm(read) * device_cores / chip_cores;
    device.hbm_chip_bytes_per_second = read.positive("hbm_bw_chip");
    device.hbm_granule =
        read.bytes_within("hbm_access_granule_bytes", Bytes(1), largest_granule, false);
    device.dma_latency = read.seconds("dma_latency_s");
    device.dma_tile = read.bytes("dma_tile_bytes");
    device.dma_bytes_per_second = read.positive("dma_bw_core") * device_cores;
    device.dma_requests_per_second =
        read.positive("dma_requests_per_cycle_core") * device_cores * read.positive("clock_hz");
    device.dma_outstanding = read.count("dma_outstanding") * device_cores;
    device.vmem_row =
        shared(Seconds(read.positive("vmem_row_cycles") / read.positive("clock_hz")), device_cores);
    read_gather_engine(read, device_cores, device);
    read_scatter(read, device_cores, device);
}

void read_overheads(const PresetReader& read, DeviceSpec& device)
{
    device.op_overhead = read.seconds("op_overhead_s");
    device.while_iteration = read.seconds("while_iteration_s");
    device.collective_launch = read.seconds("collective_launch_s");
    device.step_dispatch = read.seconds("step_dispatch_s");
    device.program_overhead = read.seconds("program_overhead_s");
}

/// Splits what a step of a ring takes into hop and software. The hop ends on a whole picosecond, so
/// that the two, rounded up one by one or together, are the step.
void read_latencies(const PresetReader& read, NetworkSpec& network)
{
    const double whole = read.seconds("ici_hop_latency_s").count();
    const double wire = whole * (1 - read.share("ici_hop_software_frac"));
    network.hop_latency = Seconds(std::min(whole, std::floor(wire * 1e12 + 1e-3) * 1e-12));
    network.message_latency = Seconds(whole - network.hop_latency.count());
}

NetworkSpec read_network(const PresetReader& read, int preset_devices_per_chip)
{
    NetworkSpec network;
    network.link_bytes_per_second = read.positive("ici_link_bw_oneway");
    network.ring_efficiency = read.efficiency("ici_link_bw_effective_frac");
    network.line_efficiency =
        network.ring_efficiency * read.efficiency("ici_line_bw_effective_frac");
    read_latencies(read, network);
    network.packet = read.bytes_within("ici_packet_bytes", Bytes(1), Bytes(1 << 20), false);
    // A packet moves on only when the next buffer has room for all of it.
    network.vc_buffer =
        read.bytes_within("ici_vc_buffer_bytes", network.packet, Bytes(1 << 30), true);
    const auto overlaps = [&read](const char* key) { return read.has(key) && read.flag(key); };
    network.collectives_overlap_compute = read.flag("collectives_overlap_compute");
    network.all_gathers_overlap_compute = overlaps("all_gathers_overlap_compute");
    network.reductions_overlap_compute = overlaps("reductions_overlap_compute");
    network.permutes_overlap_compute = overlaps("permutes_overlap_compute");
    network.recipe_all_gathers_overlap_compute = overlaps("recipe_all_gathers_overlap_compute");
    if (preset_devices_per_chip > 1) {
        network.on_chip_bytes_per_second = read.positive("ici_core_to_core_on_chip_bw_oneway");
        network.on_chip_latency = read.seconds("ici_on_chip_latency_s");
        network.on_chip_overlap = read.share_or_zero("ici_on_chip_overlap_frac");
    }
    return network;
}

StorageSpec read_storage(const PresetReader& read)
{
    StorageSpec storage;
    if (!read.has("storage_read_bw")) {
        return storage; // a preset of a time before storage was told
    }
    storage.capacity = read.bytes("storage_bytes_host");
    storage.drives = read.count("storage_drives");
    storage.user = {read.positive("storage_read_bw"), read.positive("storage_write_bw"),
                    read.seconds("storage_io_cpu_s")};
    storage.kernel = {
        storage.user.read_bytes_per_second * read.efficiency("storage_kernel_read_frac"),
        storage.user.write_bytes_per_second * read.efficiency("storage_kernel_write_frac"),
        read.seconds("storage_kernel_io_cpu_s")};
    storage.block = read.bytes_within("storage_block_bytes", Bytes(512), Bytes(1 << 30), true);
    storage.queue_depth = read.count("storage_queue_depth");
    storage.read_latency = read.seconds("storage_read_latency_s");
    storage.write_latency = read.seconds("storage_write_latency_s");
    return storage;
}

HostSpec read_host(const PresetReader& read)
{
    HostSpec host;
    host.pcie_bytes_per_second_per_chip = read.positive("pcie_bw_chip_oneway");
    host.chips_per_host = read.count("chips_per_host");
    host.prefetch_depth = read.count("host_prefetch_depth");
    host.dram_bytes_per_second =
        read.has("host_dram_bw_host") ? read.positive("host_dram_bw_host") : 0;
    host.dram = read.has("host_dram_bytes") ? read.bytes("host_dram_bytes") : Bytes(0);
    host.storage = read_storage(read);
    return host;
}

/// The largest of `count` numbers that are normally distributed, in standard deviations, about
/// (Blom, 1958; the quantile as Abramowitz and Stegun, 26.2.23, within 5e-4).
double expected_largest(int count)
{
    if (count <= 1) {
        return 0;
    }
    const double above = 1 - (count - 0.375) / (count + 0.25);
    const double t = std::sqrt(-2 * portable::log(above));
    return t - (2.515517 + t * (0.802853 + t * 0.010328)) /
                   (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
}

/// How much longer than the median the slowest of `devices` in each of `slices` is expected to
/// take, where times are log-normal.
double straggling(const PresetReader& read, int devices, int slices)
{
    const auto skew = [&read](const char* key) {
        return read.has(key) ? read.not_negative(key) : 0;
    };
    const double between_slices = slices > 1 ? skew("step_skew_slices") : 0;
    return portable::exp(skew("step_skew_devices") * expected_largest(devices) +
                         between_slices * expected_largest(slices));
}

} // namespace

Machine make_machine(const Preset& preset, const SliceRequest& request)
{
    return make_machine(preset, Slice::choose(preset, request));
}

Machine make_machine(const Preset& preset, const Slice& slice)
{
    const PresetReader read(preset);
    const int chip_cores = read.count("tensorcores_per_chip");
    const int chip_devices = read.count("devices_per_chip");
    if (chip_cores % chip_devices != 0) {
        read.refuse("devices_per_chip",
                    "a divisor of the " + std::to_string(chip_cores) + " TensorCores",
                    read.and_value("tensorcores_per_chip"));
    }
    // A job on part of a chip may have fewer cores than a device has.
    const int device_cores = std::min(chip_cores / chip_devices, slice.cores_per_chip());
    Machine machine{preset,
                    slice,
                    slice.cores(),
                    slice.cores() / device_cores,
                    slice.cores_per_chip() / device_cores,
                    {},
                    read_hbm(read),
                    {},
                    {},
                    {}};
    machine.device.clock_hz = read.positive("clock_hz");
    read_mxu(read, device_cores, machine.device);
    read_vpu(read, device_cores, machine.device);
    read_memories(read, device_cores, machine.device);
    read_overheads(read, machine.device);
    machine.network = read_network(read, chip_devices);
    if (slice.slices() > 1) {
        machine.network.dcn_bytes_per_second = read.positive("dcn_bw_chip");
        machine.network.dcn_efficiency =
            read.has("dcn_bw_effective_frac") ? read.efficiency("dcn_bw_effective_frac") : 1;
        machine.network.dcn_latency = read.seconds("dcn_latency_s");
    }
    machine.host = read_host(read);
    machine.straggling = straggling(read, machine.devices / slice.slices(), slice.slices());
    return machine;
}

void compile_with(CompilerFlags flags, Machine& machine)
{
    NetworkSpec& network = machine.network;
    machine.compiler_flags = flags;
    if (flags == CompilerFlags::recipe) {
        network.all_gathers_overlap_compute =
            network.all_gathers_overlap_compute || network.recipe_all_gathers_overlap_compute;
    } else if (flags == CompilerFlags::none) {
        network.collectives_overlap_compute = false;
        network.all_gathers_overlap_compute = false;
        network.reductions_overlap_compute = false;
        network.permutes_overlap_compute = false;
    }
}

} // namespace alxsim::topologies
