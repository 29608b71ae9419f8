// SPDX-License-Identifier: Apache-2.0
#include "alx/batches/step_traffic.h"

#include "base/work/stop.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace alxsim::alx {
namespace {

std::int64_t whole(double value)
{
    return rounded_up(value);
}

/// Counts what goes from device to device, until it becomes an exchange.
class ExchangeCount {
public:
    explicit ExchangeCount(const DeviceMesh& mesh)
        : arriving_(static_cast<std::size_t>(mesh.devices)),
          leaving_(static_cast<std::size_t>(mesh.devices))
    {
    }

    void add(int source, int destination, std::int64_t rows)
    {
        if (rows == 0) {
            return;
        }
        arriving_[static_cast<std::size_t>(destination)] += rows;
        leaving_[static_cast<std::size_t>(source)] += rows;
        if (source != destination) {
            between_.push_back({source, destination, rows});
        }
    }

    RowExchange exchange()
    {
        RowExchange result;
        result.arriving = std::move(arriving_);
        result.leaving = std::move(leaving_);
        result.alike = false;
        result.between = std::move(between_);
        return result;
    }

private:
    std::vector<std::int64_t> arriving_;
    std::vector<std::int64_t> leaving_;
    std::vector<RowExchange::Between> between_;
};

/// What the owners of the fixed table's rows do for a piece of a long row, [owners].
struct OwnersParts {
    std::vector<std::int64_t> links;
    std::vector<std::int64_t> windows; ///< 1 where the owner's part of the row ends in the piece
};

/// Ids of a range, each once, in the order in which they come.
class DistinctIds {
public:
    explicit DistinctIds(std::int64_t count) : seen_(static_cast<std::size_t>(count), false) {}

    void add(std::int32_t id)
    {
        const auto at = static_cast<std::size_t>(id);
        if (!seen_[at]) {
            seen_[at] = true;
            ids_.push_back(id);
        }
    }
    /// All of them; none is left.
    std::vector<std::int32_t> take()
    {
        for (const std::int32_t id : ids_) {
            seen_[static_cast<std::size_t>(id)] = false;
        }
        return std::exchange(ids_, {});
    }

private:
    std::vector<bool> seen_;
    std::vector<std::int32_t> ids_;
};

/// Links of the batches of the devices that gather for each other, by what is done with them.
struct AskedLinks {
    std::vector<std::int32_t> ids; ///< of short rows, each once
    std::vector<OwnersParts> long_rows;
};

std::vector<std::int64_t> per_owner(const std::vector<std::int32_t>& ids, const ShardMap& map)
{
    std::vector<std::int64_t> count(static_cast<std::size_t>(map.shards()));
    for (const std::int32_t id : ids) {
        ++count[static_cast<std::size_t>(map.owner(id))];
    }
    return count;
}

/// A long row's links stand owner by owner. An owner whose part a piece cuts keeps its sums until
/// the piece comes that ends the part.
OwnersParts parts_of(const RowPiece& piece, const std::vector<std::int32_t>& ids,
                     const ShardMap& map)
{
    OwnersParts parts{per_owner(ids, map), {}};
    std::int64_t begin = 0;
    for (std::int64_t& links : parts.links) {
        const std::int64_t end = begin + links;
        const bool ends_here = links > 0 && piece.begin < end && end <= piece.end;
        links = std::max<std::int64_t>(0, std::min(end, piece.end) - std::max(begin, piece.begin));
        parts.windows.push_back(ends_here ? 1 : 0);
        begin = end;
    }
    return parts;
}

AskedLinks asked_by(const TrafficSource& source, const MeshIndex& index, std::int64_t step,
                    DeviceMesh::Coordinates at, const TrafficNeeds& needs, DistinctIds& distinct)
{
    AskedLinks asked;
    std::vector<std::int32_t> links;
    for (int c = 0; c < source.mesh.embedding_shards; ++c) {
        at.embedding_shard = c;
        const BatchRange& range =
            source.batches
                .batches[static_cast<std::size_t>(step * source.mesh.devices + index.at(at))];
        for (const RowPiece& piece : source.batches.pieces(range, source.links)) {
            const std::int64_t length = source.links.length(piece.row);
            source.links.read(piece.row, links);
            if (needs.long_rows_from && length >= *needs.long_rows_from) {
                asked.long_rows.push_back(parts_of(piece, links, source.fixed));
                continue;
            }
            for (std::int64_t i = piece.begin; i < piece.end; ++i) {
                distinct.add(links[static_cast<std::size_t>(i)]);
            }
        }
    }
    asked.ids = distinct.take();
    return asked;
}

RowExchange alike(double arriving, double leaving, double sent)
{
    RowExchange result;
    result.arriving = {whole(arriving)};
    result.leaving = {whole(leaving)};
    result.sent = whole(sent);
    return result;
}

std::int64_t sum_of(const std::vector<std::int64_t>& values)
{
    return std::accumulate(values.begin(), values.end(), std::int64_t{0});
}

} // namespace

bool RowExchange::empty() const
{
    return sum_of(leaving) == 0;
}

std::int64_t RowExchange::total_sent(int devices) const
{
    std::int64_t sum = alike ? sent * devices : 0;
    for (const Between& pair : between) {
        sum += pair.rows;
    }
    return sum;
}

StepTraffic gather_traffic(const TrafficSource& source, std::int64_t step,
                           const TrafficNeeds& needs)
{
    const DeviceMesh& mesh = source.mesh;
    const MeshIndex index(mesh);
    ExchangeCount rows(mesh);
    ExchangeCount links(mesh);
    ExchangeCount windows(mesh);
    DistinctIds distinct(source.links.columns);
    for (int replica = 0; replica < mesh.replicas; ++replica) {
        for (int shard = 0; shard < mesh.row_shards; ++shard) {
            look_for_stop();
            const AskedLinks asked =
                asked_by(source, index, step, {shard, 0, replica}, needs, distinct);
            const auto add = [&](ExchangeCount& count, int owner, std::int64_t number) {
                for (int c = 0; c < mesh.embedding_shards; ++c) {
                    count.add(index.at({owner, c, replica}), index.at({shard, c, replica}), number);
                }
            };
            const std::vector<std::int64_t> owners = per_owner(asked.ids, source.fixed);
            for (int owner = 0; owner < mesh.row_shards; ++owner) {
                add(rows, owner, owners[static_cast<std::size_t>(owner)]);
            }
            for (const OwnersParts& parts : asked.long_rows) {
                for (int owner = 0; owner < mesh.row_shards; ++owner) {
                    add(links, owner, parts.links[static_cast<std::size_t>(owner)]);
                    add(windows, owner, parts.windows[static_cast<std::size_t>(owner)]);
                }
            }
        }
    }
    return {rows.exchange(), links.exchange(), windows.exchange(), {}};
}

RowExchange solution_traffic(const TrafficSource& source, std::int64_t step)
{
    const DeviceMesh& mesh = source.mesh;
    const MeshIndex index(mesh);
    ExchangeCount count(mesh);
    for (int device = 0; device < mesh.devices; ++device) {
        const DeviceMesh::Coordinates& at = mesh.coordinates[static_cast<std::size_t>(device)];
        const BatchRange& range =
            source.batches.batches[static_cast<std::size_t>(step * mesh.devices + device)];
        std::vector<std::int64_t> owners(static_cast<std::size_t>(mesh.row_shards));
        for (std::int64_t slot = 0; slot < range.solved(); ++slot) {
            ++owners[static_cast<std::size_t>(source.own.owner(
                source.batches.examples[static_cast<std::size_t>(range.first + slot)]))];
        }
        for (int owner = 0; owner < mesh.row_shards; ++owner) {
            for (int replica = 0; replica < mesh.replicas; ++replica) {
                for (int c = 0; c < mesh.embedding_shards; ++c) {
                    count.add(index.at({at.row_shard, c, at.replica}),
                              index.at({owner, c, replica}),
                              owners[static_cast<std::size_t>(owner)]);
                }
            }
        }
    }
    return count.exchange();
}

StepTraffic mean_traffic(const TrafficMeans& means, const DeviceMesh& mesh)
{
    // Members of an embedding group ask for each other, too.
    const double group = mesh.embedding_shards;
    const double distinct = means.distinct_rows * group;
    const double remote = mesh.row_shards == 1 ? 0.0 : distinct * (1 - means.local_share);
    const double away = 1.0 - 1.0 / mesh.row_shards;
    const double windows = means.long_rows * mesh.row_shards;
    StepTraffic traffic;
    traffic.rows = alike(distinct, distinct * means.hot_shard, remote * means.hot_shard);
    traffic.long_links =
        alike(means.long_links, means.long_links * means.hot_shard, means.long_links * away);
    traffic.windows = alike(windows, windows, windows * away);
    const double solutions = means.rows * group * mesh.replicas;
    traffic.solutions =
        alike(solutions, solutions, solutions * (1.0 - 1.0 / (mesh.row_shards * mesh.replicas)));
    return traffic;
}

TrafficMeans mean_of_batches(const TrafficSource& source, const std::vector<StepTraffic>& gathered)
{
    const std::int64_t devices = source.mesh.devices;
    const auto steps = static_cast<std::int64_t>(source.batches.batches.size()) / devices;
    double arriving = 0;
    double busiest = 0;
    double remote = 0;
    double windows = 0;
    double long_links = 0;
    for (const StepTraffic& traffic : gathered) {
        arriving += static_cast<double>(sum_of(traffic.rows.arriving));
        busiest += static_cast<double>(
            *std::max_element(traffic.rows.leaving.begin(), traffic.rows.leaving.end()));
        remote += static_cast<double>(traffic.rows.total_sent(source.mesh.devices));
        windows += static_cast<double>(sum_of(traffic.windows.arriving));
        long_links += static_cast<double>(sum_of(traffic.long_links.arriving));
    }
    const auto batches = static_cast<double>(steps * devices);
    const double group = source.mesh.embedding_shards;
    TrafficMeans means;
    means.rows = static_cast<double>(source.batches.examples.size()) / batches;
    means.links = static_cast<double>(source.batches.links) / batches;
    means.distinct_rows = arriving / batches / group;
    means.local_share = arriving > 0 ? 1 - remote / arriving : 0;
    means.hot_shard = arriving > 0 ? busiest * static_cast<double>(devices) / arriving : 1;
    means.long_rows = windows / batches / source.mesh.row_shards;
    means.long_links = long_links / batches;
    return means;
}

} // namespace alxsim::alx
