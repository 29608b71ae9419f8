// SPDX-License-Identifier: Apache-2.0
#include "experiments/runs/processes/interrupt.h"

#include "base/file_output.h"

#include <atomic>

namespace alxsim::experiments {
namespace {

/// Lock-free, so that a signal handler may set it and any thread read it.
std::atomic<bool> interrupt_came{false};
static_assert(std::atomic<bool>::is_always_lock_free);
std::atomic<int> watches{0};

/// The first asks; a second, of whoever cannot wait, ends the program as if nobody had caught it.
void note_interrupt(int signal)
{
    if (interrupt_came.exchange(true)) {
        remove_unfinished_files();
        std::signal(signal, SIG_DFL);
        raise(signal);
    }
}

} // namespace

InterruptWatch::InterruptWatch()
{
    if (watches++ == 0) { // an inner watch forgets nothing that the outer one saw
        interrupt_came = false;
    }
    struct sigaction action {};
    action.sa_handler = note_interrupt;
    sigaction(SIGINT, &action, &old_interrupt_);
    sigaction(SIGTERM, &action, &old_terminate_);
}

InterruptWatch::~InterruptWatch()
{
    sigaction(SIGINT, &old_interrupt_, nullptr);
    sigaction(SIGTERM, &old_terminate_, nullptr);
    --watches;
}

bool interrupted()
{
    return interrupt_came;
}

} // namespace alxsim::experiments
