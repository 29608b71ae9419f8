// SPDX-License-Identifier: Apache-2.0
#include "experiments/runner.h"

#include "base/input_error.h"
#include "experiments/child_process.h"
#include "experiments/exit_codes.h"
#include "experiments/kept_points.h"
#include "experiments/machine_request.h"
#include "experiments/progress.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>
#include <poll.h>
#include <sys/prctl.h>

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

/// About how much work a point is, to weigh the progress: real numbers against closed forms.
double weight_of(const PointSpec& point)
{
    const bool quick = !point.study.numerics && point.study.fidelity == Fidelity::analytic;
    return quick ? 0.02 : 1.0;
}

std::string label_of(const PointSpec& point)
{
    std::string label = point.series;
    for (const auto& [pointer, value] : point.sweep) {
        label += ", " + pointer.substr(pointer.rfind('/') + 1) + " " +
                 (value.is_string() ? value.get<std::string>() : value.dump());
    }
    return label;
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

/// What a process is to run.
struct PointTask {
    Json study;
    std::string file;
    int threads = 1;
    std::string export_folder;
    std::string checkpoint;
    bool resume = false;
};

template <class Fields>
void list_fields(Fields& fields, PointTask& task)
{
    fields("study", task.study);
    fields("file", task.file);
    fields("threads", task.threads);
    fields("export", task.export_folder);
    fields("checkpoint", task.checkpoint);
    fields("resume", task.resume);
}

/// A point in a process of its own.
struct RunningPoint {
    std::size_t index = 0;
    std::unique_ptr<ChildProcess> process;
    std::optional<PointResult> result;
    std::string refusal; ///< what is wrong with its input
};

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
            while (!waiting_.empty() && running_.size() < static_cast<std::size_t>(options_.jobs)) {
                start(waiting_.front());
                waiting_.erase(waiting_.begin());
            }
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
            const std::optional<PointResult> kept =
                options_.resume && has_exported(i) ? kept_.find(i, points_[i]) : std::nullopt;
            if (kept) {
                results_[i] = *kept;
                progress_.finished(i, label_of(points_[i]) + ": taken over, " +
                                          outcome_of(kept->point));
            } else {
                waiting_.push_back(i);
            }
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

    void start(std::size_t index)
    {
        const PointTask task{
            points_[index].study.document, points_[index].study.file, options_.threads,
            export_folder(index),          checkpoint(index),         options_.resume};
        RunningPoint point;
        point.index = index;
        point.process = std::make_unique<ChildProcess>(
            options_.executable, std::vector<std::string>{"point"}, json_of(task).dump());
        running_.push_back(std::move(point));
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
        for (const RunningPoint& point : running_) {
            descriptors.push_back({point.process->output_descriptor(), POLLIN, 0});
            descriptors.push_back({point.process->error_descriptor(), POLLIN, 0});
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
                running_[i].process->read_output();
            }
            if (descriptors[2 * i + 1].revents != 0) {
                running_[i].process->read_error();
            }
            take_messages(running_[i]);
        }
    }

    void take_messages(RunningPoint& point)
    {
        for (const std::string& line : point.process->take_lines()) {
            if (line.rfind("progress ", 0) == 0) {
                progress_.update(point.index, std::stod(line.substr(9)));
            } else if (line.rfind("result ", 0) == 0) {
                point.result = value_of_json<PointResult>(Json::parse(line.substr(7)));
            } else if (line.rfind("refused ", 0) == 0) {
                point.refusal = Json::parse(line.substr(8)).get<std::string>();
            }
        }
    }

    void collect_finished()
    {
        for (std::size_t i = 0; i < running_.size();) {
            if (running_[i].process->closed()) {
                collect(running_[i]);
                running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(i));
            } else {
                ++i;
            }
        }
    }

    void collect(RunningPoint& point)
    {
        const int code = point.process->wait();
        const std::string& errors = point.process->errors();
        if (!point.refusal.empty()) {
            throw InputError(point.refusal);
        }
        if (code == 0 && point.result) {
            finish(point.index, *point.result);
        } else {
            tell(point.index, failed(points_[point.index], why_ended(code, errors)));
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

    static std::string why_ended(int code, const std::string& errors)
    {
        const std::string why = code < 0
                                    ? "its process was ended by signal " + std::to_string(-code)
                                    : "its process ended with code " + std::to_string(code);
        return errors.empty() ? why
                              : why + ": " + errors.substr(0, errors.find_last_not_of('\n') + 1);
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
    std::vector<std::size_t> waiting_;
    std::vector<RunningPoint> running_;
};

} // namespace

std::vector<PointResult> run_points(const std::vector<PointSpec>& points,
                                    const RunnerOptions& options)
{
    return Runner(points, options).run();
}

int serve_point()
{
    prctl(PR_SET_PDEATHSIG, SIGKILL); // whoever asked for the point is gone: nobody wants it
    const auto task = value_of_json<PointTask>(Json::parse(std::cin));
    PointOptions options;
    options.threads = task.threads;
    options.export_folder = task.export_folder;
    options.checkpoint = task.checkpoint;
    options.resume = task.resume;
    options.progress = [last = 0.0](double fraction) mutable {
        if (fraction >= last + 0.01) {
            last = fraction;
            std::cout << "progress " << fraction << std::endl;
        }
    };
    try {
        const PointResult result = run_point(read_point_study(task.study, task.file), options);
        std::cout << "result " << json_of(result).dump() << std::endl;
    } catch (const InputError& error) {
        std::cout << "refused " << Json(error.what()).dump() << std::endl;
        return exit_bad_input;
    }
    return 0;
}

} // namespace alxsim::experiments
