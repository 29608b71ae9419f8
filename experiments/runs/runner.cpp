// SPDX-License-Identifier: Apache-2.0
#include "experiments/runs/runner.h"

#include "base/durable.h"
#include "base/file_output.h"
#include "base/work/debug_log.h"
#include "base/work/stop.h"
#include "experiments/runs/executors/child_processes.h"
#include "experiments/runs/executors/in_process.h"
#include "experiments/runs/executors/point_task.h"
#include "experiments/runs/kept/kept_points.h"
#include "experiments/runs/kept/point_outcome.h"
#include "experiments/runs/processes/interrupt.h"
#include "experiments/runs/progress/point_cost.h"
#include "experiments/runs/progress/point_weights.h"
#include "experiments/runs/progress/progress.h"
#include "report/words.h"

#include <deque>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>

namespace alxsim::experiments {
namespace {

/// Longer than people wait without having meant it.
constexpr Seconds long_point(7.0 * 24 * 3600);

/// A signal is seen after that.
constexpr std::chrono::milliseconds longest_wait{250};

std::string name_of(const std::string& file)
{
    return std::filesystem::path(file).filename().string();
}

/// What is common to all executors: which points are left, what is kept, what is told.
class Runner : private PointListener {
public:
    Runner(const std::vector<PointSpec>& points, const RunnerOptions& options, Executor& executor)
        : points_(points),
          options_(options),
          executor_(executor),
          kept_(options.keep_folder),
          results_(points.size()),
          failures_(points.size()),
          weights_(points),
          progress_(weights_.weights(), options.quiet)
    {
    }

    std::vector<PointResult> run()
    {
        clean_folders();
        prepare();
        while (!waiting_.empty() || !executor_.idle()) {
            deal();
            {
                const StopScope scope([this] { return stop_wanted(); }); // of a point in process
                executor_.wait(*this, longest_wait);
            }
            kept_.sync_now_and_then();
            if (stop_wanted()) {
                executor_.stop();
                clean_folders();
                kept_.sync();
                throw Interrupted();
            }
        }
        kept_.sync();
        clean_folders(); // of processes of a lost rank, which may have outlived it for a moment
        return std::move(results_);
    }

private:
    /// Data are read once more, and points estimated: either may take long.
    void prepare()
    {
        const StopScope scope([this] { return stop_wanted(); });
        try {
            take_over_kept_points();
            if (options_.costliest_first) {
                sort_by_cost();
            }
        } catch (const Stopped&) {
            throw Interrupted();
        }
    }

    bool stop_wanted() const
    {
        return (options_.catch_signals && interrupted()) || (options_.stop && options_.stop());
    }

    void take_over_kept_points()
    {
        for (std::size_t i = 0; i < points_.size(); ++i) {
            KeptPoints::Found kept = options_.resume && has_exported(i) && has_trace(i)
                                         ? kept_.find(number_of(i), points_[i])
                                         : KeptPoints::Found{};
            const auto changed = kept.result ? changed_since(*kept.result, i) : std::nullopt;
            if (changed) {
                told(i, in_words(*changed) + "; it is computed anew");
            } else if (kept.result) {
                leave_out_path_unless_traced(*kept.result);
                weights_.take_over(i, kept.result->host);
                tell_what_it_took(kept.result->host);
                settle(i, std::move(*kept.result), "taken over, ");
                continue;
            }
            if (kept.damaged) {
                told(i, "what was kept is damaged; it is computed anew");
            }
            waiting_.push_back(i);
        }
    }

    /// The first file that the point was computed from and that holds something else now.
    std::optional<ChangedInput> changed_since(const PointResult& kept, std::size_t index)
    {
        return changed_input(kept.inputs, inputs_now_.of(kept.inputs, points_[index].study.file));
    }

    /// A report tells the paths of the traces that were asked for.
    void leave_out_path_unless_traced(PointResult& result) const
    {
        if (!options_.trace.wanted() && result.point.result) {
            result.point.result->critical_path.reset();
        }
    }

    /// Removes those of processes that were killed.
    void clean_folders() const
    {
        remove_begun_files(options_.keep_folder);
        for (std::size_t i = 0; i < points_.size() && !options_.export_folder.empty(); ++i) {
            remove_begun_files(export_folder(i));
        }
        if (!options_.trace.wanted()) {
            return;
        }
        std::set<std::string> ours; // another shard may be writing into the same folder
        for (std::size_t i = 0; i < points_.size(); ++i) {
            ours.insert(name_of(trace_of(i).file));
        }
        remove_begun_files(options_.trace.file,
                           [&](const std::string& name) { return ours.count(name) > 0; });
    }

    /// Removes those of a point that was lost, while others go on.
    void clean_folders_of(std::size_t index) const
    {
        const auto remove = [](const std::string& folder, const std::string& file) {
            remove_begun_files(folder,
                               [&](const std::string& name) { return name == name_of(file); });
        };
        if (!options_.export_folder.empty()) {
            remove_begun_files(export_folder(index));
        }
        if (options_.trace.wanted()) {
            remove(options_.trace.file, trace_of(index).file);
        }
        remove(options_.keep_folder, checkpoint(index));
    }

    void sort_by_cost()
    {
        const std::vector<double> seconds = predicted_seconds(points_);
        std::stable_sort(waiting_.begin(), waiting_.end(),
                         [&](std::size_t a, std::size_t b) { return seconds[a] > seconds[b]; });
    }

    void deal()
    {
        while (!waiting_.empty()) {
            if (!next_) {
                next_ = order_of(waiting_.front());
            }
            if (!executor_.take(*next_)) {
                return;
            }
            debug_log(DebugRoom::runs,
                      [&] { return "dealt: " + label_of(points_[waiting_.front()]); });
            next_.reset();
            waiting_.pop_front();
        }
    }

    PointOrder order_of(std::size_t index) const
    {
        const PointStudy study = whole_study(points_[index]);
        const PointTask task{study.document,
                             study.file,
                             options_.threads,
                             export_folder(index),
                             trace_of(index),
                             checkpoint(index),
                             options_.hbm_rates.empty() ? kept_.hbm_rates_file()
                                                        : options_.hbm_rates,
                             options_.resume || failures_[index] > 0};
        return {index, is_small(study), json_of(task).dump()};
    }

    std::size_t number_of(std::size_t index) const
    {
        return options_.numbers.empty() ? index : options_.numbers[index];
    }

    /// "" for nowhere.
    std::string export_folder(std::size_t index) const
    {
        return options_.export_folder.empty()
                   ? ""
                   : options_.export_folder + "/" + std::to_string(number_of(index));
    }

    TraceRequest trace_of(std::size_t index) const
    {
        TraceRequest trace = options_.trace;
        if (trace.wanted()) {
            trace.title = label_of(points_[index]);
            trace.file = trace_file_of(trace.file, number_of(index), trace.title);
        }
        return trace;
    }

    /// A point that exports, or is traced, starts anew: what it has written of earlier epochs is
    /// not kept.
    std::string checkpoint(std::size_t index) const
    {
        return options_.export_folder.empty() && !options_.trace.wanted()
                   ? kept_.checkpoint_of(number_of(index))
                   : "";
    }

    /// What a point exports is written, and on the disk, before the point is kept.
    bool has_exported(std::size_t index) const
    {
        return options_.export_folder.empty() || !points_[index].study.numerics ||
               std::filesystem::exists(export_folder(index) + "/metrics.json");
    }

    /// Written before the point is kept, if it is simulated and has such a step.
    bool has_trace(std::size_t index) const
    {
        return !options_.trace.wanted() || points_[index].study.fidelity == Fidelity::analytic ||
               std::filesystem::exists(trace_of(index).file);
    }

    void predicted(std::size_t index, Seconds time) override
    {
        if (time > long_point) {
            told(index, "predicted to take about " + report::long_time_in_words(time.count()) +
                            " of one core of this host");
        }
        weights_.predict(index, time);
        progress_.set_weights(weights_.weights());
    }

    void progressed(std::size_t index, double share) override { progress_.update(index, share); }

    void doing(std::size_t index, const std::string& words) override
    {
        progress_.doing(words.empty() ? words : label_of(points_[index]) + ": " + words);
    }

    void told(std::size_t index, const std::string& words) override
    {
        progress_.tell(label_of(points_[index]) + ": " + words);
    }

    void finished(std::size_t index, PointResult result, const std::string& text) override
    {
        if (!options_.export_folder.empty() && points_[index].study.numerics) {
            sync_file_system(export_folder(index));
        }
        kept_.keep(number_of(index), points_[index], text);
        debug_log(DebugRoom::runs, [&] {
            return "kept: " + label_of(points_[index]) + ", " + std::to_string(text.size()) +
                   " bytes";
        });
        if (weights_.finish(index, result.host)) {
            progress_.set_weights(weights_.weights());
        }
        tell_what_it_took(result.host);
        settle(index, std::move(result));
    }

    void tell_what_it_took(const std::optional<report::HostUse>& use)
    {
        const std::string words = use && options_.took ? options_.took(*use) : "";
        if (!words.empty()) {
            progress_.tell(words);
        }
    }

    void refused(std::size_t index, const std::string& why) override
    {
        settle(index, refused_point(points_[index], why));
    }

    void failed(std::size_t index, const std::string& why) override
    {
        clean_folders_of(index);
        if (++failures_[index] > options_.retries) {
            settle(index, failed_point(points_[index], why));
            return;
        }
        told(index, why + "; tried again (" + std::to_string(failures_[index]) + " of " +
                        std::to_string(options_.retries) + ")");
        waiting_.push_back(index);
    }

    void handed_back(std::size_t index) override
    {
        waiting_.push_front(index);
        next_.reset();
    }

    void settle(std::size_t index, PointResult result, const std::string& how = "")
    {
        results_[index] = std::move(result);
        if (options_.settled) {
            options_.settled(index, results_[index]);
        }
        progress_.finished(index, label_of(points_[index]) + ": " + how + settled_words(index));
    }

    std::string settled_words(std::size_t index) const
    {
        const PointResult& result = results_[index];
        return options_.settled_in_words && !result.point.error
                   ? options_.settled_in_words(index, result)
                   : outcome_of(result.point);
    }

    const std::vector<PointSpec>& points_;
    const RunnerOptions& options_;
    Executor& executor_;
    KeptPoints kept_;
    std::vector<PointResult> results_;
    std::vector<int> failures_; ///< of each point so far
    InputsNow inputs_now_;
    PointWeights weights_;
    Progress progress_;
    std::deque<std::size_t> waiting_;
    std::optional<PointOrder> next_; ///< of the first that waits
};

} // namespace

std::vector<PointResult> run_points(const std::vector<PointSpec>& points,
                                    const RunnerOptions& options)
{
    if (options.executable.empty()) {
        InProcess executor;
        return run_points(points, options, executor);
    }
    ChildProcesses executor(options.executable, options.jobs);
    return run_points(points, options, executor);
}

std::vector<PointResult> run_points(const std::vector<PointSpec>& points,
                                    const RunnerOptions& options, Executor& executor)
{
    std::optional<InterruptWatch> watch;
    if (options.catch_signals) {
        watch.emplace();
    }
    std::vector<PointResult> results = Runner(points, options, executor).run();
    watch.reset();
    if (options.catch_signals && interrupted()) { // after the last point
        throw Interrupted();
    }
    return results;
}

} // namespace alxsim::experiments
