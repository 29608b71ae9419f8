// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/tensor_overlap.h"

#include "base/input_error.h"
#include "model/compiled_graph.h"
#include "workloads/transformer/layout.h"

#include <algorithm>
#include <vector>

namespace alxsim::transformer {
namespace {

/// Whether a ring is shorter by the partitioner's rule, for a weight of `columns` a device:
/// max(C, R) + 2 R / P < C + R, where C is the product at the arrays' peak, R what a link carries
/// of the tokens of P devices, half of them either way. Tokens and their width are in both. C is of
/// bf16 whatever the type: what the partitioner takes for f32 was not looked at. As
/// libtpu 0.0.42.1 decides for 8 devices of v5e: 1,024 columns yes, 512 no, whatever the tokens.
bool ring_pays(std::int64_t columns, const TransformerConfig& config,
               const topologies::Machine& machine)
{
    const double parts = config.mesh.tensor;
    const double product = 2 * static_cast<double>(columns) / machine.device.matmul_flops();
    const double ring = static_cast<double>(model::size_of(config.dtype).count()) /
                        (2 * machine.network.link_bytes_per_second);
    return std::max(product, ring) + 2 * ring / parts < product + ring;
}

/// Whether it may lie along one axis of the slice, and is not told to lie along several: permutes
/// to the next device would share links there, which R does not count.
bool fits_on_an_axis(int tensor, const topologies::Machine& machine)
{
    const auto told = std::find_if(machine.mesh_axes.begin(), machine.mesh_axes.end(),
                                   [](const auto& place) { return place.name == axis::tensor; });
    if (told != machine.mesh_axes.end() && told->axes.size() > 1) {
        return false;
    }
    const auto& axes = machine.slice.axes();
    return std::any_of(axes.begin(), axes.end(), [&](const topologies::Axis& axis) {
        return axis.links != topologies::AxisLinks::dcn && axis.length % tensor == 0;
    });
}

std::int64_t width_of(CutProduct product, const ModelSize& size)
{
    switch (product) {
    case CutProduct::qkv:
        return size.qkv_width();
    case CutProduct::proj:
        return size.query_width();
    case CutProduct::fc1:
        return size.fc1_width();
    case CutProduct::fc2:
        return size.inner_width();
    case CutProduct::head:
        return size.vocabulary;
    }
    return 0;
}

} // namespace

CutProducts products_in_rings(const TransformerConfig& config, const topologies::Machine& machine)
{
    CutProducts products;
    if (config.sharding != ShardingKind::one_dimensional_sequence || config.mesh.tensor == 1 ||
        config.tensor_overlap == TensorOverlap::none || config.precision != Precision::dtype) {
        return products;
    }
    if (config.tensor_overlap == TensorOverlap::ring) {
        return CutProducts::all();
    }
    if (!model::overlaps_compute({model::CollectiveKind::permute}, machine.network) ||
        !fits_on_an_axis(config.mesh.tensor, machine)) {
        return products;
    }
    for (const auto& [name, product] : value_names(CutProduct())) {
        if (ring_pays(width_of(product, config.size) / config.mesh.tensor, config, machine)) {
            products.add(product);
        }
    }
    return products;
}

std::string words_of_rings(const TransformerConfig& config)
{
    std::vector<std::string> names;
    for (const auto& [name, product] : value_names(CutProduct())) {
        const bool is_mlp = product == CutProduct::fc1 || product == CutProduct::fc2;
        if (config.in_rings.has(product) && !(is_mlp && config.size.experts.exist())) {
            names.emplace_back(name);
        }
    }
    return names.empty()
               ? ""
               : "tokens go round beside the products of " + join(names, ", ") +
                     " (\"tensor_overlap\": \"" + name_of_value(config.tensor_overlap) + "\")";
}

} // namespace alxsim::transformer
