// SPDX-License-Identifier: Apache-2.0
#include "sim/stop_watcher.h"

#include "base/work/stop.h"

#include <chrono>

namespace alxsim::sim {
namespace {

constexpr std::chrono::milliseconds between_looks{50};

} // namespace

StopWatcher::StopWatcher()
{
    if (stop_scope() == nullptr) {
        return;
    }
    pause_ = std::make_unique<Pause>();
    thread_ = std::thread([this, scope = stop_scope()] {
        const BorrowedStopScope borrowed(scope);
        look();
    });
}

StopWatcher::~StopWatcher()
{
    if (!thread_.joinable()) {
        return;
    }
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        ended_ = true;
    }
    ends_.notify_one();
    thread_.join();
}

void StopWatcher::look()
{
    std::unique_lock<std::mutex> lock(mutex_);
    while (!ends_.wait_for(lock, between_looks, [this] { return ended_; })) {
        if (stop_is_wanted()) {
            stopped_ = true;
            pause_->ask();
            return;
        }
    }
}

void StopWatcher::rethrow()
{
    const std::lock_guard<std::mutex> lock(mutex_);
    if (stopped_) {
        throw Stopped();
    }
}

} // namespace alxsim::sim
