// SPDX-License-Identifier: Apache-2.0
#include "python/extension/background.h"

#include "base/work/long_work.h"
#include "base/work/stop.h"
#include "experiments/runs/progress/terminal_line.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace py = pybind11;

namespace alxsim::python {
namespace {

/// A signal is seen after that.
constexpr std::chrono::milliseconds between_looks{50};

/// SystemC has one simulation at a time, and progress one reader.
std::timed_mutex one_at_a_time;

/// What the thread that works and the one that waits know of one another.
class Background {
public:
    explicit Background(const std::function<void(const Stop&)>& work)
        : thread_([this, &work] { run(work); })
    {
    }
    ~Background() { thread_.join(); }
    Background(const Background&) = delete;
    Background& operator=(const Background&) = delete;

    /// Waits for a moment; whether all is done.
    bool wait()
    {
        std::unique_lock<std::mutex> lock(mutex_);
        return over_.wait_for(lock, between_looks, [this] { return done_; });
    }
    void stop() { stop_ = true; }
    /// Lines that stay, and the last that does not, since the last call.
    std::vector<std::pair<std::string, bool>> take_lines()
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        auto lines = std::exchange(lines_, {});
        if (auto line = std::exchange(line_, std::nullopt)) {
            lines.emplace_back(std::move(*line), false);
        }
        return lines;
    }
    std::exception_ptr error() const { return error_; }

private:
    void run(const std::function<void(const Stop&)>& work)
    {
        try {
            const Stop wanted = [this] { return stop_.load(); };
            const StopScope scope(wanted);
            std::unique_lock<std::timed_mutex> turn(one_at_a_time, std::defer_lock);
            while (!turn.try_lock_for(between_looks)) {
                look_for_stop();
            }
            const experiments::ProgressReader reader(
                [this](const std::string& line, bool stays) { tell(line, stays); });
            const LongWorkWatch watch([this](const std::string& words) { tell(words, false); });
            work(wanted);
        } catch (...) {
            error_ = std::current_exception();
        }
        const std::lock_guard<std::mutex> lock(mutex_);
        done_ = true;
        over_.notify_all();
    }

    void tell(const std::string& line, bool stays)
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (stays) {
            lines_.emplace_back(line, true);
        } else {
            line_ = line;
        }
    }

    std::atomic<bool> stop_{false};
    std::mutex mutex_;
    std::condition_variable over_;
    bool done_ = false;
    std::vector<std::pair<std::string, bool>> lines_;
    std::optional<std::string> line_;
    std::exception_ptr error_;
    std::thread thread_; ///< the last: it uses all others
};

void tell(const py::object& progress, Background& background)
{
    for (const auto& [line, stays] : background.take_lines()) {
        if (!progress.is_none()) {
            progress(line, stays);
        }
    }
}

} // namespace

void run_in_background(const std::function<void(const Stop&)>& work, const py::object& progress)
{
    std::exception_ptr raised; // by a signal handler, or by who is told
    std::exception_ptr error;
    {
        std::optional<Background> background;
        background.emplace(work);
        for (bool done = false; !done;) {
            {
                const py::gil_scoped_release release;
                done = background->wait();
            }
            try {
                if (!raised && PyErr_CheckSignals() != 0) {
                    throw py::error_already_set();
                }
                if (!raised) {
                    tell(progress, *background);
                }
            } catch (...) {
                raised = std::current_exception();
                background->stop();
            }
        }
        error = background->error();
        const py::gil_scoped_release release;
        background.reset();
    }
    if (raised) {
        std::rethrow_exception(raised);
    }
    if (error) {
        std::rethrow_exception(error);
    }
}

} // namespace alxsim::python
