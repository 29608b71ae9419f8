// SPDX-License-Identifier: Apache-2.0
#include "workloads/offload/store/block_engine.h"

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

namespace alxsim::offload {
namespace {

/// That wait for the disk, not for cores.
constexpr int most_threads = 4;

ssize_t transfer_now(const BlockTransfer& block)
{
    for (;;) {
        const auto offset = static_cast<off_t>(block.offset);
        const ssize_t result = block.write
                                   ? pwrite(block.descriptor, block.bytes, block.size, offset)
                                   : pread(block.descriptor, block.bytes, block.size, offset);
        if (result >= 0) {
            return result;
        }
        if (errno != EINTR) {
            return -errno;
        }
    }
}

class ThreadEngine : public BlockEngine {
public:
    explicit ThreadEngine(int depth)
    {
        for (int i = 0; i < std::min(depth, most_threads); ++i) {
            threads_.emplace_back([this] { work(); });
        }
    }
    ~ThreadEngine() override
    {
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            ended_ = true;
        }
        begun_.notify_all();
        for (std::thread& thread : threads_) {
            thread.join();
        }
    }

    void begin(std::size_t tag, const BlockTransfer& transfer) override
    {
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            waiting_.emplace_back(tag, transfer);
        }
        begun_.notify_one();
    }

    BlockResult next_done() override
    {
        std::unique_lock<std::mutex> lock(mutex_);
        finished_.wait(lock, [this] { return !done_.empty(); });
        const BlockResult result = done_.front();
        done_.pop_front();
        return result;
    }

private:
    void work()
    {
        std::unique_lock<std::mutex> lock(mutex_);
        for (;;) {
            begun_.wait(lock, [this] { return ended_ || !waiting_.empty(); });
            if (waiting_.empty()) {
                return;
            }
            const auto [tag, transfer] = waiting_.front();
            waiting_.pop_front();
            lock.unlock();
            const ssize_t result = transfer_now(transfer);
            lock.lock();
            done_.push_back({tag, result});
            finished_.notify_one();
        }
    }

    std::mutex mutex_;
    std::condition_variable begun_;
    std::condition_variable finished_;
    std::deque<std::pair<std::size_t, BlockTransfer>> waiting_;
    std::deque<BlockResult> done_;
    bool ended_ = false;
    std::vector<std::thread> threads_;
};

} // namespace

std::unique_ptr<BlockEngine> make_thread_engine(int depth)
{
    return std::make_unique<ThreadEngine>(depth);
}

} // namespace alxsim::offload
