// SPDX-License-Identifier: Apache-2.0
#include "model/graph/size_expression.h"

#include "base/input_error.h"
#include "model/graph/op_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace alxsim::model {
namespace {

using ::testing::HasSubstr;

std::int64_t size_of_text(const std::string& text, std::optional<int> devices = 16)
{
    return size_of_expression(text, devices, "graph.json", "/ops/0/m");
}

std::string refused_size(const std::string& text, std::optional<int> devices = 16)
{
    try {
        size_of_text(text, devices);
    } catch (const InputError& error) {
        return error.what();
    }
    return "nothing was refused";
}

TEST(SizeExpressions, AreComputedAsTheyAreWritten)
{
    EXPECT_EQ(size_of_text("65536/devices"), 4096);
    EXPECT_EQ(size_of_text("1024"), 1024);
    EXPECT_EQ(size_of_text(" 2 * ( devices + 3 ) - 1 "), 37);
    EXPECT_EQ(size_of_text("2+3*4"), 14);
    EXPECT_EQ(size_of_text("100-10-1"), 89);
    EXPECT_EQ(size_of_text("64/4/2"), 8);
    EXPECT_EQ(size_of_text("-devices+20"), 4);
    EXPECT_EQ(size_of_text("4e9/devices"), 250'000'000);
    EXPECT_EQ(size_of_text("1.5*devices"), 24);
    EXPECT_EQ(size_of_text("2e-1*devices*5"), 16);
    EXPECT_EQ(size_of_text("max(1, 8/devices)*2"), 2);
    EXPECT_EQ(size_of_text("min(devices, 8)"), 8);
    EXPECT_EQ(size_of_text("max(devices, 16)"), 16);
}

TEST(SizeExpressions, AreExactAndRoundAsTheySay)
{
    EXPECT_EQ(size_of_text("1000/devices*devices"), 1000) << "a third is no 0.333";
    EXPECT_EQ(size_of_text("100/3*3"), 100);
    EXPECT_EQ(size_of_text("ceil(1000/devices)"), 63);
    EXPECT_EQ(size_of_text("floor(1000/devices)"), 62);
    EXPECT_EQ(size_of_text("ceil(-5/2)"), -2);
    EXPECT_EQ(size_of_text("floor(-5/2)"), -3);
    EXPECT_EQ(size_of_text("ceil(32/devices)"), 2);
    EXPECT_EQ(size_of_text("9007199254740993"), 9007199254740993) << "more than a double holds";
    EXPECT_EQ(refused_size("1000/devices"),
              "graph.json: /ops/0/m: found \"1000/devices\", which is 125/2 with 16 devices; "
              "allowed: whole numbers, as ceil(1000/devices) gives");
}

TEST(SizeExpressions, AreRefusedForWhatTheyCannotBe)
{
    EXPECT_THAT(refused_size("65536/device"),
                HasSubstr("has 'device'; did you mean 'devices'?; allowed: numbers, devices"));
    EXPECT_THAT(refused_size("65536//devices"), HasSubstr("has '/' at character 7"));
    EXPECT_THAT(refused_size("(1+2"), HasSubstr("ends too early"));
    EXPECT_THAT(refused_size(""), HasSubstr("ends too early"));
    EXPECT_THAT(refused_size("1 2"), HasSubstr("has '2' at character 3"));
    EXPECT_THAT(refused_size("1.2.3"), HasSubstr("has '.'"));
    EXPECT_THAT(refused_size("3e"), HasSubstr("ends too early"));
    EXPECT_THAT(refused_size("0x10"), HasSubstr("has 'x'"));
    EXPECT_THAT(refused_size("ceil 3"), HasSubstr("has '3'"));
    EXPECT_THAT(refused_size("min(3)"), HasSubstr("has ')'"));
    EXPECT_THAT(refused_size("1/(devices-16)"), HasSubstr("divides by 0"));
    EXPECT_THAT(refused_size("9e18*9"), HasSubstr("2^63"));
    EXPECT_THAT(refused_size("-9223372036854775807-1"), HasSubstr("2^63"));
    EXPECT_THAT(refused_size("1e99"), HasSubstr("2^63"));
    EXPECT_THAT(refused_size(std::string(5000, '(')), HasSubstr("more than 100 deep"));
    EXPECT_THAT(refused_size("4*devices", std::nullopt), HasSubstr("where no machine is known"));
}

TEST(SizeExpressions, StandInEverySizeOfAGraph)
{
    const Json json = Json::parse(R"({
        "mesh": {"rows": "devices/4", "columns": 4},
        "buffers": [{"name": "w", "bytes": "64*devices"}],
        "ops": [
            {"work": "matmul", "batch": "devices/8", "m": "4096/devices", "k": "2*devices", "n": 8,
             "reads": [{"buffer": "w", "bytes": "32*devices"}], "writes": []},
            {"work": "vector", "elements": "1e6/devices", "ops_per_element": "devices/32",
             "minor": "devices"},
            {"work": "repeat", "times": "devices/2", "body": {"ops": [
                {"work": "row_gather", "rows": "100*devices", "row_bytes": 64}]}},
            {"work": "collective", "kind": "permute",
             "messages": [[0, 1, "1024/devices"], [1, 0, "devices"]]}]})");
    const OpGraph graph = op_graph_from_json(json, "graph.json", 16);
    const auto& product = std::get<Matmul>(graph.ops[0].work);
    EXPECT_EQ(product.batch, 2);
    EXPECT_EQ(product.m, 256);
    EXPECT_EQ(product.k, 32);
    EXPECT_EQ(graph.ops[0].reads[0].touched, Bytes(512));
    EXPECT_EQ(graph.buffers[0].bytes, Bytes(1024));
    EXPECT_EQ(graph.mesh->axes.at(0).length, 4);
    const auto& vector = std::get<Vector>(graph.ops[1].work);
    EXPECT_EQ(vector.elements, 62500);
    EXPECT_EQ(vector.ops_per_element, 0.5);
    EXPECT_EQ(vector.minor, 16);
    const auto& repeat = std::get<Repeat>(graph.ops[2].work);
    EXPECT_EQ(repeat.times, 8);
    EXPECT_EQ(std::get<RowGather>(repeat.body->ops[0].work).rows, 1600);
    const auto& messages = *std::get<Collective>(graph.ops[3].work).messages;
    EXPECT_EQ(messages[0].bytes, Bytes(64));
    EXPECT_EQ(messages[1].bytes, Bytes(16));
}

TEST(SizeExpressions, AreRefusedAtTheirPlaceAndWithinTheirLimits)
{
    const auto refused = [](const std::string& op) {
        try {
            op_graph_from_json(Json::parse(R"({"ops": [)" + op + "]}"), "graph.json", 16);
        } catch (const InputError& error) {
            return std::string(error.what());
        }
        return std::string("nothing was refused");
    };
    EXPECT_THAT(refused(R"({"work": "matmul", "m": "100/devices", "k": 1, "n": 1})"),
                HasSubstr("graph.json: /ops/0/m: found \"100/devices\", which is 25/4"));
    EXPECT_THAT(
        refused(R"({"work": "matmul", "m": "16-devices", "k": 1, "n": 1})"),
        HasSubstr("/ops/0/m: found number 0; allowed: integer >= 1 <= 1000000000, or string "
                  "such as \"65536/devices\""));
    EXPECT_THAT(refused(R"({"work": "repeat", "times": 1, "body": {"ops": [
                            {"work": "vector", "elements": "devises"}]}})"),
                HasSubstr("/ops/0/body/ops/0/elements: found \"devises\", which has 'devises'; did "
                          "you mean 'devices'?"));
    EXPECT_THAT(refused(R"({"work": "collective", "kind": "all_reduce", "bytes": 8,
                            "root": "devices"})"),
                HasSubstr("/ops/0/root: found string"))
        << "a place is no size";
}

} // namespace
} // namespace alxsim::model
