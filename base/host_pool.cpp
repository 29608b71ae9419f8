// SPDX-License-Identifier: Apache-2.0
#include "base/host_pool.h"

#include "base/inputs/named_files.h"
#include "base/units.h"
#include "base/work/stop.h"

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#ifdef ALXSIM_TELL_THREAD_SANITIZER
#include <sanitizer/tsan_interface.h>
/// oneTBB frees under locks of its own what its other threads compared: memcmp and delete, not our
/// work. That stays looked at.
extern "C" const char* __tsan_default_suppressions()
{
    return "called_from_lib:libtbb.so\n";
}
#endif

#include <algorithm>
#include <thread>
#include <utility>

namespace alxsim {
namespace {

/// Work that goes from one thread to others: what the givers did before comes before what the
/// takers do after. oneTBB sees to it; ThreadSanitizer, which does not look into it, is told here.
class Handover {
public:
#ifdef ALXSIM_TELL_THREAD_SANITIZER
    void give()
    {
        __tsan_release(this);
    }
    void take()
    {
        __tsan_acquire(this);
    }
#else
    void give() {}
    void take() {}
#endif
};

/// Does something when its block ends, by an exception, too.
template <class Action>
class AtEnd {
public:
    explicit AtEnd(Action action) : action_(std::move(action)) {}
    ~AtEnd() { action_(); }
    AtEnd(const AtEnd&) = delete;
    AtEnd& operator=(const AtEnd&) = delete;

private:
    Action action_;
};

} // namespace

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

/// One thread needs no arena, whose limit would hold for all other pools, too.
int host_cores()
{
    return static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

HostPool::HostPool(int threads)
    : threads_(threads),
      arena_(threads > 1 ? std::make_unique<Arena>(threads) : nullptr)
{
}

HostPool::~HostPool() = default;

void HostPool::for_chunks(std::int64_t items, std::int64_t grain,
                          const std::function<void(std::int64_t, std::int64_t)>& body)
{
    const std::int64_t chunks = ceil_divide(items, grain);
    const auto run_chunk = [&](std::int64_t chunk) {
        look_for_stop();
        body(chunk * grain, std::min(items, (chunk + 1) * grain));
    };
    if (threads_ == 1 || chunks <= 1) {
        for (std::int64_t chunk = 0; chunk < chunks; ++chunk) {
            run_chunk(chunk);
        }
        return;
    }
    Handover start;
    Handover end;
    const StopScope* const scope = stop_scope();
    NamedFiles* const files = named_files();
    const auto run_chunk_of_caller = [&](std::int64_t chunk) {
        const BorrowedStopScope borrowed(scope);
        const NamedFilesScope lent(files);
        start.take();
        const AtEnd done([&] { end.give(); });
        run_chunk(chunk);
    };
    start.give();
    const AtEnd all_done([&] { end.take(); });
    arena_->arena.execute([&] { tbb::parallel_for(std::int64_t{0}, chunks, run_chunk_of_caller); });
}

} // namespace alxsim
