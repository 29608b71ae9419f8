// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/units.h"
#include "topologies/slice.h"

#include <string>

namespace alxsim::topologies {

/// The preset's numbers as the models read them, per *device*. A device is one SPMD participant: a
/// TensorCore, or the two TensorCores of a chip that act as one (v4, v5p). All SI.
struct DeviceSpec {
    double clock_hz = 0;
    // MXU
    int mxus = 0;
    int mxu_rows = 0;
    int mxu_columns = 0;
    double rows_per_cycle = 1;  ///< activation rows an MXU takes per cycle (2 on v6e and 7x)
    Cycles mxu_weight_load{0};  ///< cycles to load one weight tile
    double peak_bf16_flops = 0; ///< datasheet peak of the device
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
    // memories
    Bytes vmem{0};
    Bytes hbm{0};                         ///< capacity of the device's share
    double vmem_bytes_per_second = 0;     ///< vector loads
    double hbm_chip_bytes_per_second = 0; ///< of the whole chip; its devices share it
    Bytes hbm_granule{0};                 ///< bytes that one random access moves at least
    Seconds dma_latency{0};               ///< start of a DMA until its first byte
    Bytes dma_tile{0};                    ///< tile in which an op streams HBM operands
    // rows and windows
    Seconds gather_row{0};             ///< per row gathered from HBM
    Seconds scatter_row{0};            ///< per narrow row or index scattered
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
    double link_bytes_per_second = 0; ///< one direction of one ICI link, usable
    Seconds hop_latency{0};
    double on_chip_bytes_per_second = 0; ///< one direction between the devices of a chip
    Seconds on_chip_latency{0};
    bool collectives_overlap_compute =
        false; ///< whether XLA lets a core compute during a collective
};

struct HostSpec {
    double pcie_bytes_per_second_per_chip = 0; ///< host to chip
    int chips_per_host = 1;
    int prefetch_depth = 1;
};

/// A slice of chips of one generation: everything that the models need to know of the hardware.
struct Machine {
    Preset preset;
    Slice slice;
    int cores = 1;   ///< TensorCores, as the ALX authors count
    int devices = 1; ///< SPMD participants: cores, or chips where two cores act as one
    int devices_per_chip = 1;
    DeviceSpec device;
    NetworkSpec network;
    HostSpec host;
};

/// Reads the numbers out of the preset (overrides already applied). Throws InputError.
Machine make_machine(const Preset& preset, const SliceRequest& request);

} // namespace alxsim::topologies
