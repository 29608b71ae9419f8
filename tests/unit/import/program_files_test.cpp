// SPDX-License-Identifier: Apache-2.0
// Which text of a program runs on which machine, and what the file beside it says of that.
#include "base/input_error.h"
#include "tests/temporary_folder.h"
#include "workloads/import/program_files.h"
#include "workloads/import/program_machine.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace alxsim::hlo {
namespace {

/// A folder with texts that nobody reads, each with a file beside it for some slice.
class ProgramFiles : public ::testing::Test {
protected:
    void add(const std::string& name, const std::string& topology, int partitions, int slices = 1,
             const Json& wrap = {false, false})
    {
        std::filesystem::create_directories(
            std::filesystem::path(folder_.path(name)).parent_path());
        folder_.write(name + ".hlo.txt", "");
        Json assignment = Json::array();
        for (int i = 0; i < partitions; ++i) {
            assignment.push_back({{"partition", i}, {"id", i}, {"coords", {0, 0, 0}}});
        }
        folder_.write(name + ".json", Json{{"topology", topology},
                                           {"slices", slices},
                                           {"wrap", wrap},
                                           {"assignment", assignment}}
                                          .dump());
    }
    static Json study(const Json& program, const Json& machine = Json::object())
    {
        return {{"study", "s"}, {"machine", machine}, {"workload", {{"program", program}}}};
    }
    Json machine(const Json& hlo, const Json& said = Json::object()) const
    {
        return machine_of_program(study({{"hlo", hlo}}, said), folder_.path("s.json"));
    }
    Named<std::vector<Json>> sweep(const Json& hlo, const Json& said = Json::object()) const
    {
        return sweep_of_program(study({{"hlo", hlo}}, said), folder_.path("s.json"));
    }
    std::string refused(const Json& program, const Json& said = Json::object()) const
    {
        try {
            machine_of_program(study(program, said), folder_.path("s.json"));
        } catch (const InputError& error) {
            return error.what();
        }
        return "";
    }

    TemporaryFolder folder_;
};

TEST_F(ProgramFiles, MachineIsWhatStandsBesideTheText)
{
    add("step", "v5e:4x4", 16);
    const Json whole{
        {"chip", "tpu_v5e"}, {"cores", 16}, {"slice", "4x4"}, {"wrap", {false, false}}};
    EXPECT_EQ(machine("step.hlo.txt"), whole);
    EXPECT_EQ(machine("step.hlo.txt", {{"overrides", {{"ici_link_bw_oneway", "x2"}}}}), whole);
}

TEST_F(ProgramFiles, CoresAndSlicesAreThoseOfAllDevices)
{
    add("two", "v5e:2x2", 8, 2);
    EXPECT_EQ(machine("two.hlo.txt").at("cores"), 8);
    EXPECT_EQ(machine("two.hlo.txt").at("slices"), 2);
    add("megacore", "v5p:2x2x4", 16, 1, {false, false, true});
    EXPECT_EQ(machine("megacore.hlo.txt").at("cores"), 32) << "two a device";
}

TEST_F(ProgramFiles, WhatTheStudySaysIsKept)
{
    add("step", "v5e:4x4", 16);
    // The same code on another chip of as many devices a chip, and on one of another torus.
    EXPECT_EQ(machine("step.hlo.txt", {{"chip", "tpu_v6e"}}),
              (Json{{"cores", 16}, {"slice", "4x4"}, {"wrap", {false, false}}}));
    EXPECT_EQ(machine("step.hlo.txt", {{"chip", "tpu_v5p"}}), (Json{{"cores", 32}}));
    EXPECT_EQ(machine("step.hlo.txt", {{"cores", 32}}), (Json{{"chip", "tpu_v5e"}}));
    EXPECT_EQ(machine("step.hlo.txt", {{"slice", "4x8"}}),
              (Json{{"chip", "tpu_v5e"}, {"cores", 32}}));
    EXPECT_EQ(machine("step.hlo.txt", {{"wrap", {true, true}}}),
              (Json{{"chip", "tpu_v5e"}, {"cores", 16}, {"slice", "4x4"}}));
}

TEST_F(ProgramFiles, SeveralAreACurveOverTheirSlices)
{
    add("b/step", "v5e:4x4", 16);
    add("a/step", "v5e:8x8", 64);
    add("c/step", "v5e:4x8", 32);
    const Named<std::vector<Json>> cores{{"/machine/cores", {16, 32, 64}}};
    EXPECT_EQ(sweep("*/step.hlo.txt"), cores);
    EXPECT_EQ(sweep({{"16", "b/step.hlo.txt"}, {"64", "a/step.hlo.txt"}, {"32", "c/step.hlo.txt"}}),
              cores);
    EXPECT_TRUE(sweep("b/step.hlo.txt").empty());
    EXPECT_TRUE(sweep("*/step.hlo.txt", {{"cores", 32}}).empty());
    EXPECT_TRUE(sweep("*/step.hlo.txt", {{"chip", "v5e-16"}}).empty()) << "its name has a size";
    EXPECT_EQ(machine("*/step.hlo.txt", {{"cores", 32}}).at("slice"), "4x8");
}

TEST_F(ProgramFiles, OfAsManyCoresAreToldApartBySliceAndChip)
{
    add("a", "v5e:4x8", 32);
    add("b", "v5e:2x16", 32);
    EXPECT_EQ(sweep("*.hlo.txt"), (Named<std::vector<Json>>{{"/machine/cores", {32, 32}},
                                                            {"/machine/slice", {"2x16", "4x8"}}}));
    add("c", "v6e:4x8", 32);
    EXPECT_EQ(sweep("*.hlo.txt").size(), 3U);
    EXPECT_EQ(sweep("*.hlo.txt").at(2).second,
              (std::vector<Json>{"tpu_v5e", "tpu_v5e", "tpu_v6e"}));
    EXPECT_EQ(sweep("*.hlo.txt", {{"chip", "v5e"}}).size(), 2U) << "another chip's is passed over";
    EXPECT_TRUE(sweep("*.hlo.txt", {{"chip", "v6e"}}).empty());
}

TEST_F(ProgramFiles, RunsTheTextOfTheMachine)
{
    add("a", "v5e:4x8", 32);
    add("b", "v5e:2x16", 32);
    add("c", "v6e:4x8", 32);
    const std::string study_file = folder_.path("s.json");
    const AskedProgram asked = asked_program({{"hlo", "*.hlo.txt"}}, study_file);
    const auto files = program_files(asked, study_file);
    const auto chosen = [&](const char* chip, const char* shape) {
        topologies::SliceRequest request;
        request.cores = 32;
        request.shape = shape;
        const auto there = topologies::make_machine(topologies::Preset::load(chip), request);
        return file_name(file_for(files, there, asked, study_file).path);
    };
    EXPECT_EQ(chosen("tpu_v5e", "4x8"), "a.hlo.txt");
    EXPECT_EQ(chosen("tpu_v5e", "2x16"), "b.hlo.txt");
    EXPECT_EQ(chosen("tpu_v6e", "4x8"), "c.hlo.txt");
}

TEST_F(ProgramFiles, VariantsHaveOptionsOfTheirOwn)
{
    const Json program{{"variants",
                        {{"fsdp", "a.hlo.txt"},
                         {"flash", {{"hlo", "b.hlo.txt"}, {"assume", {{"kernel", 2e-3}}}}}}},
                       {"assume", {{"sort", 1e-3}}}};
    EXPECT_EQ(asked_program(program, "s.json").variant, "fsdp");
    EXPECT_EQ(asked_program(program, "s.json").hlo, "a.hlo.txt");
    EXPECT_EQ(asked_program(program, "s.json").options.at("assume"), (Json{{"sort", 1e-3}}));
    Json second = program;
    second["variant"] = "flash";
    EXPECT_EQ(asked_program(second, "s.json").hlo, "b.hlo.txt");
    EXPECT_EQ(asked_program(second, "s.json").options.at("assume"),
              (Json{{"sort", 1e-3}, {"kernel", 2e-3}}));
}

TEST_F(ProgramFiles, RefusedSayWhatIsAllowed)
{
    const auto expect = [](const std::string& error, const char* words) {
        EXPECT_NE(error.find(words), std::string::npos) << error;
    };
    add("a", "v5e:4x4", 16);
    expect(refused({{"hlo", "none_*.hlo.txt"}}), "/workload/program/hlo: found no file like "
                                                 "'none_*.hlo.txt'; allowed: a path, with *");
    expect(refused({{"hlo", {{"sixteen", "a.hlo.txt"}}}}), "found 'sixteen'; allowed: a number of");
    expect(refused({{"hlo", {{"8", "a.hlo.txt"}}}}),
           "was compiled for 16 devices; allowed: \"16\" in front of it");
    expect(refused(Json::object()), "missing field 'hlo'; allowed: hlo, or variants of it");
    expect(refused({{"hlo", "a.hlo.txt"}, {"variants", {{"b", "a.hlo.txt"}}}}), "one of them");
    expect(refused({{"variants", {{"fsdp", "a.hlo.txt"}}}, {"variant", "fspd"}}),
           "/workload/program/variant: found 'fspd'; allowed: fsdp; did you mean 'fsdp'?");
    folder_.write("b.hlo.txt", "");
    expect(refused({{"hlo", "b.hlo.txt"}}),
           "/machine: found no b.json beside b.hlo.txt, which would say for which chip and slice");
    EXPECT_EQ(refused({{"hlo", "b.hlo.txt"}}, {{"chip", "tpu_v5e"}}), "");
    expect(refused({{"hlo", "*.hlo.txt"}}), "found no b.json beside b.hlo.txt");
    std::filesystem::remove(folder_.path("b.hlo.txt"));
    add("c", "v5e:4x4", 16);
    expect(refused({{"hlo", "*.hlo.txt"}}), "both compiled for tpu_v5e 4x4; allowed: one for each "
                                            "slice");
}

} // namespace
} // namespace alxsim::hlo
