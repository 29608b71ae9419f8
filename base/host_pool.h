// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

namespace alxsim {

/// Cores of this host; 1 where the system does not say.
int host_cores();

/// The host's threads (oneTBB underneath). What runs on it never depends on how many there are:
/// chunks are cut by `grain` alone, and nothing is reduced across them.
class HostPool {
public:
    /// `threads` >= 1.
    explicit HostPool(int threads);
    ~HostPool();
    HostPool(const HostPool&) = delete;
    HostPool& operator=(const HostPool&) = delete;

    int threads() const { return threads_; }
    /// Calls `body(begin, end)` for consecutive chunks of at most `grain` items that cover [0,
    /// items). Returns when all are done; rethrows the first exception.
    void for_chunks(std::int64_t items, std::int64_t grain,
                    const std::function<void(std::int64_t begin, std::int64_t end)>& body);

private:
    struct Arena;
    int threads_;
    std::unique_ptr<Arena> arena_;
};

} // namespace alxsim
