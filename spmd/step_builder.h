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
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace alxsim::spmd {

/// [batch] products in the passes that their numbers take: f32 operands six bf16 ones, or as many
/// as are asked for.
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

/// What collectives have moved, by "pass.part kind axis".
struct MovedCount {
    std::int64_t calls = 0;
    std::int64_t elements = 0;
};
using MovedCounts = std::map<std::string, MovedCount>;

/// A report's `counters`: calls and elements of collectives by name.
Json counts_json(const MovedCounts& counts);

/// A step as it is timed.
struct TimedStep {
    std::shared_ptr<const model::OpGraph> graph;
    std::vector<CollectiveUse> collectives;
};

/// Appends the ops of a step: each with what it does to numbers, if there are any. What an op waits
/// for follows from the arrays that it and earlier ones read and write; and a device computes one
/// op after the other, as compiled programs do, while collectives wait for their arrays alone.
///
/// Layers are alike: without numbers they are a repeat, with numbers they are written out, and each
/// has arrays of its own where it keeps something.
class StepBuilder {
public:
    /// `numbers` and `moved` outlive the graph; null: timed alone.
    explicit StepBuilder(DeviceMesh mesh, Numbers* numbers = nullptr, MovedCounts* moved = nullptr);

    const DeviceMesh& mesh() const { return mesh_; }
    bool has_numbers() const { return numbers_ != nullptr; }
    /// From now on the numbers of an op are computed as it is appended, so that they may decide on
    /// the ops behind it; ops keep no effect. `pool` outlives the builder.
    void compute_at_once(HostPool& pool) { pool_ = &pool; }
    /// Of the products of f32 numbers from now on: 6 (JAX's precision "highest"), 3 or 1. Numbers
    /// are computed alike.
    void set_f32_passes(int passes) { f32_passes_ = passes; }
    int f32_passes() const { return f32_passes_; }

    struct Storage {
        std::int64_t copies = 1; ///< one for each layer, for instance
        std::int64_t copy = 0;
        model::Residency residency = model::Residency::any;
        /// Without numbers, where all layers are one: that of another layer.
        bool of_other_layer = false;
    };
    /// The array of that name, declared when first asked for.
    Array array(const std::string& buffer, Shape shape, model::DType dtype, Storage storage);
    Array array(const std::string& buffer, Shape shape, model::DType dtype)
    {
        return array(buffer, shape, dtype, Storage());
    }
    /// `shape` of the elements of `whole` from `first` on; asked for again by the same `name`.
    Array part(const std::string& name, Array whole, std::int64_t first, Shape shape);
    const Shape& shape(Array array) const { return info(array).shape; }
    model::DType dtype(Array array) const { return info(array).dtype; }
    const std::string& buffer(Array array) const { return info(array).buffer; }

    void begin(Section section) { section_ = std::move(section); }
    const Section& section() const { return section_; }

    /// An op of one device; `numbers(on)` is called for each device with its arrays, as On<float>
    /// or On<double>.
    template <class Effect>
    void compute(const std::string& name, const std::string& phase, model::Work work,
                 const std::vector<Touch>& reads, const std::vector<Touch>& writes, Effect effect);

    /// A matrix as it stands, or transposed; or several of one shape stacked in one array.
    struct Operand {
        Array array;
        bool transposed = false;
        int panels = 1;
    };
    struct Fused {
        bool accumulate = false; ///< the product is added to the result
        Array bias = {};         ///< added to each row of the result
        Array column_sums = {};  ///< set to the sums of the right matrix's columns, as it stands
    };
    /// result = left right, and what a compiler fuses with it. Panels of two of the three go
    /// together, the third is the same for all: those of a result that has none are summed up.
    void multiply(const std::string& name, const std::string& phase, Operand left, Operand right,
                  Operand result, Fused fused);
    void multiply(const std::string& name, const std::string& phase, Operand left, Operand right,
                  Operand result)
    {
        multiply(name, phase, left, right, result, Fused());
    }

    /// Several ops that follow each other, on the buffers of arrays and on others, with one effect:
    /// numbers(on), as in compute().
    template <class Effect>
    void compute_graph(const std::string& name, const std::string& phase, model::OpGraph ops,
                       const std::vector<Touch>& reads, const std::vector<Touch>& writes,
                       Effect effect)
    {
        compute(name, phase,
                model::Repeat{1, "", std::make_shared<const model::OpGraph>(std::move(ops))}, reads,
                writes, effect);
    }

    /// to [outer x m x inner] = matrix [m x length] times a mode of from [outer x length x inner].
    void multiply_mode(const std::string& name, const std::string& phase, Array matrix, Array from,
                       const ModeShape& shape, Array to, SumOrder order = SumOrder::ascending);

    /// From `from` to `to`, which may be the same; a group of one needs none, and `from` must then
    /// be `to`. `phase`: the axis is appended to it.
    void collective(const std::string& name, model::CollectiveKind kind, const std::string& axis,
                    Array from, Array to, int root = 0, Combine combine = Combine::sum)
    {
        collective(name, kind, std::vector<std::string>{axis}, from, to, root, combine);
    }
    /// The same of groups along several axes, in the mesh's order; the phase is "AXIS+AXIS".
    void collective(const std::string& name, model::CollectiveKind kind,
                    const std::vector<std::string>& axes, Array from, Array to, int root = 0,
                    Combine combine = Combine::sum);

    /// An all-to-all along an axis of more than one device whose parts are rows, not as many for
    /// each: see move_ragged(). rows_of(on) returns how many a device sends to each member of its
    /// group, in their order; asked when numbers move. It counts as moved what a device sends in
    /// the mean.
    template <class RowsOf>
    void ragged_all_to_all(const std::string& name, const std::string& axis, Array from, Array to,
                           Array rows, const RaggedTraffic& traffic, RowsOf rows_of);

    /// The ops of `times` layers: body(layer), upwards or downwards. `phase`: of the loop's
    /// control.
    enum class Order { up, down };
    void layers(const std::string& name, const std::string& phase, std::int64_t times, Order order,
                const std::function<void(std::int64_t layer)>& body);

    /// A loop whose numbers may say when it ends: body() appends one iteration, of which the
    /// numbers are computed at once, again and again: `times` times, or where that is 0 until
    /// done(iteration), which counts from 1 and is asked after each. Returns how many iterations
    /// there are. Throws std::logic_error where numbers are not computed at once, and in a loop.
    std::int64_t loop(const std::string& name, const std::string& phase, std::int64_t times,
                      const std::function<void()>& body,
                      const std::function<bool(std::int64_t iteration)>& done);

    const std::vector<CollectiveUse>& collectives() const { return collectives_; }
    model::OpGraph take(const std::string& name);
    /// The same with its collectives.
    TimedStep take_step(const std::string& name);

private:
    struct Info {
        std::string buffer;
        Shape shape;
        model::DType dtype;
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

    const Info& info(Array array) const { return infos_[static_cast<std::size_t>(array.id)]; }
    void append(model::Op op, const std::vector<Touch>& reads, const std::vector<Touch>& writes);
    /// Its work; and counts it as used.
    model::Op ragged_op(const std::string& name, const std::string& axis, Array from,
                        const RaggedTraffic& traffic);
    static void count_moved(MovedCounts* moved, const std::string& name, std::int64_t elements);
    std::vector<int> with_parts(const std::vector<Touch>& touches) const;
    model::BufferUse use_of(const Touch& touch) const;
    Shape panel_of(const Operand& operand) const;
    std::vector<Array> stored_in_bf16(const std::vector<Touch>& writes) const;
    void repeat(const std::string& name, const std::string& phase, std::int64_t times,
                const std::function<void(std::int64_t)>& body);
    void append_repeat(Scope inner, const std::string& name, const std::string& phase,
                       std::int64_t times);
    void compute_now(model::Op& op);
    std::shared_ptr<const model::Effect> moving_effect(const MovingCollective& collective,
                                                       const std::string& name, Array from,
                                                       Array to);

    DeviceMesh mesh_;
    Numbers* numbers_;
    MovedCounts* moved_;
    Section section_;
    std::vector<Info> infos_;
    std::map<std::pair<std::string, std::int64_t>, Array> by_name_; ///< buffer, copy
    std::map<std::pair<std::string, int>, Array> parts_by_name_;    ///< name, whole
    std::vector<model::Buffer> buffers_;
    std::vector<Scope> scopes_;
    std::vector<CollectiveUse> collectives_;
    std::int64_t times_ = 1;   ///< of the repeat under construction
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

/// Returns how many elements a device has sent in the mean.
template <class Real, class RowsOf>
std::int64_t move_ragged(Numbers& numbers, const model::Mesh& mesh, const std::string& axis,
                         Array from, Array to, const Shape& from_shape, std::int64_t to_rows,
                         const RowsOf& rows_of)
{
    RaggedRows rows;
    std::vector<RaggedArray<Real>> sent;
    std::vector<RaggedArray<Real>> received;
    for (int device = 0; device < numbers.devices(); ++device) {
        rows.push_back(rows_of(On<Real>(numbers, device)));
        sent.push_back({numbers.at<Real>(from, device), from_shape.rows});
        received.push_back({numbers.at<Real>(to, device), to_rows});
    }
    return move_ragged(mesh, axis, rows, from_shape.columns, sent, received) * from_shape.columns /
           numbers.devices();
}

template <class RowsOf>
void StepBuilder::ragged_all_to_all(const std::string& name, const std::string& axis, Array from,
                                    Array to, Array rows, const RaggedTraffic& traffic,
                                    RowsOf rows_of)
{
    model::Op op = ragged_op(name, axis, from, traffic);
    if (numbers_ != nullptr) {
        op.effect = model::group_effect([=, numbers = numbers_, moved = moved_, mesh = mesh_.mesh(),
                                         shape = shape(from), room = shape(to).rows,
                                         use = collectives_.back().name()] {
            const std::int64_t elements =
                numbers->in_f64()
                    ? move_ragged<double>(*numbers, *mesh, axis, from, to, shape, room, rows_of)
                    : move_ragged<float>(*numbers, *mesh, axis, from, to, shape, room, rows_of);
            count_moved(moved, use, elements);
        });
    }
    const auto share = [&](Array array) {
        return Touch(array, static_cast<double>(traffic.rows) /
                                static_cast<double>(std::max(traffic.rows, shape(array).rows)));
    };
    append(std::move(op), {share(from), rows}, {share(to)});
}

} // namespace alxsim::spmd
