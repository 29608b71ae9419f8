// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/transformer/config.h"
#include "workloads/transformer/layout.h"

#include <cstdint>
#include <string>
#include <vector>

namespace alxsim::transformer {

/// What a parameter is to a sharding.
enum class ParameterRole {
    token_table,        ///< [V x h]: of token embeddings, and the head's where it is not the same
    position_embedding, ///< [s x h]
    norm,               ///< gamma or beta of a token, [1 x h]
    head_norm,          ///< gamma of queries or keys of all heads, [1 x d]
    into_weight,        ///< of qkv [h x (heads + 2 kv_heads) d] and fc1 [h x f or 2f]
    into_bias,
    out_weight, ///< of proj [heads d x h] and fc2 [f x h]
    out_bias,
    router,             ///< [h x experts]
    expert_into_weight, ///< fc1 of all experts, one below the other, [experts h x f or 2f]
    expert_out_weight   ///< fc2 likewise, [experts f x h]
};

struct ParameterSpec {
    std::string name; ///< "qkv.w"; of layer l it is "l.qkv.w"
    ParameterRole role;
    std::int64_t rows = 0, columns = 0;
    bool of_layer = true;
    /// Widths of parts side by side that are cut each by itself: q, k and v; gate and up.
    std::vector<std::int64_t> column_parts = {};
    /// Columns that are not cut: a head's. Of fewer heads than devices several have the same one.
    std::int64_t column_unit = 1;

    std::int64_t elements() const { return rows * columns; }
};

/// In the order wte, wpe, a layer's from the first normalization to fc2, the last normalization,
/// the head's table; those that the model has.
std::vector<ParameterSpec> parameter_specs(const ModelSize& size);

/// One parameter of the model: of layer `layer`, or of none (-1).
struct ParameterOf {
    const ParameterSpec* spec;
    std::int64_t layer;
    std::string name() const;
};
/// All of them, layer by layer where they are of layers.
std::vector<ParameterOf> all_parameters(const std::vector<ParameterSpec>& specs,
                                        std::int64_t layers);

/// Which rows and columns of a parameter a device has.
struct ShardOf {
    std::vector<std::int64_t> rows, columns;
    /// Whether its numbers count: of a two-dimensional sharding's vectors, those of the first row
    /// of devices alone.
    bool counts = true;
};

/// How parameters are cut by a sharding.
class ParameterCut {
public:
    ParameterCut(const TransformerConfig& config, const Layout& layout)
        : two_dimensional_(config.is_two_dimensional()),
          experts_(config.size.experts.count),
          layout_(layout)
    {
    }

    /// Rows and columns on each device.
    std::int64_t rows_of(const ParameterSpec& spec) const;
    std::int64_t columns_of(const ParameterSpec& spec) const;
    ShardOf shard_of(const ParameterSpec& spec, int device) const;
    /// Equal for devices that have the same rows and columns.
    int place_in_cut(const ParameterSpec& spec, int device) const;

    /// [rows x columns], row-major, as a device has it; zeros where its numbers do not count.
    std::vector<double> cut(const ParameterSpec& spec, int device,
                            const std::vector<double>& whole) const;
    /// The other way round.
    void put_together(const ParameterSpec& spec, int device, const std::vector<double>& shard,
                      std::vector<double>& whole) const;

private:
    bool cuts_rows(const ParameterSpec& spec) const;
    bool cuts_columns(const ParameterSpec& spec) const;
    /// How many experts' a device has of a parameter of all experts; 0 of another.
    std::int64_t experts_on(const ParameterSpec& spec) const;
    std::vector<std::int64_t> expert_rows(const ParameterSpec& spec, int device) const;
    int row_parts() const { return two_dimensional_ ? layout_.side() : layout_.parts(); }

    bool two_dimensional_;
    std::int64_t experts_;
    Layout layout_;
};

/// Values that `stream` of a seed determines: gammas 1 + stddev n, others stddev n, with n normal.
std::vector<double> initial_values(const ParameterSpec& spec, std::uint64_t stream, double stddev);

} // namespace alxsim::transformer
