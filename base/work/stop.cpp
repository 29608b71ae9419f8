// SPDX-License-Identifier: Apache-2.0
#include "base/work/stop.h"

#include <atomic>
#include <chrono>
#include <csignal>
#include <future>
#include <thread>
#include <utility>

namespace alxsim {
namespace {

thread_local const StopScope* scope_of_thread = nullptr;

constexpr std::chrono::milliseconds between_looks{2};

std::atomic<int> running{0}; ///< threads of run_stoppable()

/// Puts back who handles SIGTERM: METIS takes it while it runs, and jumps into its own thread's
/// frame from whichever thread the signal comes to.
class TermHandler {
public:
    TermHandler() { sigaction(SIGTERM, nullptr, &own_); }

    void put_back() const
    {
        struct sigaction now {};
        sigaction(SIGTERM, nullptr, &now);
        if (now.sa_handler != own_.sa_handler) {
            sigaction(SIGTERM, &own_, nullptr);
        }
    }

private:
    struct sigaction own_ {};
};

} // namespace

StopScope::StopScope(std::function<bool()> wanted)
    : wanted_(std::move(wanted)),
      outer_(std::exchange(scope_of_thread, this))
{
}

StopScope::~StopScope()
{
    scope_of_thread = outer_;
}

bool stop_is_wanted()
{
    for (const StopScope* scope = scope_of_thread; scope != nullptr; scope = scope->outer_) {
        if (scope->wanted_()) {
            return true;
        }
    }
    return false;
}

void look_for_stop()
{
    if (stop_is_wanted()) {
        throw Stopped();
    }
}

const StopScope* stop_scope()
{
    return scope_of_thread;
}

BorrowedStopScope::BorrowedStopScope(const StopScope* scope)
    : own_(std::exchange(scope_of_thread, scope))
{
}

BorrowedStopScope::~BorrowedStopScope()
{
    scope_of_thread = own_;
}

void run_stoppable(std::function<void()> work)
{
    if (scope_of_thread == nullptr) {
        work();
        return;
    }
    look_for_stop();
    std::packaged_task<void()> task(std::move(work));
    std::future<void> done = task.get_future();
    const TermHandler handler;
    ++running;
    std::thread([task = std::move(task)]() mutable {
        task();
        --running;
    }).detach();
    while (done.wait_for(between_looks) != std::future_status::ready) {
        handler.put_back();
        look_for_stop();
    }
    done.get();
}

bool work_is_left_running()
{
    return running > 0;
}

} // namespace alxsim
