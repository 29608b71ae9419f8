// SPDX-License-Identifier: Apache-2.0
#include "alx/steps/step_memory.h"

#include "alx/steps/host_moves.h"
#include "alx/strategies/gather.h"
#include "base/units.h"

#include <algorithm>

namespace alxsim::alx {
namespace {

/// What stands in HBM at a moment.
using Standing = std::vector<model::Buffer>;

constexpr std::int64_t lanes = 128;
constexpr std::int64_t sublanes = 8;

/// Up to so many numbers a row, a row is read as a column of the table as it is stored: so at 8 to
/// 48, relaid from 64 on.
constexpr std::int64_t most_in_a_column = 48;

bool rows_are_columns(const AlxConfig& config)
{
    return config.dim % lanes != 0 && config.dim <= most_in_a_column;
}

/// XLA gathers the old values of the rows that a step replaces, and writes alpha G + reg I, before
/// it gathers the batch; with more rows than this in all batches, after. Recorded: before at
/// 314,112, after at 418,816; the middle is assumed. What decides is not known.
constexpr std::int64_t most_rows_gathered_early = 366'464;

/// Sizes of the arrays of a step, and the moments at which they stand in HBM together.
class StepArrays {
public:
    StepArrays(const AlxConfig& config, const HalfShape& half, const DeviceMesh& mesh)
        : config_(config),
          half_(half),
          devices_(mesh.devices),
          slots_(half.geometry.lines * half.geometry.line_length),
          window_(window_rows(half, mesh))
    {
    }

    Standing tables() const
    {
        Standing standing{{"tables." + half_.fixed, stored(half_.fixed_shard_rows)}};
        if (updated_in_hbm()) {
            standing.push_back({"tables." + half_.own, stored(half_.own_shard_rows)});
        } else { // rows that the step solves, and those that leave beside it
            standing.push_back({"window.rows", whole_rows(2 * window_)});
        }
        if (config_.shard_copies() > 0) {
            standing.push_back({"tables." + half_.own + "_updated", stored(half_.own_shard_rows)});
        }
        standing.push_back(
            {"batch.ids",
             Bytes((slots_ + half_.geometry.lines + 2 * half_.geometry.rows) * id_bytes)});
        if (config_.weighs_links) {
            standing.push_back({"batch.weights", Bytes(slots_ * weight_bytes)});
        }
        return standing;
    }

    Standing in_gather() const
    {
        Standing standing;
        if (relays()) {
            standing.push_back({"tables.relaid", whole_rows(half_.fixed_shard_rows)});
        }
        standing.push_back({"gather.rows", read_rows(slots_ * (at_once() ? 2 * devices_ : 1))});
        standing.push_back({"gather.ids", Bytes(devices_ * slots_ * (id_bytes + mask_bytes))});
        if (at_once() || early()) {
            standing.push_back({"statistics.gramians", windows(half_.geometry.rows)});
        }
        add_early(standing);
        return standing;
    }

    Standing in_statistics() const
    {
        Standing standing{{"statistics.line_gramians", windows(half_.geometry.lines)},
                          {"statistics.gramians", windows(half_.geometry.rows)},
                          {"gather.rows", whole_rows(slots_)}};
        add_early(standing);
        return standing;
    }

    Standing in_scatter() const
    {
        Standing standing{{"scatter.all_solutions", read_rows(2 * all_systems())}};
        if (relays() && updated_in_hbm()) {
            standing.push_back({"tables.relaid", whole_rows(half_.own_shard_rows)});
        }
        return standing;
    }

private:
    static constexpr std::int64_t mask_bytes = 1;

    std::int64_t all_systems() const { return devices_ * half_.geometry.rows; }
    bool at_once() const { return config_.gather == "all_reduce"; }
    bool updated_in_hbm() const { return config_.table_tier.updated_in_hbm(); }
    bool columns() const { return rows_are_columns(config_); }
    bool relays() const { return relays_tables(config_); }

    /// Nor where tables are relaid, or the one that is copied is the larger of the two.
    bool early() const
    {
        const bool small_copy =
            config_.semantics.donate || half_.own_shard_rows <= half_.fixed_shard_rows;
        return small_copy && !relays() && !at_once() && all_systems() <= most_rows_gathered_early;
    }
    void add_early(Standing& standing) const
    {
        if (early()) {
            standing.push_back({"scatter.old_rows", read_rows(all_systems())});
        }
    }

    Bytes stored(std::int64_t rows) const
    {
        return stored_table_bytes(rows, config_.dim, config_.table_dtype);
    }
    /// Rows that lie along the lanes, the last of which may be empty.
    Bytes whole_rows(std::int64_t rows) const
    {
        return relaid_table_bytes(rows, config_.dim, config_.table_dtype);
    }
    /// Rows as they come out of the table.
    Bytes read_rows(std::int64_t rows) const { return columns() ? stored(rows) : whole_rows(rows); }
    Bytes windows(std::int64_t count) const
    {
        return model::size_of(config_.solve_dtype) *
               (count * config_.dim * round_up(config_.dim, lanes));
    }

    const AlxConfig& config_;
    const HalfShape& half_;
    std::int64_t devices_;
    std::int64_t slots_;
    std::int64_t window_; ///< rows, see window_rows()
};

Bytes total(const Standing& standing)
{
    Bytes bytes(0);
    for (const model::Buffer& buffer : standing) {
        bytes += buffer.bytes;
    }
    return bytes;
}

} // namespace

Bytes stored_table_bytes(std::int64_t rows, std::int64_t dim, model::DType dtype)
{
    const bool whole_lanes = dim % lanes == 0;
    return model::size_of(dtype) *
           (whole_lanes ? rows * dim : round_up(rows, lanes) * round_up(dim, sublanes));
}

RowTransfer row_transfer(const AlxConfig& config)
{
    if (!rows_are_columns(config)) {
        return {};
    }
    const std::int64_t tiles = ceil_divide(config.dim, sublanes);
    return {model::size_of(config.table_dtype) * (tiles * sublanes * lanes),
            static_cast<int>(tiles == 1 ? 15 : 17 + 4 * tiles)};
}

bool relays_tables(const AlxConfig& config)
{
    return config.dim % lanes != 0 && config.dim > most_in_a_column;
}

Bytes relaid_table_bytes(std::int64_t rows, std::int64_t dim, model::DType dtype)
{
    return model::size_of(dtype) * (rows * round_up(dim, lanes));
}

bool is_released_step(const AlxConfig& config, const HalfShape& half, const DeviceMesh& mesh)
{
    return config.semantics.residual == Residual::strict &&
           config.table_dtype == model::DType::bf16 && config.solver == "cg" &&
           (config.gather == "all_reduce_loop" || config.gather == "all_reduce") &&
           config.scatter == "all_gather" && config.statistics == "segment_sum" &&
           config.prefetch_depth == 0 && config.table_tier.fixed_in_hbm() && mesh.plain() &&
           !half.splits_rows;
}

Standing step_memory(const AlxConfig& config, const HalfShape& half, const DeviceMesh& mesh)
{
    const StepArrays arrays(config, half, mesh);
    Standing fullest;
    for (Standing moment : {arrays.in_gather(), arrays.in_statistics(), arrays.in_scatter()}) {
        if (total(moment) > total(fullest)) {
            fullest = std::move(moment);
        }
    }
    Standing standing = arrays.tables();
    standing.insert(standing.end(), fullest.begin(), fullest.end());
    return standing;
}

} // namespace alxsim::alx
