// SPDX-License-Identifier: Apache-2.0
#include "base/input_error.h"
#include "workloads/import/hlo/sidecar.h"

#include <gtest/gtest.h>

namespace alxsim::hlo {
namespace {

Json sidecar_json()
{
    return Json::parse(R"({
        "name": "step", "topology": "v5p:1x2x1", "slices": 2, "wrap": [false, true, false],
        "megacore": true, "chips": 4,
        "memory": {"argument_size_in_bytes": 100, "output_size_in_bytes": 50,
                   "alias_size_in_bytes": 40, "temp_size_in_bytes": 7,
                   "peak_memory_in_bytes": 120, "host_temp_size_in_bytes": 9},
        "cost": {"flops": 1000.0, "bytes accessed": 2.5e3},
        "assignment": [
            {"partition": 1, "id": 100001, "coords": [0, 1, 0], "core": 0, "slice": 0},
            {"partition": 0, "id": 100000, "coords": [0, 0, 0]},
            {"partition": 2, "id": 200000, "coords": [0, 0, 0], "slice": 1},
            {"partition": 3, "id": 200001, "coords": [0, 1, 0], "core": 1, "slice": 1}]})");
}

TEST(Sidecar, SaysTheSlicePlacementAndXlasFigures)
{
    const Sidecar sidecar = sidecar_of(sidecar_json(), "step.json");
    EXPECT_EQ(sidecar.chip, "v5p");
    EXPECT_EQ(sidecar.chips, (std::vector<std::int64_t>{1, 2, 1}));
    EXPECT_EQ(sidecar.slices, 2);
    EXPECT_EQ(*sidecar.wrap, (std::vector<bool>{false, true, false}));
    EXPECT_EQ(sidecar.megacore, true);
    ASSERT_EQ(sidecar.assignment.size(), 4U);
    EXPECT_EQ(sidecar.assignment[1].id, 100001);
    EXPECT_EQ(sidecar.assignment[3].core, 1);
    EXPECT_EQ(sidecar.memory->allocated(), 117);
    EXPECT_EQ(sidecar.memory->host_temporary, 9);
    EXPECT_EQ(sidecar.cost.flops, 1000.0);
    EXPECT_FALSE(sidecar.cost.transcendentals);
}

TEST(Sidecar, NeedsNoFigures)
{
    Json json = sidecar_json();
    for (const char* field : {"memory", "cost", "wrap", "megacore", "name"}) {
        json.erase(field);
    }
    EXPECT_FALSE(sidecar_of(json, "step.json").memory);
}

TEST(Sidecar, RefusedNamesTheFieldAndWhatIsAllowed)
{
    const auto refused = [](const char* pointer, const Json& value, const char* place) {
        Json json = sidecar_json();
        json[Json::json_pointer(pointer)] = value;
        try {
            sidecar_of(json, "step.json");
            ADD_FAILURE() << pointer << " " << value;
        } catch (const InputError& error) {
            EXPECT_EQ(std::string(error.what()).rfind(std::string("step.json: ") + place, 0), 0U)
                << error.what();
            EXPECT_NE(std::string(error.what()).find("allowed: "), std::string::npos);
        }
    };
    refused("/topology", "v5p", "/topology: found \"v5p\"");
    refused("/topology", "v5p:2x", "/topology: ");
    refused("/topology", "v5p:9999999x9999999", "/topology: ");
    refused("/topology", nullptr, "/topology: found nothing");
    refused("/slices", 0, "/slices: found 0; allowed: a whole number from 1");
    refused("/wrap", Json::array({1}), "/wrap: ");
    refused("/assignment", Json::array(), "/assignment: ");
    refused("/assignment/0", 3, "/assignment/0: ");
    refused("/assignment/0/partition", 4, "/assignment/0/partition: ");
    refused("/assignment/1/partition", 1, "/assignment/1/partition: found 1; allowed: each");
    refused("/assignment/2/coords/1", 2,
            "/assignment/2/coords/1: found 2; allowed: a whole number");
    refused("/assignment/2/slice", 2, "/assignment/2/slice: ");
    refused("/assignment/2/id", -1, "/assignment/2/id: ");
    refused("/memory", "much", "/memory: ");
    refused("/memory/temp_size_in_bytes", 0.5, "/memory/temp_size_in_bytes: found 0.5");
    refused("/cost/flops", "many", "/cost/flops: ");
    EXPECT_THROW(sidecar_of(Json::array(), "step.json"), InputError);
}

TEST(Sidecar, PlacesThePartitionsOfTheProgramOrOfEachSlice)
{
    const Sidecar sidecar = sidecar_of(sidecar_json(), "step.json");
    EXPECT_NO_THROW(check_partitions(sidecar, "step.json", 4));
    EXPECT_NO_THROW(check_partitions(sidecar, "step.json", 2));
    EXPECT_THROW(check_partitions(sidecar, "step.json", 8), InputError);
}

TEST(Sidecar, StandsBesideTheText)
{
    EXPECT_EQ(sidecar_path("a/step__v5e-2x2.hlo.txt.gz"), "a/step__v5e-2x2.json");
    EXPECT_EQ(sidecar_path("step.hlo.txt"), "step.json");
    EXPECT_EQ(sidecar_path("step.hlo"), "step.json");
    EXPECT_EQ(sidecar_path("step"), "step.json");
}

} // namespace
} // namespace alxsim::hlo
