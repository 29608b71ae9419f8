// SPDX-License-Identifier: Apache-2.0
#include "workloads/offload/layer_ops.h"

#include "workloads/offload/state_types.h"
#include "workloads/transformer/parameters/parameters.h"
#include "workloads/transformer/steps/training_step.h"

#include <algorithm>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace alxsim::offload {
namespace {

using model::Buffer;
using model::Copy;
using model::Op;
using model::Residency;
using topologies::Tier;

using Graph = std::shared_ptr<const model::OpGraph>;

/// A transformer's step whose layers are a repeat, of which the first and last may be left out.
constexpr int few_layers = 4;

Graph training_step(transformer::TransformerConfig config, int layers)
{
    config.size.layers = layers;
    return transformer::TrainingStep(config).graph();
}

/// The same with layers that are all alike: nothing goes to the host beside them.
Graph plain_step(transformer::TransformerConfig config)
{
    config.recomputation = transformer::RecomputationPolicy::full;
    return training_step(std::move(config), few_layers);
}

const model::OpGraph& body_named(const model::OpGraph& graph, const std::string& name)
{
    for (const Op& op : graph.ops) {
        const auto* repeat = std::get_if<model::Repeat>(&op.work);
        if (repeat != nullptr && op.name == name) {
            return *repeat->body;
        }
    }
    throw std::logic_error("a transformer's step without a repeat of " + name);
}

bool is_copy_with_host(const Op& op)
{
    const auto* copy = std::get_if<Copy>(&op.work);
    return copy != nullptr && copy->with_host();
}

/// What a layer computes, as one op: its ops but those between HBM and host, one after another.
Op computed(const model::OpGraph& body, const std::string& name)
{
    auto own = std::make_shared<model::OpGraph>();
    own->name = name;
    for (Op op : body.ops) {
        if (!is_copy_with_host(op)) {
            op.after = own->ops.empty() ? std::vector<int>()
                                        : std::vector<int>{static_cast<int>(own->ops.size()) - 1};
            own->add(std::move(op));
        }
    }
    Op op;
    op.name = name;
    op.phase = name;
    op.work = model::Repeat{1, "", own};
    return op;
}

/// Its copies to host memory, or from it, as one; nothing if there are none.
LayerOps::Part copied(const model::OpGraph& body, Tier to, const std::string& name)
{
    Op all;
    all.name = name;
    all.phase = name;
    Copy sum{to == Tier::host ? Tier::hbm : Tier::host, to};
    for (const Op& op : body.ops) {
        if (is_copy_with_host(op) && std::get<Copy>(op.work).to == to) {
            sum.bytes += std::get<Copy>(op.work).bytes;
            all.reads.insert(all.reads.end(), op.reads.begin(), op.reads.end());
            all.writes.insert(all.writes.end(), op.writes.begin(), op.writes.end());
        }
    }
    all.work = sum;
    return all.reads.empty() ? LayerOps::Part() : LayerOps::Part(std::move(all));
}

Op moved(const std::string& name, Copy copy, std::vector<model::BufferUse> reads,
         std::vector<model::BufferUse> writes)
{
    Op op;
    op.name = name;
    op.phase = name;
    op.work = copy;
    op.reads = std::move(reads);
    op.writes = std::move(writes);
    return op;
}

bool begins(const std::string& name, const std::string& prefix)
{
    return name.rfind(prefix, 0) == 0;
}

class StepOfLayers {
public:
    explicit StepOfLayers(const OffloadConfig& config)
        : config_(config),
          bytes_(layer_bytes(config)),
          step_(training_step(config.model, few_layers))
    {
    }

    StepOps take()
    {
        add_buffers_of_the_model();
        add_buffers_below();
        add_layer();
        add_optimizer();
        add_ends();
        return std::move(ops_);
    }

private:
    void add_layer()
    {
        const model::OpGraph& forward = body_named(*step_, "layers");
        const model::OpGraph& backward = body_named(*step_, "layers backward");
        LayerOps& layer = ops_.layer;
        layer.forward = computed(forward, "forward.layers");
        layer.backward = computed(backward, "backward.layers");
        layer.stash = copied(forward, Tier::host, "offload");
        layer.restore = copied(backward, Tier::hbm, "offload");
        const bool has_copy = StateTypes(config_.model).has_copy();
        layer.fetch =
            moved("weights.fetch", with_storage(Tier::storage, Tier::host, bytes_.weights),
                  {{has_copy ? "storage.weights" : "storage.optimizer", bytes_.weights}},
                  {{"host.weights", bytes_.weights}});
        layer.load = moved("weights.load", {Tier::host, Tier::hbm, bytes_.weights},
                           {{"host.weights", bytes_.weights}}, weights_);
        layer.unload = moved("gradients.unload", {Tier::hbm, Tier::host, bytes_.weights},
                             gradients_, {{"host.gradients", bytes_.weights}});
    }

    void add_optimizer()
    {
        LayerOps& layer = ops_.layer;
        const model::BufferUse gradient{"host.gradients", bytes_.weights};
        const model::BufferUse state{"host.optimizer", bytes_.state};
        const model::BufferUse written{"host.optimizer", bytes_.written};
        layer.read = moved("optimizer.read", with_storage(Tier::storage, Tier::host, bytes_.state),
                           {{"storage.optimizer", bytes_.state}}, {state});
        layer.update = moved("optimizer.update", {Tier::host, Tier::host, bytes_.updated},
                             {state, gradient}, {written});
        std::vector<model::BufferUse> stored{{"storage.optimizer", bytes_.state}};
        if (StateTypes(config_.model).has_copy()) {
            stored.push_back({"storage.weights", bytes_.written - bytes_.state});
        }
        layer.write =
            moved("optimizer.write", with_storage(Tier::host, Tier::storage, bytes_.written),
                  {written}, std::move(stored));
        if (config_.clip_norm) { // it is read, and nothing is written
            layer.norm = moved("optimizer.norm", {Tier::host, Tier::host, bytes_.weights / 2},
                               {gradient}, {});
        }
    }

    Copy with_storage(Tier from, Tier to, Bytes bytes) const
    {
        Copy copy{from, to, bytes};
        copy.io = config_.io;
        return copy;
    }

    /// What stands before the layers, between their forward and backward, and behind, but for the
    /// optimizer of the layers.
    void add_ends()
    {
        const Graph plain = plain_step(config_.model);
        std::vector<Op>* end = &ops_.ahead;
        for (Op op : plain->ops) {
            if (op.name == "layers") {
                end = &ops_.between;
            } else if (op.name == "layers backward") {
                end = &ops_.behind;
            } else if (op.name != "optimizer") {
                end->push_back(std::move(op));
            }
        }
    }

    /// What a layer more adds to an array is a layer's.
    void add_buffers_of_the_model()
    {
        const Graph more = training_step(config_.model, few_layers + 1);
        std::map<std::string, Bytes> with_more;
        for (const Buffer& buffer : more->buffers) {
            with_more[buffer.name] = buffer.bytes;
        }
        for (Buffer buffer : step_->buffers) {
            const std::string name = buffer.name;
            const Bytes each = with_more.at(name) - buffer.bytes;
            const Bytes other = buffer.bytes - each * std::int64_t{few_layers};
            const bool late = config_.schedule == Schedule::stale && begins(name, "gradients.");
            buffer.bytes = other * std::int64_t{late ? 2 : 1} + each * copies(name, each);
            if (each > Bytes(0) && begins(name, "weights.")) {
                weights_.push_back({name, each});
            }
            if (each > Bytes(0) && begins(name, "gradients.")) {
                gradients_.push_back({name, each});
            }
            if (buffer.bytes > Bytes(0)) {
                ops_.buffers.push_back(buffer);
            }
        }
    }

    /// In HBM, or on the host where it is the transformer's own: of how many layers.
    std::int64_t copies(const std::string& name, Bytes each) const
    {
        if (each > Bytes(0) && begins(name, "optimizer.")) {
            return 0;
        }
        const std::int64_t layers = config_.model.size.layers;
        return begins(name, "weights.")     ? weights_at_once()
               : begins(name, "gradients.") ? std::min(gradients_in_hbm, layers)
                                            : layers;
    }

    /// A layer's forward and backward each have their own.
    std::int64_t weights_at_once() const
    {
        return std::min<std::int64_t>(config_.prefetch, 2 * config_.model.size.layers);
    }

    void add_buffers_below()
    {
        const std::int64_t layers = config_.model.size.layers;
        const std::int64_t late = config_.schedule == Schedule::stale ? 2 : 1;
        const auto add = [&](const char* name, Bytes bytes, Residency where) {
            ops_.buffers.push_back({name, bytes, where});
        };
        add("storage.optimizer", bytes_.state * layers, Residency::storage);
        // A step that is late reads the weights before while the others are written.
        const std::int64_t weights = (StateTypes(config_.model).has_copy() ? 1 : 0) + late - 1;
        if (weights > 0) {
            add("storage.weights", bytes_.weights * (weights * layers), Residency::storage);
        }
        add("host.weights", bytes_.weights * weights_at_once(), Residency::host);
        add("host.gradients", bytes_.weights * (layers * late), Residency::host);
        add("host.optimizer", bytes_.written * std::min<std::int64_t>(config_.buffers, layers),
            Residency::host);
    }

    static constexpr std::int64_t gradients_in_hbm = 2;

    const OffloadConfig& config_;
    LayerBytes bytes_;
    Graph step_;
    StepOps ops_;
    std::vector<model::BufferUse> weights_, gradients_; ///< of a layer, in HBM
};

} // namespace

LayerBytes layer_bytes(const OffloadConfig& config)
{
    LayerBytes bytes;
    for (const transformer::ParameterSpec& spec : transformer::parameter_specs(config.model.size)) {
        bytes.parameters += spec.of_layer ? spec.elements() : 0;
    }
    const StateTypes types(config.model);
    const Bytes weight = model::size_of(types.weight);
    const Bytes kept =
        model::size_of(types.master) + model::size_of(types.moment) * std::int64_t{types.moments};
    const Bytes written = kept + (types.has_copy() ? weight : Bytes(0));
    bytes.weights = weight * bytes.parameters;
    bytes.state = kept * bytes.parameters;
    bytes.written = written * bytes.parameters;
    bytes.updated = (kept + weight + written) * bytes.parameters / 2;
    return bytes;
}

StepOps step_ops(const OffloadConfig& config)
{
    return StepOfLayers(config).take();
}

} // namespace alxsim::offload
