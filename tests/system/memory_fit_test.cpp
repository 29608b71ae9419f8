// SPDX-License-Identifier: Apache-2.0
#include "program.h"

#include <gtest/gtest.h>

/// Which jobs fit into HBM, as a user is told.
namespace alxsim::testing {
namespace {

Json sized_study(const char* variant, int cores, const char* gather, const Json& batch)
{
    return {{"study", "memory"},
            {"numerics", false},
            {"fidelity", "analytic"},
            {"machine", {{"chip", "tpu_v3"}, {"cores", cores}}},
            {"workload",
             {{"dataset", {{"webgraph", variant}}},
              {"alx", {{"dim", 128}, {"gather", gather}, {"batch", batch}}}}}};
}

TEST(MemoryFit, DirectAllReduceStopsFittingWhereTheLoopStillFits)
{
    const Json batch{{"lines", 4096}, {"line_length", 16}, {"rows", 512}};
    const Json loop = run_one_point(sized_study("dense", 1024, "all_reduce_loop", batch));
    EXPECT_TRUE(loop.at("fits").get<bool>());
    const Json direct = run_one_point(sized_study("dense", 1024, "all_reduce", batch));
    EXPECT_FALSE(direct.at("fits").get<bool>());
    const Json& parts = direct.at("memory").at("parts");
    for (const auto& [part, bytes] : parts.items()) {
        EXPECT_LE(bytes, parts.at("gather")) << part << ": the gathered rows are what does not fit";
    }
    EXPECT_TRUE(
        run_one_point(sized_study("dense", 64, "all_reduce", batch)).at("fits").get<bool>());
}

bool fits(const char* variant, int cores, bool donate)
{
    Json study = sized_study(variant, cores, "all_reduce_loop", "auto");
    study["workload"]["alx"]["switches"]["donate"] = donate;
    return run_one_point(study).at("fits").get<bool>();
}

TEST(MemoryFit, TheReleasedCodesThirdShardDoublesTheSmallestSliceOfTheSparseWeb)
{
    EXPECT_FALSE(fits("sparse", 16, false)) << "three shards take 19.8 GB of a core's 16.6";
    EXPECT_TRUE(fits("sparse", 32, false));
    EXPECT_FALSE(fits("dense", 4, false));
    EXPECT_TRUE(fits("dense", 8, false)) << "the authors ran it on 8 cores";
    for (const char* variant : {"de-sparse", "de-dense", "in-sparse", "in-dense"}) {
        EXPECT_TRUE(fits(variant, 1, false)) << variant;
    }
}

TEST(MemoryFit, WithDonationTwoShardsStandInMemory)
{
    EXPECT_FALSE(fits("sparse", 8, true));
    EXPECT_TRUE(fits("sparse", 16, true));
    EXPECT_FALSE(fits("dense", 4, true));
    EXPECT_TRUE(fits("dense", 8, true));
}

TEST(MemoryFit, DonationIsWhatTheCleanSemanticsDo)
{
    Json study = sized_study("sparse", 16, "all_reduce_loop", "auto");
    study["workload"]["alx"]["semantics"] = "clean";
    EXPECT_TRUE(run_one_point(study).at("fits").get<bool>());
}

Json tiered(const char* variant, int cores, const char* updated, const char* fixed)
{
    Json study = sized_study(variant, cores, "all_reduce_loop", "auto");
    study["workload"]["alx"]["table_tier"] = {{"updated", updated}, {"fixed", fixed}};
    return run_one_point(study);
}

TEST(TableTier, LetsTheSparseWebFitOnFewerCores)
{
    EXPECT_FALSE(fits("sparse", 8, true));
    EXPECT_FALSE(tiered("sparse", 4, "host", "hbm").at("fits").get<bool>());
    const Json eight = tiered("sparse", 8, "host", "hbm");
    ASSERT_TRUE(eight.at("fits").get<bool>());
    const Json& memory = eight.at("memory");
    const double shard = 410'867'007.0 * 128 * 2 / 8; // the larger: of the columns
    EXPECT_NEAR(memory.at("host_bytes_per_core").get<double>() / shard, 1, 1e-3);
    EXPECT_NEAR(memory.at("parts").at("tables").get<double>() / shard, 1, 1e-3);
}

/// What stands in the report of bytes below HBM.
TEST(TableTier, TellsPathsAndTheHostsMemory)
{
    const auto bytes_of = [](const Json& point, const char* from, const char* to) {
        std::int64_t bytes = 0;
        for (const Json& path : point.at("paths")) {
            if (path.at("from") == from && path.at("to") == to) {
                EXPECT_GT(path.at("busy_seconds").get<double>(), 0);
                bytes += path.at("bytes").get<std::int64_t>();
            }
        }
        return bytes;
    };
    const Json host = tiered("in-dense", 4, "host", "hbm");
    EXPECT_GT(bytes_of(host, "hbm", "host"), 0);
    EXPECT_EQ(bytes_of(host, "host", "hbm"), bytes_of(host, "hbm", "host")) // the released code
        << "reads the old rows";
    EXPECT_EQ(bytes_of(host, "storage", "host"), 0);
    EXPECT_GT(host.at("host_memory").at("bytes").get<std::int64_t>(), 0);
    const Json stored = tiered("in-dense", 4, "host", "storage");
    EXPECT_GT(bytes_of(stored, "storage", "host"), 0);
    EXPECT_EQ(bytes_of(stored, "host", "storage"), bytes_of(stored, "hbm", "host"));
    EXPECT_LT(bytes_of(stored, "hbm", "host"), bytes_of(host, "hbm", "host")) // which exchanges
        << "tables";
    EXPECT_GT(stored.at("memory").at("storage_bytes_per_core").get<std::int64_t>(), 0);
    EXPECT_LT(stored.at("memory").at("bytes_per_core"), host.at("memory").at("bytes_per_core"));
}

/// Drives at 8 GB/s for the eight chips of a host, whatever their blocks: a table that passes is
/// one stream, and so are solved rows.
TEST(TableTier, DrivesAreBusyForBytesOverRateWhateverTheirBlocks)
{
    for (const int block : {4096, 262'144, 1'048'576}) {
        Json study = sized_study("de-dense", 1, "all_reduce_loop", "auto");
        study["workload"]["alx"]["table_tier"] = {{"updated", "host"}, {"fixed", "storage"}};
        study["machine"]["overrides"] = {{"storage_block_bytes", block},
                                         {"storage_read_bw", 8e9},
                                         {"storage_kernel_read_frac", 1},
                                         {"storage_write_bw", 8e9},
                                         {"storage_kernel_write_frac", 1}};
        int ways = 0;
        const Json point = run_one_point(study);
        for (const Json& path : point.at("paths")) {
            if (path.at("from") == "storage" || path.at("to") == "storage") {
                const double by_rate = path.at("bytes").get<double>() / 1e9;
                EXPECT_NEAR(path.at("busy_seconds").get<double>() / by_rate, 1, 0.1)
                    << block << " " << path;
                ++ways;
            }
        }
        EXPECT_EQ(ways, 2);
    }
}

/// Where PCIe has time enough, asked rows come beside the step before, collectives and all. Two
/// cores have as much of their host together as one has alone.
TEST(TableTier, TwoCoresHideWhatOneHides)
{
    const auto seconds = [](int cores, const Json& tier) {
        Json study = sized_study("de-dense", cores, "all_reduce_loop", "auto");
        study["workload"]["alx"]["switches"]["donate"] = true;
        study["workload"]["alx"]["table_tier"] = tier;
        return run_one_point(study).at("epoch_seconds").get<double>();
    };
    const Json in_hbm{{"updated", "hbm"}, {"fixed", "hbm"}};
    const Json in_host{{"updated", "host"}, {"fixed", "host"}};
    const Json in_storage{{"updated", "host"}, {"fixed", "storage"}};
    EXPECT_LT(seconds(2, in_host), 1.02 * seconds(2, in_hbm));
    EXPECT_LT(seconds(2, in_storage), 1.01 * seconds(1, in_storage));
}

/// Returns those of each epoch, without when it ended.
Json metrics_of(const Json& point)
{
    Json quality = point.at("quality");
    for (Json& epoch : quality) {
        epoch.erase("simulated_seconds");
    }
    return quality;
}

TEST(TableTier, ChangesNoNumber)
{
    const TemporaryFolder folder;
    const auto point = [&](const Json& tier) {
        Json study = small_study(folder);
        study["workload"]["alx"]["table_tier"] = tier;
        study["sweep"] = {{"/machine/cores", {2}}};
        const Outcome outcome = run_program({"run", folder.write("s.json", study.dump()), "-o",
                                             folder.path("out"), "--quiet", "--no-band"});
        EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
        return Json::parse(read_file(folder.path("out/report.json"))).at("points").at(0);
    };
    const Json in_hbm = point({{"updated", "hbm"}});
    for (const char* fixed : {"hbm", "host", "storage"}) {
        const Json below = point({{"updated", "host"}, {"fixed", fixed}});
        EXPECT_EQ(below.at("tables_digest"), in_hbm.at("tables_digest")) << fixed;
        EXPECT_EQ(metrics_of(below), metrics_of(in_hbm)) << fixed;
        EXPECT_GT(below.at("epoch_seconds"), in_hbm.at("epoch_seconds")) << fixed;
    }
}

TEST(TableTier, CheckSaysTheFewestCoresWithAndWithout)
{
    const TemporaryFolder folder;
    Json study = sized_study("sparse", 4, "all_reduce_loop", "auto");
    const Outcome outcome = run_program({"check", folder.write("s.json", study.dump())});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
    EXPECT_NE(outcome.output.find(
                  "fewest cores of tpu_v3 that hold it as it is: 32; with the table that is "
                  "solved for in host memory: 8; with tables "
                  "in host memory: 16; with tables in storage: 1"),
              std::string::npos)
        << outcome.output;
}

/// An offloaded step is timed of one device: more cores are refused, so that there is no fewest.
TEST(MemoryFit, CheckSaysNoFewestCoresWhereOnlyOneCountIsAllowed)
{
    const TemporaryFolder folder;
    Json study = sized_study("sparse", 1, "all_reduce_loop", "auto");
    study["machine"] = {{"chip", "v5e-1"}};
    study["workload"] = {{"offload",
                          {{"layers", 100},
                           {"hidden", 8192},
                           {"heads", 64},
                           {"vocabulary", 50304},
                           {"sequence", 4096},
                           {"batch", 8}}}};
    const Outcome outcome = run_program({"check", folder.write("s.json", study.dump())});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
    EXPECT_NE(outcome.output.find("too much"), std::string::npos) << outcome.output;
    EXPECT_EQ(outcome.output.find("fewest cores"), std::string::npos) << outcome.output;
}

/// A gather that keeps the whole table in HBM goes with no tier of it.
TEST(TableTier, CheckSaysWhyNoNumberOfCoresIsAllowed)
{
    const TemporaryFolder folder;
    Json study = sized_study("sparse", 4, "replicated", "auto");
    const Outcome outcome = run_program({"check", folder.write("s.json", study.dump())});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
    EXPECT_NE(outcome.output.find("hold it as it is: none do; with"), std::string::npos)
        << outcome.output;
    EXPECT_NE(outcome.output.find("with tables in storage: none may, "), std::string::npos)
        << outcome.output;
    EXPECT_NE(outcome.output.find("fixed: found storage together with gather replicated"),
              std::string::npos)
        << outcome.output;
}

TEST(TableTier, IsAdvisedWhereAPlanDoesNotFit)
{
    const TemporaryFolder folder;
    const Json study = sized_study("sparse", 8, "all_reduce_loop", "auto");
    const Outcome outcome =
        run_program({"advise", folder.write("s.json", study.dump()), "--choices", "table_tier",
                     "--json", "--quiet", "--budget", "60"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
    const Json best = Json::parse(outcome.output).at("plans").at(0);
    EXPECT_EQ(best.at("rank"), 1);
    EXPECT_EQ(best.at("set").at("/workload/alx/table_tier"),
              (Json{{"updated", "host"}, {"fixed", "hbm"}}));
}

TEST(Donation, ChangesTimeAndNoNumber)
{
    const TemporaryFolder folder;
    const auto point = [&](bool donate) {
        Json study = small_study(folder);
        study["workload"]["alx"]["semantics"] = "alx";
        study["machine"]["overrides"] = {{"step_dispatch_s", 1e-6}}; // else it waits for its host
        study["workload"]["alx"]["switches"]["donate"] = donate;
        study["sweep"] = {{"/machine/cores", {2}}};
        const Outcome outcome = run_program({"run", folder.write("s.json", study.dump()), "-o",
                                             folder.path("out"), "--quiet", "--no-band"});
        EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
        return load_json(folder.path("out/report.json")).at("points").at(0);
    };
    const Json released = point(false);
    const Json donated = point(true);
    EXPECT_EQ(released.at("tables_digest"), donated.at("tables_digest"));
    EXPECT_EQ(released.at("quality").back().at("objective"),
              donated.at("quality").back().at("objective"));
    EXPECT_GT(released.at("epoch_seconds"), donated.at("epoch_seconds"));
    EXPECT_TRUE(released.at("phases").contains("scatter.copy"));
    EXPECT_FALSE(donated.at("phases").contains("scatter.copy"));
}

/// Batches of 8 links: most rows of small_study are longer.
class LongRows : public ::testing::Test {
protected:
    LongRows()
    {
        study_["workload"]["alx"]["batch"] = {{"lines", 2}, {"line_length", 4}, {"rows", 16}};
    }

    Outcome run(const std::string& command = "run")
    {
        std::vector<std::string> arguments{command, folder_.write("s.json", study_.dump())};
        if (command == "run") {
            arguments.insert(arguments.end(), {"-o", folder_.path("out"), "--quiet", "--no-band"});
        }
        return run_program(arguments);
    }
    Json point() const { return load_json(folder_.path("out/report.json")).at("points").at(0); }
    Json& alx() { return study_["workload"]["alx"]; }

    const TemporaryFolder folder_;
    Json study_ = small_study(folder_);
};

TEST_F(LongRows, AreSplitByDefaultAndLearnWhatOneBatchLearns)
{
    const Outcome split = run();
    ASSERT_EQ(split.exit_code, 0) << split.errors;
    const Json small = point();
    EXPECT_FALSE(small.contains("left_out"));
    EXPECT_EQ(small.at("geometry").at("batch").at("links_lost_share"), 0);
    EXPECT_EQ(split.output.find("cut off"), std::string::npos);
    alx()["batch"] = {{"lines", 64}, {"line_length", 4}, {"rows", 16}};
    alx()["long_rows"] = "refuse"; // now none is longer
    ASSERT_EQ(run().exit_code, 0);
    EXPECT_EQ(point().at("tables_digest"), small.at("tables_digest"));
}

TEST_F(LongRows, AreRefusedOnlyWhereTheStudySaysSoWithWhatWouldDo)
{
    alx()["long_rows"] = "refuse";
    const Outcome refused = run();
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_NE(refused.errors.find("lines or more, or \"long_rows\": \"split\""), std::string::npos)
        << refused.errors;
    alx()["semantics"] = "alx";
    alx()["long_rows"] = "split";
    const Outcome released = run();
    EXPECT_EQ(released.exit_code, 2);
    EXPECT_NE(released.errors.find("/workload/alx/long_rows: found split with semantics alx"),
              std::string::npos)
        << released.errors;
}

/// Whoever shows a figure says first that it is not of the whole job.
TEST_F(LongRows, ThatAreCutAreSaidBeforeAllFigures)
{
    alx()["long_rows"] = "truncate";
    const Outcome cut = run();
    ASSERT_EQ(cut.exit_code, 0) << cut.errors;
    const Json& told = point();
    const Json& lost = told.at("geometry").at("column_batch").at("links_lost_share");
    EXPECT_GT(lost, 0);
    EXPECT_LT(lost, 1);
    const double share = told.at("left_out").at("share");
    EXPECT_GT(share, 0);
    const std::string words = told.at("left_out").at("words");
    EXPECT_NE(words.find("of row links and"), std::string::npos) << words;
    EXPECT_LT(cut.output.find(words), cut.output.find("1 point")) << cut.output;
    EXPECT_NE(run("check").output.find(words), std::string::npos);
    const Outcome explained = run_program({"explain", folder_.path("out/report.json")});
    EXPECT_LT(explained.output.find("Note first: "), explained.output.find("Where the time goes"))
        << explained.output;
    const double links =
        load_json(folder_.path("out/report.json")).at("dataset").at("small").at("training_links");
    EXPECT_NEAR(told.at("throughput").at("per_interval").get<double>(), links * (1 - share), 1);
}

TEST(MemoryFit, AChipThatLostHbmHoldsLess)
{
    Json study = sized_study("dense", 8, "all_reduce_loop", "auto");
    EXPECT_TRUE(run_one_point(study).at("fits").get<bool>());
    study["machine"]["faults"] = Json::array({{{"chip", 0}, {"hbm_bytes", 1e9}}});
    const Json point = run_one_point(study);
    EXPECT_FALSE(point.at("fits").get<bool>());
    EXPECT_NEAR(point.at("memory").at("capacity_bytes").get<double>(), 483750000, 1)
        << "its two cores share what a program may use of 1e9";
}

/// A step of a product whose weights stand in a v4 chip's HBM beside others.
class Weights : public ::testing::Test {
protected:
    Json study_of(std::int64_t bytes) const
    {
        const Json graph{
            {"buffers", {{{"name", "weights"}, {"bytes", bytes}, {"residency", "hbm"}}}},
            {"ops",
             {{{"work", "matmul"},
               {"m", 128},
               {"k", 1024},
               {"n", 1024},
               {"reads", {{{"buffer", "weights"}, {"bytes", 2097152}}}},
               {"writes", Json::array()}}}}};
        return {{"study", "weights"},
                {"numerics", false},
                {"fidelity", "analytic"},
                {"machine", {{"chip", "tpu_v4"}, {"cores", 2}}},
                {"workload", {{"op_graph", folder_.write("g.json", graph.dump())}}}};
    }
    std::string check(std::int64_t bytes) const
    {
        const std::string study = folder_.write("s.json", study_of(bytes).dump());
        return run_program({"check", study}).output;
    }

    const TemporaryFolder folder_;
};

/// 31.29 GiB of a chip's 32, of which the compiler grants 30.75.
TEST_F(Weights, MayNotTakeWhatIsTheCompilers)
{
    const std::string told = check(33'600'000'000);
    EXPECT_NE(told.find("16.51 GB too much weights"), std::string::npos) << told;
    EXPECT_NE(told.find("HBM a core of weights, 2 cores: 16.80 GB of 16.51 GB: weights 16.80 GB; "
                        "0.29 GB too much\n"),
              std::string::npos)
        << told;
    EXPECT_NE(check(30'000'000'000).find("weights 15.00 GB; 1.51 GB are left\n"),
              std::string::npos);
}

TEST_F(Weights, WithinHalfAPercentOfTheLimitAreAtTheEdge)
{
    const auto memory = [&](std::int64_t bytes) { return run_one_point(study_of(bytes)); };
    const Json below = memory(32'900'000'000);
    EXPECT_TRUE(below.at("fits"));
    EXPECT_EQ(below.at("memory").at("at_edge"), true);
    const Json above = memory(33'100'000'000);
    EXPECT_FALSE(above.at("fits"));
    EXPECT_EQ(above.at("memory").at("at_edge"), true);
    for (const std::int64_t bytes : {32'800'000'000, 33'200'000'000}) {
        EXPECT_FALSE(memory(bytes).at("memory").contains("at_edge")) << bytes;
    }
    EXPECT_NE(check(33'100'000'000).find("too much, at the edge: "), std::string::npos);
}

TEST(MemoryFit, AMatrixOfOnesOwnIsTimedByItsSizesAlone)
{
    Json study = sized_study("dense", 64, "all_reduce_loop", "auto");
    study["workload"]["dataset"] = {{"shape",
                                     {{"rows", 4e8},
                                      {"columns", 5e6},
                                      {"links", 2e10},
                                      {"min_links", 10},
                                      {"row_exponent", 2.2}}}};
    const Json whole = run_one_point(study);
    EXPECT_GT(whole.at("epoch_seconds"), 0);
    study["workload"]["split"] = {{"test_rows", 0.5}};
    const Json half = run_one_point(study);
    EXPECT_NEAR(half.at("counters").at("rows").at("batches").get<double>() /
                    whole.at("counters").at("rows").at("batches").get<double>(),
                0.5, 0.01)
        << "only the training share of the rows counts";
    EXPECT_EQ(half.at("memory").at("parts").at("tables"),
              whole.at("memory").at("parts").at("tables"))
        << "test rows are in the table, too";
}

/// Links that take no memory but ask for it.
TEST(HostMemory, ThatAFewBytesAskForIsRefusedWithFileLineAndFigure)
{
    const TemporaryFolder folder;
    for (const char* links : {"0 2147483646\n", "2147483646 0\n"}) {
        const std::string file = folder.write("far.txt", links);
        for (const char* format : {"adjacency", "edges"}) {
            const Outcome outcome = run_program({"dataset", "stats", file, "--format", format});
            EXPECT_EQ(outcome.exit_code, 2);
            EXPECT_NE(outcome.errors.find("far.txt: line 1: found 2147483647 "), std::string::npos)
                << outcome.errors;
        }
    }
}

class TooLargeForTheHost : public ::testing::TestWithParam<const char*> {};

TEST_P(TooLargeForTheHost, IsRefusedWithTheFigureBeforeItIsTaken)
{
    const TemporaryFolder folder;
    const std::string study =
        folder.write("s.json", small_study(folder, Json::parse(GetParam())).dump());
    const Outcome outcome =
        run_program({"run", study, "-o", folder.path("out"), "--quiet", "--memory", "64M"});
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_NE(outcome.errors.find("of this host's memory; allowed: 64.0 MiB"), std::string::npos)
        << outcome.errors;
    EXPECT_EQ(outcome.errors.find("bad_alloc"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Studies, TooLargeForTheHost,
                         ::testing::Values(R"({"workload": {"dataset": {"rows": 2147483647}}})",
                                           R"({"workload": {"dataset": {"columns": 2147483647}}})",
                                           R"({"workload": {"dataset": {"rows": 1000000},
                                        "alx": {"dim": 4096, "semantics": "alx"}}})",
                                           R"({"workload": {"dataset": {"file": null,
            "generate": {"rows": 1e5, "columns": 1e5, "links": 5e5}}, "alx": {"dim": 4096}}})",
                                           R"({"workload": {"dataset": {"file": null,
            "generate": {"rows": 2147483647, "columns": 2147483647, "links": 3e9}}}})"));

TEST(HostMemory, OfAPointIsToldBeforeDataIsReadAndBoundsHowManyRunAtOnce)
{
    const TemporaryFolder folder;
    const std::string study = folder.write("s.json", small_study(folder, Json::parse(R"({
        "fidelity": "analytic", "band": false,
        "workload": {"alx": {"dim": 512, "epochs": 0},
                     "dataset": {"file": null, "generate": {"rows": 2e5, "columns": 1e5,
                                                            "links": 6e5}}}})"))
                                                         .dump());
    const Outcome outcome = run_program(
        {"run", study, "-o", folder.path("out"), "--no-band", "--jobs", "4", "--memory", "700M"});
    const std::string told = outcome.errors.substr(0, outcome.errors.find('\n'));
    // Tables of 300,000 rows of 512 bf16 numbers, 293 MiB, and a little for links.
    EXPECT_EQ(told.rfind("A point keeps up to about 298", 0), 0U) << told;
    EXPECT_NE(told.find("MiB of 700.0 MiB of this host's memory; 2 at once"), std::string::npos)
        << told;
}

} // namespace
} // namespace alxsim::testing
