// SPDX-License-Identifier: Apache-2.0
#include "base/cpu_level.h"
#include "program.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

namespace alxsim::testing {
namespace {

/// The report without what may differ from run to run.
std::string lasting_part(const std::string& path)
{
    Json report = load_json(path);
    report.erase("host");
    return report.dump();
}

TEST(Reproducibility, AReportIsTheSameByteForByteWhateverJobsAndThreads)
{
    const TemporaryFolder folder;
    const std::string study = folder.write("s.json", small_study(folder).dump());
    const auto report_with = [&](const std::string& name, const std::vector<std::string>& options) {
        std::vector<std::string> arguments{"run", study, "-o", folder.path(name), "--quiet"};
        arguments.insert(arguments.end(), options.begin(), options.end());
        EXPECT_EQ(run_program(arguments).exit_code, 0);
        return lasting_part(folder.path(name + "/report.json"));
    };
    const std::string once = report_with("a", {"--jobs", "1", "--threads", "1"});
    EXPECT_EQ(once, report_with("b", {"--jobs", "3", "--threads", "1"}));
    EXPECT_EQ(once, report_with("c", {"--jobs", "1", "--threads", "4"}));
}

Json points_of(const TemporaryFolder& folder, const Json& study)
{
    const std::string path = folder.write("s.json", study.dump());
    const std::string out = folder.path("out");
    EXPECT_EQ(run_program({"run", path, "-o", out, "--quiet", "--jobs", "1"}).exit_code, 0);
    Json points = load_json(out + "/report.json").at("points");
    for (Json& point : points) {
        point.erase("series");
        point.erase("sweep");
    }
    return points;
}

// Points of a sweep that have the same step share much of what is found of it: schedules, places of
// the mesh, notes, memory. Of these machines each number may change some of that.
void expect_points_as_by_themselves(const Json& transformer)
{
    const TemporaryFolder folder;
    const Json study{{"study", "s"},
                     {"numerics", false},
                     {"fidelity", "analytic"},
                     {"machine", {{"chip", "v6e-16"}}},
                     {"workload", {{"transformer", transformer}}}};
    const std::map<std::string, Json> sweeps{
        {"/machine/compiler_flags", {"default", "recipe", "none"}},
        {"/machine/schedule", {"xla", "fastest"}},
        {"/machine/overrides/collectives_overlap_compute", {true, false}},
        {"/machine/overrides/ici_hop_latency_s", {1e-6, 2e-6}},
        {"/machine/overrides/ici_link_bw_effective_frac", {0.5, 0.9}},
        {"/machine/overrides/collective_launch_s", {1e-6, 5e-6}},
        {"/machine/overrides/hbm_bw_chip", {1.6e12, 1e12}},
        {"/machine/overrides/vmem_bytes_core", {1.3e8, 2e7}}};
    for (const auto& [pointer, values] : sweeps) {
        Json swept = study;
        swept["sweep"][pointer] = values;
        const Json points = points_of(folder, swept);
        for (std::size_t i = 0; i < values.size(); ++i) {
            Json alone = study;
            alone[Json::json_pointer(pointer)] = values.at(i);
            const Json by_itself = points_of(folder, alone).at(0);
            EXPECT_EQ(Json::diff(by_itself, points.at(i)), Json::array())
                << pointer << " " << values.at(i);
        }
    }
}

TEST(Reproducibility, APointOfASweepIsAsByItself)
{
    Json transformer{{"preset", "gpt2-small"}, {"batch", 32}, {"recomputation", "full"}};
    transformer["mesh"] = {{"fsdp", 4}, {"tensor", 4}};
    transformer["sharding"] = "1d_sequence";
    transformer["tensor_overlap"] = "ring";
    expect_points_as_by_themselves(transformer);
    transformer.erase("tensor_overlap");
    transformer.erase("sharding");
    transformer["mesh"] = {{"pipeline", 4}, {"fsdp", 4}};
    transformer["microbatches"] = 4;
    expect_points_as_by_themselves(transformer);
}

/// Sets ALXSIM_CPU_LEVEL for programs that start while it lives.
class CpuLevelGuard {
public:
    explicit CpuLevelGuard(const std::string& level)
    {
        setenv("ALXSIM_CPU_LEVEL", level.c_str(), 1);
    }
    ~CpuLevelGuard() { unsetenv("ALXSIM_CPU_LEVEL"); }
    CpuLevelGuard(const CpuLevelGuard&) = delete;
    CpuLevelGuard& operator=(const CpuLevelGuard&) = delete;
};

/// The names that a study may give for a field of /workload/alx.
Json allowed_names(const std::string& field)
{
    const Json schema = Json::parse(run_program({"check", "--schema"}).output);
    return schema.at(
        Json::json_pointer("/properties/workload/properties/alx/properties/" + field + "/enum"));
}

/// With each solver, in the precisions that take other kernels.
TEST(Reproducibility, AReportIsTheSameByteForByteOnEveryLevelOfCpu)
{
    const TemporaryFolder folder;
    const Json sweep{{"/workload/alx/solver", allowed_names("solver")},
                     {"/workload/alx/table_dtype", allowed_names("table_dtype")}};
    const std::string study =
        folder.write("s.json", small_study(folder, {{"sweep", sweep}}).dump());
    std::string first;
    for (const CpuLevel level : cpu_levels()) {
        const CpuLevelGuard guard(name_of(level));
        const std::string out = folder.path(name_of(level));
        ASSERT_EQ(run_program({"run", study, "-o", out, "--quiet"}).exit_code, 0);
        const std::string path = out + "/report.json";
        EXPECT_EQ(load_json(path).at("host").at("cpu_level"), name_of(level));
        first = first.empty() ? lasting_part(path) : first;
        EXPECT_TRUE(lasting_part(path) == first) << name_of(level);
    }
}

TEST(Reproducibility, ALevelThatTheCpuHasNotIsRefusedBeforeAnythingRuns)
{
    const CpuLevelGuard guard("x86-64-v9");
    const Outcome outcome = run_program({"chips"});
    EXPECT_EQ(outcome.exit_code, 2);
    for (const char* part : {"ALXSIM_CPU_LEVEL", "x86-64-v9", "allowed here: "}) {
        EXPECT_NE(outcome.errors.find(part), std::string::npos) << outcome.errors;
    }
}

TEST(Reproducibility, AnotherSeedIsAnotherRun)
{
    const TemporaryFolder folder;
    const std::string study = folder.write("s.json", small_study(folder).dump());
    ASSERT_EQ(run_program({"run", study, "-o", folder.path("a"), "--quiet"}).exit_code, 0);
    ASSERT_EQ(run_program({"run", study, "-o", folder.path("b"), "--quiet", "--set", "/seed=2"})
                  .exit_code,
              0);
    const auto objective = [&](const char* path) {
        return load_json(folder.path(path))
            .at("points")
            .at(0)
            .at("quality")
            .at(0)
            .at("objective")
            .get<double>();
    };
    EXPECT_NE(objective("a/report.json"), objective("b/report.json"));
}

} // namespace
} // namespace alxsim::testing
