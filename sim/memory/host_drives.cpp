// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/host_drives.h"

#include "sim/kernel_time.h"

#include <algorithm>
#include <utility>

namespace alxsim::sim {

HostDrives::HostDrives(const sc_core::sc_module_name& name, Alarms& alarms)
    : sc_core::sc_module(name),
      alarms_(alarms),
      alarm_(alarms.add(*this))
{
}

void HostDrives::move(const model::StorageQueue& queue, Bytes bytes, std::function<void()> done)
{
    if (spare_.empty()) {
        spare_.push_back(static_cast<int>(streams_.size()));
        streams_.emplace_back();
    }
    const int place = spare_.back();
    spare_.pop_back();
    Stream& stream = streams_[static_cast<std::size_t>(place)];
    const std::int64_t blocks = ceil_divide(bytes.count(), queue.block.count());
    const Bytes last = bytes - queue.block * (blocks - 1);
    stream.request = to_picoseconds(queue.request);
    stream.latency = to_picoseconds(queue.latency);
    stream.transfer = to_picoseconds(queue.transfer);
    stream.last_transfer = to_picoseconds(queue.transfer * (last / queue.block));
    stream.drives.assign(static_cast<std::size_t>(queue.drives), {});
    stream.unasked = blocks;
    stream.moving = 0;
    stream.core_free = now();
    stream.done = std::move(done);
    for (int drive = 0; drive < queue.drives; ++drive) {
        stream.drives[static_cast<std::size_t>(drive)].blocks =
            (blocks - drive + queue.drives - 1) / queue.drives;
    }
    for (int depth = 0; depth < queue.depth; ++depth) {
        for (int drive = 0; drive < queue.drives; ++drive) {
            ask(place, drive);
        }
    }
    arm();
}

/// For the next block of a drive, if it has one more. Its time follows from those before it.
void HostDrives::ask(int place, int number)
{
    Stream& stream = streams_[static_cast<std::size_t>(place)];
    Drive& drive = stream.drives[static_cast<std::size_t>(number)];
    if (drive.blocks == 0) {
        return;
    }
    --drive.blocks;
    --stream.unasked;
    ++stream.moving;
    stream.core_free = std::max(stream.core_free, now()) + stream.request;
    drive.free = std::max(drive.free, stream.core_free + stream.latency) +
                 (stream.unasked == 0 ? stream.last_transfer : stream.transfer);
    under_way_.push({drive.free, order_++, place, number});
}

void HostDrives::wake()
{
    while (!under_way_.empty() && under_way_.top().time <= now()) {
        const Moved block = under_way_.top();
        under_way_.pop();
        moved(block);
    }
    arm();
}

void HostDrives::moved(const Moved& block)
{
    ++blocks_;
    ask(block.stream, block.drive);
    Stream& stream = streams_[static_cast<std::size_t>(block.stream)];
    if (--stream.moving == 0) {
        const auto done = std::exchange(stream.done, nullptr);
        spare_.push_back(block.stream);
        done(); // may start the next one
    }
}

void HostDrives::arm()
{
    if (under_way_.empty()) {
        alarms_.clear(alarm_);
    } else {
        alarms_.set(alarm_, under_way_.top().time);
    }
}

void HostDrives::declare_statistics(Statistics& statistics) const
{
    statistics.declare("storage_blocks", "Blocks that went to and from the drives of hosts.",
                       blocks_);
}

} // namespace alxsim::sim
