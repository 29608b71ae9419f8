// SPDX-License-Identifier: Apache-2.0
#include "experiments/runner.h"

#include "base/input_error.h"
#include "experiments/machine_request.h"
#include "experiments/processes/kept_points.h"
#include "experiments/processes/point_process.h"
#include "experiments/progress.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <deque>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <poll.h>

namespace alxsim::experiments {
namespace {

volatile std::sig_atomic_t signal_came = 0;

void note_signal(int)
{
    signal_came = 1;
}

/// Catches Ctrl-C and termination while it lives.
class SignalWatch {
public:
    SignalWatch()
    {
        signal_came = 0;
        struct sigaction action {};
        action.sa_handler = note_signal;
        sigaction(SIGINT, &action, &old_interrupt_);
        sigaction(SIGTERM, &action, &old_terminate_);
    }
    ~SignalWatch()
    {
        sigaction(SIGINT, &old_interrupt_, nullptr);
        sigaction(SIGTERM, &old_terminate_, nullptr);
    }
    SignalWatch(const SignalWatch&) = delete;
    SignalWatch& operator=(const SignalWatch&) = delete;

private:
    struct sigaction old_interrupt_ {};
    struct sigaction old_terminate_ {};
};

/// Closed forms alone: no numbers, and no SystemC, of which a process has one elaboration.
bool is_small(const PointSpec& point)
{
    return !point.study.numerics && point.study.fidelity == Fidelity::analytic;
}

/// About how much work a point is, to weigh the progress.
double weight_of(const PointSpec& point)
{
    return is_small(point) ? 0.02 : 1.0;
}

std::string outcome_of(const report::Point& point)
{
    if (point.error) {
        return "FAILED: " + *point.error;
    }
    if (!point.fits) {
        char words[96];
        const report::PointMemory& memory = point.memory.value();
        const bool host = memory.largest == "host memory";
        const std::int64_t needed =
            host ? memory.host_bytes_per_core.value() : memory.bytes_per_core;
        const std::int64_t there =
            host ? memory.host_capacity_bytes.value() : memory.capacity_bytes;
        std::snprintf(words, sizeof words, "does not fit: %.1f GiB of %.1f GiB a core, %s most",
                      static_cast<double>(needed) / (1 << 30),
                      static_cast<double>(there) / (1 << 30), memory.largest.value_or("").c_str());
        return words;
    }
    char seconds[48];
    std::snprintf(seconds, sizeof seconds, "%.4g s per epoch", point.seconds());
    return seconds;
}

class Runner {
public:
    Runner(const std::vector<PointSpec>& points, const RunnerOptions& options)
        : points_(points),
          options_(options),
          kept_(options.keep_folder),
          results_(points.size()),
          progress_(weights(points), options.quiet)
    {
    }

    std::vector<PointResult> run()
    {
        kept_.remove_parts();
        take_over_kept_points();
        if (options_.executable.empty()) {
            run_here();
        } else {
            run_in_processes();
        }
        return std::move(results_);
    }

private:
    void run_here()
    {
        for (std::size_t index : waiting_) {
            try {
                finish(index, run_point(points_[index].study, point_options(index)));
            } catch (const InputError&) {
                throw;
            } catch (const std::exception& error) {
                tell(index, failed(points_[index], error.what()));
            }
        }
    }

    void run_in_processes()
    {
        std::optional<SignalWatch> watch;
        if (options_.catch_signals) {
            watch.emplace();
        }
        while (!waiting_.empty() || !running_.empty()) {
            while (!waiting_.empty() && deal(waiting_.front())) {
                waiting_.pop_front();
            }
            dismiss_idle();
            wait_for_output(watch.has_value());
            collect_finished();
        }
    }

    static std::vector<double> weights(const std::vector<PointSpec>& points)
    {
        std::vector<double> weights;
        std::transform(points.begin(), points.end(), std::back_inserter(weights), weight_of);
        return weights;
    }

    void take_over_kept_points()
    {
        for (std::size_t i = 0; i < points_.size(); ++i) {
            const KeptPoints::Found kept = options_.resume && has_exported(i)
                                               ? kept_.find(i, points_[i])
                                               : KeptPoints::Found{};
            if (kept.result) {
                results_[i] = *kept.result;
                progress_.finished(i, label_of(points_[i]) + ": taken over, " +
                                          outcome_of(kept.result->point));
                continue;
            }
            if (kept.damaged) {
                progress_.tell(label_of(points_[i]) +
                               ": what was kept is damaged; it is computed anew");
            }
            waiting_.push_back(i);
        }
    }

    /// "" for nowhere.
    std::string export_folder(std::size_t index) const
    {
        return options_.export_folder.empty()
                   ? ""
                   : options_.export_folder + "/" + std::to_string(index);
    }

    /// A point that exports starts anew: what it exports of earlier epochs is not kept.
    std::string checkpoint(std::size_t index) const
    {
        return export_folder(index).empty() ? kept_.checkpoint_of(index) : "";
    }

    /// What a point exports is written before the point is kept.
    bool has_exported(std::size_t index) const
    {
        return export_folder(index).empty() || !points_[index].study.numerics ||
               std::filesystem::exists(export_folder(index) + "/metrics.json");
    }

    /// Finds a process for a point; says whether there is one.
    bool deal(std::size_t index)
    {
        if (next_task_.first != index || next_task_.second.empty()) {
            next_task_ = {index, task_of(index)};
        }
        const std::string& task = next_task_.second;
        const bool small = is_small(points_[index]);
        PointProcess* process =
            small ? find_process([](const PointProcess& one) { return one.idle(); }) : nullptr;
        if (process == nullptr && running_.size() < static_cast<std::size_t>(options_.jobs)) {
            running_.push_back(std::make_unique<PointProcess>(options_.executable));
            process = running_.back().get();
        }
        if (process == nullptr && small) {
            process = find_process([&](const PointProcess& one) { return one.takes_next(task); });
        }
        if (process == nullptr) {
            return false;
        }
        process->give(index, task);
        if (!small) {
            process->dismiss(); // its memory goes back to the host, and SystemC starts once
        }
        return true;
    }

    template <class Predicate>
    PointProcess* find_process(const Predicate& predicate)
    {
        const auto found =
            std::find_if(running_.begin(), running_.end(),
                         [&](const std::unique_ptr<PointProcess>& one) { return predicate(*one); });
        return found == running_.end() ? nullptr : found->get();
    }

    /// Those for which there is no small point make room for others.
    void dismiss_idle()
    {
        for (const std::unique_ptr<PointProcess>& process : running_) {
            if (process->idle()) {
                process->dismiss();
            }
        }
    }

    std::string task_of(std::size_t index) const
    {
        return json_of(PointTask{points_[index].study.document, points_[index].study.file,
                                 options_.threads, export_folder(index), checkpoint(index),
                                 kept_.hbm_rates_file(), options_.resume})
            .dump();
    }

    /// Of a point that runs in this process.
    PointOptions point_options(std::size_t index)
    {
        PointOptions options;
        options.threads = options_.threads;
        options.export_folder = export_folder(index);
        options.checkpoint = checkpoint(index);
        options.resume = options_.resume;
        options.progress = [this, index](double fraction) { progress_.update(index, fraction); };
        return options;
    }

    void wait_for_output(bool watched)
    {
        std::vector<pollfd> descriptors;
        for (const std::unique_ptr<PointProcess>& process : running_) {
            descriptors.push_back({process->child().output_descriptor(), POLLIN, 0});
            descriptors.push_back({process->child().error_descriptor(), POLLIN, 0});
        }
        const int ready = poll(descriptors.data(), descriptors.size(), 500);
        if (watched && signal_came != 0) {
            running_.clear(); // ends the children
            kept_.remove_parts();
            throw Interrupted();
        }
        if (ready < 0 && errno != EINTR) {
            throw std::runtime_error("cannot wait for the points' processes");
        }
        for (std::size_t i = 0; ready > 0 && i < running_.size(); ++i) {
            if (descriptors[2 * i].revents != 0) {
                running_[i]->child().read_output();
            }
            if (descriptors[2 * i + 1].revents != 0) {
                running_[i]->child().read_error();
            }
            running_[i]->take_answers(listener_);
        }
    }

    void collect_finished()
    {
        const auto over =
            std::stable_partition(running_.begin(), running_.end(),
                                  [](const auto& process) { return !process->child().closed(); });
        std::for_each(over, running_.end(), [this](const auto& process) { collect(*process); });
        running_.erase(over, running_.end());
    }

    void collect(PointProcess& process)
    {
        const PointProcess::End end = process.end();
        waiting_.insert(waiting_.begin(), end.not_run.begin(), end.not_run.end());
        if (end.failed) {
            tell(*end.failed, failed(points_[*end.failed], end.why));
        }
    }

    void finish(std::size_t index, const PointResult& result)
    {
        kept_.keep(index, points_[index], result);
        tell(index, result);
    }

    void tell(std::size_t index, PointResult result)
    {
        results_[index] = std::move(result);
        progress_.finished(index,
                           label_of(points_[index]) + ": " + outcome_of(results_[index].point));
    }

    static PointResult failed(const PointSpec& point, const std::string& why)
    {
        PointResult result;
        const MachineRequest& request = point.study.machine;
        result.point.machine = machine_told(machine_of(request, point.study.file), request);
        result.point.error = why;
        return result;
    }

    const std::vector<PointSpec>& points_;
    const RunnerOptions& options_;
    KeptPoints kept_;
    std::vector<PointResult> results_;
    Progress progress_;
    std::deque<std::size_t> waiting_;
    std::pair<std::size_t, std::string> next_task_; ///< text of the point to be dealt next
    std::vector<std::unique_ptr<PointProcess>> running_;
    const PointProcess::Listener listener_{
        [this](std::size_t index, double share) { progress_.update(index, share); },
        [this](std::size_t index, PointResult result, const std::string& text) {
            kept_.keep_text(index, points_[index], text);
            tell(index, std::move(result));
        }};
};

} // namespace

std::vector<PointResult> run_points(const std::vector<PointSpec>& points,
                                    const RunnerOptions& options)
{
    return Runner(points, options).run();
}

} // namespace alxsim::experiments
