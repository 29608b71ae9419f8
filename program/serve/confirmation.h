// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/points/study/study.h"
#include "experiments/runs/executors/executor.h"
#include "experiments/runs/processes/child_process.h"

#include <atomic>
#include <chrono>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace alxsim::program {

using namespace experiments;

/// How points are confirmed.
struct ConfirmationOptions {
    Program executable;             ///< `alxsim`
    int jobs = 1;                   ///< points at once
    std::vector<std::string> files; ///< that the study may name, and no others
};

/// A study's points run as `run` runs them, in processes of the program that leave no file, while
/// others go on. Ends its processes with itself.
class Confirmation : private PointListener {
public:
    Confirmation(Study study, std::vector<PointSpec> points, ConfirmationOptions options);
    ~Confirmation() override;
    Confirmation(const Confirmation&) = delete;
    Confirmation& operator=(const Confirmation&) = delete;

    void cancel() { cancelled_ = true; }
    bool running() const;
    /// {"state": running | done | cancelled | failed, "share", "seconds", "report" (of the points
    /// that are done, as drawn_of_report() has it), "problems"}
    Json status() const;

private:
    struct Settled {
        bool is = false;
        report::Point point;
    };

    void run();
    PointOrder order_of(std::size_t index) const;
    void settle(std::size_t index, report::Point point);

    void predicted(std::size_t point, Seconds time) override;
    void progressed(std::size_t point, double share) override;
    void told(std::size_t point, const std::string& words) override;
    void finished(std::size_t point, PointResult result, const std::string& text) override;
    void refused(std::size_t point, const std::string& why) override;
    void failed(std::size_t point, const std::string& why) override;
    void handed_back(std::size_t point) override;

    const Study study_;
    const std::vector<PointSpec> points_;
    const ConfirmationOptions options_;
    const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
    std::atomic<bool> cancelled_{false};
    mutable std::mutex mutex_; ///< of what follows
    std::vector<Settled> settled_;
    std::vector<double> shares_;
    std::vector<double> weights_;
    std::vector<std::size_t> waiting_;
    std::vector<std::string> notes_;
    std::string problem_;
    bool over_ = false;
    double took_ = 0;
    std::thread thread_; ///< the last: it uses all others
};

} // namespace alxsim::program
