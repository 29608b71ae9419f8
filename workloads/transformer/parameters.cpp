// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/parameters.h"

#include "base/numbers/random.h"
#include "base/work/stop.h"

#include <numeric>

namespace alxsim::transformer {
namespace {

using Role = ParameterRole;

/// Those of part `part` of `parts`, of each of `groups` that lie side by side.
std::vector<std::int64_t> indices(std::int64_t whole, std::int64_t groups, int parts, int part)
{
    const std::int64_t group = whole / groups;
    const std::int64_t size = group / parts;
    std::vector<std::int64_t> all;
    for (std::int64_t g = 0; g < groups; ++g) {
        for (std::int64_t i = 0; i < size; ++i) {
            all.push_back(g * group + part * size + i);
        }
    }
    return all;
}

bool is_gamma(const ParameterSpec& spec)
{
    return spec.role == Role::norm && spec.name.back() == 'g';
}

} // namespace

std::vector<ParameterSpec> parameter_specs(const ModelSize& size)
{
    const std::int64_t h = size.hidden;
    return {
        {"wte", Role::token_embedding, size.vocabulary, h, false},
        {"wpe", Role::position_embedding, size.sequence, h, false},
        {"ln1.g", Role::norm, 1, h},
        {"ln1.b", Role::norm, 1, h},
        {"qkv.w", Role::into_weight, h, 3 * h, true, 3},
        {"qkv.b", Role::into_bias, 1, 3 * h, true, 3},
        {"proj.w", Role::out_weight, h, h},
        {"proj.b", Role::out_bias, 1, h},
        {"ln2.g", Role::norm, 1, h},
        {"ln2.b", Role::norm, 1, h},
        {"fc1.w", Role::into_weight, h, 4 * h},
        {"fc1.b", Role::into_bias, 1, 4 * h},
        {"fc2.w", Role::out_weight, 4 * h, h},
        {"fc2.b", Role::out_bias, 1, h},
        {"lnf.g", Role::norm, 1, h, false},
        {"lnf.b", Role::norm, 1, h, false},
    };
}

std::string ParameterOf::name() const
{
    return (layer < 0 ? "" : std::to_string(layer) + ".") + spec->name;
}

std::vector<ParameterOf> all_parameters(const std::vector<ParameterSpec>& specs,
                                        std::int64_t layers)
{
    std::vector<ParameterOf> all;
    for (std::size_t i = 0; i < specs.size(); ++i) {
        if (!specs[i].of_layer) {
            all.push_back({&specs[i], -1});
            continue;
        }
        if (i > 0 && specs[i - 1].of_layer) {
            continue; // came with the first of a layer
        }
        for (std::int64_t layer = 0; layer < layers; ++layer) {
            for (std::size_t j = i; j < specs.size() && specs[j].of_layer; ++j) {
                all.push_back({&specs[j], layer});
            }
        }
    }
    return all;
}

bool ParameterCut::cuts_rows(const ParameterSpec& spec) const
{
    return spec.role == Role::token_embedding || spec.role == Role::out_weight ||
           (two_dimensional_ && spec.role == Role::into_weight);
}

bool ParameterCut::cuts_columns(const ParameterSpec& spec) const
{
    return two_dimensional_ || spec.role == Role::into_weight || spec.role == Role::into_bias;
}

std::int64_t ParameterCut::rows_of(const ParameterSpec& spec) const
{
    return cuts_rows(spec) ? spec.rows / row_parts() : spec.rows;
}

std::int64_t ParameterCut::columns_of(const ParameterSpec& spec) const
{
    return cuts_columns(spec) ? spec.columns / row_parts() : spec.columns;
}

ShardOf ParameterCut::shard_of(const ParameterSpec& spec, int device) const
{
    const Place place = layout_.place_of(device);
    const int row = two_dimensional_ ? place.row : place.part;
    const int column = two_dimensional_ ? place.column : place.part;
    const bool is_matrix = cuts_rows(spec);
    ShardOf shard;
    shard.rows = indices(spec.rows, 1, is_matrix ? row_parts() : 1, is_matrix ? row : 0);
    shard.columns = cuts_columns(spec)
                        ? indices(spec.columns, spec.column_parts, row_parts(), column)
                        : indices(spec.columns, 1, 1, 0);
    shard.counts = is_matrix || !two_dimensional_ || place.row == 0;
    return shard;
}

std::vector<double> ParameterCut::cut(const ParameterSpec& spec, int device,
                                      const std::vector<double>& whole) const
{
    const ShardOf shard = shard_of(spec, device);
    std::vector<double> values;
    values.reserve(shard.rows.size() * shard.columns.size());
    for (const std::int64_t row : shard.rows) {
        for (const std::int64_t column : shard.columns) {
            values.push_back(
                shard.counts ? whole[static_cast<std::size_t>(row * spec.columns + column)] : 0);
        }
    }
    return values;
}

void ParameterCut::put_together(const ParameterSpec& spec, int device,
                                const std::vector<double>& shard, std::vector<double>& whole) const
{
    const ShardOf places = shard_of(spec, device);
    if (!places.counts) {
        return;
    }
    whole.resize(static_cast<std::size_t>(spec.elements()));
    std::size_t i = 0;
    for (const std::int64_t row : places.rows) {
        for (const std::int64_t column : places.columns) {
            whole[static_cast<std::size_t>(row * spec.columns + column)] = shard[i++];
        }
    }
}

std::vector<double> initial_values(const ParameterSpec& spec, std::uint64_t stream, double stddev)
{
    std::vector<double> values(static_cast<std::size_t>(spec.elements()));
    const double base = is_gamma(spec) ? 1 : 0;
    StopLook stop;
    for (std::size_t i = 0; i < values.size(); ++i) {
        stop();
        values[i] = base + stddev * normal((stream << 32) + i);
    }
    return values;
}

} // namespace alxsim::transformer
