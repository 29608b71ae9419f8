// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

namespace alxsim::sim {

/// Ends a simulation soon after a stop is wanted (base/work/stop.h), however many events lie before
/// its end: a thread looks, and the kernel, which may be anywhere, is asked to pause. Made before
/// the simulation begins, on its thread. Without a stop scope it does nothing.
class StopWatcher {
public:
    StopWatcher();
    ~StopWatcher();
    StopWatcher(const StopWatcher&) = delete;
    StopWatcher& operator=(const StopWatcher&) = delete;

    /// Throws Stopped if the simulation was ended.
    void rethrow();

private:
    /// Pauses in the kernel's update phase, which any thread may ask for.
    class Pause : public sc_core::sc_prim_channel {
    public:
        void ask() { async_request_update(); }

    protected:
        void update() override { sc_core::sc_pause(); }
    };

    void look();

    std::unique_ptr<Pause> pause_; ///< null: nothing is watched
    std::mutex mutex_;
    std::condition_variable ends_;
    bool ended_ = false;
    bool stopped_ = false;
    std::thread thread_;
};

} // namespace alxsim::sim
