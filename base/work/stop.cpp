// SPDX-License-Identifier: Apache-2.0
#include "base/work/stop.h"

#include <chrono>
#include <future>
#include <thread>
#include <utility>

namespace alxsim {
namespace {

thread_local const StopScope* scope_of_thread = nullptr;

constexpr std::chrono::milliseconds between_looks{20};

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

void look_for_stop()
{
    for (const StopScope* scope = scope_of_thread; scope != nullptr; scope = scope->outer_) {
        if (scope->wanted_()) {
            throw Stopped();
        }
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
    std::thread(std::move(task)).detach();
    while (done.wait_for(between_looks) != std::future_status::ready) {
        look_for_stop();
    }
    done.get();
}

} // namespace alxsim
