// SPDX-License-Identifier: Apache-2.0
#include "model/explain_op.h"

#include "model/collectives/collective.h"
#include "tests/unit/model/building.h"

#include <gtest/gtest.h>

namespace alxsim::model {
namespace {

using topologies::Machine;

Picoseconds part_of(const OpExplanation& explained, const std::string& mechanism)
{
    for (const TimePart& part : explained.parts) {
        if (part.mechanism == mechanism) {
            return part.time;
        }
    }
    ADD_FAILURE() << "no part " << mechanism;
    return {};
}

TEST(ExplainOp, HasTheTextbooksTimeWhereThereIsOne)
{
    const Machine torus = easy_machine(32, "4x8", {true, false});
    const auto textbook = [&torus](const Collective& collective) {
        return explain_op(op_of(collective), torus).textbook;
    };
    const Collective along_ring{CollectiveKind::all_gather, Bytes(1 << 20), {}, {"x"}};
    ASSERT_TRUE(textbook(along_ring));
    EXPECT_EQ(textbook(along_ring)->count(), scaling_book_time(along_ring, torus).count());
    EXPECT_FALSE(textbook({CollectiveKind::all_gather, Bytes(1 << 20)}));
    EXPECT_FALSE(explain_op(op_of(Vector{8, 1, DType::f32}), torus).textbook);
}

TEST(ExplainOp, SplitsRoutedMessagesIntoHopsAndBytes)
{
    const Machine line = easy_machine(4, "1x4", {false, false});
    Collective permute{CollectiveKind::permute, Bytes(5000)};
    permute.messages = std::make_shared<const std::vector<PairMessage>>(
        std::vector<PairMessage>{{0, 3, Bytes(5000)}});
    const OpExplanation explained = explain_op(op_of(permute), line);
    EXPECT_EQ(explained.schedule, "routed, dimension order");
    EXPECT_EQ(part_of(explained, "hop latency"), nanoseconds(3000));
    EXPECT_EQ(part_of(explained, "link bandwidth"), nanoseconds(5000));
}

TEST(ExplainOp, SaysWhereTwiceTheBytesTakeLessSinceTheCompilerRunsSomethingElse)
{
    Machine torus = machine_of("tpu_v5p", 128);
    torus.schedule = topologies::ScheduleChoice::xla;
    const auto others = [&torus](std::int64_t bytes) {
        return other_schedules(op_of(Collective{CollectiveKind::all_gather, Bytes(bytes)}), torus);
    };
    EXPECT_NE(others(16384).find("; twice the bytes take less, "), std::string::npos);
    EXPECT_NE(others(16384).find(", since what runs then is XLA: nd_rings"), std::string::npos);
    EXPECT_EQ(others(32768).find("twice"), std::string::npos) << others(32768);
    EXPECT_EQ(other_schedules(op_of(Vector{8, 1, DType::f32}), torus), "");
}

TEST(ExplainOp, NamesTheScheduleOfCollectivesOnly)
{
    const Machine line = easy_machine(4, "1x4", {false, false});
    EXPECT_EQ(explain_op(op_of(Collective{CollectiveKind::permute, Bytes(8)}), line).schedule,
              "shift");
    EXPECT_EQ(explain_op(op_of(Vector{8, 1, DType::f32}), line).schedule, "");
}

} // namespace
} // namespace alxsim::model
