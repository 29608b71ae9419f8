// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/units.h"
#include "model/graph/dtype.h"
#include "model/graph/name.h"
#include "topologies/memory_tier.h"
#include "topologies/schedule_choice.h"

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace alxsim::model {

/// What an operation on one element costs: exp, tanh and log are medium, 1/x, division, square root
/// and one over it are divisions, pow and erf are powers, sin and cos expensive. matvec: a matrix's
/// element in a batched matrix-vector product, its share of the sum over the last dimension
/// included. transpose: an element's move to where rows are columns.
enum class OperationClass { cheap, medium, expensive, matvec, division, power, transpose };

/// Over what a vector op sums, or takes the largest, in the end: the last dimension lies along the
/// lanes of a register, the last but one along its sublanes.
enum class Reduction { none, sublanes, lanes };

struct Vector {
    std::int64_t elements = 0;
    double ops_per_element = 1;
    DType dtype = DType::f32;
    OperationClass operation_class = OperationClass::cheap;
    Reduction reduction = Reduction::none;
    std::int64_t minor = 0; ///< size of the last dimension; 0: elements lie densely
    /// So many of `ops_per_element` are of these classes, in an op whose class is cheap.
    double medium_per_element = 0;
    double expensive_per_element = 0;
    double division_per_element = 0;
    double power_per_element = 0;

    double singled_out() const
    {
        return medium_per_element + expensive_per_element + division_per_element +
               power_per_element;
    }
};

/// [batch] products of [m x k] times [k x n]; the [k x n] operand is the stationary one.
struct Matmul {
    std::int64_t batch = 1, m = 1, k = 1, n = 1;
    DType dtype = DType::bf16;
    int passes = 1;      ///< bf16 passes for f32 operands: 1, 3 or 6
    bool overlap = true; ///< the next weight tile loads while this one is used
    /// What the vector units do in the same fusion, window by window beside the product: biases,
    /// activations, conversions.
    std::optional<Vector> epilogue = std::nullopt;
};

/// What is done along each row of an array, in another order than that in which numbers stand.
enum class RowOperation { sort, top_k, cumsum, argmax };

/// `rows` rows of `length` numbers each.
struct AlongRows {
    RowOperation operation = RowOperation::sort;
    std::int64_t rows = 1;
    std::int64_t length = 1;
    std::int64_t k = 0; ///< of top_k: how many of each row are wanted
    DType dtype = DType::f32;
};

/// Who works on an op of known time. `host`: the way from the host; `host_cpu`: its cores.
enum class FixedUnit { tensor_core, sparse_core, dma, host, host_cpu };

/// Whatever takes so long, as somebody measured or assumes; what it reads and writes beside it may
/// take longer.
struct Fixed {
    Seconds seconds{0};
    FixedUnit unit = FixedUnit::tensor_core;
};

/// A kernel that is known by what its author says of it.
struct Custom {
    double flops = 0; ///< two for each multiplication and addition of its products
    double transcendentals = 0;
    DType dtype = DType::bf16; ///< of the operands of its products
    /// Attention, whose softmax stands between its products: these reach the share of the arrays'
    /// rate that such kernels have on the chip (attention_kernel_mxu_frac). Others reach all of it.
    bool attention = false;
};

/// Bytes from one tier of memory to another; from HBM to HBM they are read and written. Between HBM
/// and VMEM others may go back at the same time.
///
/// From the host come batches that it has made ready ahead of the device (an infeed), unless the op
/// reads a buffer that stands in host memory: that is moved when the op is issued.
///
/// Within host memory: what the host's cores read there, and write as much of, as an optimizer does
/// that runs on them.
struct Copy {
    topologies::Tier from = topologies::Tier::hbm;
    topologies::Tier to = topologies::Tier::vmem;
    Bytes bytes{0};
    Bytes bytes_back{0};
    Bytes records{0};     ///< of an infeed: what its batch takes in the records that hosts read
    std::int64_t ids = 0; ///< of an infeed: what its host parses for it
    /// For storage, how the host reaches it.
    topologies::StorageIo io = topologies::StorageIo::kernel;
    /// For storage, whether it is a part of a stream that goes on before and after, so that the
    /// drives' queues are full all the time.
    bool in_a_stream = false;

    bool with_host() const
    {
        return from == topologies::Tier::host || to == topologies::Tier::host;
    }
    bool with_storage() const
    {
        return from == topologies::Tier::storage || to == topologies::Tier::storage;
    }
};

inline Copy stream_of(Bytes read, Bytes written)
{
    return {topologies::Tier::hbm, topologies::Tier::vmem, read, written};
}
/// Between host memory and storage, see Copy::in_a_stream.
inline Copy storage_stream(topologies::Tier from, topologies::Tier to, Bytes bytes)
{
    Copy copy{from, to, bytes};
    copy.in_a_stream = true;
    return copy;
}
inline Copy infeed_of(Bytes bytes, Bytes records = Bytes(0), std::int64_t ids = 0)
{
    return {topologies::Tier::host, topologies::Tier::hbm, bytes, Bytes(0), records, ids};
}

enum class AccessPattern { uniform, clamped, trace };

struct RowGather {
    std::int64_t rows = 0;
    Bytes row_bytes{0};
    std::int64_t table_rows = 0;
    AccessPattern pattern = AccessPattern::uniform;
    std::int64_t owned_rows = 0; ///< of `rows`, those that hit the device's own rows
    /// For a trace, the rows that are looked up, over and over if there are fewer than `rows`.
    std::shared_ptr<const std::vector<std::int64_t>> ids = nullptr;
    /// Cycles that a TensorCore takes to issue a row; 0: as the chip's gather pipeline.
    int issue_cycles = 0;
    bool on_sparse_core = false; ///< else on the engine that the chip gathers with
};

/// `accumulate`: each row is read, added to and written back, one after another (a segment sum over
/// windows); otherwise it is overwritten.
struct RowScatter {
    std::int64_t rows = 0;
    Bytes row_bytes{0};
    std::int64_t table_rows = 0;
    bool accumulate = false;
    /// Those of `rows` that are written, where others (rows of other devices) are only read. 0:
    /// all.
    std::int64_t owned_rows = 0;
    bool on_sparse_core = false; ///< else on the TensorCore

    double written_share() const
    {
        return owned_rows > 0 ? static_cast<double>(owned_rows) / static_cast<double>(rows) : 1.0;
    }
};

enum class CollectiveKind {
    all_gather,
    reduce_scatter,
    all_reduce,
    all_to_all,
    permute,
    broadcast,
    reduce ///< to one member, the root, where all_reduce gives the sum to all
};

/// `axes`: along one axis after the other; `routed`: every message by itself from source to
/// destination, all at once.
enum class ScheduleAlgorithm { any, axes, routed };

/// What a collective's schedule must be like; 0 and `any` leave it to the model. What is asked for
/// here is asked of the fastest.
struct ScheduleOptions {
    int colours = 0;    ///< parts of the payload, each with its own order of the torus axes
    int directions = 0; ///< 1: everything goes round its rings one way; 2: both ways
    ScheduleAlgorithm algorithm = ScheduleAlgorithm::any;
    /// Nothing: as on the machine.
    std::optional<topologies::ScheduleChoice> choice = std::nullopt;

    bool asks_for_nothing() const
    {
        return colours == 0 && directions == 0 && algorithm == ScheduleAlgorithm::any;
    }
};

/// Whether a device works on while a collective of its own is under way.
enum class Overlap { async, sync };

/// A message of a collective from one device to another.
struct PairMessage {
    int source = 0;
    int destination = 0;
    Bytes bytes{0};
};

/// An axis of a mesh, and how many places it has.
struct MeshAxis {
    Name name;
    int length = 1;
};

/// A grid on which devices stand. Its places are counted row by row: the number of the last axis
/// varies fastest.
struct Mesh {
    Mesh() = default;
    Mesh(std::initializer_list<MeshAxis> all) : axes(all) {}

    std::vector<MeshAxis> axes;
    /// [place]: the device that stands there. Empty: the one of the same number.
    std::vector<int> devices;
};

/// `bytes` is the larger per-device buffer: the gathered output, the scattered input, the reduced
/// array, what a device sends in all (of an all-to-all the part for itself included).
struct Collective {
    CollectiveKind kind = CollectiveKind::all_reduce;
    Bytes bytes{0};
    ScheduleOptions schedule = {};
    /// Axes that a group spans, "x", "y", "z" or "dcn": chips that differ only in them, with all
    /// their devices. Empty: all axes. Every group works at the same time.
    std::vector<std::string> group = {};
    /// Who sends how much to whom, where that is not the same for all: of an all-to-all with
    /// unequal parts, of a permute between any devices. Null otherwise.
    std::shared_ptr<const std::vector<PairMessage>> messages = nullptr;
    /// [message]: those that must have come to its source before it may leave. So the messages are
    /// the schedule of a collective of any kind. Null: all may leave at once.
    std::shared_ptr<const std::vector<std::vector<int>>> after = nullptr;
    /// Devices of a chip are in different groups: each joins the devices at one place on their
    /// chips. All groups of a chip work at the same time and share its links.
    bool across_chips = false;
    /// In a broadcast, whose array all get, in a reduce, who gets the sum: a place in the group,
    /// whose devices are counted from 0 in ascending order. 0 for other kinds.
    int root = 0;
    /// Instead of `group`: the devices of each group by their numbers, as many in each and none in
    /// two; others do not take part. Null otherwise.
    std::shared_ptr<const std::vector<std::vector<int>>> ranks = nullptr;
    /// Whether the devices of `ranks` pass on in the order of the list, as those of a permute
    /// always do. Else in whatever order is the quickest.
    bool listed = false;
    /// Whose axes `group` names instead of the network's. Null: the network's.
    std::shared_ptr<const Mesh> mesh = nullptr;
    /// Type of the numbers that travel: the TPU compiler's choice goes by how many they are, too.
    DType dtype = DType::f32;
    /// Nothing: as the chip does with its kind.
    std::optional<Overlap> overlap = std::nullopt;
    /// Whether a program is launched for it on the device; a message that is only sent and received
    /// needs none.
    bool launched = true;
};

/// Whether one member is unlike the others.
inline bool has_root(CollectiveKind kind)
{
    return kind == CollectiveKind::broadcast || kind == CollectiveKind::reduce;
}

struct OpGraph;

/// Iterations strictly one after another. Where `counter` is not empty, the step's counts under
/// that name say how often each device iterates, and `times` is only what to expect.
struct Repeat {
    std::int64_t times = 0;
    std::string counter;
    std::shared_ptr<const OpGraph> body;
};

using Work = std::variant<Matmul, Vector, AlongRows, Fixed, Custom, Copy, RowGather, RowScatter,
                          Collective, Repeat>;

/// Whether two works differ in their sizes alone.
bool same_kind(const Work& a, const Work& b);

} // namespace alxsim::model
