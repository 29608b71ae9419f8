// SPDX-License-Identifier: Apache-2.0
#include "model/costs/storage_time.h"

#include <gtest/gtest.h>

#include <queue>
#include <vector>

/// What requests to a host's drives take: the closed form beside a replay of every block.
namespace alxsim::model {
namespace {

using topologies::StorageIo;
using topologies::StorageSpec;

/// Blocks of 1000 bytes on two drives, each a byte per nanosecond from user space.
StorageSpec easy_drives()
{
    StorageSpec storage;
    storage.drives = 2;
    storage.user = {2e9, 1e9, Seconds(1e-8)};
    storage.kernel = {1e9, 0.5e9, Seconds(1e-8)};
    storage.block = Bytes(1000);
    storage.queue_depth = 8;
    storage.read_latency = Seconds(2e-6);
    storage.write_latency = Seconds(1e-6);
    return storage;
}

/// Each block by itself: it is asked for when the core is free and its drive has a place, waits
/// the latency, and is transferred when the drive's blocks before it have been.
double replayed(const StorageQueue& queue, std::int64_t bytes)
{
    struct Drive {
        std::vector<double> done;
    };
    std::vector<Drive> drives(static_cast<std::size_t>(queue.drives));
    double core = 0;
    double end = 0;
    for (std::int64_t block = 0; block * queue.block.count() < bytes; ++block) {
        Drive& drive = drives[static_cast<std::size_t>(block % queue.drives)];
        const std::size_t asked = drive.done.size();
        const double place = asked < static_cast<std::size_t>(queue.depth)
                                 ? 0
                                 : drive.done[asked - static_cast<std::size_t>(queue.depth)];
        core = std::max(core, place) + queue.request.count();
        const double part =
            static_cast<double>(std::min(queue.block.count(), bytes - block * queue.block.count()));
        const double free = drive.done.empty() ? 0 : drive.done.back();
        drive.done.push_back(std::max(free, core + queue.latency.count()) +
                             queue.transfer.count() * part /
                                 static_cast<double>(queue.block.count()));
        end = std::max(end, drive.done.back());
    }
    return end;
}

double seconds_of(const StorageQueue& queue, std::int64_t bytes)
{
    return to_seconds(storage_time(queue, Bytes(bytes)).total).count();
}

TEST(StorageTime, OfOneBlockIsRequestLatencyAndTransfer)
{
    const StorageQueue queue = storage_queue(easy_drives(), StorageWay::read, StorageIo::user, 1);
    EXPECT_DOUBLE_EQ(seconds_of(queue, 1000), 1e-8 + 2e-6 + 1e-6);
    EXPECT_DOUBLE_EQ(seconds_of(queue, 500), 1e-8 + 2e-6 + 0.5e-6);
    EXPECT_EQ(storage_time(queue, Bytes(0)).total, Picoseconds(0));
}

TEST(StorageTime, OfManyBlocksIsTheirBytesOverTheRateOfAllDrives)
{
    const StorageQueue queue = storage_queue(easy_drives(), StorageWay::read, StorageIo::user, 1);
    const StorageTime time = storage_time(queue, Bytes(20'000'000));
    EXPECT_NEAR(to_seconds(time.total).count(), 20e6 / 2e9, 1e-5);
    EXPECT_EQ(time.limited_by, "storage bandwidth");
    const StorageQueue written =
        storage_queue(easy_drives(), StorageWay::write, StorageIo::user, 1);
    EXPECT_NEAR(seconds_of(written, 20'000'000), 20e6 / 1e9, 1e-5);
    const StorageQueue kernel =
        storage_queue(easy_drives(), StorageWay::read, StorageIo::kernel, 1);
    EXPECT_NEAR(seconds_of(kernel, 20'000'000), 20e6 / 1e9, 1e-5);
    const StorageQueue half = storage_queue(easy_drives(), StorageWay::read, StorageIo::user, 0.5);
    EXPECT_NEAR(seconds_of(half, 20'000'000), 20e6 / 1e9, 1e-5);
}

TEST(StorageTime, OfAShortQueueIsLatencyAndTransferOverItsDepth)
{
    StorageSpec drives = easy_drives();
    drives.queue_depth = 2; // one on each drive
    const StorageQueue queue = storage_queue(drives, StorageWay::read, StorageIo::user, 1);
    const StorageTime time = storage_time(queue, Bytes(2'000'000));
    EXPECT_NEAR(to_seconds(time.total).count(), 1000 * 3.01e-6, 1e-8);
    EXPECT_EQ(time.limited_by, "storage queue depth");
}

TEST(StorageTime, OfSlowRequestsIsThatOfTheCoreThatIssuesThem)
{
    StorageSpec drives = easy_drives();
    drives.user.request = Seconds(5e-6);
    const StorageQueue queue = storage_queue(drives, StorageWay::read, StorageIo::user, 1);
    const StorageTime time = storage_time(queue, Bytes(1'000'000));
    EXPECT_NEAR(to_seconds(time.total).count(), 1000 * 5e-6 + 2e-6 + 1e-6, 1e-9);
    EXPECT_EQ(time.limited_by, "storage requests");
}

TEST(StorageTime, IsThatOfEveryBlockByItself)
{
    for (const int depth : {1, 2, 3, 8, 32}) {
        for (const int count : {1, 2, 4}) {
            for (const double latency : {0.0, 3e-7, 5e-6}) {
                for (const std::int64_t bytes : {1, 999, 1000, 1001, 7500, 64'000, 333'333}) {
                    StorageSpec drives = easy_drives();
                    drives.drives = count;
                    drives.queue_depth = depth;
                    drives.read_latency = Seconds(latency);
                    drives.user.request = Seconds(0);
                    const StorageQueue queue =
                        storage_queue(drives, StorageWay::read, StorageIo::user, 1);
                    EXPECT_NEAR(seconds_of(queue, bytes), replayed(queue, bytes), 2e-12)
                        << depth << " deep, " << count << " drives, " << latency << " s, " << bytes;
                }
            }
        }
    }
}

TEST(StorageTime, IsWithinAFewRequestsOfThatWhereTheCoreTakesSomeTime)
{
    for (const int depth : {1, 2, 8, 32}) {
        for (const double request : {1e-8, 2e-7, 6e-7, 3e-6}) {
            StorageSpec drives = easy_drives();
            drives.queue_depth = depth;
            drives.user.request = Seconds(request);
            const StorageQueue queue = storage_queue(drives, StorageWay::read, StorageIo::user, 1);
            EXPECT_NEAR(seconds_of(queue, 1'000'000) / replayed(queue, 1'000'000), 1, 0.02)
                << depth << " deep, " << request << " s";
        }
    }
}

/// However a stream is cut, whatever limits it.
TEST(StorageTime, OfPartsOfAStreamIsThatOfItsBytes)
{
    for (const int depth : {2, 8, 32}) {
        for (const double latency : {3e-7, 5e-6, 4e-5}) {
            for (const double request : {1e-8, 3e-6}) {
                StorageSpec drives = easy_drives();
                drives.queue_depth = depth;
                drives.read_latency = Seconds(latency);
                drives.user.request = Seconds(request);
                const StorageQueue queue =
                    storage_queue(drives, StorageWay::read, StorageIo::user, 1);
                const double rate = 50e6 / seconds_of(queue, 50'000'000);
                for (const std::int64_t part : {1001, 7500, 64'000, 333'333}) {
                    EXPECT_NEAR(seconds_of(in_a_stream(queue, Bytes(part)), part) * rate / part, 1,
                                0.1)
                        << depth << " deep, " << latency << " s, " << request << " s, " << part;
                }
            }
        }
    }
}

TEST(StorageTime, MoreBytesNeverTakeLess)
{
    for (const double request : {1e-8, 3e-7, 6e-7, 9e-7, 3e-6}) {
        StorageSpec drives = easy_drives();
        drives.user.request = Seconds(request);
        const StorageQueue queue = storage_queue(drives, StorageWay::read, StorageIo::user, 1);
        Picoseconds before{0};
        for (std::int64_t bytes = 1; bytes < 50'000; bytes += 37) {
            const Picoseconds time = storage_time(queue, Bytes(bytes)).total;
            EXPECT_GE(time, before) << bytes << ", " << request << " s";
            before = time;
        }
    }
}

} // namespace
} // namespace alxsim::model
