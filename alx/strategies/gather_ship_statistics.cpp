// SPDX-License-Identifier: Apache-2.0
#include "alx/strategies/exchange_ops.h"
#include "alx/strategies/gather.h"
#include "alx/strategies/statistics.h"
#include "base/input_error.h"
#include "spmd/linear/op_parts.h"

#include <algorithm>

namespace alxsim::alx {
namespace {

Bytes window_bytes(const AlxConfig& config)
{
    return model::size_of(config.solve_dtype) * window_numbers(config);
}

/// From how many links on a row is long: what the study says, or where its statistics are fewer
/// bytes than its rows. Each of the owners of its links (all of them, for a long row) sends a
/// window of the solver's dtype instead of d numbers of the table's for each link:
/// links > shards (d + 1) solver / table.
std::int64_t long_row_links(const AlxConfig& config, const DeviceMesh& mesh)
{
    const auto given = config.gather_options.find("min_length");
    if (given != config.gather_options.end()) {
        return given->second;
    }
    const Bytes row = model::size_of(config.table_dtype) * config.dim;
    return window_bytes(config).count() * mesh.row_shards / row.count() + 1;
}

/// Rows of a long row's links stand owner by owner, as its partial sums are made.
class ByOwner : public GatherNumbers {
public:
    explicit ByOwner(std::int64_t long_from) : long_from_(long_from) {}

    std::vector<std::int64_t> order(std::vector<std::int32_t>& ids,
                                    const ShardMap& fixed) const override
    {
        if (static_cast<std::int64_t>(ids.size()) < long_from_) {
            return {};
        }
        const auto owner = [&fixed](std::int32_t id) { return fixed.owner(id); };
        std::stable_sort(ids.begin(), ids.end(),
                         [&](std::int32_t a, std::int32_t b) { return owner(a) < owner(b); });
        std::vector<std::int64_t> ends;
        for (std::size_t i = 0; i < ids.size(); ++i) {
            if (i + 1 == ids.size() || owner(ids[i + 1]) != owner(ids[i])) {
                ends.push_back(static_cast<std::int64_t>(i) + 1);
            }
        }
        return ends;
    }

private:
    std::int64_t long_from_; ///< links
};

/// Short rows' histories travel as rows, as in `all_to_all`. Of a long row the owners of its links
/// compute the partial Gramian and right-hand side where the rows are, and these travel instead, to
/// be summed by the asker in the order of owners.
class ShipStatisticsGather : public GatherStrategy {
public:
    Json options_schema() const override
    {
        const Json min_length{{"description", "Left out: where that is fewer bytes."},
                              {"$ref", "#/definitions/positive"}};
        return {{"description", "Options of this gather."},
                {"type", "object"},
                {"additionalProperties", false},
                {"properties", {{"min_length", min_length}}}};
    }

    void check(const AlxConfig&, const DeviceMesh& mesh) const override
    {
        if (mesh.embedding_shards > 1) {
            throw InputError("", "/workload/alx/gather",
                             "found ship_statistics together with embedding_axes: outer products "
                             "need whole rows where the statistics are computed; allowed are the "
                             "others");
        }
    }

    std::unique_ptr<const GatherNumbers> numbers(const AlxConfig& config,
                                                 const DeviceMesh& mesh) const override
    {
        if (mesh.row_shards == 1) {
            return std::make_unique<GatherNumbers>();
        }
        return std::make_unique<ByOwner>(long_row_links(config, mesh));
    }

    TrafficNeeds needs(const AlxConfig& config, const DeviceMesh& mesh) const override
    {
        TrafficNeeds needs;
        needs.rows = true;
        needs.long_rows_from = long_row_links(config, mesh);
        return needs;
    }

    Bytes extra_infeed(const GatherShape& shape) const override
    {
        return short_rows()->extra_infeed(shape);
    }

    int add_ops(model::OpGraph& graph, const GatherShape& shape, int after) const override
    {
        return short_rows()->add_ops(graph, shape, after);
    }

    std::vector<int> add_statistics(model::OpGraph& graph, const AlxConfig& config,
                                    const GatherShape& shape, std::int64_t systems,
                                    const std::vector<int>& fed,
                                    std::vector<int> summed) const override
    {
        const StepTraffic& traffic = *shape.traffic;
        if (shape.devices == 1 || traffic.windows.empty()) {
            return summed;
        }
        const int asked = ask_owners(graph, shape, fed);
        const int looked_up = look_up(graph, shape, asked);
        const int partial = add_partial_statistics(graph, config, shape, looked_up);
        const int sent = send_windows(graph, config, shape, partial);
        return {add_up(graph, config, shape, systems, spmd::joined(sent, std::move(summed)))};
    }

private:
    static std::unique_ptr<const GatherStrategy> short_rows()
    {
        return gather_strategies().create("all_to_all");
    }

    static model::Collective over_group(const GatherShape& shape)
    {
        return over_rows(model::CollectiveKind::all_to_all, Bytes(0), *shape.mesh);
    }

    /// With each id goes the window that it belongs to.
    static int ask_owners(model::OpGraph& graph, const GatherShape& shape,
                          const std::vector<int>& fed)
    {
        const RowExchange& links = shape.traffic->long_links;
        return graph.add({"ask owners for statistics",
                          "gather.ids",
                          all_to_all(links, Bytes(2 * id_bytes), Direction::to_owner,
                                     over_group(shape), shape.devices),
                          {{shape.ids, Bytes(shape.slots * id_bytes)}},
                          {{"shipped.ids", Bytes(2 * id_bytes) * largest(links.leaving)}},
                          fed,
                          nullptr});
    }

    static int look_up(model::OpGraph& graph, const GatherShape& shape, int after)
    {
        const std::vector<std::int64_t>& links = shape.traffic->long_links.leaving;
        model::RowGather gather;
        gather.row_bytes = shape.row_bytes();
        gather.table_rows = shape.shard_rows;
        model::Op op{"look up rows of long histories",
                     "gather.rows",
                     gather,
                     {{shape.table, shape.table_bytes()},
                      {"shipped.ids", Bytes(2 * id_bytes) * largest(links)}},
                     {{"shipped.rows", shape.row_bytes() * largest(links)}},
                     {after},
                     nullptr};
        set_rows(op, links);
        return graph.add(std::move(op));
    }

    static int add_partial_statistics(model::OpGraph& graph, const AlxConfig& config,
                                      const GatherShape& shape, int after)
    {
        const StepTraffic& traffic = *shape.traffic;
        const std::int64_t links = largest(traffic.long_links.leaving);
        const std::int64_t windows = std::max<std::int64_t>(1, largest(traffic.windows.leaving));
        const bool narrow =
            config.table_dtype == model::DType::bf16 || config.solve_dtype == model::DType::bf16;
        const model::Matmul products{windows,
                                     config.dim,
                                     std::max<std::int64_t>(1, ceil_divide(links, windows)),
                                     config.dim,
                                     narrow ? model::DType::bf16 : model::DType::f32,
                                     narrow ? 1 : config.hardware_passes(),
                                     true};
        const model::BufferUse rows{"shipped.rows", shape.row_bytes() * links};
        const model::BufferUse sums{"shipped.partial", window_bytes(config) * windows};
        const int multiplied = graph.add({"partial outer products of long rows",
                                          "statistics",
                                          products,
                                          {rows},
                                          {sums},
                                          {after},
                                          nullptr});
        return graph.add(spmd::vector_op("partial sums of long rows", "statistics",
                                         links * config.dim, 1, {rows}, {sums}, {multiplied}));
    }

    static int send_windows(model::OpGraph& graph, const AlxConfig& config,
                            const GatherShape& shape, int after)
    {
        const RowExchange& windows = shape.traffic->windows;
        return graph.add({"send statistics",
                          "gather.combine",
                          all_to_all(windows, window_bytes(config), Direction::to_asker,
                                     over_group(shape), shape.devices),
                          {{"shipped.partial", window_bytes(config) * largest(windows.leaving)}},
                          {{"shipped.received", window_bytes(config) * largest(windows.arriving)}},
                          {after},
                          nullptr});
    }

    /// A serial sum of windows, as of the batch's own lines.
    static int add_up(model::OpGraph& graph, const AlxConfig& config, const GatherShape& shape,
                      std::int64_t systems, std::vector<int> after)
    {
        const std::vector<std::int64_t>& windows = shape.traffic->windows.arriving;
        const std::int64_t square = std::int64_t{config.dim} * config.dim;
        model::RowScatter scatter;
        scatter.row_bytes = window_bytes(config);
        scatter.table_rows = systems;
        scatter.accumulate = true;
        model::Op op{
            "add shipped statistics",
            "statistics",
            scatter,
            {{"shipped.received", window_bytes(config) * largest(windows)}},
            {{"statistics.gramians", model::size_of(config.solve_dtype) * systems * square},
             {"statistics.rhs", model::size_of(config.solve_dtype) * systems * config.dim}},
            std::move(after),
            nullptr};
        set_rows(op, windows);
        return graph.add(std::move(op));
    }
};

} // namespace

std::unique_ptr<const GatherStrategy> make_ship_statistics_gather();

std::unique_ptr<const GatherStrategy> make_ship_statistics_gather()
{
    return std::make_unique<ShipStatisticsGather>();
}

} // namespace alxsim::alx
