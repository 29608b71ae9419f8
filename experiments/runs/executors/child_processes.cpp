// SPDX-License-Identifier: Apache-2.0
#include "experiments/runs/executors/child_processes.h"

#include <algorithm>
#include <cerrno>
#include <poll.h>
#include <stdexcept>
#include <utility>

namespace alxsim::experiments {

ChildProcesses::ChildProcesses(Program executable, int jobs)
    : executable_(std::move(executable)),
      jobs_(static_cast<std::size_t>(jobs))
{
}

bool ChildProcesses::take(const PointOrder& order)
{
    PointProcess* const process = process_for(order);
    if (process == nullptr) {
        return false;
    }
    process->give(order);
    return true;
}

bool ChildProcesses::idle() const
{
    return std::all_of(processes_.begin(), processes_.end(),
                       [](const auto& process) { return process->idle(); });
}

/// One that is there, or a new one; null: there are as many as may be.
PointProcess* ChildProcesses::process_for(const PointOrder& order)
{
    const auto takes = [](const PointProcess& process) { return process.takes(); };
    PointProcess* process = order.small ? find(takes) : nullptr;
    if (process == nullptr && processes_.size() < jobs_) {
        processes_.push_back(std::make_unique<PointProcess>(executable_));
        process = processes_.back().get();
    }
    if (process != nullptr) {
        return process;
    }
    if (order.small) {
        return find([&](const PointProcess& one) { return one.takes_next(order); });
    }
    if (PointProcess* const unused = find(takes)) {
        unused->dismiss(); // it makes room
    }
    return nullptr;
}

template <class Predicate>
PointProcess* ChildProcesses::find(const Predicate& predicate)
{
    const auto found = std::find_if(processes_.begin(), processes_.end(),
                                    [&](const auto& process) { return predicate(*process); });
    return found == processes_.end() ? nullptr : found->get();
}

void ChildProcesses::wait(PointListener& listener, std::chrono::milliseconds at_most)
{
    std::vector<pollfd> descriptors;
    for (const auto& process : processes_) {
        descriptors.push_back({process->child().output_descriptor(), POLLIN, 0});
        descriptors.push_back({process->child().error_descriptor(), POLLIN, 0});
    }
    const int ready =
        poll(descriptors.data(), descriptors.size(), static_cast<int>(at_most.count()));
    if (ready < 0 && errno != EINTR) {
        throw std::runtime_error("cannot wait for the points' processes");
    }
    for (std::size_t i = 0; ready > 0 && i < processes_.size(); ++i) {
        if (descriptors[2 * i].revents != 0) {
            processes_[i]->child().read_output();
        }
        if (descriptors[2 * i + 1].revents != 0) {
            processes_[i]->child().read_error();
        }
        processes_[i]->take_answers(listener);
    }
    collect_ended(listener);
}

void ChildProcesses::collect_ended(PointListener& listener)
{
    const auto ended =
        std::stable_partition(processes_.begin(), processes_.end(),
                              [](const auto& process) { return !process->child().closed(); });
    std::for_each(ended, processes_.end(), [&](const auto& process) { process->end(listener); });
    processes_.erase(ended, processes_.end());
}

} // namespace alxsim::experiments
