// SPDX-License-Identifier: Apache-2.0
// Training with layers that stand in a file, beside the transformer's own training.
#include "base/input_error.h"
#include "base/json_document.h"
#include "base/numbers/mix64.h"
#include "tests/temporary_folder.h"
#include "tests/unit/model/building.h"
#include "tests/unit/offload/store/file_limit.h"
#include "workloads/offload/numbers/offloaded_model.h"
#include "workloads/offload/workload.h"
#include "workloads/transformer/text.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace alxsim::offload {
namespace {

/// The model of tests/golden/data/workloads/transformer/gpt2_tiny.json.
OffloadConfig tiny(Schedule schedule, model::DType dtype = model::DType::f64)
{
    OffloadConfig config;
    config.schedule = schedule;
    config.model.size = {2, 32, 4, 64, 16};
    config.model.batch = 4;
    config.model.dtype = dtype;
    config.model.initial_stddev = 0.1;
    config.model.adam.learning_rate = 1e-2;
    config.model.steps = 8;
    return config;
}

/// Its batch: token i is `below` of stream 1000.
std::vector<std::int32_t> tokens_of(const OffloadConfig& config)
{
    constexpr std::uint64_t stream = 1000ULL << 32;
    const transformer::ModelSize& size = config.model.size;
    std::vector<std::int32_t> all;
    for (std::int64_t i = 0; i < config.model.batch * (size.sequence + 1); ++i) {
        const std::uint64_t bits = mix64(stream + static_cast<std::uint64_t>(i)) >> 32;
        all.push_back(
            static_cast<std::int32_t>(bits * static_cast<std::uint64_t>(size.vocabulary) >> 32));
    }
    return all;
}

OptimizerOrder order_of(const OffloadConfig& config)
{
    LayerTimes times;
    times.forward = 1;
    times.backward = 2;
    times.update = 3; // so that edf leaves layers for later
    return config.schedule == Schedule::edf ? earliest_deadline_first(config.shape(), times)
                                            : order_of_gradients(config.shape().layers);
}

struct Trained {
    std::vector<double> losses;
    std::vector<std::vector<double>> parameters;
};

Trained trained(const OffloadConfig& config, int threads = 2)
{
    const TemporaryFolder folder;
    HostPool pool(threads);
    OffloadedModel model(config, order_of(config), folder.path("layers"), false);
    Trained result;
    for (int step = 1; step <= config.model.steps; ++step) {
        result.losses.push_back(model.train(
            transformer::deal_tokens(config.model, model.layout(), tokens_of(config)), pool));
    }
    result.parameters = model.values();
    return result;
}

/// With everything in HBM.
Trained trained_in_hbm(const OffloadConfig& config)
{
    HostPool pool(2);
    transformer::ModelNumbers model(config.model);
    Trained result;
    for (int step = 1; step <= config.model.steps; ++step) {
        result.losses.push_back(model.train(
            step, transformer::deal_tokens(config.model, model.layout(), tokens_of(config)), pool));
    }
    for (const transformer::ParameterOf& of : model.parameters()) {
        result.parameters.push_back(model.value(of));
    }
    return result;
}

TEST(OffloadNumbers, AreThoseOfTheReference)
{
    const Json golden =
        load_json(ALXSIM_SOURCE_DIR "/tests/golden/data/workloads/transformer/gpt2_tiny.json");
    const auto expected = golden.at("adam").at("losses_serial").get<std::vector<double>>();
    const Trained found = trained(tiny(Schedule::edf));
    ASSERT_EQ(found.losses.size(), expected.size());
    for (std::size_t step = 0; step < expected.size(); ++step) {
        EXPECT_NEAR(found.losses[step], expected[step], 1e-10);
    }
}

TEST(OffloadNumbers, AreTheSameBitForBitInAllSchedulesThatAreExactAndAsInHbm)
{
    for (const model::DType dtype : {model::DType::f64, model::DType::f32, model::DType::bf16}) {
        OffloadConfig config = tiny(Schedule::sync, dtype);
        config.model.size.layers = 6; // more than there are buffers
        const Trained in_hbm = trained_in_hbm(config);
        EXPECT_LT(in_hbm.losses.back(), in_hbm.losses.front());
        for (const Schedule schedule : {Schedule::sync, Schedule::fifo, Schedule::edf}) {
            for (const int buffers : {1, 4}) {
                config.schedule = schedule;
                config.buffers = buffers;
                const Trained found = trained(config, buffers);
                EXPECT_EQ(found.losses, in_hbm.losses) << name_of_value(schedule);
                EXPECT_EQ(found.parameters, in_hbm.parameters) << name_of_value(schedule);
            }
        }
    }
}

TEST(OffloadNumbers, OfEdfComeInAnotherOrder)
{
    OffloadConfig config = tiny(Schedule::edf);
    config.model.size.layers = 6;
    EXPECT_NE(order_of(config), order_of_gradients(6));
}

TEST(OffloadNumbers, OfStaleAreAStepLateAndWorse)
{
    const Json golden = load_json(ALXSIM_SOURCE_DIR "/tests/golden/data/workloads/offload.json");
    const auto late = golden.at("losses_one_step_late").get<std::vector<double>>();
    const Trained found = trained(tiny(Schedule::stale));
    ASSERT_EQ(late.size(), 4U);
    for (std::size_t step = 0; step < late.size(); ++step) {
        EXPECT_NEAR(found.losses[step], late[step], 1e-10);
    }
    EXPECT_GT(found.losses.back(), trained(tiny(Schedule::sync)).losses.back() + 0.1);
}

double norm_of_change(const OffloadConfig& config)
{
    OffloadConfig none = config;
    none.model.steps = 1;
    const Trained one = trained(none);
    transformer::ModelNumbers before(config.model);
    double squares = 0;
    std::size_t i = 0;
    for (const transformer::ParameterOf& of : before.parameters()) {
        const std::vector<double> first = before.value(of);
        for (std::size_t k = 0; k < first.size(); ++k) {
            const double change = one.parameters[i][k] - first[k];
            squares += change * change;
        }
        ++i;
    }
    return std::sqrt(squares);
}

TEST(OffloadNumbers, AreClippedByTheNormOfAllGradients)
{
    OffloadConfig config = tiny(Schedule::sync);
    config.model.optimizer.kind = transformer::OptimizerKind::sgd;
    config.model.optimizer.sgd_learning_rate = 0.5;
    const double free = norm_of_change(config);
    config.clip_norm = 2.01 * free; // a little more than the norm of the gradients
    EXPECT_DOUBLE_EQ(norm_of_change(config), free);
    config.clip_norm = 0.125;
    EXPECT_NEAR(norm_of_change(config), 0.5 * 0.125, 1e-12);
}

topologies::Machine machine()
{
    return model::machine_of("tpu_v5e", 1, {{"chips_per_host", 1}});
}

/// A workload whose tokens are bytes.
OffloadConfig reading(Schedule schedule)
{
    OffloadConfig config = tiny(schedule, model::DType::f32);
    config.model.size.vocabulary = 256;
    config.model.steps = 4;
    return config;
}

std::vector<double> losses_of(const workloads::Run& run)
{
    std::vector<double> losses;
    for (const workloads::IntervalMetrics& interval : run.metrics()) {
        losses.push_back(*interval.metrics.front().value);
    }
    return losses;
}

workloads::RunOptions beside(const TemporaryFolder& folder, bool resume)
{
    workloads::RunOptions options;
    options.checkpoint = folder.path("checkpoint");
    options.checkpoint_key = [] { return Json("a job"); };
    options.resume = resume;
    return options;
}

void do_steps(workloads::Run& run, int steps)
{
    for (int step = 0; step < steps && run.next(); ++step) {
    }
}

TEST(OffloadRuns, GoOnAfterAKillAsIfNothingHadHappened)
{
    for (const Schedule schedule : {Schedule::edf, Schedule::stale}) {
        const OffloadWorkload workload(reading(schedule), machine());
        const auto whole = workload.start({});
        do_steps(*whole, 5);
        const TemporaryFolder folder;
        do_steps(*workload.start(beside(folder, false)), 2);
        EXPECT_EQ(folder.names().size(), 2U); // checkpoint and layers
        const auto resumed = workload.start(beside(folder, true));
        do_steps(*resumed, 5);
        EXPECT_EQ(losses_of(*resumed), losses_of(*whole)) << name_of_value(schedule);
    }
}

TEST(OffloadRuns, KilledBetweenStoreAndCheckpointTheyGoOnFromTheStore)
{
    const OffloadWorkload workload(reading(Schedule::stale), machine());
    const auto whole = workload.start({});
    do_steps(*whole, 5);
    const TemporaryFolder folder;
    {
        const auto run = workload.start(beside(folder, false));
        do_steps(*run, 2);
        std::filesystem::copy_file(folder.path("checkpoint"), folder.path("older"));
        do_steps(*run, 1);
    }
    std::filesystem::rename(folder.path("older"), folder.path("checkpoint"));
    const auto resumed = workload.start(beside(folder, true));
    do_steps(*resumed, 5);
    EXPECT_EQ(losses_of(*resumed), losses_of(*whole));
}

TEST(OffloadRuns, AStoreThatIsBehindItsCheckpointIsRefused)
{
    const OffloadWorkload workload(reading(Schedule::fifo), machine());
    const TemporaryFolder folder;
    {
        const auto run = workload.start(beside(folder, false));
        do_steps(*run, 1);
        std::filesystem::copy_file(folder.path("checkpoint.layers"), folder.path("older"));
        do_steps(*run, 2);
    }
    std::filesystem::rename(folder.path("older"), folder.path("checkpoint.layers"));
    try {
        workload.start(beside(folder, true));
        FAIL() << "nothing was refused";
    } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what()).find("found 1 steps; allowed: the 3"),
                  std::string::npos)
            << error.what();
    }
    std::filesystem::remove(folder.path("checkpoint.layers"));
    EXPECT_THROW(workload.start(beside(folder, true)), InputError);
}

TEST(OffloadRuns, ADamagedBlockIsRefused)
{
    const OffloadWorkload workload(reading(Schedule::edf), machine());
    const TemporaryFolder folder;
    do_steps(*workload.start(beside(folder, false)), 2);
    const std::string path = folder.path("checkpoint.layers");
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    constexpr int behind_the_header = 65536;
    const auto end = static_cast<int>(std::filesystem::file_size(path));
    ASSERT_GT(end, 2 * behind_the_header);
    for (int at = behind_the_header; at < end; at += 512) {
        file.seekg(at);
        const auto byte = static_cast<char>(file.get() ^ 1);
        file.seekp(at);
        file.put(byte);
    }
    file.close();
    const auto go_on = [&] { do_steps(*workload.start(beside(folder, true)), 4); };
    try {
        go_on();
        FAIL() << "nothing was refused";
    } catch (const InputError& error) {
        EXPECT_EQ(error.file(), path) << error.what();
        EXPECT_NE(std::string(error.what()).find("checksum"), std::string::npos) << error.what();
    }
}

TEST(OffloadRuns, LeaveNoFileBehind)
{
    const OffloadWorkload workload(reading(Schedule::fifo), machine());
    const TemporaryFolder folder;
    workloads::RunOptions options = beside(folder, false);
    options.export_folder = folder.path("exports");
    {
        const auto run = workload.start(options);
        do_steps(*run, 5);
        run->write_exports();
    }
    EXPECT_TRUE(std::filesystem::exists(folder.path("exports/1.fc2.w.npy")));
    EXPECT_FALSE(std::filesystem::exists(folder.path("checkpoint.layers")));
}

Bytes memory_for(Schedule schedule, topologies::StorageIo io, int buffers)
{
    OffloadConfig config = tiny(schedule, model::DType::f32);
    config.io = io;
    config.buffers = buffers;
    return OffloadWorkload(config, machine()).host_memory();
}

TEST(OffloadRuns, CountTheMemoryOfGradientsInDoublesAndOfTheStoresBuffers)
{
    using topologies::StorageIo;
    const transformer::ModelSize size = tiny(Schedule::fifo).model.size;
    const Bytes layer = layer_bytes(tiny(Schedule::fifo, model::DType::f32)).weights; // 4 each
    const Bytes fifo = memory_for(Schedule::fifo, StorageIo::user, 1);
    const Bytes in_hbm = Bytes(4 * size.parameters()) - layer * 2;
    // Weights and gradients in floats, gradients in doubles, a layer's state and that in HBM.
    EXPECT_GE(fifo, Bytes((4 + 4 + 8) * size.parameters()) + (layer + in_hbm) * 3);
    EXPECT_EQ(memory_for(Schedule::stale, StorageIo::user, 1) - fifo, Bytes(8 * size.parameters()));
    EXPECT_EQ(memory_for(Schedule::fifo, StorageIo::user, 3) - fifo, layer * (2 * 3));
    EXPECT_EQ(memory_for(Schedule::fifo, StorageIo::kernel, 1) - fifo, layer * 2); // moments
    EXPECT_EQ(memory_for(Schedule::fifo, StorageIo::kernel, 3) - fifo, layer * (2 * 3 + 3 * 2));
}

/// While it lives, temporary files go to this folder.
class TemporaryFilesIn {
public:
    explicit TemporaryFilesIn(const std::string& folder)
    {
        if (const char* const now = std::getenv("TMPDIR")) {
            before_ = now;
        }
        setenv("TMPDIR", folder.c_str(), 1);
    }
    ~TemporaryFilesIn() { before_ ? setenv("TMPDIR", before_->c_str(), 1) : unsetenv("TMPDIR"); }
    TemporaryFilesIn(const TemporaryFilesIn&) = delete;
    TemporaryFilesIn& operator=(const TemporaryFilesIn&) = delete;

private:
    std::optional<std::string> before_;
};

TEST(OffloadRuns, LeaveNoFileBehindWhereThereIsNoRoomForTheirLayers)
{
    const OffloadWorkload workload(reading(Schedule::fifo), machine());
    const TemporaryFolder folder;
    const TemporaryFilesIn there(folder.path());
    {
        const auto run = workload.start({});
        EXPECT_EQ(folder.names().size(), 2U); // a folder and the layers in it
    }
    EXPECT_EQ(folder.names(), std::vector<std::string>());
    const FileLimit limit(50000);
    EXPECT_THROW(workload.start({}), InputError);
    EXPECT_THROW(workload.start(beside(folder, false)), InputError);
    EXPECT_EQ(folder.names(), std::vector<std::string>());
}

TEST(OffloadRuns, WhoseExportFailsKeepTheirLayersAndExportWhenTheyGoOn)
{
    const OffloadWorkload workload(reading(Schedule::fifo), machine());
    const TemporaryFolder folder;
    workloads::RunOptions options = beside(folder, false);
    options.export_folder = folder.write("file", "") + "/exports";
    std::vector<double> losses;
    {
        const auto run = workload.start(options);
        do_steps(*run, 5);
        losses = losses_of(*run);
        EXPECT_THROW(run->write_exports(), InputError);
    }
    ASSERT_TRUE(std::filesystem::exists(folder.path("checkpoint.layers")));
    options.resume = true;
    options.export_folder = folder.path("exports");
    {
        const auto run = workload.start(options);
        do_steps(*run, 5);
        EXPECT_EQ(losses_of(*run), losses);
        run->write_exports();
    }
    EXPECT_TRUE(std::filesystem::exists(folder.path("exports/1.fc2.w.npy")));
    EXPECT_FALSE(std::filesystem::exists(folder.path("checkpoint.layers")));
}

} // namespace
} // namespace alxsim::offload
