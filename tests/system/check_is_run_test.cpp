// SPDX-License-Identifier: Apache-2.0
#include "program.h"

#include "base/numbers/mix64.h"

#include <gtest/gtest.h>

#include <cstdlib>

/// What `check` accepts, `run` runs; what it refuses, `run` refuses: on studies that somebody has
/// mistyped.
namespace alxsim::testing {
namespace {

class Draw {
public:
    explicit Draw(std::uint64_t seed) : seed_(mix64(seed + 1)) {}

    std::size_t below(std::size_t bound)
    {
        seed_ = mix64(seed_ + 1);
        return static_cast<std::size_t>(seed_ % bound);
    }

private:
    std::uint64_t seed_;
};

std::vector<Json> sound_studies(const TemporaryFolder& folder)
{
    return {
        Json::parse(R"({"study": "s", "numerics": false, "fidelity": "analytic", "band": false,
            "machine": {"chip": "tpu_v3", "cores": 8, "overrides": {"gather_row_s": 1e-8}},
            "workload": {"dataset": {"shape": {"rows": 1e5, "columns": 1e4, "links": 1e6}},
                "alx": {"dim": 16, "solver": "cg", "gather": "all_to_all",
                        "batch": {"lines": 32, "line_length": 8, "rows": 16}}},
            "sweep": {"/machine/cores": [2, 8]},
            "hypotheses": [{"name": "h", "claim": "c", "value": "epoch_seconds", "is": ">",
                            "than": 0}]})"),
        Json::parse(R"({"study": "s", "fidelity": "analytic", "band": false,
            "machine": {"chip": "tpu_v5e", "cores": 4, "slice": "2x2"},
            "workload": {"op_graph": {"mesh": {"data": 2, "tensor": 2}, "ops": [
                {"work": "matmul", "m": 128, "k": 128, "n": 128},
                {"work": "collective", "kind": "all_reduce", "bytes": 4096, "group": ["data"],
                 "after": [0]},
                {"work": "repeat", "times": 3, "body": {"ops": [
                    {"work": "vector", "elements": 1000}]}}]}}})"),
        Json::parse(R"({"study": "s", "fidelity": "analytic", "band": false,
            "machine": {"chip": "tpu_v5p", "cores": 16},
            "workload": {"transformer": {"layers": 2, "hidden": 64, "heads": 4, "vocabulary": 256,
                "sequence": 16, "batch": 16, "sharding": "1d", "mesh": {"data": 2, "tensor": 4}}},
            "series": [{"name": "a", "set": {"/workload/transformer/recomputation": "full"}},
                       {"name": "b", "sweep": {"/workload/transformer/batch": [8, 16]}}]})"),
        small_study(folder, Json::parse(R"({"fidelity": "analytic", "band": false, "sweep": null,
            "workload": {"alx": {"epochs": 1}},
            "search": {"kind": "grid", "over": {"/workload/alx/reg": [0.01, 0.1],
                                                "/workload/alx/dim": [4, 8]}}})")),
    };
}

/// Lists everything in a document but itself.
std::vector<Json::json_pointer> places_in(const Json& json)
{
    std::vector<Json::json_pointer> places;
    const Json flat = json.flatten();
    for (const auto& [pointer, value] : flat.items()) {
        for (Json::json_pointer place(pointer); !place.empty(); place = place.parent_pointer()) {
            places.push_back(place);
        }
    }
    return places;
}

/// A value replaced, a field left out, or one whose name is mistyped.
Json mistyped(Json study, Draw& draw)
{
    static const std::vector<Json> values{
        nullptr, -1, 0, 3, 1e30, 0.5, "", "x", "all_to_all", true, Json::array(), Json::object()};
    const std::vector<Json::json_pointer> places = places_in(study);
    const Json::json_pointer place = places[draw.below(places.size())];
    Json& around = study.at(place.parent_pointer());
    const std::size_t how = draw.below(4);
    if (how < 2 || !around.is_object()) {
        study[place] = values[draw.below(values.size())];
    } else {
        const Json value = around.at(place.back());
        around.erase(place.back());
        if (how == 3) {
            around[place.back() + "s"] = value;
        }
    }
    return study;
}

/// ALXSIM_MISTYPED: how many of each, for those who look for more.
TEST(CheckIsRun, OnStudiesThatAreMistyped)
{
    const char* const asked = std::getenv("ALXSIM_MISTYPED");
    const std::uint64_t count = asked == nullptr ? 60 : std::strtoull(asked, nullptr, 10);
    const TemporaryFolder folder;
    int refused = 0;
    int accepted = 0;
    for (const Json& sound : sound_studies(folder)) {
        for (std::uint64_t seed = 0; seed < count; ++seed) {
            Draw draw(seed);
            const std::string study = folder.write("s.json", mistyped(sound, draw).dump());
            const Outcome checked = run_program({"check", study});
            const Outcome run = run_program({"run", study, "-o", folder.path("out"), "--quiet"});
            EXPECT_EQ(checked.exit_code, run.exit_code)
                << read_file(study) << "\n check: " << checked.errors << " run: " << run.errors;
            ++(checked.exit_code == 0 ? accepted : refused);
        }
    }
    EXPECT_GT(refused, 50);
    EXPECT_GT(accepted, 10);
}

} // namespace
} // namespace alxsim::testing
