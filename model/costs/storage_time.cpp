// SPDX-License-Identifier: Apache-2.0
#include "model/costs/storage_time.h"

#include <algorithm>

namespace alxsim::model {

StorageQueue storage_queue(const topologies::StorageSpec& storage, StorageWay way,
                           topologies::StorageIo io, double share)
{
    const topologies::StorageRates& rates = storage.by(io);
    const bool reads = way == StorageWay::read;
    const double all = reads ? rates.read_bytes_per_second : rates.write_bytes_per_second;
    StorageQueue queue;
    queue.drives = std::min(storage.drives, storage.queue_depth);
    queue.depth = storage.queue_depth / queue.drives;
    queue.block = storage.block;
    queue.request = rates.request;
    queue.latency = reads ? storage.read_latency : storage.write_latency;
    queue.transfer = Seconds(static_cast<double>(storage.block.count()) /
                             (all * share / static_cast<double>(storage.drives)));
    return queue;
}

StorageQueue in_a_stream(const StorageQueue& queue, Bytes bytes)
{
    const std::int64_t whole = ceil_divide(bytes.count(), queue.block.count());
    const std::int64_t pieces = round_up(std::max<std::int64_t>(1, whole), queue.drives);
    StorageQueue even = queue;
    even.block = Bytes(std::max<std::int64_t>(1, ceil_divide(bytes.count(), pieces)));
    const Seconds by_depth = (queue.request + queue.latency + queue.transfer) / queue.depth;
    const Seconds by_core = queue.request * queue.drives;
    even.transfer = std::max({queue.transfer, by_depth, by_core}) * (even.block / queue.block);
    even.request = Seconds(0);
    even.latency = Seconds(0);
    return even;
}

StorageTime storage_time(const StorageQueue& queue, Bytes bytes)
{
    if (bytes <= Bytes(0)) {
        return {};
    }
    const std::int64_t blocks = ceil_divide(bytes.count(), queue.block.count());
    const double last = static_cast<double>(bytes.count() - (blocks - 1) * queue.block.count()) /
                        static_cast<double>(queue.block.count());
    const std::int64_t of_drive = ceil_divide(blocks, queue.drives);
    const bool last_is_alone = (blocks - 1) % queue.drives == 0; // on the drive with most blocks
    const double transfer = queue.transfer.count();
    const double alone = (queue.request + queue.latency).count() + transfer;
    const double group = std::max(queue.depth * transfer, alone);
    const double saved = last_is_alone ? (1 - last) * transfer : 0;
    const double by_drives = alone + static_cast<double>((of_drive - 1) / queue.depth) * group +
                             static_cast<double>((of_drive - 1) % queue.depth) * transfer - saved;
    // Requests of the last block, or of the whole one before it.
    const double requests = static_cast<double>(blocks) * queue.request.count();
    const double by_core = queue.latency.count() +
                           std::max(requests + last * transfer,
                                    blocks > 1 ? requests - queue.request.count() + transfer : 0);
    StorageTime time;
    time.first = to_picoseconds(Seconds(alone - (blocks == 1 ? saved : 0)));
    time.total = std::max(time.first, to_picoseconds(Seconds(std::max(by_drives, by_core))));
    time.limited_by = by_core > by_drives                              ? "storage requests"
                      : alone > queue.depth * transfer && of_drive > 1 ? "storage queue depth"
                                                                       : "storage bandwidth";
    return time;
}

} // namespace alxsim::model
