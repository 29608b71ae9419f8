// SPDX-License-Identifier: Apache-2.0
#include "experiments/points/study/study_schema.h"
#include "workloads/registry.h"

#include "base/json_document.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>

/// What is above the workloads knows them through their interface alone: it neither names one nor
/// speaks in the words of one.
namespace alxsim::experiments {
namespace {

namespace fs = std::filesystem;

const fs::path root = ALXSIM_SOURCE_DIR;

/// Folders of experiments/ hold sources of this project alone, some folders data about ALX, which
/// are inputs: studies, galleries, measurements.
bool is_searched(const fs::path& path)
{
    static const std::set<std::string> kinds{".cpp", ".h", ".js", ".html", ".css"};
    const std::string place = fs::relative(path, root).generic_string();
    return kinds.count(path.extension().string()) > 0 &&
           place.rfind("program/registration/", 0) != 0 &&
           place.rfind("program/dataset/", 0) != 0 && place.rfind("experiments/galleries/", 0) != 0;
}

struct Line {
    std::string place; ///< "report/words.cpp:12"
    std::string text;
};

/// Reads all sources above the workloads.
std::vector<Line> lines_above()
{
    std::vector<Line> lines;
    for (const char* folder : {"report", "experiments", "program"}) {
        for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
            if (!is_searched(entry.path())) {
                continue;
            }
            std::ifstream file(entry.path());
            const std::string path = fs::relative(entry.path(), root).generic_string();
            int number = 0;
            for (std::string line; std::getline(file, line);) {
                lines.push_back({path + ":" + std::to_string(++number), line});
            }
        }
    }
    return lines;
}

TEST(Seam, NothingAboveTheWorkloadsNamesOne)
{
    const std::regex names(
        R"((^|[^a-z_])(alx|Alx|ALX)(_|::|/|[^a-zA-Z]|$)|op_graph_kind|AlxWorkload|)"
        R"(workloads/(transformer|projection|tensor_network|offload)|)"
        R"((transformer|projection|tensor_network|offload)::)");
    const std::vector<Line> lines = lines_above();
    EXPECT_GT(lines.size(), 10000U);
    for (const Line& line : lines) {
        EXPECT_FALSE(std::regex_search(line.text, names)) << line.place << ": " << line.text;
    }
}

/// Fields of reports and results, which readers of kept ones rely on, stay as they were named when
/// there was one workload: "epoch_seconds" is what an interval takes, "epoch" of `quality` its
/// number, "epochs" of a study's `bill` and of measured points how many.
const std::regex contract(
    R"(\bepoch_seconds(_low|_high|_median|_p05|_p50|_p95)?\b|\.epochs?\b|\\?"epochs?\\?")");

/// What stands in quotes of a line of C++, and of a page's script.
std::vector<std::string> words_for_people(const std::string& line)
{
    if (line.find_first_not_of(' ') == line.find("//")) {
        return {}; // for developers
    }
    static const std::regex quoted(R"("([^"\\]|\\.)*"|`[^`]*`?|'[^']*')");
    std::vector<std::string> words;
    for (std::sregex_iterator at(line.begin(), line.end(), quoted), end; at != end; ++at) {
        words.push_back(at->str());
    }
    return words;
}

bool is_html(const Line& line)
{
    return line.place.find(".html:") != std::string::npos;
}

TEST(Seam, NothingAboveTheWorkloadsSpeaksOfEpochsOrRecall)
{
    const std::regex words_of_one("epoch|recall", std::regex::icase);
    // Reports and results from before they named what their times are of: those were epochs.
    const std::set<std::string> unnamed{
        R"(    const std::string one = result.interval.value_or("epoch"); // as all were called at first)",
        R"(    const report::IntervalWords interval{series.interval.value_or("epoch"), {}};)",
        R"(const unnamedInterval = "epoch"; // of reports and results from before they said of what their times are)"};
    int found_unnamed = 0;
    for (const Line& line : lines_above()) {
        if (unnamed.count(line.text) > 0) {
            ++found_unnamed;
            continue;
        }
        for (const std::string& words :
             is_html(line) ? std::vector<std::string>{line.text} : words_for_people(line.text)) {
            const std::string rest = std::regex_replace(words, contract, "");
            EXPECT_FALSE(std::regex_search(rest, words_of_one)) << line.place << ": " << line.text;
        }
    }
    EXPECT_EQ(found_unnamed, static_cast<int>(unnamed.size())) << "an exception is not needed";
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
