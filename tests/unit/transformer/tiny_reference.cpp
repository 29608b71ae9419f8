// SPDX-License-Identifier: Apache-2.0
#include "tiny_reference.h"

#include "base/npy.h"
#include "base/numbers/mix64.h"

#include <stdexcept>

namespace alxsim::transformer {

const std::string tiny_reference_folder =
    ALXSIM_SOURCE_DIR "/tests/golden/data/workloads/transformer/";

namespace {

/// The value of a name, or what it is already where the file has none.
template <class Value>
void read_named(const Json& model, const char* field, Value& value)
{
    for (const auto& [name, one] : value_names(value)) {
        if (model.value(field, name_of_value(value)) == name) {
            value = one;
            return;
        }
    }
    throw std::invalid_argument(model.at(field).get<std::string>());
}

template <class Value>
void read_plain(const Json& model, const char* field, Value& value)
{
    value = model.value(field, value);
}

ModelSize size_of(const Json& model)
{
    ModelSize size;
    read_plain(model, "layers", size.layers);
    read_plain(model, "hidden", size.hidden);
    read_plain(model, "heads", size.heads);
    read_plain(model, "vocabulary", size.vocabulary);
    read_plain(model, "sequence", size.sequence);
    read_plain(model, "kv_heads", size.kv_heads);
    read_plain(model, "head_size", size.head_size);
    read_plain(model, "mlp_width", size.mlp_width);
    read_plain(model, "gated", size.gated);
    read_named(model, "activation", size.activation);
    read_named(model, "norm", size.norm);
    read_named(model, "positions", size.positions);
    read_named(model, "biases", size.biases);
    read_plain(model, "qk_norm", size.qk_norm);
    read_plain(model, "tied", size.tied);
    read_plain(model, "window", size.window);
    if (model.contains("experts")) {
        const Json& experts = model.at("experts");
        read_plain(experts, "count", size.experts.count);
        read_plain(experts, "per_token", size.experts.per_token);
        read_plain(experts, "width", size.experts.width);
        read_plain(experts, "capacity", size.experts.capacity);
    }
    return size;
}

} // namespace

TinyReference::TinyReference(const std::string& name)
    : golden(load_json(tiny_reference_folder + name + ".json")),
      size(size_of(golden.at("model"))),
      sequences(golden.at("model").at("batch").get<std::int64_t>()),
      initial_stddev(golden.at("initial_stddev").get<double>()),
      gradients(read_npy_array(tiny_reference_folder + name + "_gradient.npy").values)
{
}

TinyReference::TinyReference(const ModelSize& of) : size(of) {}

/// Token i is `below` of stream 1000: (mix64(key) >> 32) * V >> 32, key = 1000 2^32 + i.
std::vector<std::int32_t> TinyReference::tokens() const
{
    constexpr std::uint64_t stream = 1000ULL << 32;
    std::vector<std::int32_t> all;
    for (std::int64_t i = 0; i < sequences * (size.sequence + 1); ++i) {
        const std::uint64_t bits = mix64(stream + static_cast<std::uint64_t>(i)) >> 32;
        all.push_back(
            static_cast<std::int32_t>(bits * static_cast<std::uint64_t>(size.vocabulary) >> 32));
    }
    return all;
}

std::vector<std::int32_t> TinyReference::tokens_but(std::int64_t place) const
{
    std::vector<std::int32_t> some;
    std::int64_t at = 0;
    for (const std::int32_t token : tokens()) {
        if (at++ % (size.sequence + 1) != place) {
            some.push_back(token);
        }
    }
    return some;
}

} // namespace alxsim::transformer
