// SPDX-License-Identifier: Apache-2.0
#include "alx/placements/placement.h"
#include "alx/solvers/solver.h"
#include "alx/strategies/gather.h"
#include "alx/strategies/scatter.h"
#include "alx/strategies/statistics.h"
#include "experiments/points/study/known_phases.h"
#include "model/costs/breakdown.h"
#include "report/breakdown.h"
#include "workloads/registry.h"
#include "workloads/transformer/config.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>

/// docs/glossary.md, which the page of a report carries, has a line for each name that is made from
/// a registry.
namespace alxsim::experiments {
namespace {

using Sections = std::map<std::string, std::set<std::string>>;

/// Section -> its words; a line is "- **word**: what it means.".
Sections read_glossary()
{
    std::ifstream file(std::string(ALXSIM_SOURCE_DIR) + "/docs/glossary.md");
    Sections sections;
    std::string section;
    for (std::string line; std::getline(file, line);) {
        const std::size_t end = line.find("**: ");
        if (line.rfind("## ", 0) == 0) {
            section = line.substr(3);
        } else if (line.rfind("- **", 0) == 0 && end != std::string::npos) {
            EXPECT_TRUE(sections[section].insert(line.substr(4, end - 4)).second)
                << "twice: " << line;
            EXPECT_EQ(line.back(), '.') << line;
        }
    }
    return sections;
}

void expect_words(const std::string& section, const std::vector<std::string>& names,
                  const std::string& before = "")
{
    const Sections sections = read_glossary();
    for (const std::string& name : names) {
        EXPECT_EQ(sections.at(section).count(before + name), 1u)
            << "docs/glossary.md has no line for " << before + name << " under " << section;
    }
}

/// What beside tensor parallelism has phases of its own.
std::vector<Json> forms_of_transformers()
{
    const Json experts{{"count", 4}, {"per_token", 2}, {"width", 64}};
    return {
        {{"mesh", {{"fsdp", 8}}}},
        {{"mesh", {{"fsdp", 4}, {"data", 2}}}, {"optimizer_sharding", "zero1"}},
        {{"mesh", {{"sequence", 4}, {"data", 2}}}, {"microbatches", 2}},
        {{"mesh", {{"pipeline", 2}, {"fsdp", 4}}}, {"microbatches", 4}},
        {{"mesh", {{"expert", 4}, {"data", 2}}}, {"experts", experts}},
        {{"mesh", {{"expert", 4}, {"data", 2}}}, {"experts", experts}, {"recomputation", "full"}},
        {{"mesh", {{"sequence", 4}, {"data", 2}}}, {"recomputation", "full"}},
        {{"recomputation", {{"offload", {"layer_input"}}}}},
        {{"optimizer", "adafactor"}, {"mesh", {{"tensor", 2}, {"fsdp", 4}}}},
        {{"precision", "int8"}},
        {{"mode", "prefill"}, {"mesh", {{"tensor", 8}}}},
        {{"mode", "decode"}, {"mesh", {{"tensor", 8}}}}};
}

/// Small transformers, sharded in each way, whose activations are kept or computed again.
std::vector<PointStudy> transformers()
{
    std::vector<PointStudy> studies;
    for (const std::string& sharding : names_of_values<transformer::ShardingKind>()) {
        for (const std::string& recomputation :
             names_of_values<transformer::RecomputationPolicy>()) {
            const Json workload{{"layers", 2},
                                {"hidden", 256},
                                {"heads", 8},
                                {"vocabulary", 512},
                                {"sequence", 128},
                                {"batch", 16},
                                {"sharding", sharding},
                                {"recomputation", recomputation},
                                {"mesh", sharding.rfind("2d", 0) == 0
                                             ? Json{{"data", 2}, {"row", 2}, {"column", 2}}
                                             : Json{{"data", 4}, {"tensor", 2}}}};
            studies.push_back(point_study({{"study", "s"},
                                           {"numerics", false},
                                           {"machine", {{"chip", "tpu_v3"}, {"cores", 8}}},
                                           {"workload", {{"transformer", workload}}}},
                                          "the study"));
        }
    }
    for (const Json& form : forms_of_transformers()) {
        Json workload{{"layers", 4},     {"hidden", 256},         {"heads", 8}, {"vocabulary", 512},
                      {"sequence", 128}, {"positions", "rotary"}, {"batch", 16}};
        workload.update(form);
        studies.push_back(point_study({{"study", "s"},
                                       {"numerics", false},
                                       {"machine", {{"chip", "tpu_v5e"}, {"cores", 8}}},
                                       {"workload", {{"transformer", workload}}}},
                                      "the study"));
    }
    return studies;
}

/// Steps of tensor networks, by which all their phases come.
std::vector<PointStudy> tensor_networks()
{
    std::vector<PointStudy> studies;
    for (const std::string step : {"round", "mera", "integrate"}) {
        for (const std::string method : {"gramians", "svd"}) {
            Json workload{
                {"step", step}, {"legs", 4}, {"sizes", 8}, {"ranks", 4}, {"method", method}};
            if (step == "integrate") {
                workload = {{"step", step},
                            {"problem", "ornstein_uhlenbeck"},
                            {"ranks", 4},
                            {"method", method}};
            }
            if (step == "mera") {
                workload["mera_ranks"] = {2};
            }
            studies.push_back(point_study({{"study", "s"},
                                           {"numerics", false},
                                           {"machine", {{"chip", "tpu_v5e"}, {"cores", 4}}},
                                           {"workload", {{"tensor_network", workload}}}},
                                          "the study"));
        }
    }
    return studies;
}

/// What workloads say of their phases, and what their ops have.
/// An offloaded step, whose gradients are clipped.
PointStudy offloaded()
{
    const Json workload{{"layers", 2},       {"hidden", 256},   {"heads", 8},
                        {"vocabulary", 512}, {"sequence", 128}, {"schedule", "sync"},
                        {"clip_norm", 1.0}};
    return point_study({{"study", "s"},
                        {"numerics", false},
                        {"machine", {{"chip", "tpu_v5e"}, {"cores", 1}}},
                        {"workload", {{"offload", workload}}}},
                       "the study");
}

std::set<std::string> all_phases()
{
    std::set<std::string> phases;
    for (const workloads::Kind& kind : workloads::registry().kinds()) {
        phases.insert(kind.phases.begin(), kind.phases.end());
    }
    for (const PointStudy& study : transformers()) {
        KnownPhases known({&study});
        EXPECT_GT(known.names().size(), 4U) << study.document;
        phases.insert(known.names().begin(), known.names().end());
    }
    for (const PointStudy& study : tensor_networks()) {
        KnownPhases known({&study});
        phases.insert(known.names().begin(), known.names().end());
    }
    const PointStudy study = offloaded();
    KnownPhases known({&study});
    phases.insert(known.names().begin(), known.names().end());
    return phases;
}

/// "gradients.data" and "gradients.fsdp" of "gradients.data+fsdp", a collective along both.
std::vector<std::string> of_each_axis(const std::string& phase)
{
    const auto pass = phase.find('.') + 1;
    std::vector<std::string> each;
    std::string::size_type begin = pass;
    for (auto end = phase.find('+', begin); end != std::string::npos;
         begin = end + 1, end = phase.find('+', begin)) {
        each.push_back(phase.substr(0, pass) + phase.substr(begin, end - begin));
    }
    each.push_back(phase.substr(0, pass) + phase.substr(begin));
    return each;
}

/// Those of a random projection are numbered by its modes: no list has them all.
/// Words of docs, messages and pictures that readers looked for and did not find.
TEST(Glossary, HasTheWordsThatReadersMissed)
{
    std::set<std::string> words;
    for (const auto& [section, of_section] : read_glossary()) {
        words.insert(of_section.begin(), of_section.end());
    }
    for (const char* word : {"row issue", "reg", "alpha", "bubble", "microbatch", "fold-in",
                             "test row", "validation rows", "gather and add"}) {
        EXPECT_EQ(words.count(word), 1U) << word;
    }
}

TEST(Glossary, HasThePhasesOfWorkloadsAndNoOthers)
{
    const std::set<std::string> explained = read_glossary().at("Phases");
    const std::set<std::string> all = all_phases();
    for (const std::string& phase : all) {
        for (const std::string& part : of_each_axis(phase)) {
            EXPECT_EQ(explained.count(part), 1U) << part << " has no line";
        }
    }
    std::set<std::string> parts;
    for (const std::string& phase : all) {
        for (const std::string& part : of_each_axis(phase)) {
            parts.insert(part);
        }
    }
    for (const std::string& phase : explained) {
        EXPECT_EQ(parts.count(phase), 1U) << phase << " is no workload's";
    }
}

TEST(Glossary, HasEveryShare)
{
    std::set<std::string> shares{report::row_issue}; // told apart from the rest of hbm
    for (std::size_t i = 0; i < model::share_count; ++i) {
        shares.insert(model::name_of(static_cast<model::Share>(i)));
    }
    EXPECT_EQ(read_glossary().at("Shares"), shares);
}

TEST(Glossary, HasEveryStrategyAndSolver)
{
    expect_words("ALX", alx::gather_strategies().names(), "gather ");
    expect_words("ALX", alx::scatter_strategies().names(), "scatter ");
    expect_words("ALX", alx::placements().names(), "placement ");
    expect_words("ALX", alx::statistics_strategies().names(), "statistics ");
    expect_words("ALX", alx::solvers().names(), "solver ");
}

/// Words of reports, pages and --help that no registry has.
TEST(Glossary, HasTheWordsOfAnswersAndPages)
{
    expect_words("Curves", {"objective", "reg", "alpha", "test row", "held-out links",
                            "validation rows", "fold-in", "bubble", "straggler", "late peer"});
    expect_words("Machine", {"row issue", "TensorCore", "MXU", "VPU", "SparseCore", "megacore"});
    expect_words("Collectives", {"gather and add", "launch", "hop", "barrier"});
    expect_words("Programs", {"op", "op graph", "mesh", "role", "stage", "microbatch",
                              "recomputation", "digest", "sketch"});
}

/// Words that docs/lesson and docs/troubleshooting.md use and that people may not know.
TEST(Glossary, HasTheWordsOfTheLessonAndOfTroubleshooting)
{
    expect_words("Curves", {"epoch", "gain", "sweet spot", "speed-up", "efficiency", "fit",
                            "Amdahl's law", "MFU", "HFU", "slot", "exposed"});
    expect_words("Uncertainty", {"draw", "band", "hypothesis", "verdict"});
    expect_words("How a point was timed", {"detailed", "sampled", "analytic", "critical path"});
    expect_words("Machine", {"core", "chip", "HBM", "VMEM", "DCN", "slice", "torus", "wrap",
                             "override", "fault"});
    expect_words("Collectives", {"collective", "latency", "bandwidth", "cut", "all-reduce",
                                 "all-gather", "reduce-scatter", "all-to-all", "schedule"});
    expect_words("Programs",
                 {"data parallel", "FSDP", "tensor parallel", "activations", "head", "checkpoint"});
    expect_words("ALX", {"link", "owner", "long row", "padding", "shard", "released"});
}

} // namespace
} // namespace alxsim::experiments
