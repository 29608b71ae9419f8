// SPDX-License-Identifier: Apache-2.0
#include "workloads/offload/schedule/offload_schedule.h"

#include "model/estimate.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace alxsim::offload {
namespace {

class StepsInARow {
public:
    StepsInARow(const OffloadShape& shape, const StepOps& ops, const OptimizerOrder& order)
        : shape_(shape),
          ops_(ops),
          order_(order),
          stored_(static_cast<std::size_t>(shape.layers))
    {
        graph_.name = "offloaded steps";
        graph_.buffers = ops.buffers;
    }

    void add_step()
    {
        const auto layers = static_cast<std::size_t>(shape_.layers);
        stashed_.assign(layers, {});
        unloaded_.assign(layers, {});
        const std::vector<Done> weights = weights_wait_for();
        compute(ops_.ahead);
        for (std::size_t layer = 0; layer < layers; ++layer) {
            forward(layer, weights[layer]);
        }
        compute(ops_.between);
        for (std::size_t layer = layers; layer-- > 0;) {
            backward(layer);
        }
        const Done gradients = computed_;
        compute(ops_.behind);
        optimize(gradients);
    }

    model::OpGraph take() { return std::move(graph_); }

private:
    /// Ops that are over then.
    using Done = std::vector<int>;

    static Done all_of(const std::vector<Done>& several)
    {
        Done all;
        for (const Done& one : several) {
            all.insert(all.end(), one.begin(), one.end());
        }
        std::sort(all.begin(), all.end());
        all.erase(std::unique(all.begin(), all.end()), all.end());
        return all;
    }

    /// Behind all of these.
    Done add(const LayerOps::Part& part, const std::vector<Done>& after)
    {
        Done before = all_of(after);
        if (!part) {
            return before;
        }
        model::Op op = *part;
        op.after = std::move(before);
        return {graph_.add(std::move(op))};
    }

    /// A device computes one op after the other.
    void compute(const LayerOps::Part& part, std::vector<Done> after)
    {
        after.push_back(computed_);
        computed_ = add(part, after);
    }
    void compute(const std::vector<model::Op>& ops)
    {
        for (const model::Op& op : ops) {
            compute(op, {});
        }
    }

    static Done before_last(const std::vector<Done>& all, std::size_t back)
    {
        return all.size() >= back ? all[all.size() - back] : Done();
    }

    /// [layer]: what a forward of this step waits for.
    std::vector<Done> weights_wait_for() const
    {
        const auto layers = static_cast<std::size_t>(shape_.layers);
        const std::size_t late = shape_.schedule == Schedule::stale ? 2 : 1;
        if (updated_.size() < late) {
            return std::vector<Done>(layers);
        }
        if (shape_.schedule == Schedule::sync) {
            const auto last = written_.end() - static_cast<std::ptrdiff_t>(layers);
            return std::vector<Done>(layers, all_of({last, written_.end()}));
        }
        return updated_[updated_.size() - late];
    }

    /// Its weights, in HBM.
    Done load(const Done& weights)
    {
        const Done fetched =
            add(ops_.layer.fetch,
                {before_last(layers_done_, static_cast<std::size_t>(shape_.prefetch)), weights});
        return add(ops_.layer.load, {fetched});
    }

    void forward(std::size_t layer, const Done& weights)
    {
        compute(
            ops_.layer.forward,
            {load(weights), layer >= layers_in_turn ? stashed_[layer - layers_in_turn] : Done()});
        layers_done_.push_back(computed_);
        stashed_[layer] = add(ops_.layer.stash, {computed_});
    }

    /// The array on the host that a gradient goes to is free when the update by the one before is.
    void backward(std::size_t layer)
    {
        const Done restored =
            add(ops_.layer.restore, {stashed_[layer], before_last(layers_done_, layers_in_turn)});
        const std::size_t before = layer + layers_in_turn;
        compute(ops_.layer.backward,
                {load({}), restored, before < unloaded_.size() ? unloaded_[before] : Done()});
        layers_done_.push_back(computed_);
        const std::size_t late = shape_.schedule == Schedule::stale ? 2 : 1;
        unloaded_[layer] =
            add(ops_.layer.unload,
                {computed_,
                 updated_.size() >= late ? updated_[updated_.size() - late][layer] : Done()});
    }

    /// What all updates wait for, `gradients`: the last of them.
    Done updates_begin(const Done& gradients)
    {
        std::vector<Done> all{shape_.schedule == Schedule::sync ? gradients : Done()};
        if (shape_.clips) {
            for (std::size_t layer = unloaded_.size(); layer-- > 0;) {
                all.push_back(add(ops_.layer.norm, {unloaded_[layer]}));
            }
        }
        return all_of(all);
    }

    void optimize(const Done& gradients)
    {
        const Done begin = updates_begin(gradients);
        const auto layers = static_cast<std::size_t>(shape_.layers);
        std::vector<Done> read(layers);
        std::vector<Done> updated(layers);
        for (const OptimizerTask& task : order_) {
            const auto layer = static_cast<std::size_t>(task.layer);
            if (task.part == OptimizerPart::read) {
                const auto buffers = static_cast<std::size_t>(shape_.buffers);
                const Done room = reads_ >= buffers ? written_[reads_ - buffers] : Done();
                read_ = read[layer] =
                    add(ops_.layer.read, {begin, unloaded_[layer], room, read_, stored_[layer]});
                ++reads_;
            } else if (task.part == OptimizerPart::update) {
                update_ = updated[layer] = add(ops_.layer.update, {read[layer], update_});
            } else {
                write_ = add(ops_.layer.write, {updated[layer], write_});
                written_.push_back(write_);
                stored_[layer] = write_;
            }
        }
        updated_.push_back(std::move(updated));
    }

    const OffloadShape& shape_;
    const StepOps& ops_;
    const OptimizerOrder& order_;
    model::OpGraph graph_;
    Done computed_, read_, update_, write_; ///< the last of each
    std::size_t reads_ = 0;
    std::vector<Done> layers_done_;          ///< forward and backward of all steps, in order
    std::vector<Done> stashed_, unloaded_;   ///< [layer] of this step
    std::vector<std::vector<Done>> updated_; ///< [step][layer]
    std::vector<Done> written_;              ///< of all steps, in order
    std::vector<Done> stored_;               ///< [layer]: what was written last
};

} // namespace

model::OpGraph offloaded_steps(const OffloadShape& shape, const StepOps& ops,
                               const OptimizerOrder& order, int steps)
{
    StepsInARow all(shape, ops, order);
    for (int step = 0; step < steps; ++step) {
        all.add_step();
    }
    return all.take();
}

LayerTimes times_of(const StepOps& ops, const topologies::Machine& machine)
{
    model::AnalyticModel model(machine);
    const auto seconds = [&](std::vector<model::Op> several) {
        auto graph = std::make_shared<model::OpGraph>();
        graph->buffers = ops.buffers;
        for (model::Op& op : several) {
            op.after = graph->ops.empty()
                           ? std::vector<int>()
                           : std::vector<int>{static_cast<int>(graph->ops.size()) - 1};
            graph->add(std::move(op));
        }
        return several.empty() ? 0.0
                               : to_seconds(model.step({graph, {}, 1}).on_device.total).count();
    };
    const auto of_part = [&](const LayerOps::Part& part) { return part ? seconds({*part}) : 0.0; };
    const LayerOps& layer = ops.layer;
    LayerTimes times;
    times.fetch = of_part(layer.fetch);
    times.load = of_part(layer.load);
    times.forward = of_part(layer.forward);
    times.stash = of_part(layer.stash);
    times.restore = of_part(layer.restore);
    times.backward = of_part(layer.backward);
    times.unload = of_part(layer.unload);
    times.read = of_part(layer.read);
    times.update = of_part(layer.update);
    times.write = of_part(layer.write);
    times.ahead = seconds(ops.ahead);
    times.between = seconds(ops.between);
    times.behind = seconds(ops.behind);
    return times;
}

model::Program offload_program(const OffloadShape& shape, const StepOps& ops,
                               const OptimizerOrder& order, int steps)
{
    const auto in_a_row = [&](int several, std::int64_t times) {
        return model::StepGroup{
            {std::make_shared<const model::OpGraph>(offloaded_steps(shape, ops, order, several)),
             {},
             1},
            times};
    };
    if (shape.schedule == Schedule::sync) {
        return {in_a_row(1, 1)};
    }
    return {in_a_row(steps + 1, 1), in_a_row(steps, -1)};
}

OptimizerOrder optimizer_order(const OffloadShape& shape, const StepOps& ops,
                               const topologies::Machine& machine)
{
    return shape.schedule == Schedule::edf ? earliest_deadline_first(shape, times_of(ops, machine))
                                           : order_of_gradients(shape.layers);
}

} // namespace alxsim::offload
