// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_document.h"
#include "base/units.h"
#include "model/graph/counts.h"
#include "model/graph/name.h"
#include "model/graph/work.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace alxsim::model {

/// Where a buffer stands. `any`: in HBM or VMEM, see model/graph/buffer_placement.h. `hbm_in_use`:
/// in HBM from its first use in the step, or in an iteration of the repeat that alone uses it, to
/// its last; what else is in HBM or comes from outside is there through the whole step. `host`: in
/// host memory, `storage`: on the host's drives.
enum class Residency { any, hbm, vmem, host, hbm_in_use, storage };

/// A piece of a device's memory that ops read and write. Equal names in a graph and in the bodies
/// of its repeats are the same buffer.
struct Buffer {
    Name name;
    Bytes bytes{0}; ///< its size
    Residency residency = Residency::any;
};

/// A buffer that an op reads or writes, and how much of it.
struct BufferUse {
    Name buffer;
    Bytes touched{0};
};

/// What an op does to real data. `run(device, begin, end)` handles the items [begin, end) of one
/// device and writes only what belongs to them; chunks may run at once, on any host thread, in any
/// order. A collective's effect has one item and runs once for its group (device 0).
struct Effect {
    /// Items of a device; called when the op's predecessors have run. Empty: one item.
    std::function<std::int64_t(int device)> items;
    std::function<void(int device, std::int64_t begin, std::int64_t end)> run;
    bool once_for_group = false;
};

struct Op {
    Name name;  ///< for people: "outer products"
    Name phase; ///< the name under which its time is reported
    Work work;
    std::vector<BufferUse> reads;  ///< of a row gather, the first is the table
    std::vector<BufferUse> writes; ///< of a row scatter, the first is the table
    std::vector<int> after;        ///< indices of earlier ops of the same graph
    std::shared_ptr<const Effect> effect;
    /// [device]: where the op's size is not the same on all, work of the same kind as `work`, which
    /// then is the largest. Not for collectives and repeats. `reads` and `writes` hold for all:
    /// what an op streams from HBM because they stand there is as much on every device. Null: all
    /// devices do `work`.
    std::shared_ptr<const std::vector<Work>> work_of_device = nullptr;
};

/// What some devices do in a step in which not all do the same.
struct Role {
    std::vector<int> devices;
    std::shared_ptr<const OpGraph> graph; ///< without roles
};

/// A step: the DAG of ops that every device runs (SPMD), or several, each for some devices. Ops
/// stand in a topological order.
struct OpGraph {
    std::string name;
    std::vector<Op> ops;
    /// What ops use and is not declared is as large as its largest use, and stands anywhere. What
    /// is declared to stand in HBM or below it is there through the whole step, used or not.
    std::vector<Buffer> buffers = {};
    /// What stands in HBM when most does, where it is known in which order the compiler runs the
    /// step. Empty: what the lives of the buffers say, with ops in the order in which they stand.
    std::vector<Buffer> hbm_at_peak = {};
    /// Whose axes groups of collectives may name, here and in the bodies of repeats. Null: none.
    std::shared_ptr<const Mesh> mesh = nullptr;
    /// Instead of ops. Devices of different roles meet in collectives of equal names.
    std::vector<Role> roles = {};

    /// Appends an op and returns its index.
    int add(Op op);
};

/// All buffers of a graph and of the bodies of its repeats: those declared first, then the others
/// in the order in which they are used. Throws InputError for one declared in two ways.
std::vector<Buffer> all_buffers(const OpGraph& graph);

/// What `repeat` iterates on `device`: from `counts` if it has the counter, else `times`.
std::int64_t iterations(const Repeat& repeat, const Counts& counts, int device);

/// Iterations of the device that iterates most: the others wait for it at the next collective.
std::int64_t slowest_iterations(const Repeat& repeat, const Counts& counts);

/// `devices`: of the machine that the graph is for, which sizes may name (size_expression.h).
/// Operands that a matmul or a vector op does not name stand in HBM (default_operands.h). Throws
/// InputError at the offending JSON pointer.
OpGraph op_graph_from_json(const Json& json, const std::string& file,
                           std::optional<int> devices = std::nullopt);
Op op_from_json(const Json& json, const std::string& file,
                std::optional<int> devices = std::nullopt);
Json to_json(const OpGraph& graph);
Json to_json(const Op& op);

} // namespace alxsim::model
