// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/steps/pipeline_schedule.h"

#include "base/input_error.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <tuple>

namespace alxsim::transformer {
namespace {

constexpr PipelineSchedule gpipe = PipelineSchedule::gpipe;
constexpr PipelineSchedule one_by_one = PipelineSchedule::one_forward_one_backward;
constexpr PipelineSchedule interleaved = PipelineSchedule::interleaved;

std::vector<PipelineShape> shapes()
{
    std::vector<PipelineShape> all;
    for (const int stages : {1, 2, 3, 4, 8}) {
        for (const int microbatches : {1, 2, 5, 8, 24}) {
            all.push_back({gpipe, stages, microbatches, 1});
            all.push_back({one_by_one, stages, microbatches, 1});
            for (const int chunks : {1, 2, 3}) {
                all.push_back({interleaved, stages, microbatches * stages, chunks});
            }
        }
    }
    return all;
}

std::string words(const PipelineShape& shape)
{
    return std::string(name_of_value(shape.schedule)) + ", " + std::to_string(shape.stages) +
           " stages, " + std::to_string(shape.microbatches) + " microbatches, " +
           std::to_string(shape.chunks) + " chunks";
}

/// When the last stage is done, if a chunk's forward and backward take so long and messages none.
int makespan(const PipelineShape& shape, int forward, int backward)
{
    using Key = std::tuple<int, bool, int, int>;
    std::map<Key, int> finished;
    std::map<int, int> free;
    int last = 0;
    for (const auto& [stage, task] : in_executable_order(shape, pipeline_tasks(shape))) {
        const PipelinePlace from = previous_place(shape, stage, task);
        int start = free[stage];
        if (from.exists()) {
            start = std::max(start,
                             finished.at({from.stage, task.backward, task.microbatch, from.chunk}));
        }
        free[stage] = start + (task.backward ? backward : forward);
        finished[{stage, task.backward, task.microbatch, task.chunk}] = free[stage];
        last = std::max(last, free[stage]);
    }
    return last;
}

TEST(PipelineSchedule, DoesEachMicrobatchOnceForwardAndBackwardOnEachChunk)
{
    for (const PipelineShape& shape : shapes()) {
        const PipelineTasks tasks = pipeline_tasks(shape);
        ASSERT_EQ(tasks.size(), static_cast<std::size_t>(shape.stages));
        for (const std::vector<PipelineTask>& of_stage : tasks) {
            std::set<std::tuple<bool, int, int>> seen;
            for (const PipelineTask& task : of_stage) {
                EXPECT_TRUE(task.microbatch >= 0 && task.microbatch < shape.microbatches);
                EXPECT_TRUE(task.chunk >= 0 && task.chunk < shape.chunks);
                seen.insert({task.backward, task.microbatch, task.chunk});
            }
            const auto all = static_cast<std::size_t>(2 * shape.microbatches * shape.chunks);
            EXPECT_EQ(of_stage.size(), all) << words(shape);
            EXPECT_EQ(seen.size(), all) << words(shape);
        }
        EXPECT_NO_THROW(in_executable_order(shape, tasks)) << words(shape);
    }
}

TEST(PipelineSchedule, TakesWhatItsClosedFormSays)
{
    for (const PipelineShape& shape : shapes()) {
        for (const auto& [forward, backward] : {std::pair(1, 1), {1, 2}, {3, 2}}) {
            const int work = shape.chunks * shape.microbatches * (forward + backward);
            const int waits = (shape.stages - 1) * (forward + backward);
            EXPECT_EQ(makespan(shape, forward, backward), work + waits) << words(shape);
            EXPECT_DOUBLE_EQ(bubble_of_equal_stages(shape),
                             static_cast<double>(waits) / (work + waits));
        }
    }
}

TEST(PipelineSchedule, KeepsAsManyMicrobatchesAsThereAreStagesBehindOrAll)
{
    for (const PipelineShape& shape : shapes()) {
        const PipelineTasks tasks = pipeline_tasks(shape);
        for (int stage = 0; stage < shape.stages; ++stage) {
            const int kept = most_in_flight(tasks[static_cast<std::size_t>(stage)]);
            const int behind = shape.stages - stage;
            if (shape.schedule == gpipe) {
                EXPECT_EQ(kept, shape.microbatches);
            } else if (shape.schedule == one_by_one) {
                EXPECT_EQ(kept, std::min(behind, shape.microbatches)) << words(shape);
            } else { // Narayanan et al. 2021: 1 + (p - 1) / (p v) of what 1f1b keeps, in chunks
                const int most = (shape.chunks - 1) * shape.stages + 2 * behind - 1;
                const int all = shape.chunks * shape.microbatches;
                EXPECT_LE(kept, shape.microbatches == shape.stages ? all : std::min(most, all))
                    << words(shape);
            }
        }
    }
}

TEST(PipelineSchedule, InterleavesAsMegatronDoes)
{
    // The first of two stages with two chunks and four microbatches: forwards of the first chunk
    // by twos, then of the second, which come back from the other stage.
    const PipelineTasks tasks = pipeline_tasks({interleaved, 2, 4, 2});
    const std::vector<PipelineTask> first{
        {false, 0, 0}, {false, 1, 0}, {false, 0, 1}, {false, 1, 1}, {false, 2, 0}, {true, 0, 1},
        {false, 3, 0}, {true, 1, 1},  {false, 2, 1}, {true, 0, 0},  {false, 3, 1}, {true, 1, 0},
        {true, 2, 1},  {true, 3, 1},  {true, 2, 0},  {true, 3, 0}};
    EXPECT_TRUE(tasks.front() == first);
}

TEST(PipelineSchedule, RefusesWhatCannotBeDealt)
{
    EXPECT_THROW(pipeline_tasks({one_by_one, 2, 4, 2}), InputError);
    EXPECT_THROW(pipeline_tasks({gpipe, 2, 4, 2}), InputError);
    EXPECT_THROW(pipeline_tasks({interleaved, 4, 6, 2}), InputError);
    PipelineTasks wrong = pipeline_tasks({one_by_one, 2, 2, 1});
    std::reverse(wrong.front().begin(), wrong.front().end());
    EXPECT_THROW(in_executable_order({one_by_one, 2, 2, 1}, wrong), std::logic_error);
}

} // namespace
} // namespace alxsim::transformer
