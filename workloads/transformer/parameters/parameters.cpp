// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/parameters/parameters.h"

#include "base/numbers/random.h"
#include "base/work/stop.h"

#include <algorithm>
#include <numeric>

namespace alxsim::transformer {
namespace {

using Role = ParameterRole;

/// How many of a group a part has: a unit at least.
std::int64_t size_of_part(std::int64_t group, int parts, std::int64_t unit)
{
    return std::max(group / parts, std::min(group, unit));
}

/// Those of part `part` of `parts`, of each of the groups that lie side by side. Of a group of
/// fewer units than parts, neighbouring parts have the same unit.
std::vector<std::int64_t> indices(const std::vector<std::int64_t>& groups, int parts, int part,
                                  std::int64_t unit = 1)
{
    std::vector<std::int64_t> all;
    std::int64_t first = 0;
    for (const std::int64_t group : groups) {
        const std::int64_t size = size_of_part(group, parts, unit);
        const std::int64_t begin = first + part / (parts / (group / size)) * size;
        for (std::int64_t i = 0; i < size; ++i) {
            all.push_back(begin + i);
        }
        first += group;
    }
    return all;
}

bool is_gamma(const ParameterSpec& spec)
{
    return (spec.role == Role::norm || spec.role == Role::head_norm) && spec.name.back() == 'g';
}

} // namespace

namespace {

/// A layer's, in the order in which they are used.
class LayerSpecs {
public:
    explicit LayerSpecs(const ModelSize& size) : size_(size) {}
    std::vector<ParameterSpec> all()
    {
        const std::int64_t h = size_.hidden;
        norm("ln1");
        into("qkv", size_.qkv_width(), {size_.query_width(), size_.key_width(), size_.key_width()},
             size_.biases != Biases::none, size_.head_width());
        if (size_.qk_norm) {
            specs_.push_back({"q_norm.g", Role::head_norm, 1, size_.head_width()});
            specs_.push_back({"k_norm.g", Role::head_norm, 1, size_.head_width()});
        }
        out("proj", size_.query_width());
        norm("ln2");
        const std::int64_t width = size_.inner_width();
        std::vector<std::int64_t> parts;
        if (size_.gated) {
            parts = {width, width};
        }
        if (size_.experts.exist()) {
            const std::int64_t count = size_.experts.count;
            specs_.push_back({"router.w", Role::router, h, count});
            specs_.push_back({"experts.fc1.w", Role::expert_into_weight, count * h,
                              size_.fc1_width(), true, parts});
            specs_.push_back({"experts.fc2.w", Role::expert_out_weight, count * width, h});
            return std::move(specs_);
        }
        into("fc1", size_.fc1_width(), parts, size_.biases == Biases::all);
        out("fc2", width);
        return std::move(specs_);
    }

private:
    void norm(const std::string& name)
    {
        specs_.push_back({name + ".g", Role::norm, 1, size_.hidden});
        if (size_.norm == NormKind::layer) {
            specs_.push_back({name + ".b", Role::norm, 1, size_.hidden});
        }
    }
    void into(const std::string& name, std::int64_t columns, const std::vector<std::int64_t>& parts,
              bool has_bias, std::int64_t unit = 1)
    {
        specs_.push_back(
            {name + ".w", Role::into_weight, size_.hidden, columns, true, parts, unit});
        if (has_bias) {
            specs_.push_back({name + ".b", Role::into_bias, 1, columns, true, parts, unit});
        }
    }
    void out(const std::string& name, std::int64_t rows)
    {
        specs_.push_back({name + ".w", Role::out_weight, rows, size_.hidden});
        if (size_.biases == Biases::all) {
            specs_.push_back({name + ".b", Role::out_bias, 1, size_.hidden});
        }
    }

    const ModelSize& size_;
    std::vector<ParameterSpec> specs_;
};

} // namespace

std::vector<ParameterSpec> parameter_specs(const ModelSize& size)
{
    const std::int64_t h = size.hidden;
    std::vector<ParameterSpec> specs{{"wte", Role::token_table, size.vocabulary, h, false}};
    if (size.positions == Positions::learned) {
        specs.push_back({"wpe", Role::position_embedding, size.sequence, h, false});
    }
    for (ParameterSpec& spec : LayerSpecs(size).all()) {
        specs.push_back(std::move(spec));
    }
    specs.push_back({"lnf.g", Role::norm, 1, h, false});
    if (size.norm == NormKind::layer) {
        specs.push_back({"lnf.b", Role::norm, 1, h, false});
    }
    if (!size.tied) {
        specs.push_back({"head.w", Role::token_table, size.vocabulary, h, false});
    }
    return specs;
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
    return spec.role == Role::token_table || spec.role == Role::out_weight ||
           (two_dimensional_ && spec.role == Role::into_weight);
}

bool ParameterCut::cuts_columns(const ParameterSpec& spec) const
{
    return spec.role != Role::router &&
           (two_dimensional_ || spec.role == Role::into_weight || spec.role == Role::into_bias ||
            spec.role == Role::expert_into_weight);
}

std::int64_t ParameterCut::experts_on(const ParameterSpec& spec) const
{
    const bool is_expert =
        spec.role == Role::expert_into_weight || spec.role == Role::expert_out_weight;
    return is_expert ? experts_ / layout_.lengths().expert : 0;
}

std::int64_t ParameterCut::rows_of(const ParameterSpec& spec) const
{
    if (const std::int64_t here = experts_on(spec); here > 0) {
        const std::int64_t rows = spec.rows / experts_ * here;
        return spec.role == Role::expert_out_weight ? rows / row_parts() : rows;
    }
    return cuts_rows(spec) ? spec.rows / row_parts() : spec.rows;
}

std::int64_t ParameterCut::columns_of(const ParameterSpec& spec) const
{
    if (!cuts_columns(spec)) {
        return spec.columns;
    }
    std::int64_t columns = spec.column_parts.empty() ? spec.columns / row_parts() : 0;
    for (const std::int64_t part : spec.column_parts) {
        columns += size_of_part(part, row_parts(), spec.column_unit);
    }
    return columns;
}

/// Rows of the experts that are here, of each its part.
std::vector<std::int64_t> ParameterCut::expert_rows(const ParameterSpec& spec, int device) const
{
    const Place place = layout_.place_of(device);
    const std::int64_t here = experts_on(spec);
    const std::int64_t of_one = spec.rows / experts_;
    const bool is_cut = spec.role == Role::expert_out_weight;
    std::vector<std::int64_t> rows;
    for (std::int64_t i = 0; i < here; ++i) {
        const std::int64_t first = (place.expert_part * here + i) * of_one;
        for (const std::int64_t row :
             indices({of_one}, is_cut ? row_parts() : 1, is_cut ? place.part : 0)) {
            rows.push_back(first + row);
        }
    }
    return rows;
}

ShardOf ParameterCut::shard_of(const ParameterSpec& spec, int device) const
{
    const Place place = layout_.place_of(device);
    const int row = two_dimensional_ ? place.row : place.part;
    const int column = two_dimensional_ ? place.column : place.part;
    const bool is_matrix = cuts_rows(spec);
    ShardOf shard;
    shard.rows = experts_on(spec) > 0
                     ? expert_rows(spec, device)
                     : indices({spec.rows}, is_matrix ? row_parts() : 1, is_matrix ? row : 0);
    const std::vector<std::int64_t> whole{spec.columns};
    const std::vector<std::int64_t>& parts = spec.column_parts.empty() ? whole : spec.column_parts;
    shard.columns = cuts_columns(spec) ? indices(parts, row_parts(), column, spec.column_unit)
                                       : indices(whole, 1, 0);
    shard.counts = is_matrix || !two_dimensional_ || place.row == 0;
    return shard;
}

int ParameterCut::place_in_cut(const ParameterSpec& spec, int device) const
{
    const Place place = layout_.place_of(device);
    return place.part + (experts_on(spec) > 0 ? place.expert_part * layout_.parts() : 0);
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
