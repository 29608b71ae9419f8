// SPDX-License-Identifier: Apache-2.0
#include "base/input_error.h"
#include "tests/temporary_folder.h"
#include "workloads/transformer/checkpoint.h"
#include "workloads/transformer/model_numbers.h"
#include "workloads/transformer/text.h"

#include <gtest/gtest.h>

#include <fstream>

namespace alxsim::transformer {
namespace {

TransformerConfig tiny(model::DType dtype)
{
    TransformerConfig config;
    config.size = {1, 16, 2, 256, 8};
    config.batch = 2;
    config.sharding = ShardingKind::two_dimensional;
    config.dtype = dtype;
    return config;
}

double step(ModelNumbers& model, const TransformerConfig& config, int number)
{
    HostPool pool(1);
    return model.train(number,
                       tokens_of_step(config, model.layout(), training_text(config), number), pool);
}

TEST(TransformerCheckpoint, GoesOnAsIfTrainingHadNeverStopped)
{
    const TemporaryFolder folder;
    for (const model::DType dtype : {model::DType::f32, model::DType::bf16, model::DType::f64}) {
        const TransformerConfig config = tiny(dtype);
        ModelNumbers whole(config, 4);
        step(whole, config, 1);
        write_checkpoint(folder.path("kept"), "job", {{5.5}, whole.state()});
        const double expected = step(whole, config, 2);

        ModelNumbers resumed(config, 4);
        const auto kept = read_checkpoint(folder.path("kept"), "job");
        ASSERT_TRUE(kept);
        EXPECT_EQ(kept->losses, std::vector<double>{5.5});
        resumed.restore(kept->state);
        EXPECT_EQ(step(resumed, config, 2), expected);
        EXPECT_EQ(resumed.state(), whole.state());
    }
}

TEST(TransformerCheckpoint, IsNothingToAnotherJobAndRefusedWhereDamaged)
{
    const TemporaryFolder folder;
    const std::string path = folder.path("kept");
    EXPECT_FALSE(read_checkpoint(path, "job"));
    write_checkpoint(path, "job", {{}, {{1, 2, 3}}});
    EXPECT_FALSE(read_checkpoint(path, "another"));
    EXPECT_TRUE(read_checkpoint(path, "job"));
    {
        std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
        file.seekp(-3, std::ios::end);
        file.put('x');
    }
    EXPECT_THROW(read_checkpoint(path, "job"), InputError);
    std::ofstream(path) << "{}\n";
    EXPECT_THROW(read_checkpoint(path, "job"), InputError);
    std::ofstream(path) << "no JSON";
    EXPECT_THROW(read_checkpoint(path, "job"), InputError);
}

} // namespace
} // namespace alxsim::transformer
