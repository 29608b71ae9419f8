// SPDX-License-Identifier: Apache-2.0
#include "base/work/long_work.h"

#include "base/printable.h"
#include "base/work/stop.h"

#include <algorithm>
#include <mutex>
#include <utility>

namespace alxsim {
namespace {

/// For a stop and at the clock: one in ten seconds of what takes eleven days.
constexpr std::int64_t looks = 100'000;
constexpr std::chrono::seconds before_words{1};
constexpr std::chrono::milliseconds between_words{200};

std::mutex watched;
LongWorkWatch* watch = nullptr; ///< guarded by `watched`

} // namespace

LongWork::LongWork(const std::string& what, std::int64_t total)
    : what_(printable(what)),
      total_(total),
      next_look_(1),
      next_words_(std::chrono::steady_clock::now() + before_words)
{
}

LongWork::~LongWork()
{
    const std::lock_guard<std::mutex> lock(watched);
    if (told_ && watch != nullptr) {
        watch->watcher_("");
    }
}

void LongWork::look(std::int64_t done)
{
    look_for_stop();
    if (total_ <= 0) {
        return;
    }
    const std::lock_guard<std::mutex> lock(watched);
    next_look_.store(done + total_ / looks + 1, std::memory_order_relaxed);
    const auto now = std::chrono::steady_clock::now();
    if (watch == nullptr || now < next_words_) {
        return;
    }
    next_words_ = now + between_words;
    told_ = true;
    const double share = std::min(1.0, static_cast<double>(done) / static_cast<double>(total_));
    watch->watcher_(what_ + ", " + std::to_string(static_cast<int>(100 * share)) + " %");
}

LongWorkWatch::LongWorkWatch(Watcher watcher) : watcher_(std::move(watcher))
{
    const std::lock_guard<std::mutex> lock(watched);
    before_ = std::exchange(watch, this);
}

LongWorkWatch::~LongWorkWatch()
{
    const std::lock_guard<std::mutex> lock(watched);
    watch = before_;
}

} // namespace alxsim
