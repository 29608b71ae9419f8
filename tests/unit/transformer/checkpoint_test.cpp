// SPDX-License-Identifier: Apache-2.0
#include "spmd/checkpoint.h"

#include "base/input_error.h"
#include "tests/temporary_folder.h"
#include "workloads/transformer/model_numbers.h"
#include "workloads/transformer/text.h"

#include <gtest/gtest.h>

namespace alxsim::transformer {
namespace {

TransformerConfig tiny(model::DType dtype)
{
    TransformerConfig config;
    config.size = {1, 16, 2, 256, 8};
    config.batch = 2;
    config.sharding = ShardingKind::two_dimensional;
    config.mesh.tensor = 4;
    config.dtype = dtype;
    return config;
}

double step(ModelNumbers& model, const TransformerConfig& config, int number)
{
    HostPool pool(1);
    return model.train(number,
                       tokens_of_step(config, model.layout(), training_text(config), number), pool);
}

std::string bytes_of(ModelNumbers& model)
{
    std::string bytes;
    for (const spmd::MemoryPart& part : model.memory()) {
        bytes.append(part.bytes, part.size);
    }
    return bytes;
}

TEST(TransformerCheckpoint, GoesOnAsIfTrainingHadNeverStopped)
{
    const TemporaryFolder folder;
    for (const model::DType dtype : {model::DType::f32, model::DType::bf16, model::DType::f64}) {
        const TransformerConfig config = tiny(dtype);
        ModelNumbers whole(config);
        step(whole, config, 1);
        spmd::write_checkpoint(folder.path("kept"), "job", 1, whole.memory());
        const double expected = step(whole, config, 2);

        ModelNumbers resumed(config);
        ASSERT_TRUE(spmd::read_checkpoint(folder.path("kept"), "job", resumed.memory()));
        EXPECT_EQ(step(resumed, config, 2), expected);
        EXPECT_TRUE(bytes_of(resumed) == bytes_of(whole));
    }
}

TEST(TransformerCheckpoint, OfAnotherModelIsRefused)
{
    const TemporaryFolder folder;
    TransformerConfig config = tiny(model::DType::f32);
    ModelNumbers model(config);
    spmd::write_checkpoint(folder.path("kept"), "job", 1, model.memory());
    config.size.hidden = 32;
    ModelNumbers other(config);
    EXPECT_THROW(spmd::read_checkpoint(folder.path("kept"), "job", other.memory()), InputError);
}

} // namespace
} // namespace alxsim::transformer
