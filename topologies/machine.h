// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/units.h"
#include "topologies/faults.h"
#include "topologies/hbm_spec.h"
#include "topologies/input_rates.h"
#include "topologies/memory_tier.h"
#include "topologies/schedule_choice.h"
#include "topologies/slice.h"
#include "topologies/storage_spec.h"

#include <algorithm>
#include <string>
#include <vector>

namespace alxsim::topologies {

/// The preset's numbers as the models read them, per *device*. A device is one SPMD participant: a
/// TensorCore, or the two TensorCores of a chip that act as one (v4, v5p). All SI.
struct DeviceSpec {
    double clock_hz = 0;
    // MXU
    int mxus = 0;
    int mxu_rows = 0;
    int mxu_columns = 0;
    double rows_per_cycle = 1;    ///< activation rows an MXU takes per cycle (2 on v6e and 7x)
    Cycles mxu_weight_load{0};    ///< cycles to load one weight tile
    int mxu_adder_group_rows = 1; ///< rows whose products are summed before the partial sum
    double mxu_window_macs = 0;   ///< multiply-adds of a window of a product's code; 0: no windows
    double mxu_window_cycles = 0; ///< of a core, for each window beyond a product's first
    bool mxu_takes_single_rows = true; ///< else a product of one row runs on the vector units
    double peak_bf16_flops = 0;        ///< datasheet peak of the device
    double mxu_sustained = 1;  ///< share of its clock at which the arrays run in the long run
    Seconds matmul_startup{0}; ///< of a product, before its first tile
    /// Rows of operands of fewer bits that an MXU takes while it takes one of bf16.
    struct MxuRates {
        double int8 = 1, int4 = 1, fp8_e4m3 = 1, fp8_e5m2 = 1, fp4 = 1;
    };
    MxuRates mxu_rates;
    /// What the arrays can do at this clock: the bound of a matmul. A datasheet rounds (v3 and v4
    /// are printed 0.1 % lower), and an overridden clock moves this one only.
    double matmul_flops() const
    {
        return 2.0 * mxus * mxu_rows * mxu_columns * rows_per_cycle * clock_hz;
    }
    // VPU
    double vpu_operations_per_cycle = 0; ///< lanes x sublanes x ALUs
    int vpu_lanes = 0;
    int vpu_sublanes = 0;
    int vpus = 1;                   ///< one per TensorCore
    double vpu_medium_op = 1;       ///< of one ALU for one register: exp, tanh, log
    double vpu_division_op = 1;     ///< the same: 1/x, division, square root and one over it
    double vpu_power_op = 1;        ///< the same: pow, erf
    double vpu_expensive_op = 1;    ///< the same: sin, cos
    double vpu_matvec_op = 1;       ///< the same: a product of a batched matrix-vector product
    double vpu_bf16_conversion = 1; ///< the same: between a register of words and one half as long
    bool vpu_bf16_packed = false;   ///< an ALU works on two bf16 of a word at once
    double vpu_register_pass = 0;   ///< of one TensorCore: a register of words from VMEM and back
    double eup_push = 0; ///< of one TensorCore: a register through the transcendental unit, which
                         ///< works beside the ALUs
    /// Share of the arrays' rate that the products of attention kernels reach.
    double attention_kernel_mxu = 1;
    /// Share of vector work in one fusion with a product that does not run beside it.
    double epilogue_exposed = 0;
    double xlu_lane_reduction = 1; ///< of one TensorCore: one register, over its lanes
    double xlu_transpose = 1;      ///< the same: rows for columns
    double sort_stage = 1;         ///< the same: of keys and their places, a stage of a sort
    double argmax = 1;             ///< the same: of numbers and their places, compared with others
    double cumulative_sum = 1;     ///< the same: summed up along the lanes
    // memories
    Bytes vmem{0};
    Bytes hbm{0};                         ///< capacity of the device's share
    Bytes usable_hbm{0};                  ///< of it, what the compiler leaves to a program
    bool keeps_arrays_in_vmem = true;     ///< between ops; else every op's operands are in HBM
    double vmem_bytes_per_second = 0;     ///< vector loads
    double hbm_chip_bytes_per_second = 0; ///< peak of the whole chip; its devices share it
    Bytes hbm_granule{0};                 ///< bytes that one random access moves at least
    Seconds dma_latency{0};               ///< start of a DMA until its first byte
    Bytes dma_tile{0};                    ///< tile in which an op streams HBM operands
    double dma_bytes_per_second = 0;      ///< most that its DMA engines move to or from HBM
    double dma_requests_per_second = 0;   ///< descriptors that it issues
    int dma_outstanding = 1;              ///< row transfers under way at once
    // rows and windows
    Seconds gather_row{0};             ///< per row gathered from HBM, by the engine in use
    bool sparsecore_gathers = false;   ///< that engine is the SparseCore
    Seconds sparsecore_row{0};         ///< per row that a SparseCore moves; 0: there is none
    Seconds vmem_row{0};               ///< per row picked from a table in VMEM
    Seconds scatter_row{0};            ///< per narrow row or index scattered
    Seconds scatter_write{0};          ///< a group of them that writes, beyond that
    double scatter_group = 1;          ///< rows of a group
    Seconds window_scatter_latency{0}; ///< per window read-modify-written in HBM, beyond its bytes
    // overheads
    Seconds op_overhead{0};
    Seconds while_iteration{0};
    Seconds collective_launch{0};
    Seconds step_dispatch{0};    ///< host time to launch one step; hidden behind a longer step
    Seconds program_overhead{0}; ///< device time per step before its first op
};

/// The links between devices.
struct NetworkSpec {
    double link_bytes_per_second = 0; ///< one direction of one ICI link, as the datasheet has it
    double ring_efficiency = 1;       ///< share of it that messages see on an axis that wraps
    double line_efficiency = 1;       ///< the same on an axis that does not wrap
    Seconds hop_latency{0};           ///< wire and router: paid at every hop; whole picoseconds
    Seconds message_latency{0};       ///< software: paid once a message, whatever its way
    Bytes packet{4096};               ///< the longest packet
    Bytes vc_buffer{0}; ///< a router's room for one channel of one link; 0: what keeps the
                        ///< link full, twice latency times bandwidth
    double on_chip_bytes_per_second = 0; ///< one direction between the devices of a chip
    Seconds on_chip_latency{0};
    /// Share of an all-reduce's bytes on the on-chip path that go while others are on the links,
    /// and cost no time of their own. 0 (also where the preset leaves it out): one after the other.
    double on_chip_overlap = 0;
    /// Whether the compiler lets a core compute during a collective: during any, or during those of
    /// a kind. All-to-alls are of no kind here.
    bool collectives_overlap_compute = false;
    bool all_gathers_overlap_compute = false;
    bool reductions_overlap_compute = false; ///< all-reduces and reduce-scatters
    bool permutes_overlap_compute = false;
    /// All-gathers, with the compiler flags of public recipes.
    bool recipe_all_gathers_overlap_compute = false;

    /// What a chip sends to other slices, and as much takes in; 0: there are none.
    double dcn_bytes_per_second = 0;
    double dcn_efficiency = 1; ///< share of it that messages see
    Seconds dcn_latency{0};    ///< from the last byte sent to the message usable in the other slice

    /// From the last byte sent to the message usable at the neighbour: a step of a ring.
    Seconds step_latency() const { return hop_latency + message_latency; }
    /// Returns that of one link of an axis in one direction, as the datasheet has it. Of several
    /// slices in a ring, each direction has half of what a chip sends to others.
    double nominal_bytes_per_second(const Axis& axis) const
    {
        return axis.links == AxisLinks::ici ? link_bytes_per_second
                                            : dcn_bytes_per_second / (axis.wraps ? 2 : 1);
    }
    /// The same in ICI links.
    double nominal_links(const Axis& axis) const
    {
        return nominal_bytes_per_second(axis) / link_bytes_per_second;
    }
    /// What messages see of it.
    double usable_bytes_per_second(const Axis& axis) const
    {
        const double share = axis.links == AxisLinks::dcn ? dcn_efficiency
                             : axis.wraps                 ? ring_efficiency
                                                          : line_efficiency;
        return nominal_bytes_per_second(axis) * share;
    }
    /// Wire and router of one hop along an axis.
    Seconds hop_latency_of(const Axis& axis) const
    {
        return axis.links == AxisLinks::ici
                   ? hop_latency
                   : Seconds(std::max(0.0, (dcn_latency - message_latency).count()));
    }
    /// The same as the simulator has it, and software's part: together what a step takes.
    Picoseconds hop_time(const Axis& axis) const
    {
        return axis.links == AxisLinks::ici
                   ? to_picoseconds(hop_latency)
                   : std::max(Picoseconds(0), to_picoseconds(dcn_latency) - message_time());
    }
    Picoseconds message_time() const
    {
        return to_picoseconds(step_latency()) - to_picoseconds(hop_latency);
    }
};

struct HostSpec {
    double pcie_bytes_per_second_per_chip = 0; ///< host to chip
    int chips_per_host = 1;
    int prefetch_depth = 1;
    InputRates input; ///< of the job that it feeds
    /// Its DRAM: what copies to and from host memory share, read and written together. 0, where
    /// a preset leaves it out: no limit.
    double dram_bytes_per_second = 0;
    Bytes dram{0};
    StorageSpec storage; ///< below it
};

/// With which flags programs are compiled: the compiler's own, those of public recipes, or such
/// that no collective overlaps compute.
enum class CompilerFlags { usual, recipe, none };

/// Axes of the slice, "x", "y", "z", "dcn" or "chip" (the devices of one), on which an axis of a
/// job's mesh is to lie.
struct MeshAxisPlace {
    std::string name; ///< of the mesh's axis
    std::vector<std::string> axes;
};

/// A slice of chips of one generation: everything that the models need to know of the hardware.
struct Machine {
    Preset preset;
    Slice slice;
    int cores = 1;   ///< TensorCores, as the ALX authors count
    int devices = 1; ///< SPMD participants: cores, or chips where two cores act as one
    int devices_per_chip = 1;
    DeviceSpec device;
    HbmSpec hbm;
    NetworkSpec network;
    HostSpec host;
    FaultPlan faults;
    /// How much longer than the median the slowest device is expected to compute in a step, for
    /// which all others wait: times of devices and slices are log-normal (step_skew_devices,
    /// step_skew_slices). Of one device by itself 1.
    double straggling = 1;
    bool wrap_is_given = false; ///< by the user or a program: which axes wrap is no question
    ScheduleChoice schedule = ScheduleChoice::xla;
    CompilerFlags compiler_flags = CompilerFlags::usual; ///< see compile_with()
    std::vector<MeshAxisPlace> mesh_axes = {}; ///< as the study asks; others are searched for

    /// That one host feeds.
    int devices_of_host() const
    {
        return std::min(devices, devices_per_chip * host.chips_per_host);
    }
};

/// Reads the numbers out of the preset (overrides already applied). Throws InputError.
Machine make_machine(const Preset& preset, const SliceRequest& request);
/// On a slice that was chosen before; without faults.
Machine make_machine(const Preset& preset, const Slice& slice);

/// Sets which kinds of collectives overlap compute, from what they do by default.
void compile_with(CompilerFlags flags, Machine& machine);

} // namespace alxsim::topologies
