// SPDX-License-Identifier: Apache-2.0
#include "experiments/runs/executors/task_runner.h"

#include "base/inputs/named_files.h"
#include "base/work/long_work.h"

#include <optional>

namespace alxsim::experiments {
namespace {

constexpr Seconds moments{0.1};

/// Progress is told in steps of one percent.
std::function<void(double)> in_percents(std::function<void(double)> tell)
{
    return [tell = std::move(tell), last = 0.0](double share) mutable {
        if (share >= last + 0.01) {
            last = share;
            tell(share);
        }
    };
}

} // namespace

PointResult TaskRunner::run(const PointTask& task, const Listener& listener)
{
    if (!rates_) {
        rates_.emplace(task.hbm_rates);
    }
    PointOptions options;
    options.threads = task.threads;
    options.export_folder = task.export_folder;
    options.trace = task.trace;
    options.checkpoint = task.checkpoint;
    options.resume = task.resume;
    options.progress = in_percents(listener.progress);
    options.tell = listener.tell;
    options.predicted = [&listener](Seconds time) {
        if (time > moments) {
            listener.predicted(time);
        }
    };
    std::optional<NamedFiles> files;
    if (task.only_files) {
        files.emplace(task.file, *task.only_files);
    }
    const NamedFilesScope only(files ? &*files : nullptr);
    const LongWorkWatch watch(listener.doing);
    PointResult result = run_point(read_point_study(task.study, task.file), options);
    rates_->save();
    return result;
}

} // namespace alxsim::experiments
