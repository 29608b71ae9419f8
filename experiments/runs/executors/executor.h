// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/points/point.h"

#include <chrono>
#include <cstddef>
#include <string>

namespace alxsim::experiments {

/// A point to be run.
struct PointOrder {
    std::size_t point = 0; ///< its number, by which answers say whose they are
    bool small = false;    ///< takes moments and no SystemC: it may share a process with others
    std::string task;      ///< a line of JSON (point_task.h)
};

/// What an executor tells of the points that it has taken. Each is answered once: finished, failed
/// or handed back.
class PointListener {
public:
    virtual ~PointListener() = default;
    /// What it is about to take of the host's CPUs, where that is more than moments.
    virtual void predicted(std::size_t /*point*/, Seconds /*time*/) {}
    virtual void progressed(std::size_t point, double share) = 0;
    /// What it is at just now, if that takes long: for progress alone.
    virtual void doing(std::size_t /*point*/, const std::string& /*words*/) {}
    /// Something that people should know of a point that goes on.
    virtual void told(std::size_t point, const std::string& words) = 0;
    /// `text`: the same as a line of JSON.
    virtual void finished(std::size_t point, PointResult result, const std::string& text) = 0;
    /// Its input is bad: another try would end alike.
    virtual void refused(std::size_t point, const std::string& why) = 0;
    /// It was lost with what ran it.
    virtual void failed(std::size_t point, const std::string& why) = 0;
    /// Taken, but not begun: it may be given again.
    virtual void handed_back(std::size_t point) = 0;
};

/// Where points run: this process, children of it, other hosts. Its own end is a stop().
class Executor {
public:
    virtual ~Executor() = default;
    /// Takes a point, or says that there is no room for it now.
    virtual bool take(const PointOrder& order) = 0;
    /// Whether all points that it took are answered.
    virtual bool idle() const = 0;
    /// Waits for answers, not much longer than `at_most`, and tells them.
    virtual void wait(PointListener& listener, std::chrono::milliseconds at_most) = 0;
    /// Ends what it has begun, and forgets it: no answer comes.
    virtual void stop() = 0;
};

} // namespace alxsim::experiments
