// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/steps/pipeline_schedule.h"

#include "base/input_error.h"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>

namespace alxsim::transformer {
namespace {

/// First, middle and last: so many forwards, then one of each, then what backwards are left.
template <class Forward, class Backward>
std::vector<PipelineTask> alternating(int all, int first, Forward forward, Backward backward)
{
    std::vector<PipelineTask> tasks;
    for (int i = 0; i < all + first; ++i) {
        if (i < all) {
            tasks.push_back(forward(i));
        }
        if (i >= first) {
            tasks.push_back(backward(i - first));
        }
    }
    return tasks;
}

std::vector<PipelineTask> gpipe_tasks(int microbatches)
{
    return alternating(
        microbatches, microbatches,
        [](int i) {
            return PipelineTask{false, i, 0};
        },
        [=](int i) {
            return PipelineTask{true, microbatches - 1 - i, 0};
        });
}

std::vector<PipelineTask> one_by_one_tasks(const PipelineShape& shape, int stage)
{
    return alternating(
        shape.microbatches, std::min(shape.stages - 1 - stage, shape.microbatches),
        [](int i) {
            return PipelineTask{false, i, 0};
        },
        [](int i) {
            return PipelineTask{true, i, 0};
        });
}

/// As many microbatches as there are stages pass chunk after chunk.
std::vector<PipelineTask> interleaved_tasks(const PipelineShape& shape, int stage)
{
    const int round = shape.stages * shape.chunks;
    const int all = shape.microbatches * shape.chunks;
    const int before = 2 * (shape.stages - 1 - stage) + (shape.chunks - 1) * shape.stages;
    const int first = shape.microbatches == shape.stages ? all : std::min(all, before);
    const auto task = [=](int i, bool backward) {
        const int chunk = i % round / shape.stages;
        return PipelineTask{backward, i / round * shape.stages + i % shape.stages,
                            backward ? shape.chunks - 1 - chunk : chunk};
    };
    return alternating(
        all, first, [=](int i) { return task(i, false); }, [=](int i) { return task(i, true); });
}

void check(const PipelineShape& shape)
{
    const bool interleaved = shape.schedule == PipelineSchedule::interleaved;
    if (!interleaved && shape.chunks != 1) {
        throw InputError("", "chunks",
                         "found " + std::to_string(shape.chunks) + " of a " +
                             std::string(name_of_value(shape.schedule)) +
                             " pipeline; allowed: 1, or \"pipeline_schedule\": \"interleaved\"");
    }
    if (interleaved && shape.microbatches % shape.stages != 0) {
        throw InputError("", "microbatches",
                         "found " + std::to_string(shape.microbatches) +
                             "; allowed: multiples of the " + std::to_string(shape.stages) +
                             " stages that an interleaved pipeline has");
    }
}

} // namespace

PipelineTasks pipeline_tasks(const PipelineShape& shape)
{
    check(shape);
    PipelineTasks tasks;
    for (int stage = 0; stage < shape.stages; ++stage) {
        switch (shape.schedule) {
        case PipelineSchedule::gpipe:
            tasks.push_back(gpipe_tasks(shape.microbatches));
            break;
        case PipelineSchedule::one_forward_one_backward:
            tasks.push_back(one_by_one_tasks(shape, stage));
            break;
        case PipelineSchedule::interleaved:
            tasks.push_back(interleaved_tasks(shape, stage));
            break;
        }
    }
    return tasks;
}

PipelinePlace next_place(const PipelineShape& shape, int stage, const PipelineTask& task)
{
    const int part = task.chunk * shape.stages + stage + (task.backward ? -1 : 1);
    return part < 0 || part == shape.stages * shape.chunks
               ? PipelinePlace{}
               : PipelinePlace{part % shape.stages, part / shape.stages};
}

PipelinePlace previous_place(const PipelineShape& shape, int stage, const PipelineTask& task)
{
    return next_place(shape, stage, {!task.backward, task.microbatch, task.chunk});
}

std::vector<StageTask> in_executable_order(const PipelineShape& shape, const PipelineTasks& tasks)
{
    using Done = std::tuple<int, bool, int, int>; // stage, backward, microbatch, chunk
    std::set<Done> done;
    std::vector<StageTask> order;
    std::vector<std::size_t> next(tasks.size());
    const auto can_run = [&](int stage, const PipelineTask& task) {
        const PipelinePlace from = previous_place(shape, stage, task);
        const bool has_input = !from.exists() || done.count({from.stage, task.backward,
                                                             task.microbatch, from.chunk}) != 0;
        return has_input &&
               (!task.backward || done.count({stage, false, task.microbatch, task.chunk}) != 0);
    };
    for (bool any = true; any;) {
        any = false;
        for (int stage = 0; stage < static_cast<int>(tasks.size()); ++stage) {
            const std::vector<PipelineTask>& own = tasks[static_cast<std::size_t>(stage)];
            std::size_t& at = next[static_cast<std::size_t>(stage)];
            for (; at < own.size() && can_run(stage, own[at]); ++at, any = true) {
                done.insert({stage, own[at].backward, own[at].microbatch, own[at].chunk});
                order.push_back({stage, own[at]});
            }
        }
    }
    for (std::size_t stage = 0; stage < tasks.size(); ++stage) {
        if (next[stage] != tasks[stage].size()) {
            throw std::logic_error("a pipeline whose stages wait for each other");
        }
    }
    return order;
}

int most_in_flight(const std::vector<PipelineTask>& tasks)
{
    int most = 0;
    int now = 0;
    for (const PipelineTask& task : tasks) {
        now += task.backward ? -1 : 1;
        most = std::max(most, now);
    }
    return most;
}

double bubble_of_equal_stages(const PipelineShape& shape)
{
    const double waits = shape.stages - 1;
    return waits / (shape.chunks * static_cast<double>(shape.microbatches) + waits);
}

} // namespace alxsim::transformer
