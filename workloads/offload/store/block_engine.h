// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <sys/types.h>

namespace alxsim::offload {

/// Bytes between memory and a place in a file.
struct BlockTransfer {
    bool write = false;
    int descriptor = -1;
    char* bytes = nullptr;
    std::size_t size = 0;
    std::uint64_t offset = 0;
};

/// What became of one: bytes that went, which may be fewer than were asked for, or a negative
/// errno.
struct BlockResult {
    std::size_t tag = 0;
    ssize_t result = 0;
};

/// Has up to `depth` blocks in flight, for one thread that begins and awaits them.
class BlockEngine {
public:
    virtual ~BlockEngine() = default;
    /// Only while fewer than `depth` are in flight.
    virtual void begin(std::size_t tag, const BlockTransfer& transfer) = 0;
    /// The next that is done, in any order. Only while one is in flight.
    virtual BlockResult next_done() = 0;
};

/// pread and pwrite on a few threads.
std::unique_ptr<BlockEngine> make_thread_engine(int depth);

/// io_uring. Nothing, and why, where this program is built without liburing, or the system refuses
/// it, as many containers do.
std::unique_ptr<BlockEngine> make_io_uring_engine(int depth, std::string& why_not);

} // namespace alxsim::offload
