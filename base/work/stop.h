// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <functional>

namespace alxsim {

/// Work was given up on its way: nobody waits for its result any more.
class Stopped : public std::exception {
public:
    const char* what() const noexcept override { return "stopped"; }
};

/// While it lives, long work of this thread, and what a HostPool does for it on others, ends by
/// Stopped soon after `wanted` says so. One inside another adds to it. Decides no result: work
/// ends as ever, or by Stopped.
class StopScope {
public:
    /// `wanted` is called often, and from several threads at once.
    explicit StopScope(std::function<bool()> wanted);
    ~StopScope();
    StopScope(const StopScope&) = delete;
    StopScope& operator=(const StopScope&) = delete;

private:
    friend bool stop_is_wanted();
    std::function<bool()> wanted_;
    const StopScope* outer_;
};

/// Whether a stop is wanted of this thread.
bool stop_is_wanted();

/// What every long loop calls now and then, a hundred times a second at least. Throws Stopped where
/// a stop is wanted.
void look_for_stop();

/// look_for_stop() once in so many calls: for loops whose rounds are short.
class StopLook {
public:
    void operator()()
    {
        if (++rounds_ % between == 0) {
            look_for_stop();
        }
    }

private:
    static constexpr unsigned between = 4096;
    unsigned rounds_ = 0;
};

/// The scope of the calling thread, to be lent to another that works for it.
const StopScope* stop_scope();

/// Lends a scope, or none, to this thread.
class BorrowedStopScope {
public:
    explicit BorrowedStopScope(const StopScope* scope);
    ~BorrowedStopScope();
    BorrowedStopScope(const BorrowedStopScope&) = delete;
    BorrowedStopScope& operator=(const BorrowedStopScope&) = delete;

private:
    const StopScope* own_;
};

/// Runs what cannot look for a stop itself, as code of others. In a scope it has a thread of its
/// own, which is left to itself when a stop is wanted: `work` owns all that it uses. Rethrows what
/// it throws. Throws Stopped.
void run_stoppable(std::function<void()> work);

/// Whether work that was left to itself still runs: a program that ends then may not take down what
/// it uses.
bool work_is_left_running();

} // namespace alxsim
