// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/schema/value_names.h"

#include <array>
#include <vector>

namespace alxsim::transformer {

/// In which order the stages of a pipeline do the forward and backward of microbatches.
/// gpipe: all forwards, then all backwards, the last first (Huang et al. 2019, figure 2).
/// one_forward_one_backward: a backward as soon as one can be, so that a stage keeps at most as
/// many microbatches as there are stages behind it, itself included (PipeDream-Flush, Narayanan et
/// al. 2021, section 2.2.1).
/// interleaved: the same where each stage has several chunks of layers, as Megatron-LM deals them
/// (there, section 2.2.2).
enum class PipelineSchedule { gpipe, one_forward_one_backward, interleaved };

constexpr std::array<ValueName<PipelineSchedule>, 3> value_names(PipelineSchedule /*any*/)
{
    return {{{"gpipe", PipelineSchedule::gpipe},
             {"1f1b", PipelineSchedule::one_forward_one_backward},
             {"interleaved", PipelineSchedule::interleaved}}};
}

struct PipelineShape {
    PipelineSchedule schedule = PipelineSchedule::one_forward_one_backward;
    int stages = 1;
    int microbatches = 1;
    int chunks = 1; ///< of a stage: chunk c of stage s is part c * stages + s of the model
};

/// What a stage does in one go.
struct PipelineTask {
    bool backward = false;
    int microbatch = 0;
    int chunk = 0;
};
inline bool operator==(const PipelineTask& a, const PipelineTask& b)
{
    return a.backward == b.backward && a.microbatch == b.microbatch && a.chunk == b.chunk;
}

/// The tasks of each stage, in order. Throws InputError for chunks of a schedule that has none, and
/// for an interleaved one whose microbatches are no multiple of its stages.
using PipelineTasks = std::vector<std::vector<PipelineTask>>;
PipelineTasks pipeline_tasks(const PipelineShape& shape);

/// A task and who does it.
struct StageTask {
    int stage = 0;
    PipelineTask task;
};

/// All tasks in an order in which they can be done one by one: of each stage in its own, and each
/// behind the one whose result it works on. Throws std::logic_error where stages would wait for
/// each other for ever.
std::vector<StageTask> in_executable_order(const PipelineShape& shape, const PipelineTasks& tasks);

/// The largest number of microbatches (counted once for each chunk) whose forward a stage has done
/// and whose backward it has not.
int most_in_flight(const std::vector<PipelineTask>& tasks);

/// Where a result goes: to the stage and chunk that works on it next; nowhere behind the last
/// forward and the last backward.
struct PipelinePlace {
    int stage = -1;
    int chunk = 0;
    bool exists() const { return stage >= 0; }
};
PipelinePlace next_place(const PipelineShape& shape, int stage, const PipelineTask& task);
/// Where what a task works on comes from, likewise; nowhere: from the batch, or from the task's own
/// forward.
PipelinePlace previous_place(const PipelineShape& shape, int stage, const PipelineTask& task);

/// The share of a step in which a stage waits, if all take equally long and messages no time:
/// (p - 1) / (v m + p - 1) of p stages, m microbatches, v chunks (Narayanan et al. 2021, sections
/// 2.2.1 and 2.2.2, there as a share of the time without waiting).
double bubble_of_equal_stages(const PipelineShape& shape);

} // namespace alxsim::transformer
