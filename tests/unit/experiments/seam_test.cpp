// SPDX-License-Identifier: Apache-2.0
#include "experiments/points/study/study_schema.h"
#include "workloads/registry.h"

#include "base/json_document.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>

/// experiments knows workloads through their interface alone.
namespace alxsim::experiments {
namespace {

bool is_source(const std::filesystem::path& path)
{
    return path.extension() == ".cpp" || path.extension() == ".h";
}

TEST(Seam, NoSourceOfExperimentsNamesAWorkload)
{
    const std::regex names(
        R"((^|[^a-z_])(alx|Alx|ALX)(_|::|/|[^a-zA-Z]|$)|op_graph_kind|AlxWorkload)");
    const std::filesystem::path folder = std::filesystem::path(ALXSIM_SOURCE_DIR) / "experiments";
    int read = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
        if (!is_source(entry.path())) {
            continue;
        }
        std::ifstream file(entry.path());
        int number = 0;
        for (std::string line; std::getline(file, line);) {
            ++number;
            EXPECT_FALSE(std::regex_search(line, names))
                << entry.path() << ":" << number << ": " << line;
        }
        ++read;
    }
    EXPECT_GT(read, 100);
}

TEST(Seam, TheSchemaHasTheFieldsAndNamesOfAllKinds)
{
    const Json schema = parse_json(study_schema(), "schema");
    const Json& workload = schema.at("properties").at("workload").at("properties");
    for (const workloads::Kind& kind : workloads::registry().kinds()) {
        for (const auto& [name, field] : kind.fields.items()) {
            Json bounded = field;
            bound_integers(bounded);
            EXPECT_EQ(workload.at(name), bounded) << kind.name;
        }
        for (const std::string& name : kind.exports) {
            EXPECT_NE(schema.at("properties").at("export").dump().find(name), std::string::npos);
        }
    }
}

TEST(Schema, BoundsEveryWholeNumber)
{
    std::vector<std::string> unbounded;
    const Json flat = parse_json(study_schema(), "schema").flatten();
    for (const auto& [pointer, value] : flat.items()) {
        const std::string::size_type type = pointer.rfind("/type");
        if (value == "integer" && !flat.contains(pointer.substr(0, type) + "/maximum")) {
            unbounded.push_back(pointer);
        }
    }
    EXPECT_EQ(unbounded, std::vector<std::string>());
}

/// Nobody should have to read a regular expression in a message.
TEST(Schema, HasAnExampleForEveryPattern)
{
    std::vector<std::string> bare;
    const Json flat = parse_json(study_schema(), "schema").flatten();
    for (const auto& [pointer, value] : flat.items()) {
        const std::string::size_type pattern = pointer.rfind("/pattern");
        if (pattern != std::string::npos && pattern + 8 == pointer.size() &&
            !flat.contains(pointer.substr(0, pattern) + "/examples/0")) {
            bare.push_back(pointer);
        }
    }
    EXPECT_EQ(bare, std::vector<std::string>());
}

} // namespace
} // namespace alxsim::experiments
