// SPDX-License-Identifier: Apache-2.0
#include "workloads/offload/store/transfer_queue.h"

#include "base/input_error.h"
#include "tests/temporary_folder.h"
#include "tests/unit/offload/store/stores.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <thread>
#include <unistd.h>

namespace alxsim::offload {
namespace {

/// What an engine of the tests is told, and what it tells.
struct Orders {
    std::promise<void> go;               ///< before that, nothing is done
    std::size_t most_at_once = 1 << 30;  ///< bytes of a block
    int error = 0;                       ///< of the second block and all that follow
    std::size_t deepest = 0;             ///< blocks in flight
    std::vector<std::uint64_t> begun_at; ///< offsets
};

/// Does the block that was begun last first: the worst of orders.
class LastFirstEngine : public BlockEngine {
public:
    explicit LastFirstEngine(Orders& orders) : orders_(orders), go_(orders.go.get_future()) {}

    void begin(std::size_t tag, const BlockTransfer& block) override
    {
        waiting_.emplace_back(tag, block);
        orders_.deepest = std::max(orders_.deepest, waiting_.size());
        orders_.begun_at.push_back(block.offset);
    }
    BlockResult next_done() override
    {
        go_.wait();
        const auto [tag, block] = waiting_.back();
        waiting_.pop_back();
        if (++done_ > 1 && orders_.error != 0) {
            return {tag, -orders_.error};
        }
        const std::size_t size = std::min(block.size, orders_.most_at_once);
        const auto offset = static_cast<off_t>(block.offset);
        return {tag, block.write ? pwrite(block.descriptor, block.bytes, size, offset)
                                 : pread(block.descriptor, block.bytes, size, offset)};
    }

private:
    Orders& orders_;
    std::future<void> go_;
    std::vector<std::pair<std::size_t, BlockTransfer>> waiting_;
    int done_ = 0;
};

/// A queue over a new store of two tensors.
class QueueOf {
public:
    QueueOf(Orders& orders, int depth, int buffers, bool bounce = false)
    {
        create_store(folder_.path("store"), layout_);
        file_ = std::make_unique<StoreFile>(folder_.path("store"), layout_, false);
        for (int tensor = 0; tensor < layout_.count(); ++tensor) {
            const auto& zeros = file_->state().checksums[tensor];
            blocks_.push_back({{zeros, zeros}, {}});
        }
        queue_ = std::make_unique<TransferQueue>(
            *file_, blocks_, std::make_unique<LastFirstEngine>(orders), depth, buffers, bounce);
    }
    PendingTransfer add(bool write, int tensor, AlignedBytes& memory)
    {
        return queue_->add({write, tensor, 0, memory.data()});
    }
    static constexpr std::size_t bytes = 5000;

private:
    TemporaryFolder folder_;
    StoreLayout layout_{{{"first", bytes}, {"second", bytes}}, 512};
    std::unique_ptr<StoreFile> file_;
    std::vector<TensorBlocks> blocks_;
    std::unique_ptr<TransferQueue> queue_;
};

TEST(TransferQueue, MovesATensorInTheOrderOfTheCallsWhateverTheEngineDoes)
{
    constexpr int rounds = 5;
    for (const bool bounce : {false, true}) {
        Orders orders;
        QueueOf queue(orders, 64, 2 * rounds, bounce);
        std::vector<AlignedBytes> written;
        std::vector<AlignedBytes> read;
        std::vector<PendingTransfer> done;
        for (int round = 0; round < rounds; ++round) {
            written.push_back(bytes_of(0, round, QueueOf::bytes));
            read.emplace_back(QueueOf::bytes);
            done.push_back(queue.add(true, 0, written.back()));
            done.push_back(queue.add(false, 0, read.back()));
        }
        orders.go.set_value();
        for (PendingTransfer& one : done) {
            EXPECT_NO_THROW(one.get());
        }
        for (int round = 0; round < rounds; ++round) {
            EXPECT_TRUE(equal(read[round], written[round])) << round;
        }
    }
}

TEST(TransferQueue, KeepsAsManyBlocksInFlightAsItIsDeepAndGoesOnWithParts)
{
    for (const int depth : {1, 3, 8}) {
        Orders orders;
        orders.most_at_once = 100;
        QueueOf queue(orders, depth, 2);
        AlignedBytes first = bytes_of(0, 0, QueueOf::bytes);
        AlignedBytes second = bytes_of(1, 0, QueueOf::bytes);
        auto one = queue.add(true, 0, first);
        auto other = queue.add(true, 1, second);
        orders.go.set_value();
        one.get();
        other.get();
        AlignedBytes found(QueueOf::bytes);
        queue.add(false, 1, found).get();
        EXPECT_TRUE(equal(found, second));
        EXPECT_EQ(orders.deepest, static_cast<std::size_t>(depth));
    }
}

TEST(TransferQueue, LetsCallersWaitForABuffer)
{
    Orders orders;
    QueueOf queue(orders, 64, 1);
    AlignedBytes first = bytes_of(0, 0, QueueOf::bytes);
    AlignedBytes second = bytes_of(1, 0, QueueOf::bytes);
    auto one = queue.add(true, 0, first);
    std::promise<void> added;
    auto is_added = added.get_future();
    std::thread caller([&] {
        queue.add(true, 1, second).get();
        added.set_value();
    });
    EXPECT_EQ(is_added.wait_for(std::chrono::milliseconds(50)), std::future_status::timeout);
    orders.go.set_value();
    one.get();
    caller.join();
    // All blocks of the first tensor were begun before any of the second.
    EXPECT_TRUE(std::is_sorted(orders.begun_at.begin(), orders.begun_at.end()));
}

TEST(TransferQueue, SaysWhatTheSystemSays)
{
    for (const bool write : {false, true}) {
        for (const int error : {EIO, ENOSPC}) {
            Orders orders;
            orders.error = error;
            QueueOf queue(orders, 1, 2);
            AlignedBytes memory = bytes_of(0, -1, QueueOf::bytes);
            auto done = queue.add(write, 0, memory);
            orders.go.set_value();
            std::string problem;
            try {
                done.get();
            } catch (const InputError& no_room) {
                EXPECT_TRUE(write && error == ENOSPC) << no_room.what();
                problem = no_room.what();
            } catch (const std::runtime_error& refused) {
                EXPECT_FALSE(write && error == ENOSPC) << refused.what();
                problem = refused.what();
            }
            EXPECT_THAT(problem, testing::HasSubstr("tensor 'first', block 1 at byte"));
            EXPECT_THAT(problem, testing::HasSubstr(std::strerror(error)));
        }
    }
}

} // namespace
} // namespace alxsim::offload
