// SPDX-License-Identifier: Apache-2.0
#include "experiments/points/study/machine_request.h"

#include "base/input_error.h"
#include "experiments/points/study/point_study.h"
#include "report/point_fields.h"

#include <gtest/gtest.h>

namespace alxsim::experiments {
namespace {

Json told(const Json& machine)
{
    const auto request = value_of_json<MachineRequest>(machine);
    return json_of(machine_told(machine_of(request, "study.json"), request));
}

TEST(ASliceInAReport, IsSaidToBeAskedForWhereTheStudyNamesOneThatIsNotListed)
{
    const Json asked = told({{"chip", "tpu_v3"}, {"cores", 32}, {"slice", "2x8"}});
    EXPECT_TRUE(asked.at("slice_assumed"));
    EXPECT_TRUE(asked.at("slice_asked")) << "4x4 is listed, and has so many cores";
    const Json wrapped =
        told({{"chip", "tpu_v3"}, {"cores", 32}, {"slice", "4x4"}, {"wrap", {true, true}}});
    EXPECT_TRUE(wrapped.at("slice_asked"));
}

TEST(ASliceInAReport, IsNotSaidToBeAskedForWhereItFollowsFromTheCores)
{
    const Json assumed = told({{"chip", "tpu_v3"}, {"cores", 4}});
    EXPECT_TRUE(assumed.at("slice_assumed"));
    EXPECT_FALSE(assumed.contains("slice_asked"));
    const Json listed = told({{"chip", "tpu_v3"}, {"cores", 32}, {"slice", "4x4"}});
    EXPECT_FALSE(listed.at("slice_assumed"));
    EXPECT_FALSE(listed.contains("slice_asked")) << "asked for, and listed";
}

topologies::Machine machine(const Json& asked)
{
    return machine_of(value_of_json<MachineRequest>(asked), "study.json");
}

std::string refused_machine(const Json& asked)
{
    try {
        machine(asked);
    } catch (const InputError& error) {
        return error.what();
    }
    return "nothing was refused";
}

TEST(AChipWithASize, SetsChipCoresAndSlice)
{
    const Json named = told({{"chip", "v5e-256"}});
    EXPECT_EQ(named, told({{"chip", "tpu_v5e"}, {"cores", 256}, {"slice", "16x16"}}));
    const Json with_megacores = told({{"chip", "v4-16"}});
    EXPECT_EQ(with_megacores.at("cores"), 16);
    EXPECT_EQ(with_megacores.at("chips"), 8);
    EXPECT_EQ(with_megacores.at("devices"), 8);
    EXPECT_EQ(with_megacores.at("slice"), "2x2x2");
    EXPECT_EQ(told({{"chip", "tpu7x-2x2x1"}}).at("devices"), 8);
    EXPECT_TRUE(told({{"chip", "v5e-12"}}).at("slice_assumed")) << "nobody rents 12 chips";
    EXPECT_EQ(told({{"chip", "v5e-16"}, {"slices", 2}}).at("cores"), 32);
}

TEST(AChipWithASize, AgreesWithWhatStandsBesideItOrIsRefused)
{
    EXPECT_EQ(machine({{"chip", "v5e-32"}, {"cores", 32}, {"slice", "8x4"}}).slice.shape(), "8x4");
    EXPECT_EQ(machine({{"chip", "v4-512"}, {"slice", "4x4x16"}}).slice.shape(), "4x4x16")
        << "listed, as 4x8x8 is";
    EXPECT_EQ(refused_machine({{"chip", "v5e-32"}, {"cores", 16}}),
              "study.json: /machine/cores: found 16 beside chip 'v5e-32', which has 32; allowed: "
              "that, or no cores; or the chip as 'tpu_v5e', with any cores");
    EXPECT_EQ(refused_machine({{"chip", "v5e-32"}, {"slice", "2x16"}}),
              "study.json: /machine/slice: found 2x16 beside chip 'v5e-32', which is 4x8; allowed: "
              "that, or no slice; another shape is a chip without a size, its cores and its slice");
    EXPECT_NE(refused_machine({{"chip", "v5e-4x4"}, {"slice", "2x8"}}).find("which is 4x4"),
              std::string::npos);
    EXPECT_NE(refused_machine({{"chip", "v5e-512"}}).find("nearest that work: 256"),
              std::string::npos);
    EXPECT_EQ(refused_machine({{"chip", "v5e-pod"}}).find("study.json: /machine/chip: "), 0U);
}

TEST(ASliceWithoutCores, IsRefusedWithThoseThatItHas)
{
    EXPECT_EQ(refused_machine({{"chip", "tpu_v4"}, {"slice", "2x2x4"}}),
              "study.json: /machine: missing field 'cores' (a slice 2x2x4 has 32 TensorCores; the "
              "chip as 'tpu_v4-2x2x4' says both)");
    EXPECT_EQ(refused_machine({{"chip", "tpu_v4"}, {"slice", "wide"}}),
              "study.json: /machine: missing field 'cores'");
}

TEST(AChipWithASize, IsTheSameStudyAsItsCoresAndSlice)
{
    const auto point = [](const Json& machine) {
        return point_study({{"study", "x"},
                            {"machine", machine},
                            {"workload", {{"op_graph", {{"ops", Json::array()}}}}}},
                           "study.json")
            .document;
    };
    EXPECT_EQ(point({{"chip", "v5e-16"}}), point({{"chip", "tpu_v5e"}, {"cores", 16}}));
    EXPECT_EQ(point({{"chip", "tpu7x-2x2x4"}}),
              point({{"chip", "tpu_7x"}, {"cores", 32}, {"slice", "2x2x4"}}));
    EXPECT_EQ(point({{"chip", "Trillium"}, {"cores", 4}}),
              point({{"chip", "tpu_v6e"}, {"cores", 4}}));
}

std::string id_of(const Json& asked)
{
    return told(asked).at("id").get<std::string>();
}

TEST(MachineId, IsOneForOneMachineAndAnotherForAnyOther)
{
    const Json machine{{"chip", "tpu_v5e"}, {"cores", 16}};
    const std::string id = id_of(machine);
    EXPECT_EQ(id.rfind("tpu_v5e-4x4-16-", 0), 0u) << id;
    EXPECT_EQ(id_of({{"chip", "tpu_v5e"}, {"cores", 16}, {"slice", "4x4"}}), id);
    EXPECT_EQ(id_of({{"chip", "tpu_v5e"}, {"cores", 16}, {"schedule", "xla"}}), id);
    for (const Json& other :
         {Json{{"overrides", {{"ici_link_bw_oneway", "x2"}}}}, Json{{"slice", "2x8"}},
          Json{{"wrap", {true, true}}}, Json{{"schedule", "fastest"}}, Json{{"cores", 8}},
          Json{{"faults", {{{"core", 3}, {"speed", 0.5}}}}}}) {
        Json changed = machine;
        changed.update(other);
        EXPECT_NE(id_of(changed), id) << other;
    }
}

} // namespace
} // namespace alxsim::experiments
