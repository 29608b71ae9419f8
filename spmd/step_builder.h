// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/host_pool.h"
#include "model/graph/op_graph.h"
#include "spmd/arrays.h"
#include "spmd/collectives/ragged_all_to_all.h"
#include "spmd/device_mesh.h"
#include "spmd/linear/product.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace alxsim::spmd {

/// Returns the work of `batch` products, in the passes that their numbers take: f32 operands take
/// six bf16 passes, or as many as are asked for.
model::Matmul matmul_of(std::int64_t batch, const ProductShape& shape, model::DType dtype,
                        int f32_passes = 6);

/// A part of a step, for the names of phases and for counts: "forward", "layers".
struct Section {
    std::string pass; ///< forward, recompute, backward
    std::string part; ///< embedding, layers, head
};

/// How much of an array an op touches.
struct Touch {
    Touch(Array touched) : array(touched) {} // NOLINT(google-explicit-constructor)
    Touch(Array touched, double touched_share) : array(touched), share(touched_share) {}
    Array array;
    double share = 1;
};

/// A collective that a step does, as it was appended.
struct CollectiveUse {
    Section section;
    model::CollectiveKind kind;
    std::string axis;
    std::int64_t elements = 0; ///< of the larger array of a device
    Bytes bytes{0};
    std::int64_t times = 1; ///< a step does it

    /// "forward.layers broadcast row"
    std::string name() const;
};

/// A copy between HBM and host memory that a step does, as it was appended.
struct TransferUse {
    Section section;
    bool to_host = false;
    std::int64_t elements = 0; ///< of a device
    Bytes bytes{0};
    std::int64_t times = 1; ///< a step does it

    /// "forward.layers copy to host"
    std::string name() const;
};

/// What collectives and copies have moved, by "pass.part kind axis" and "pass.part copy to host".
struct MovedCount {
    std::int64_t calls = 0;
    std::int64_t elements = 0;
};
using MovedCounts = std::map<std::string, MovedCount>;

/// Returns the counts as a report's `counters`: calls and elements of collectives, and of copies,
/// by name.
Json counts_json(const MovedCounts& counts);

/// A step as it is timed.
struct TimedStep {
    std::shared_ptr<const model::OpGraph> graph;
    std::vector<CollectiveUse> collectives;
    std::vector<TransferUse> transfers = {};
};

/// Appends the ops of a step: each with what it does to numbers, if there are any. What an op waits
/// for follows from the arrays that it and earlier ones read and write; and a device computes one
/// op after the other, as compiled programs do, while collectives, and copies to and from the host,
/// wait for their arrays alone.
///
/// Layers are alike: without numbers they are a repeat, with numbers they are written out, and each
/// has arrays of its own where it keeps something. Microbatches of layers are a repeat of repeats.
class StepBuilder {
public:
    /// Builds a step on the devices of a mesh. `numbers` and `moved` must outlive the graph; null
    /// ones make a step that is timed alone.
    explicit StepBuilder(DeviceMesh mesh, Numbers* numbers = nullptr, MovedCounts* moved = nullptr);

    const DeviceMesh& mesh() const { return mesh_; }
    bool has_numbers() const { return numbers_ != nullptr; }
    /// Computes the numbers of each op as it is appended, from now on, so that they may decide on
    /// the ops behind it; ops then keep no effect. `pool` must outlive the builder.
    void compute_at_once(HostPool& pool) { pool_ = &pool; }
    /// Sets the bf16 passes of products of f32 numbers from now on: 6 (JAX's precision "highest"),
    /// 3 or 1. They change times alone: the numbers are the same.
    void set_f32_passes(int passes) { f32_passes_ = passes; }
    int f32_passes() const { return f32_passes_; }

    struct Storage {
        std::int64_t copies = 1; ///< one for each layer, for instance
        std::int64_t copy = 0;
        model::Residency residency = model::Residency::any;
        /// Whether, without numbers, even and odd copies are two arrays, as of two buffers that are
        /// used in turn. With layers_ahead(), neighbouring layers have one each.
        bool in_turn = false;
    };
    /// Returns the array of that name, declaring it when it is first asked for.
    Array array(const std::string& name, Shape shape, model::DType dtype, Storage storage);
    Array array(const std::string& name, Shape shape, model::DType dtype)
    {
        return array(name, shape, dtype, Storage());
    }
    /// Returns the part of `whole` that begins at element `first` and has this shape; the same part
    /// must be asked for by the same `name`.
    Array part(const std::string& name, Array whole, std::int64_t first, Shape shape);
    const Shape& shape(Array array) const { return info(array).shape; }
    model::DType dtype(Array array) const { return info(array).dtype; }
    const std::string& buffer(Array array) const { return info(array).buffer; }

    void begin(Section section) { section_ = std::move(section); }
    const Section& section() const { return section_; }

    /// Appends an op of one device. `numbers(on)` is called for each device with its arrays, as
    /// On<float> or On<double>.
    template <class Effect>
    void compute(const std::string& name, const std::string& phase, model::Work work,
                 const std::vector<Touch>& reads, const std::vector<Touch>& writes, Effect effect);

    /// A matrix as it stands, or transposed; or several of one shape stacked in one array.
    struct Operand {
        Array array;
        bool transposed = false;
        int panels = 1;
        Array scales = {}; ///< of one that stands in 8 bits: a right factor
    };
    struct Fused {
        bool accumulate = false; ///< the product is added to the result
        Array bias = {};         ///< added to each row of the result
        Array column_sums = {};  ///< set to the sums of the right matrix's columns, as it stands
        /// The types of 8 bits in which left and right are multiplied (quantized_product.h). Each
        /// is quantized by an op before, unless it has scales. Not for accumulation or panels.
        std::optional<std::pair<model::DType, model::DType>> quantized = std::nullopt;
    };
    /// Appends result = left right, and what a compiler fuses with it. Panels of two of the three
    /// go together, the third is the same for all: those of a result that has none are summed up.
    void multiply(const std::string& name, const std::string& phase, Operand left, Operand right,
                  Operand result, Fused fused);
    void multiply(const std::string& name, const std::string& phase, Operand left, Operand right,
                  Operand result)
    {
        multiply(name, phase, left, right, result, Fused());
    }

    /// Appends several ops that follow each other, on the buffers of arrays and on others, with one
    /// effect: numbers(on), as in compute().
    template <class Effect>
    void compute_graph(const std::string& name, const std::string& phase, model::OpGraph ops,
                       const std::vector<Touch>& reads, const std::vector<Touch>& writes,
                       Effect effect)
    {
        compute(name, phase,
                model::Repeat{1, "", std::make_shared<const model::OpGraph>(std::move(ops))}, reads,
                writes, effect);
    }

    /// Appends the product of a matrix with a mode of a tensor: to [outer x m x inner] = matrix
    /// [m x length] times the middle mode of from [outer x length x inner].
    void multiply_mode(const std::string& name, const std::string& phase, Array matrix, Array from,
                       const ModeShape& shape, Array to, SumOrder order = SumOrder::ascending);

    /// Appends a collective from `from` to `to`, which may be the same array. A group of one device
    /// needs none, and `from` must then be `to`. The axis is appended to `phase`.
    void collective(const std::string& name, model::CollectiveKind kind, const std::string& axis,
                    Array from, Array to, int root = 0, Combine combine = Combine::sum)
    {
        collective(name, kind, std::vector<std::string>{axis}, from, to, root, combine);
    }
    /// Appends a collective of groups along several axes, in the mesh's order; "AXIS+AXIS" is
    /// appended to `phase`.
    void collective(const std::string& name, model::CollectiveKind kind,
                    const std::vector<std::string>& axes, Array from, Array to, int root = 0,
                    Combine combine = Combine::sum);

    /// Appends an all-to-all along an axis of more than one device that sends each member another
    /// number of rows: see move_ragged(). rows_of(on) returns how many a device sends to each
    /// member of its group, in their order; it is asked when numbers move. What a device sends in
    /// the mean counts as moved.
    template <class RowsOf>
    void ragged_all_to_all(const std::string& name, const std::string& axis, Array from, Array to,
                           Array rows, const RaggedTraffic& traffic, RowsOf rows_of);
    /// Appends a permute: each device's `from` goes to the `to` of the one that is `shift` places
    /// further along the axis, around its end if it is `cyclic`; who gets nothing keeps what it
    /// has. It goes along the axis as it is laid on the torus if the shift is 1 and cyclic, else
    /// between devices by their numbers. On an axis of one device it does what collective() does
    /// there.
    void permute(const std::string& name, const std::string& axis, Array from, Array to,
                 int shift = 1, bool cyclic = true);
    /// Arrays of one size on their way round an axis of three devices or more.
    struct Passed {
        Array from, to;
    };
    /// Appends two such permutes at once, as one op: `onward` goes to the next device along the
    /// axis, `back` to the one before. They pass a ring's links in opposite directions.
    void permute_both_ways(const std::string& name, const std::string& axis, Passed onward,
                           Passed back);

    /// Appends a copy from HBM to host memory, or back: one of the two arrays stands there
    /// (Residency::host). It waits for its arrays alone, so that ops run beside it.
    void transfer(const std::string& name, const std::string& phase, Array from, Array to);

    /// Appends the ops of `times` layers, body(layer), upwards or downwards. `phase` is that of the
    /// loop's control.
    enum class Order { up, down };
    void layers(const std::string& name, const std::string& phase, std::int64_t times, Order order,
                const std::function<void(std::int64_t layer)>& body);

    /// Appends layers with what each needs from elsewhere, or leaves for elsewhere. Before the
    /// body() of a layer stand begin() of the layer itself, fetch() of the one that comes next and
    /// drain() of the one before, and what of them waits for arrays alone runs beside it. All but
    /// body() may be empty. Arrays that fetch() writes for body() to read, or body() for drain(),
    /// are Storage::in_turn, with the layer as their `copy`: neighbouring layers must not share
    /// one.
    using OfLayer = std::function<void(std::int64_t layer)>;
    struct LayerParts {
        OfLayer begin, fetch, drain, body;
    };
    void layers_ahead(const std::string& name, const std::string& phase, std::int64_t times,
                      Order order, const LayerParts& parts);

    // Roles: devices at different positions along an axis, as the stages of a pipeline, have
    // programs of their own. Ops are appended in an order in which they could run one by one.

    /// Gives the devices at each position along `axis` a program of their own from now on; ops that
    /// follow are the first one's. Throws std::logic_error unless the builder is new, and where
    /// numbers are computed at once.
    void begin_roles(const std::string& axis);
    bool has_roles() const { return !role_axis_.empty(); }
    /// Appends what follows to the program of the devices at `position`. Not in a repeat.
    void role(int position);
    int role() const { return role_; }
    /// Begins a chunk of a stage's layers, from 0: what follows has arrays of its own, even where
    /// their names are those of another chunk's.
    void chunk(int number) { chunk_ = number; }
    /// Appends what body() does. Without numbers as a repeat of one iteration, which a second time
    /// under the same name in a role is appended once more without a call of body(): what many
    /// microbatches do is built, compiled and timed once. `phase`: of the repeat's control.
    void again(const std::string& name, const std::string& phase,
               const std::function<void()>& body);
    /// Appends what body() appends, which begins when `read` has been written and ends when it has
    /// written `written`, whatever its ops say; either may be empty. So a loop of layers, whose
    /// arrays stand for those of all layers and microbatches, gets and gives what is sent.
    void between(Array read, Array written, const std::function<void()>& body);
    /// Sends an array (of the role in which it was asked for) from each device of this role to the
    /// one of another role that differs in nothing else. That one receives it under the same name:
    /// the n-th that is sent there is the n-th that is received. The array may be written again
    /// when it has come.
    void send(const std::string& name, int to_role, Array from);
    void receive(const std::string& name, int from_role, Array to);
    /// Appends a collective among those devices of `roles`, ascending, that differ in nothing else:
    /// to the program of each role, between its own arrays, under a name that no other collective
    /// has. It is over when all have come.
    void collective_of_roles(const std::string& name, model::CollectiveKind kind,
                             const std::vector<int>& roles, Array from, Array to);

    /// Appends a loop whose numbers may say when it ends, and returns how many iterations it has.
    /// body() appends one iteration, whose numbers are computed at once, again and again: `times`
    /// times, or if that is 0 until done(iteration), which counts from 1 and is asked after each.
    /// Throws std::logic_error where numbers are not computed at once, and in a loop.
    std::int64_t loop(const std::string& name, const std::string& phase, std::int64_t times,
                      const std::function<void()>& body,
                      const std::function<bool(std::int64_t iteration)>& done);

    const std::vector<CollectiveUse>& collectives() const { return collectives_; }
    const std::vector<TransferUse>& transfers() const { return transfers_; }
    model::OpGraph take(const std::string& name);
    /// Returns the step's graph together with its collectives and copies.
    TimedStep take_step(const std::string& name);

private:
    struct Info {
        std::string buffer;
        Shape shape;
        model::DType dtype;
        model::Residency residency;
        Bytes bytes{0};              ///< of the buffer
        std::vector<int> parts = {}; ///< arrays that are parts of it
    };
    /// Ops of a graph under construction: the step's, or the body of a repeat.
    struct Scope {
        model::OpGraph graph;
        std::map<int, int> writer;               ///< [array]: the last op that wrote it
        std::map<int, std::vector<int>> readers; ///< [array]: ops that read it since then
        std::vector<int> all;                    ///< arrays that ops of it use, as reads
        std::vector<int> written;
        int last_compute = -1; ///< a compiled program computes one op after the other
    };

    /// What has been sent and not yet received: of each device that sent, in order.
    using Mail = std::deque<std::vector<std::vector<double>>>;

    /// Where roles meet in a collective: their arrays, and the effect of all.
    using ArraysOfRoles = std::map<int, std::pair<Array, Array>>; ///< by role: from, to
    struct Met {
        std::shared_ptr<ArraysOfRoles> arrays;
        std::shared_ptr<const model::Effect> effect;
    };
    using Groups = std::vector<std::vector<int>>;

    const Info& info(Array array) const { return infos_[static_cast<std::size_t>(array.id)]; }
    /// Its work; and counts it as used.
    model::Op ragged_op(const std::string& name, const std::string& axis, Array from,
                        const RaggedTraffic& traffic);
    std::shared_ptr<const Groups> groups_along(const std::string& axis);
    static void count_moved(MovedCounts* moved, const std::string& name, std::int64_t elements);
    /// What an op waits for beside its arrays: the op that the device computed before it, or
    /// nothing.
    enum class Waits { for_the_device, for_arrays };
    void append(model::Op op, const std::vector<Touch>& reads, const std::vector<Touch>& writes,
                Waits waits = Waits::for_the_device);
    /// An op but for what it waits for, and the arrays by which that goes.
    struct Unordered {
        model::Op op;
        std::vector<int> read, written;
        Waits waits = Waits::for_the_device;
    };
    void place(Unordered unordered);
    Unordered repeat_of(Scope inner, const std::string& name, const std::string& phase,
                        std::int64_t times) const;
    static void add_once(std::vector<int>& list, int value);
    void wait_for(int op, int array, bool writes);
    void append_collective(const std::string& name, MovingCollective collective, Array from,
                           Array to);
    void declare(const std::string& buffer, Bytes bytes, model::Residency residency);
    void declare(Array array);
    std::vector<Scope*> all_scopes();
    std::vector<int> devices_of_role(int role) const;
    std::shared_ptr<const Groups> groups_in_role(const std::vector<std::string>& axes);
    MovingCollective among_roles(model::CollectiveKind kind, const std::vector<int>& roles,
                                 Array array);
    model::Op op_of(const std::string& name, const MovingCollective& collective) const;
    std::string phase_of(const MovingCollective& collective) const;
    void count(const MovingCollective& collective);
    model::Op message_op(const std::string& name, const MovingCollective& message);
    model::OpGraph take_roles(const std::string& name);
    std::vector<int> with_parts(const std::vector<Touch>& touches) const;
    model::BufferUse use_of(const Touch& touch) const;
    Shape panel_of(const Operand& operand) const;
    ProductShape product_of(const std::string& name, const Operand& left, const Operand& right,
                            const Operand& result) const;
    struct QuantizedOperand {
        Array numbers, scales;
        model::DType type;
    };
    QuantizedOperand quantized(const std::string& name, const std::string& phase,
                               const Operand& operand, model::DType type, bool is_left);
    void multiply_quantized(const std::string& name, const std::string& phase, Operand left,
                            Operand right, Operand result, const Fused& fused);
    std::vector<Array> stored_in_bf16(const std::vector<Touch>& writes) const;
    /// `place`: the layer that stands for all.
    void repeat(const std::string& name, const std::string& phase, std::int64_t times,
                const std::function<void(std::int64_t)>& body, std::int64_t place = 0);
    void append_repeat(Scope inner, const std::string& name, const std::string& phase,
                       std::int64_t times);
    void compute_now(model::Op& op);
    std::shared_ptr<const model::Effect>
    effect_of_met(const std::string& counted, const MovingCollective& collective,
                  const std::shared_ptr<const ArraysOfRoles>& arrays) const;
    std::shared_ptr<const model::Effect> moving_effect(const MovingCollective& collective,
                                                       const std::string& name, Array from,
                                                       Array to);

    DeviceMesh mesh_;
    Numbers* numbers_;
    MovedCounts* moved_;
    Section section_;
    std::vector<Info> infos_;
    /// Role, chunk, buffer, copy.
    std::map<std::tuple<int, int, std::string, std::int64_t>, Array> by_name_;
    std::map<std::pair<std::string, int>, Array> parts_by_name_; ///< name, whole
    std::string role_axis_;                                      ///< empty: no roles
    int role_ = 0;
    int chunk_ = 0;
    std::vector<std::vector<model::Buffer>> buffers_; ///< [role]; one list if there are none
    std::set<std::pair<int, std::string>> declared_;  ///< role, buffer
    std::vector<Scope> scopes_;                       ///< of this role: the innermost last
    std::vector<Scope> other_roles_;                  ///< [role]: while it is another's turn
    /// What again() appended, and which collectives and copies it has.
    struct Repeated {
        Unordered repeat;
        std::size_t first_collective = 0, first_transfer = 0;
        std::size_t end_collective = 0, end_transfer = 0;
        std::int64_t times = 0; ///< so far
    };
    std::map<std::pair<int, std::string>, Repeated> repeated_; ///< by role and name
    /// By name: between whom, and the op.
    std::map<std::string, std::pair<std::shared_ptr<const Groups>, model::Op>> messages_;
    std::map<std::vector<int>, std::shared_ptr<const Groups>> groups_of_roles_;
    std::map<std::pair<int, std::vector<std::string>>, std::shared_ptr<const Groups>>
        role_groups_;                                   ///< by role and axes
    std::map<std::string, std::shared_ptr<Mail>> mail_; ///< by name of message
    std::map<std::string, Met> met_;                    ///< by name of collective
    std::vector<CollectiveUse> collectives_;
    std::vector<TransferUse> transfers_;
    /// Without numbers, behind a repeat in which a layer stood for this many more: arrays in turn
    /// go on where it began.
    std::int64_t turned_ = 0;
    std::int64_t times_ = 1;   ///< of the repeats under construction, all together
    HostPool* pool_ = nullptr; ///< null: ops have effects, computed by whoever runs the step
    int f32_passes_ = 6;
};

template <class Effect>
void StepBuilder::compute(const std::string& name, const std::string& phase, model::Work work,
                          const std::vector<Touch>& reads, const std::vector<Touch>& writes,
                          Effect effect)
{
    model::Op op;
    op.name = name;
    op.phase = phase;
    op.work = std::move(work);
    if (numbers_ != nullptr) {
        op.effect = model::device_effect(
            [numbers = numbers_, effect, in_bf16 = stored_in_bf16(writes)](int device) {
                if (numbers->in_f64()) {
                    effect(On<double>(*numbers, device));
                } else {
                    effect(On<float>(*numbers, device));
                }
                numbers->round_to_bf16(in_bf16, device);
            });
    }
    append(std::move(op), reads, writes);
}

/// Returns how many elements a device of the groups has sent in the mean.
template <class Real, class RowsOf>
std::int64_t move_ragged(Numbers& numbers, const std::vector<std::vector<int>>& groups, Array from,
                         Array to, const Shape& from_shape, std::int64_t to_rows,
                         const RowsOf& rows_of)
{
    const auto devices = static_cast<std::size_t>(numbers.devices());
    RaggedRows rows(devices);
    std::vector<RaggedArray<Real>> sent(devices);
    std::vector<RaggedArray<Real>> received(devices);
    std::int64_t members = 0;
    for (const std::vector<int>& group : groups) {
        for (const int device : group) {
            const auto i = static_cast<std::size_t>(device);
            rows[i] = rows_of(On<Real>(numbers, device));
            sent[i] = {numbers.at<Real>(from, device), from_shape.rows};
            received[i] = {numbers.at<Real>(to, device), to_rows};
            ++members;
        }
    }
    return move_ragged(groups, rows, from_shape.columns, sent, received) * from_shape.columns /
           members;
}

template <class RowsOf>
void StepBuilder::ragged_all_to_all(const std::string& name, const std::string& axis, Array from,
                                    Array to, Array rows, const RaggedTraffic& traffic,
                                    RowsOf rows_of)
{
    model::Op op = ragged_op(name, axis, from, traffic);
    if (numbers_ != nullptr) {
        op.effect = model::group_effect([=, numbers = numbers_, moved = moved_,
                                         groups = groups_along(axis), shape = shape(from),
                                         room = shape(to).rows, use = collectives_.back().name()] {
            const std::int64_t elements =
                numbers->in_f64()
                    ? move_ragged<double>(*numbers, *groups, from, to, shape, room, rows_of)
                    : move_ragged<float>(*numbers, *groups, from, to, shape, room, rows_of);
            count_moved(moved, use, elements);
        });
    }
    const auto share = [&](Array array) {
        return Touch(array, static_cast<double>(traffic.rows) /
                                static_cast<double>(std::max(traffic.rows, shape(array).rows)));
    };
    append(std::move(op), {share(from), rows}, {share(to)}, Waits::for_arrays);
}

} // namespace alxsim::spmd
