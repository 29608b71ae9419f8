// SPDX-License-Identifier: Apache-2.0
#include "base/host_pool.h"

#include "base/units.h"

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>

namespace alxsim {

struct HostPool::Arena {
    explicit Arena(int threads)
        : limit(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads)),
          arena(threads)
    {
    }
    /// oneTBB stops at the number of cores by itself; who asks for more threads gets them.
    tbb::global_control limit;
    tbb::task_arena arena;
};

HostPool::HostPool(int threads) : threads_(threads), arena_(std::make_unique<Arena>(threads)) {}

HostPool::~HostPool() = default;

void HostPool::for_chunks(std::int64_t items, std::int64_t grain,
                          const std::function<void(std::int64_t, std::int64_t)>& body)
{
    const std::int64_t chunks = ceil_divide(items, grain);
    const auto run_chunk = [&](std::int64_t chunk) {
        body(chunk * grain, std::min(items, (chunk + 1) * grain));
    };
    if (threads_ == 1 || chunks <= 1) {
        for (std::int64_t chunk = 0; chunk < chunks; ++chunk) {
            run_chunk(chunk);
        }
        return;
    }
    arena_->arena.execute([&] { tbb::parallel_for(std::int64_t{0}, chunks, run_chunk); });
}

} // namespace alxsim
