// SPDX-License-Identifier: Apache-2.0
#include "program/serve/confirmation.h"

#include "experiments/runs/executors/child_processes.h"
#include "experiments/runs/executors/point_task.h"
#include "experiments/runs/kept/point_outcome.h"
#include "program/serve/curve.h"

#include <algorithm>

namespace alxsim::program {

using namespace experiments;

namespace {

/// A cancellation is seen after that.
constexpr std::chrono::milliseconds longest_wait{100};

} // namespace

Confirmation::Confirmation(Study study, std::vector<PointSpec> points, ConfirmationOptions options)
    : study_(std::move(study)),
      points_(std::move(points)),
      options_(std::move(options)),
      settled_(points_.size()),
      shares_(points_.size(), 0.0),
      weights_(points_.size(), 1.0)
{
    for (std::size_t i = points_.size(); i > 0; --i) {
        waiting_.push_back(i - 1); // taken from the end
    }
    thread_ = std::thread([this] { run(); });
}

Confirmation::~Confirmation()
{
    cancel();
    thread_.join();
}

bool Confirmation::running() const
{
    const std::lock_guard<std::mutex> lock(mutex_);
    return !over_;
}

PointOrder Confirmation::order_of(std::size_t index) const
{
    PointTask task;
    task.study = points_[index].study.document;
    task.file = points_[index].study.file;
    task.only_files = options_.files;
    return {index, false, json_of(task).dump()};
}

void Confirmation::run()
{
    std::string problem;
    try {
        // The children end with the thread that started them, which is this one.
        ChildProcesses children(options_.executable, options_.jobs);
        const auto next = [this]() -> std::optional<std::size_t> {
            const std::lock_guard<std::mutex> lock(mutex_);
            return waiting_.empty() ? std::nullopt : std::optional(waiting_.back());
        };
        while (!cancelled_ && (next() || !children.idle())) {
            for (auto index = next(); index && children.take(order_of(*index)); index = next()) {
                const std::lock_guard<std::mutex> lock(mutex_);
                waiting_.pop_back();
            }
            children.wait(*this, longest_wait);
        }
        children.stop();
    } catch (const std::exception& error) {
        problem = error.what();
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    problem_ = problem;
    over_ = true;
    took_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

void Confirmation::settle(std::size_t index, report::Point point)
{
    const std::lock_guard<std::mutex> lock(mutex_);
    settled_[index] = {true, std::move(point)};
    shares_[index] = 1;
}

void Confirmation::predicted(std::size_t point, Seconds time)
{
    const std::lock_guard<std::mutex> lock(mutex_);
    weights_[point] = std::max(time.count(), 1e-3);
}

void Confirmation::progressed(std::size_t point, double share)
{
    const std::lock_guard<std::mutex> lock(mutex_);
    shares_[point] = share;
}

void Confirmation::told(std::size_t point, const std::string& words)
{
    const std::lock_guard<std::mutex> lock(mutex_);
    notes_.push_back(label_of(points_[point]) + ": " + words);
}

void Confirmation::finished(std::size_t point, PointResult result, const std::string&)
{
    settle(point, std::move(result.point));
}

void Confirmation::refused(std::size_t point, const std::string& why)
{
    settle(point, failed_point(points_[point], why).point);
}

void Confirmation::failed(std::size_t point, const std::string& why)
{
    settle(point, failed_point(points_[point], why).point);
}

void Confirmation::handed_back(std::size_t point)
{
    const std::lock_guard<std::mutex> lock(mutex_);
    waiting_.push_back(point);
}

Json Confirmation::status() const
{
    const std::lock_guard<std::mutex> lock(mutex_);
    double done = 0;
    double all = 0;
    std::vector<PointSpec> specs;
    std::vector<report::Point> points;
    for (std::size_t i = 0; i < points_.size(); ++i) {
        done += shares_[i] * weights_[i];
        all += weights_[i];
        if (settled_[i].is) {
            specs.push_back(points_[i]);
            points.push_back(settled_[i].point);
        }
    }
    const bool complete = points.size() == points_.size();
    Json status{
        {"state", !problem_.empty() ? "failed"
                  : !over_          ? "running"
                  : complete        ? "done"
                                    : "cancelled"},
        {"share", done / all},
        {"points", points_.size()},
        {"seconds",
         over_ ? took_
               : std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count()},
        {"problem", problem_},
        {"notes", notes_}};
    if (!points.empty()) {
        status["report"] = drawn_of_report(report_of_curve(study_, specs, std::move(points)));
    }
    return status;
}

} // namespace alxsim::program
