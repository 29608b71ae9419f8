// SPDX-License-Identifier: Apache-2.0
#include "base/input_error.h"
#include "experiments/points/parts/point_notes.h"
#include "experiments/points/study/job.h"
#include "experiments/points/timing/timing.h"
#include "model/estimate.h"
#include "topologies/preset.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>

/// Whatever number of a chip is doubled or halved, some op takes another time, or the notes say why
/// not: found over every kind of op, a training step and an epoch of ALX.
namespace alxsim::experiments {
namespace {

/// Every kind of work, one op after another, so that none hides behind another.
Json every_kind_of_op()
{
    Json graph = Json::parse(R"({"ops": [
        {"work": "matmul", "m": 2048, "k": 512, "n": 640},
        {"work": "matmul", "m": 16, "k": 2048, "n": 2048, "reads": [{"buffer": "w", "bytes": 8388608}]},
        {"work": "matmul", "m": 256, "k": 128, "n": 128, "dtype": "f32", "passes": 6},
        {"work": "matmul", "m": 2048, "k": 512, "n": 512, "epilogue": {"elements": 1048576, "ops_per_element": 16}, "reads": [], "writes": []},
        {"work": "custom", "flops": 1e9, "transcendentals": 1e6, "attention": true},
        {"work": "fixed", "seconds": 1e-5},
        {"work": "vector", "elements": 4000000, "ops_per_element": 64},
        {"work": "vector", "elements": 4000000},
        {"work": "vector", "elements": 1000000, "operation_class": "medium"},
        {"work": "vector", "elements": 1000000, "operation_class": "expensive", "reads": [], "writes": []},
        {"work": "vector", "elements": 1000000, "reduction": "lanes", "minor": 100},
        {"work": "vector", "elements": 1000000, "reduction": "sublanes", "minor": 100},
        {"work": "vector", "elements": 1000000, "reads": [], "writes": []},
        {"work": "vector", "elements": 1000000, "operation_class": "medium", "reads": [], "writes": []},
        {"work": "vector", "elements": 1000000, "ops_per_element": 16, "medium_per_element": 1,
         "division_per_element": 1, "power_per_element": 1, "reads": [], "writes": []},
        {"work": "vector", "elements": 1000000, "operation_class": "transpose", "reads": [], "writes": []},
        {"work": "vector", "elements": 1000000, "ops_per_element": 16, "dtype": "bf16", "reads": [], "writes": []},
        {"work": "vector", "elements": 1000000, "reduction": "lanes", "minor": 100, "reads": [], "writes": []},
        {"work": "sort", "rows": 64, "length": 1000},
        {"work": "argmax", "rows": 64, "length": 1000},
        {"work": "cumsum", "rows": 64, "length": 1000},
        {"work": "matmul", "m": 2048, "k": 512, "n": 512, "dtype": "i8", "reads": [], "writes": []},
        {"work": "matmul", "m": 2048, "k": 512, "n": 512, "dtype": "i4", "reads": [], "writes": []},
        {"work": "matmul", "m": 2048, "k": 512, "n": 512, "dtype": "fp8_e4m3", "reads": [], "writes": []},
        {"work": "matmul", "m": 2048, "k": 512, "n": 512, "dtype": "fp8_e5m2", "reads": [], "writes": []},
        {"work": "matmul", "m": 2048, "k": 512, "n": 512, "dtype": "fp4", "reads": [], "writes": []},
        {"work": "hbm_stream", "bytes_read": 300000000, "bytes_written": 100000000},
        {"work": "hbm_stream", "bytes_read": 40000},
        {"work": "copy", "from": "hbm", "to": "host", "bytes": 60000000},
        {"work": "infeed", "bytes": 90000000},
        {"work": "row_gather", "rows": 30000, "row_bytes": 256, "table_rows": 20000000},
        {"work": "row_gather", "rows": 30000, "row_bytes": 256, "table_rows": 20000000, "pattern": "clamped"},
        {"work": "row_gather", "rows": 3000, "row_bytes": 65536, "table_rows": 100000},
        {"work": "row_gather", "rows": 3000, "row_bytes": 20500, "table_rows": 100000},
        {"work": "row_gather", "rows": 30000, "row_bytes": 256, "table_rows": 1000,
         "reads": [{"buffer": "small", "bytes": 256000}]},
        {"work": "row_scatter", "rows": 30000, "row_bytes": 256, "table_rows": 20000000, "accumulate": true},
        {"work": "row_scatter", "rows": 100, "row_bytes": 65536, "table_rows": 10000, "accumulate": true},
        {"work": "collective", "kind": "all_reduce", "bytes": 64000000},
        {"work": "collective", "kind": "all_reduce", "bytes": 4096},
        {"work": "collective", "kind": "all_gather", "bytes": 64000000, "group": ["x"]},
        {"work": "collective", "kind": "reduce_scatter", "bytes": 64000000, "group": ["y"]},
        {"work": "collective", "kind": "all_to_all", "bytes": 32000000},
        {"work": "collective", "kind": "broadcast", "bytes": 32000000, "group": ["x", "y"]},
        {"work": "collective", "kind": "all_to_all", "messages": [
            {"source": 0, "destination": 5, "bytes": 300000}, {"source": 1, "destination": 5, "bytes": 300000},
            {"source": 2, "destination": 7, "bytes": 3000}]},
        {"work": "collective", "kind": "all_to_all", "messages": [
            {"source": 0, "destination": 10, "bytes": 20000}, {"source": 1, "destination": 11, "bytes": 21000},
            {"source": 4, "destination": 10, "bytes": 9000}, {"source": 3, "destination": 9, "bytes": 50000}]},
        {"work": "collective", "kind": "broadcast", "bytes": 100000},
        {"work": "collective", "kind": "all_reduce", "bytes": 1000000,
         "group": {"ranks": [[0, 5, 10, 15], [1, 4, 11, 14]], "order": "listed"}},
        {"work": "collective", "kind": "all_reduce", "bytes": 1000000,
         "group": {"ranks": [[0, 6, 9, 15], [1, 7, 8, 14], [2, 4, 11, 13]], "order": "listed"}},
        {"work": "repeat", "times": 5, "body": {"ops": [{"work": "vector", "elements": 100000}]}}
    ]})");
    for (std::size_t i = 1; i < graph.at("ops").size(); ++i) {
        graph.at("ops").at(i)["after"] = {i - 1};
    }
    return graph;
}

struct Case {
    Json machine;
    int devices = 0;
};

/// Rings and lines, and several slices where the chip's can be joined.
Case case_of(const std::string& chip)
{
    const topologies::Preset preset = topologies::Preset::load(chip);
    const bool joined = preset.has("dcn_bw_chip");
    const bool cubes = preset.has("ici_cube_edge_chips");
    const int chips = (joined ? 2 : 1) * (cubes ? 32 : 16);
    Json machine{{"chip", chip},
                 {"cores", chips * static_cast<int>(preset.number("tensorcores_per_chip"))},
                 {"slice", cubes ? "2x4x4" : "4x4"},
                 {"wrap", cubes ? Json{false, true, false} : Json{true, false}}};
    if (joined) {
        machine["slices"] = 2;
    }
    return {machine, chips * static_cast<int>(preset.number("devices_per_chip"))};
}

std::vector<Json> workloads(int devices)
{
    const Json alx{{"dim", 64}, {"gather", "all_to_all"}};
    // A long step, during which the host can run ahead of short ones that wait for it.
    const Json steps = {
        {{"graph", every_kind_of_op()}, {"times", 12}},
        {{"graph", {{"ops", {{{"work", "matmul"}, {"m", 8192}, {"k", 8192}, {"n", 16384}}}}}},
         {"times", 1}},
        {{"graph", {{"ops", {{{"work", "infeed"}, {"bytes", 16000000}}}}}}, {"times", 9}}};
    return {{{"op_graph", {{"steps", steps}}}},
            {{"dataset", {{"shape", {{"rows", 40000}, {"columns", 9000}, {"links", 600000}}}}},
             {"alx", alx}},
            {{"transformer",
              {{"preset", "gpt2-small"}, {"batch", devices}, {"mesh", {{"data", devices}}}}}}};
}

struct DoubledTimes {
    std::vector<Picoseconds> times;
    std::vector<std::string> notes;
    std::string refusal; ///< in place of both
};

DoubledTimes outcome_of(const Case& one, const Json& overrides)
{
    DoubledTimes outcome;
    Json machine = one.machine;
    machine["overrides"] = overrides;
    try {
        for (const Json& workload : workloads(one.devices)) {
            const PointStudy study = point_study({{"study", "doubled"},
                                                  {"numerics", false},
                                                  {"fidelity", "analytic"},
                                                  {"band", false},
                                                  {"machine", machine},
                                                  {"workload", workload}},
                                                 "study.json");
            const Job job = job_of(study);
            model::AnalyticModel model(job.machine, model::ScheduleTimes::closed_form);
            outcome.times.push_back(estimate_groups(job.workload->program(), model).total.total);
            for (const std::string& note : notes_of(job, study, true, true)) {
                outcome.notes.push_back(note);
            }
        }
    } catch (const InputError& error) {
        outcome.refusal = error.what();
    }
    return outcome;
}

/// Why a value moves nothing, as a note of each job says it; none where one does not.
std::optional<std::string> reason_of(const DoubledTimes& outcome, const std::string& key)
{
    const std::string begin = "the override of " + key + " ";
    std::vector<std::string> found;
    std::copy_if(outcome.notes.begin(), outcome.notes.end(), std::back_inserter(found),
                 [&](const std::string& note) { return note.rfind(begin, 0) == 0; });
    return found.size() == outcome.times.size() ? std::optional<std::string>(found.front())
                                                : std::nullopt;
}

class DoublingLaw : public ::testing::TestWithParam<std::string> {};

TEST_P(DoublingLaw, EveryNumberMovesATimeOrItsNoteSaysWhyNot)
{
    const Case one = case_of(GetParam());
    const topologies::Preset preset = topologies::Preset::load(GetParam());
    const DoubledTimes before = outcome_of(one, Json::object());
    ASSERT_EQ(before.refusal, "");
    int moved = 0;
    std::vector<std::string> refused;
    for (const std::string& key : preset.keys()) {
        const Json& value = preset.at(key).value;
        if (!value.is_number()) {
            continue;
        }
        bool moves = false; // one way at least: packets of twice the size may meet as before
        std::string silent;
        std::string why;
        for (const Json& changed :
             value == 0 ? std::vector<Json>{8192} : std::vector<Json>{"x2", "x0.5"}) {
            const DoubledTimes after = outcome_of(one, {{key, changed}});
            const std::string words = GetParam() + ", " + key + ": " + changed.dump();
            if (!after.refusal.empty()) {
                refused.push_back(key);
                continue;
            }
            const std::optional<std::string> reason = reason_of(after, key);
            if (after.times != before.times) {
                ++moved;
                moves = true;
                EXPECT_TRUE(!reason || reason->find("in full") != std::string::npos)
                    << words << " moves a time, but " << *reason;
                continue;
            }
            ASSERT_TRUE(reason) << words << " moves no time, without a word";
            why = *reason;
            if (reason->find("no op of it takes longer") != std::string::npos ||
                reason->find("it has no such rows") != std::string::npos) {
                silent = words;
            }
        }
        EXPECT_TRUE(moves || silent.empty())
            << silent << " moves no time of any kind of op, but nothing says why";
        if (!moves && !why.empty()) {
            std::cout << GetParam() << ": " << why << "\n";
        }
    }
    EXPECT_GT(moved, 60) << GetParam();
    EXPECT_LT(refused.size(), 20U) << "no machine has them: " << join(refused);
}

INSTANTIATE_TEST_SUITE_P(Chips, DoublingLaw, ::testing::ValuesIn(topologies::Preset::names()),
                         [](const auto& chip) { return chip.param; });

std::string notes_with(const Json& overrides)
{
    const DoubledTimes outcome = outcome_of(case_of("tpu_v5e"), overrides);
    EXPECT_EQ(outcome.refusal, "");
    std::string notes;
    for (const std::string& note : outcome.notes) {
        notes += note + "\n";
    }
    return notes;
}

TEST(OverrideNotes, AreOfTheJobAndNotOfTheMachineAlone)
{
    const Json overrides{{"scatter_row_s", "x2"}};
    const std::string notes = notes_with(overrides);
    EXPECT_EQ(std::count(notes.begin(), notes.end(), '\n'), 1)
        << "only a transformer scatters no rows: " << notes;
    EXPECT_NE(notes.find("scatter_row_s changes no time of this job by the analytic model: it has "
                         "no such rows"),
              std::string::npos)
        << notes;
}

TEST(OverrideNotes, TellWhatAPriceAndASizeChangeInstead)
{
    EXPECT_NE(notes_with({{"usd_per_chip_hour", "x2"}})
                  .find("usd_per_chip_hour changes no time: it counts in dollars or joules alone"),
              std::string::npos);
    EXPECT_NE(notes_with({{"hbm_bytes_chip", "x2"}}).find("it decides what fits"),
              std::string::npos);
}

} // namespace
} // namespace alxsim::experiments
