// SPDX-License-Identifier: Apache-2.0
#include "workloads/offload/numbers/layer_tensors.h"

#include "base/units.h"
#include "workloads/offload/store/store_file.h"

#include <cstring>
#include <utility>

namespace alxsim::offload {
namespace {

/// As DeepSpeed's settings for drives have it.
constexpr std::size_t block_bytes = 262144;
constexpr const char* losses = "losses";

const std::string& made_if_new(const std::string& path, const StoreLayout& layout, bool exists)
{
    if (!exists) {
        create_store(path, layout);
    }
    return path;
}

StoreOptions options_of(const OffloadConfig& config)
{
    StoreOptions options;
    options.path = config.io == topologies::StorageIo::user ? IoPath::user : IoPath::kernel;
    options.buffers = config.buffers;
    return options;
}

} // namespace

LayerTensors::LayerTensors(const OffloadConfig& config, const std::vector<ParameterGroup>& groups,
                           const std::string& path, bool exists)
    : types_(config.model),
      keeps_gradients_(config.schedule == Schedule::stale),
      steps_asked_(config.model.steps),
      groups_(groups),
      store_(made_if_new(path, layout(), exists), layout(), options_of(config)),
      losses_(sizeof(double) * static_cast<std::size_t>(steps_asked_))
{
    if (exists) {
        store_.read(store_.layout().index(losses), losses_.data(), losses_.size()).get();
    }
}

bool LayerTensors::has(What what) const
{
    switch (what) {
    case What::moments:
        return types_.moments > 0;
    case What::weights:
        return types_.has_copy();
    case What::gradient:
        return keeps_gradients_;
    default:
        return true;
    }
}

model::DType LayerTensors::type(What what) const
{
    return what == What::master    ? types_.master
           : what == What::moments ? types_.moment
                                   : types_.weight;
}

std::size_t LayerTensors::bytes(What what, std::size_t group) const
{
    const auto each = static_cast<std::size_t>(model::size_of(type(what)).count());
    return groups_[group].elements * each *
           static_cast<std::size_t>(what == What::moments ? types_.moments : 1);
}

std::string LayerTensors::name(What what, std::size_t group) const
{
    const char* const of = what == What::master    ? "master"
                           : what == What::moments ? "moments"
                           : what == What::weights ? "weights"
                                                   : "gradient";
    return (group + 1 == groups_.size() ? "in HBM" : "layer " + std::to_string(group)) + " " + of;
}

StoreLayout LayerTensors::layout() const
{
    std::vector<StoredTensor> tensors;
    for (std::size_t group = 0; group < groups_.size(); ++group) {
        for (const What what : {What::master, What::moments, What::weights, What::gradient}) {
            if (has(what)) {
                tensors.push_back({name(what, group), bytes(what, group)});
            }
        }
    }
    tensors.push_back({losses, sizeof(double) * static_cast<std::size_t>(steps_asked_)});
    return {std::move(tensors), block_bytes};
}

MovedTensor LayerTensors::read(What what, std::size_t group)
{
    MovedTensor tensor;
    const std::size_t size = bytes(what, group);
    tensor.bytes = AlignedBytes(size);
    tensor.under_way.push_back(
        store_.read(store_.layout().index(name(what, group)), tensor.bytes.data(), size));
    return tensor;
}

void LayerTensors::write(What what, std::size_t group, MovedTensor& tensor)
{
    tensor.under_way.push_back(store_.write(store_.layout().index(name(what, group)),
                                            tensor.bytes.data(), bytes(what, group)));
}

double LayerTensors::loss(int step) const
{
    double loss = 0;
    std::memcpy(&loss, losses_.data() + sizeof loss * static_cast<std::size_t>(step - 1),
                sizeof loss);
    return loss;
}

int LayerTensors::steps() const
{
    return static_cast<int>(store_.step().value_or(0));
}

void LayerTensors::commit(int step, std::optional<double> loss)
{
    if (loss) {
        losses_.as<double>()[step - 1] = *loss;
    }
    store_.write(store_.layout().index(losses), losses_.data(), losses_.size()).get();
    store_.commit(step);
}

} // namespace alxsim::offload
