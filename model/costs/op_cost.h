// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/costs/breakdown.h"
#include "model/costs/input_times.h"
#include "model/costs/storage_time.h"
#include "model/graph/buffer_placement.h"
#include "model/graph/op_graph.h"
#include "model/hbm/hbm_rates.h"
#include "topologies/machine.h"

#include <algorithm>
#include <string_view>

namespace alxsim::model {

/// The part of a device, or of its share of a host, that an op occupies. `host_in` and `host_out`
/// are the ways from and to host memory, `storage_read` and `storage_write` those between that and
/// the host's drives, `host_cpu` are the host's cores at work in its memory; `host`, what the host
/// does ahead, and `control` occupy none.
enum class Unit {
    mxu,
    vpu,
    dma,
    network,
    sparse_core,
    host_in,
    host_out,
    storage_read,
    storage_write,
    host_cpu,
    host,
    control
};
/// Those that work on ops: all before `host`.
constexpr std::size_t working_units = 10;

inline bool is_of_host(Unit unit)
{
    return unit >= Unit::host_in && unit <= Unit::host;
}

/// Those of them that are the device's own; the others go on while it takes part in a collective.
constexpr std::size_t device_units = 5;

/// What an op waits for: one working unit, all of the device's, or none.
constexpr std::size_t all_units = working_units;
constexpr std::size_t no_unit = working_units + 1;
constexpr std::size_t unit_groups = working_units + 2;

/// What an op costs on a machine by itself; OpTime says how that adds up. What a copy to or from
/// the host moves in HBM is left out: it takes a few percent of the HBM's time.
struct OpCost {
    Unit unit = Unit::control;
    Picoseconds launch{0}; ///< per-op overhead
    Picoseconds fill{0};   ///< DMA latency and the first tile, or the latency of the host's path
    /// Unit busy: MXU or VPU cycles; issue of a gather's or scatter's rows; the way to the host.
    Picoseconds body{0};
    InputTimes input;          ///< of an infeed; the longest of its stages is `body`
    HbmCost hbm;               ///< what it moves, granules rounded up
    HbmAccess access;          ///< where
    Picoseconds first_tile{0}; ///< of the HBM time, that in `fill`
    /// What, of an op on both MXU and VPU, the one of them that is not `unit` works meanwhile.
    Picoseconds beside{0};
    bool body_is_compute = false; ///< else the body is memory work (rows issued one after another)
    std::string_view limited_by;  ///< for people: which mechanism sets `body`
};

/// A device's share of its host's drives, as a copy to or from storage uses them.
StorageQueue storage_queue_of(const Copy& copy, const topologies::Machine& machine);
/// What a copy below HBM reads and writes in host memory: what it copies, within host memory twice
/// that, through a bounce buffer three times.
Bytes bytes_in_host_memory(const Copy& copy);
/// What a device's share of its host's memory takes for a copy; 0 where no limit is known.
Picoseconds host_memory_time(const Copy& copy, const topologies::Machine& machine);

/// What issuing takes for each row of a gather out of HBM, of which the cores of a device do a part
/// each; DMA engines may allow less.
Seconds gather_row_time(const RowGather& gather, const topologies::DeviceSpec& device);

/// What issuing takes for each narrow row of a scatter: a group of rows waits for those that it
/// writes, if it writes any (rows are taken to be written independently of each other).
Seconds scatter_row_time(const RowScatter& scatter, const topologies::DeviceSpec& device);

/// Time of an op's HBM traffic if every device of the chip moves as much: its share of the whole
/// chip's bandwidth, or what the access takes even alone.
Picoseconds hbm_time(const HbmCost& cost, const topologies::Machine& machine);
/// For people: which mechanism sets that time.
std::string_view hbm_limit(const HbmCost& cost, const topologies::Machine& machine);

/// Cost of one op where it does `work`; repeats and collectives have only their overheads here.
/// `streams` are of the machine's memory.
OpCost op_cost(const Op& op, const Work& work, const BufferPlacement& placement,
               const topologies::Machine& machine, StreamRates& streams);
OpCost op_cost(const Op& op, const Work& work, const BufferPlacement& placement,
               const topologies::Machine& machine);
/// The same of the op's own work, not that of single devices.
inline OpCost op_cost(const Op& op, const BufferPlacement& placement,
                      const topologies::Machine& machine)
{
    return op_cost(op, op.work, placement, machine);
}

/// Returns the share of the clock that the device has that is slowest by a fault.
double slowest_speed(const topologies::Machine& machine);
/// How much longer the slowest device computes than the median one: Machine::straggling, times what
/// a slow chip is slower.
double straggling_of(const topologies::Machine& machine);

/// What an op takes by itself, part by part: launch + fill + the longer of its unit's work and its
/// HBM bytes beyond the first tile.
struct OpTime {
    Picoseconds launch{0};
    Picoseconds latency{0};    ///< of its DMA
    Picoseconds first_tile{0}; ///< of its HBM bytes, before its unit begins
    Picoseconds unit{0};       ///< its unit's work
    Picoseconds hbm{0};        ///< its HBM bytes beyond the first tile, meanwhile

    Picoseconds fill() const { return latency + first_tile; }
    Picoseconds body() const { return std::max(unit, hbm); }
    /// Whichever lasts longer, the unit or the bytes, is what the op is held up by.
    bool unit_is_last() const { return unit >= hbm; }
    Picoseconds total() const { return launch + fill() + body(); }
};

/// On a device of `speed` times the clock: the MXU's and the VPU's work stretches (rounded up to
/// picoseconds), everything else keeps its time.
OpTime op_time(const OpCost& cost, const topologies::Machine& machine, double speed = 1);

/// What takes `time` at full clock takes at `speed` times the clock.
Picoseconds at_speed(Picoseconds time, double speed);

/// The unit's part of it alone.
Picoseconds unit_time(const OpCost& cost, double speed);

/// What the body's time counts as.
inline Share body_share(const OpCost& cost, bool unit_was_last)
{
    return is_of_host(cost.unit)                   ? Share::host
           : cost.body_is_compute && unit_was_last ? Share::compute
                                                   : Share::hbm;
}

/// For people: which mechanism sets the body's time at full clock.
std::string_view body_limit(const OpCost& cost, const topologies::Machine& machine);

} // namespace alxsim::model
