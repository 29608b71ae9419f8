// SPDX-License-Identifier: Apache-2.0
#include "base/input_error.h"
#include "base/npy.h"
#include "model/estimate.h"
#include "tests/unit/model/building.h"
#include "tests/unit/tensor_network/jobs.h"
#include "workloads/tensor_network/kind.h"

#include <gtest/gtest.h>

namespace alxsim::tensor_network {
namespace {

/// Exports of a run, by name.
std::vector<double> exported(const workloads::Workload& workload, const std::string& name)
{
    const TemporaryFolder folder;
    workloads::RunOptions options;
    options.export_folder = folder.path("exports");
    const auto run = workload.start(options);
    while (run->next()) {
    }
    run->write_exports();
    return read_npy_tensor(folder.path("exports/" + name + ".npy")).values;
}

/// Sums over a leg are made in pairs, as long as the devices divide it.
TEST(TensorNetworks, ByGramiansHaveTheSameBitsOnAnyPowerOfTwoOfDevices)
{
    const TemporaryFolder folder;
    const HostTrain train = random_train(400, {16, 32, 16}, {1, 6, 5, 1});
    const Json rounding = {{"step", "round"},
                           {"cores", write_cores(folder, "c", sum(train, 1, train))},
                           {"tolerance", 1e-3}};
    const Json svd = {{"step", "svd"}, {"tensor", write_hilbert(folder, 16, 3)}};
    for (const std::string dtype : {"f32", "f64"}) {
        for (Json job : {rounding, svd}) {
            job["dtype"] = dtype;
            for (const std::string core : {"core.1", "core.2", "core.3"}) {
                const std::vector<double> one = exported(*made(job, 1), core);
                EXPECT_FALSE(one.empty());
                EXPECT_EQ(exported(*made(job, 4), core), one) << core << dtype;
                EXPECT_EQ(exported(*made(job, 16), core), one) << core << dtype;
            }
        }
    }
}

/// A^T A holds half of the digits: what is beyond is dropped, and said to be an error above what
/// was asked for.
TEST(TensorNetworks, ByGramiansHaveTheRanksOfSvdsDownTo1em8AndDifferBeyond)
{
    const TemporaryFolder folder;
    const std::string tensor = write_hilbert(folder, 8, 4);
    const auto ranks = [&](const std::string& method, double tolerance) {
        return results_of({{"step", "svd"},
                           {"tensor", tensor},
                           {"method", method},
                           {"tolerance", tolerance}})
            .at("ranks");
    };
    for (const double tolerance : {1e-2, 1e-4, 1e-6, 1e-7, 1e-8}) {
        EXPECT_EQ(ranks("gramians", tolerance), ranks("svd", tolerance)) << tolerance;
    }
    EXPECT_NE(ranks("gramians", 1e-12), ranks("svd", 1e-12));
}

TEST(TensorNetworks, KeepTheErrorThatWasAskedFor)
{
    const TemporaryFolder folder;
    const HostTrain train = random_train(500, {7, 5, 6, 4, 3}, {1, 6, 8, 9, 3, 1});
    const std::vector<std::string> cores = write_cores(folder, "c", train);
    const std::string tensor = write_tensor(folder, "t", train.sizes, full_tensor(train));
    for (const double tolerance : {0.5, 0.1, 1e-2, 1e-5}) {
        for (const std::string method : {"gramians", "svd"}) {
            for (const Json& job : {Json{{"step", "round"}, {"cores", cores}},
                                    Json{{"step", "svd"}, {"tensor", tensor}},
                                    Json{{"step", "tucker"}, {"tensor", tensor}},
                                    Json{{"step", "tucker"}, {"cores", cores}}}) {
                Json fields = job;
                fields["tolerance"] = tolerance;
                fields["method"] = method;
                const Json found = results_of(fields, 4);
                EXPECT_LE(found.at("error").get<double>(), tolerance) << fields;
            }
        }
    }
}

TEST(TensorNetworks, MoveWhatTheyCount)
{
    const TemporaryFolder folder;
    const HostTrain train = random_train(100, {5, 6, 7, 4}, {1, 3, 4, 3, 1});
    const std::vector<std::string> cores = write_cores(folder, "c", train);
    const std::string mera =
        write_tensor(folder, "m", {3, 3, 3, 3}, mera_tensor(3, 4, {2})); // a search of hundreds
    for (const Json& job :
         {Json{{"step", "round"}, {"cores", cores}},
          Json{{"step", "round"}, {"cores", cores}, {"method", "svd"}, {"levels", 2}},
          Json{{"step", "tucker"}, {"cores", cores}},
          Json{{"step", "mera"}, {"cores", cores}, {"mera_ranks", {3}}, {"tolerance", 0.5}},
          Json{{"step", "mera"}, {"tensor", mera}, {"mera_ranks", {2}}, {"dtype", "f32"}}}) {
        const auto workload = made(job, 4);
        workloads::RunOptions options;
        const auto run = workload->start(options);
        while (run->next()) {
        }
        EXPECT_EQ(run->counters(), workload->describe().counters) << job;
        EXPECT_FALSE(run->counters().at("collectives").empty()) << job;
    }
}

/// A train's cores are on all devices then, a tensor's are gathered.
TEST(Mera, IsTheSameOnAnyDevices)
{
    const TemporaryFolder folder;
    const std::vector<std::int64_t> sizes{3, 3, 3, 3};
    const HostTrain train = random_train(600, sizes, {1, 3, 5, 3, 1});
    const Json from_cores = {{"step", "mera"}, {"cores", write_cores(folder, "c", train)}};
    const Json from_tensor = {{"step", "mera"},
                              {"tensor", write_tensor(folder, "t", sizes, mera_tensor(3, 4, {2}))}};
    for (Json job : {from_cores, from_tensor}) {
        job["mera_ranks"] = {2};
        job["tolerance"] = 1e-6;
        const Json one = results_of(job, 1);
        EXPECT_LT(one.at("error").get<double>(), 1e-6);
        for (const int devices : {2, 3, 4, 16}) {
            const Json found = results_of(job, devices);
            EXPECT_EQ(found.at("mera_ranks"), one.at("mera_ranks")) << job << devices;
            EXPECT_LT(found.at("error").get<double>(), 1e-6) << job << devices;
            EXPECT_LT(found.at("orthogonality").get<double>(), 1e-12) << job << devices;
        }
    }
}

TEST(Mera, KeepsTheToleranceWhateverItsLayers)
{
    const TemporaryFolder folder;
    const HostTrain train =
        random_train(700, std::vector<std::int64_t>(8, 2), {1, 2, 3, 3, 3, 3, 3, 2, 1});
    const std::string tensor = write_tensor(folder, "t", train.sizes, full_tensor(train));
    for (const Json& data :
         {Json{{"tensor", tensor}}, Json{{"cores", write_cores(folder, "c", train)}}}) {
        for (const Json& ranks : {Json::array({2}), Json::array({2, 2})}) {
            Json job = data;
            job.update({{"step", "mera"}, {"mera_ranks", ranks}, {"tolerance", 0.3}});
            const double error = results_of(job, 4).at("error");
            EXPECT_LE(error, 0.3) << job;
            EXPECT_NEAR(results_of(job, 1).at("error").get<double>(), error, 1e-6) << job;
        }
    }
}

/// With what a user gets who says nothing: f32, tolerance 1e-4.
TEST(Mera, KeepsTheToleranceInF32)
{
    const TemporaryFolder folder;
    const std::string tensor = write_tensor(folder, "m", {3, 3, 3, 3}, mera_tensor(3, 4, {2}));
    const Json found = results_of(
        {{"step", "mera"}, {"tensor", tensor}, {"mera_ranks", {2}}, {"dtype", "f32"}}, 4);
    EXPECT_EQ(found.at("mera_ranks"), (Json{{2, 2}}));
    EXPECT_LT(found.at("error").get<double>(), 1e-4);
    EXPECT_LT(found.at("orthogonality").get<double>(), 1e-5);
}

/// A bond that is as low as it should be is left alone.
TEST(Mera, SearchesNothingWhereThereIsNothingToGain)
{
    const TemporaryFolder folder;
    const HostTrain train = random_train(800, {1, 2, 3, 4, 2, 4}, {1, 1, 2, 4, 3, 3, 1});
    Json job = {{"step", "mera"},
                {"cores", write_cores(folder, "c", train)},
                {"mera_ranks", {20}},
                {"tolerance", 1e-6}};
    const Json found = results_of(job, 4);
    EXPECT_TRUE(found.at("starts").empty());
    EXPECT_LT(found.at("error").get<double>(), 1e-6);
    job = {{"step", "mera"},
           {"legs", 64},
           {"sizes", 4},
           {"ranks", 16},
           {"mera_ranks", {16}}}; // 16^16 is beyond integers
    EXPECT_GT(made(job)->describe().input.at("mera_numbers").get<double>(), 1e15);
}

double seconds(const Json& fields, int devices)
{
    const auto workload = made(fields, devices);
    const topologies::Machine machine = model::machine_of("tpu_v5e", devices);
    return static_cast<double>(model::AnalyticModel(machine)
                                   .step(workload->program().front().step)
                                   .on_device.total.count());
}

/// Facts: 30 products for the eigenvectors of four legs, r to r / 2: 4, 64 and 256 chips.
TEST(TensorNetworks, OfLargeLegsGainFromMoreChips)
{
    const Json small = {{"step", "round"}, {"legs", 4}, {"sizes", 4096}, {"ranks", 128}};
    Json large = small;
    large["sizes"] = 65536;
    const Json wide = {{"step", "round"}, {"legs", 4}, {"sizes", 16384}, {"ranks", 512}};
    EXPECT_LT(seconds(wide, 256), 0.5 * seconds(wide, 64));
    EXPECT_LT(seconds(small, 4), 0.5 * seconds(small, 1));
    EXPECT_GT(seconds(small, 64), 0.8 * seconds(small, 16));
    EXPECT_LT(seconds(large, 64), 0.5 * seconds(large, 16));
    EXPECT_GT(seconds(large, 256), 0.5 * seconds(large, 64));
}

/// The fourth experiment of the paper, by formula: 285 times fewer numbers than the train.
TEST(Mera, OfFullSizeHasTheNumbersOfThePaper)
{
    const auto workload = made({{"step", "mera"},
                                {"sizes", 10},
                                {"legs", 12},
                                {"ranks", {10, 100, 50, 500, 250, 2500, 250, 500, 50, 100, 10}},
                                {"mera_ranks", {5, 5}}});
    const Json input = workload->describe().input;
    EXPECT_EQ(input.at("given_train_numbers"), 15620200);
    EXPECT_EQ(input.at("mera_numbers"), 54750);
    EXPECT_EQ(input.at("tensor_numbers"), 1e12);
}

void expect_refused(const Json& fields, const std::string& words)
{
    try {
        made(fields);
        FAIL() << fields;
    } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
}

TEST(TensorNetworks, RefuseWhatFitsNotTogether)
{
    expect_refused({{"step", "round"}}, "found no sizes");
    expect_refused({{"step", "round"}, {"sizes", 4}, {"ranks", 2}}, "/legs");
    expect_refused({{"step", "round"}, {"sizes", {4, 4}}, {"ranks", {3, 3}}}, "bonds");
    expect_refused({{"step", "round"}, {"sizes", {4, 4, 4}}, {"ranks", {5, 2}}}, "at most");
    expect_refused({{"step", "mera"}, {"sizes", {4, 4, 4, 4}}, {"ranks", 2}}, "mera_ranks");
    expect_refused(
        {{"step", "mera"}, {"sizes", {4, 4, 4, 4}}, {"ranks", 2}, {"mera_ranks", {2, 2}}},
        "even number of legs");
    const TemporaryFolder folder;
    const std::string tensor = write_hilbert(folder, 4, 3);
    expect_refused({{"step", "round"}, {"tensor", tensor}}, "step svd makes one");
    expect_refused({{"step", "svd"}, {"tensor", tensor}, {"ranks", 2}}, "beside data");
    expect_refused({{"step", "round"}, {"cores", {tensor, tensor}}}, "found a core of (4, 4, 4)");
}

} // namespace
} // namespace alxsim::tensor_network
