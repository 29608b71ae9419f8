// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

namespace alxsim {

/// Work that may take long before its result tells of it: links that are read, test rows that are
/// evaluated. On its way it tells whoever watches in this process how far it is, and looks for a
/// stop (stop.h). Decides nothing.
class LongWork {
public:
    /// `what` is done: "reading links.txt". `total`: how much of it there is, in units of its own;
    /// 0: not known, and nothing is told, but each step looks for a stop.
    LongWork(const std::string& what, std::int64_t total);
    ~LongWork();
    LongWork(const LongWork&) = delete;
    LongWork& operator=(const LongWork&) = delete;

    /// So much more of it is done. Cheap enough for each row, on any thread. Throws Stopped.
    void add(std::int64_t amount)
    {
        const std::int64_t done = done_.fetch_add(amount, std::memory_order_relaxed) + amount;
        if (done >= next_look_.load(std::memory_order_relaxed)) {
            look(done);
        }
    }

private:
    void look(std::int64_t done);

    const std::string what_;
    const std::int64_t total_;
    std::atomic<std::int64_t> done_{0};
    std::atomic<std::int64_t> next_look_; ///< how much has to be done then
    std::chrono::steady_clock::time_point next_words_;
    bool told_ = false;
};

/// Who watches long work while it lives; of several the one that began last.
class LongWorkWatch {
public:
    /// Told of work that has lasted for a second, and some times a second from then on, what it is
    /// and how far: "reading links.txt, 12 %"; when it is over, of "". By any thread, but one at a
    /// time.
    using Watcher = std::function<void(const std::string& words)>;

    explicit LongWorkWatch(Watcher watcher);
    ~LongWorkWatch();
    LongWorkWatch(const LongWorkWatch&) = delete;
    LongWorkWatch& operator=(const LongWorkWatch&) = delete;

private:
    friend class LongWork;
    Watcher watcher_;
    LongWorkWatch* before_;
};

} // namespace alxsim
