// SPDX-License-Identifier: Apache-2.0
#include "alx/steps/step_memory.h"

#include "base/json_document.h"
#include "base/units.h"
#include "model/graph/memory.h"
#include "model/graph/program.h"
#include "topologies/machine.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>

/// What a step needs of HBM, against what the TPU compiler says of the same step.
namespace alxsim::alx {
namespace {

constexpr double gibibyte = 1024.0 * 1024 * 1024;

const Json& oracle()
{
    static const Json records = load_json(ALXSIM_SOURCE_DIR "/tests/oracle/xla/alx_memory.json");
    return records;
}

std::string name_of(const Json& point)
{
    return point.at("web").get<std::string>() + " on " + point.at("devices").dump() + ", " +
           point.at("half").get<std::string>() + ", " + point.at("lines").dump() + " lines, d " +
           point.at("dim").dump() + ", " + point.at("gather").get<std::string>() +
           (point.at("donate").get<bool>() ? ", donated" : "");
}

model::MemoryFit fit_of(const Json& point)
{
    AlxConfig config;
    config.semantics = Semantics::alx(config.table_dtype);
    config.semantics.donate = point.at("donate");
    config.dim = point.at("dim");
    config.gather = point.at("gather");
    const int devices = point.at("devices");
    const auto shard = [&](const std::string& side) {
        const Json& rows = oracle().at("webs").at(point.at("web").get<std::string>()).at(side);
        return rows.get<std::int64_t>() / devices + 1;
    };
    const std::string own = point.at("half");
    const std::string fixed = own == "rows" ? "columns" : "rows";
    const BatchGeometry batch{point.at("lines"), oracle().at("line_length"), point.at("rows")};
    const HalfShape half{own, fixed, batch, shard(own), shard(fixed)};
    const topologies::Machine machine =
        topologies::make_machine(topologies::Preset::load("tpu_v3"), {devices, {}, {}});
    auto graph =
        std::make_shared<const model::OpGraph>(half_step_graph(config, half, DeviceMesh(devices)));
    return model::memory_fit({{{graph, {}, 1}, 1}}, machine);
}

TEST(StepMemory, IsWithinTwoPercentOfTheCompilersPeak)
{
    int points = 0;
    for (const Json& point : oracle().at("points")) {
        if (!point.contains("peak_bytes")) {
            continue;
        }
        const model::MemoryFit fit = fit_of(point);
        const double peak = point.at("peak_bytes");
        const double needed = static_cast<double>(fit.needed.count());
        EXPECT_NEAR(needed / peak, 1, 0.02) << name_of(point);
        EXPECT_TRUE(fit.fits()) << name_of(point);
        ++points;
    }
    EXPECT_GE(points, 60);
}

/// A refusal counts the gaps between arrays, too, which a peak does not.
TEST(StepMemory, DoesNotFitWhereTheCompilerRefuses)
{
    int points = 0;
    for (const Json& point : oracle().at("points")) {
        if (point.contains("refused_gib")) {
            const model::MemoryFit fit = fit_of(point);
            const double needed = static_cast<double>(fit.needed.count()) / gibibyte;
            EXPECT_NEAR(needed / point.at("refused_gib").get<double>(), 1, 0.02) << name_of(point);
            EXPECT_FALSE(fit.fits()) << name_of(point);
            ++points;
        }
    }
    EXPECT_EQ(points, 7);
}

TEST(StepMemory, OfDonatedTablesIsAtTheEdgeOnFourCoresForDense)
{
    int points = 0;
    for (const Json& point : oracle().at("points")) {
        const bool dense_on_four = point.at("web") == "dense" && point.at("devices") == 4;
        if (dense_on_four) {
            EXPECT_EQ(fit_of(point).at_edge(), point.at("donate").get<bool>()) << name_of(point);
            ++points;
        }
    }
    EXPECT_EQ(points, 4);
}

/// xla_machine records of arrays on v3: bytes of [1,000,000, d].
TEST(StoredTables, ArePaddedToEightNumbersNotToAWholeRegister)
{
    const auto stored = [](std::int64_t dim, model::DType dtype) {
        return stored_table_bytes(1'000'000, dim, dtype).count();
    };
    EXPECT_EQ(stored(8, model::DType::bf16), 16'001'024);
    EXPECT_EQ(stored(16, model::DType::bf16), 32'002'048);
    EXPECT_EQ(stored(64, model::DType::bf16), 128'008'192);
    EXPECT_EQ(stored(100, model::DType::bf16), 208'013'312); // as 104
    EXPECT_EQ(stored(128, model::DType::bf16), 256'000'000);
    EXPECT_EQ(stored(100, model::DType::f32), 416'026'624);
    EXPECT_EQ(stored(192, model::DType::f32), 768'049'152);
}

TEST(StepMemory, IsCountedByTheCompilersScheduleForTheReleasedStepAlone)
{
    AlxConfig config;
    const HalfShape half{"rows", "columns", {1024, 16, 409}, 1000, 2000};
    EXPECT_TRUE(half_step_graph(config, half, 2).hbm_at_peak.empty());
    config.semantics = Semantics::alx(config.table_dtype);
    EXPECT_FALSE(half_step_graph(config, half, 2).hbm_at_peak.empty());
    config.solver = "cholesky";
    EXPECT_TRUE(half_step_graph(config, half, 2).hbm_at_peak.empty());
}

} // namespace
} // namespace alxsim::alx
