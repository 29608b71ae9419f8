// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/layout.h"

#include <algorithm>

namespace alxsim::transformer {
namespace {

/// An axis is what differs along it: of a row of the grid, the column.
model::Mesh mesh_of(const TransformerConfig& config)
{
    const MeshLengths& lengths = config.mesh;
    model::Mesh mesh{{axis::data, lengths.data}};
    for (const model::MeshAxis& one :
         {model::MeshAxis{axis::pipeline, lengths.pipeline},
          model::MeshAxis{axis::fsdp, lengths.fsdp}, model::MeshAxis{axis::expert, lengths.expert},
          model::MeshAxis{axis::sequence, lengths.sequence}}) {
        if (one.length > 1) {
            mesh.axes.push_back(one);
        }
    }
    if (!config.is_two_dimensional()) {
        mesh.axes.push_back({axis::tensor, lengths.tensor});
    } else if (config.columns_first) {
        mesh.axes.push_back({axis::row, config.side()});
        mesh.axes.push_back({axis::column, config.side()});
    } else {
        mesh.axes.push_back({axis::column, config.side()});
        mesh.axes.push_back({axis::row, config.side()});
    }
    return mesh;
}

} // namespace

Layout::Layout(const TransformerConfig& config)
    : DeviceMesh(mesh_of(config)),
      lengths_(config.mesh),
      side_(config.side()),
      grid_(config.is_two_dimensional()),
      columns_first_(config.columns_first)
{
}

Place Layout::place_of(int device) const
{
    const int inside = device % lengths_.tensor;
    int rest = device / lengths_.tensor;
    const auto next = [&rest](int length) {
        const int place = rest % length;
        rest /= length;
        return place;
    };
    Place place;
    place.part = inside;
    const int slow = inside / side_;
    const int fast = inside % side_;
    place.row = columns_first_ ? fast : slow;
    place.column = columns_first_ ? slow : fast;
    place.sequence_part = next(lengths_.sequence);
    place.expert_part = next(lengths_.expert);
    const int fsdp_part = next(lengths_.fsdp);
    place.stage = next(lengths_.pipeline);
    place.batch_part = (rest * lengths_.fsdp + fsdp_part) * lengths_.expert + place.expert_part;
    return place;
}

std::vector<std::string> Layout::among(const std::vector<std::string>& axes) const
{
    std::vector<std::string> present;
    for (const model::MeshAxis& one : mesh()->axes) {
        if (one.length > 1 && std::find(axes.begin(), axes.end(), one.name.text()) != axes.end()) {
            present.push_back(one.name.text());
        }
    }
    return present;
}

std::vector<std::int32_t> token_positions(const TransformerConfig& config, int sequence_part)
{
    if (config.mode == Mode::decode) {
        return {static_cast<std::int32_t>(config.context)};
    }
    const std::int64_t pieces = config.mesh.sequence > 1 ? 2 * config.mesh.sequence : 1;
    const std::int64_t length = config.size.sequence / pieces;
    std::vector<std::int32_t> positions;
    const auto add = [&](std::int64_t piece) {
        for (std::int64_t i = 0; i < length; ++i) {
            positions.push_back(static_cast<std::int32_t>(piece * length + i));
        }
    };
    add(sequence_part);
    if (pieces > 1) {
        add(pieces - 1 - sequence_part);
    }
    return positions;
}

} // namespace alxsim::transformer
