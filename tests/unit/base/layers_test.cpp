// SPDX-License-Identifier: Apache-2.0
// Who may include whom: layers, the folders of large layers, files.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace alxsim {
namespace {

namespace fs = std::filesystem;

/// From the bottom up.
const std::vector<std::string> layers{"base",
                                      "topologies",
                                      "model",
                                      "sim",
                                      "workloads",
                                      "spmd",
                                      "workloads/transformer",
                                      "workloads/projection",
                                      "workloads/tensor_network",
                                      "workloads/offload",
                                      "workloads/import",
                                      "alx",
                                      "report",
                                      "experiments",
                                      "program",
                                      "python"};

using Includes = std::map<std::string, std::set<std::string>>;

/// The innermost that holds the file; "" for a file of none.
std::string layer_of(const std::string& path)
{
    std::string found;
    for (const std::string& layer : layers) {
        if (path.rfind(layer + "/", 0) == 0 && layer.size() > found.size()) {
            found = layer;
        }
    }
    return found;
}

/// Every source of the layers with what it includes of them.
Includes read_includes()
{
    const fs::path root = ALXSIM_SOURCE_DIR;
    const std::regex include("^#include \"([^\"]+)\"");
    Includes includes;
    for (const std::string& layer : layers) {
        for (const auto& entry : fs::recursive_directory_iterator(root / layer)) {
            const std::string extension = entry.path().extension();
            if (extension != ".h" && extension != ".cpp") {
                continue;
            }
            std::set<std::string>& of = includes[fs::relative(entry.path(), root)];
            std::ifstream file(entry.path());
            for (std::string line; std::getline(file, line);) {
                std::smatch found;
                if (std::regex_search(line, found, include)) {
                    of.insert(found[1]);
                }
            }
        }
    }
    return includes;
}

/// The first circle of a graph, as its names; empty if there is none.
std::vector<std::string> circle_of(const Includes& graph)
{
    std::vector<std::string> path;
    std::set<std::string> done;
    std::vector<std::string> circle;
    const std::function<void(const std::string&)> visit = [&](const std::string& name) {
        const auto again = std::find(path.begin(), path.end(), name);
        if (again != path.end()) {
            circle.assign(again, path.end());
        }
        if (!circle.empty() || done.count(name) > 0 || graph.count(name) == 0) {
            return;
        }
        path.push_back(name);
        for (const std::string& next : graph.at(name)) {
            visit(next);
        }
        path.pop_back();
        done.insert(name);
    };
    for (const auto& [name, includes] : graph) {
        visit(name);
    }
    return circle;
}

TEST(Layers, IncludeNoneAboveThem)
{
    const auto floor = [](const std::string& path) {
        return std::find(layers.begin(), layers.end(), layer_of(path)) - layers.begin();
    };
    const Includes includes = read_includes();
    ASSERT_GT(includes.size(), 400u);
    for (const auto& [file, included] : includes) {
        for (const std::string& other : included) {
            if (other.find('/') != std::string::npos && includes.count(other) > 0) {
                EXPECT_LE(floor(other), floor(file)) << file << " includes " << other;
            }
        }
    }
}

/// One that does another's work elsewhere: an offloaded step is a transformer's, whose layers come
/// from below HBM. Two of them would have to be kept alike.
bool is_made_of(const std::string& workload, const std::string& other)
{
    return workload == "workloads/offload" && other == "workloads/transformer";
}

TEST(Layers, NoWorkloadIsIncludedButByItselfAndTheProgram)
{
    std::set<std::string> workloads{"alx"};
    std::copy_if(layers.begin(), layers.end(), std::inserter(workloads, workloads.end()),
                 [](const std::string& layer) { return layer.rfind("workloads/", 0) == 0; });
    ASSERT_GT(workloads.size(), 2U);
    for (const auto& [file, included] : read_includes()) {
        const std::string layer = layer_of(file);
        for (const std::string& other : included) {
            const std::string of = layer_of(other);
            EXPECT_TRUE(workloads.count(of) == 0 || layer == of || layer == "program" ||
                        is_made_of(layer, of))
                << file << " includes " << other;
        }
    }
}

TEST(Layers, HaveNoCircleOfFiles)
{
    EXPECT_EQ(circle_of(read_includes()), std::vector<std::string>());
}

/// Layers in which not even what stands beside the folders is in a circle with them.
const std::set<std::string> one_way_altogether{"model", "alx", "experiments", "program"};

TEST(Layers, FoldersIncludeEachOtherOneWay)
{
    Includes folders;
    for (const auto& [file, included] : read_includes()) {
        const std::string folder = fs::path(file).parent_path();
        for (const std::string& other : included) {
            const std::string of = fs::path(other).parent_path();
            const std::string layer = layer_of(file);
            const bool of_folders = folder != layer && of != layer;
            if (layer == layer_of(other) && folder != of &&
                (of_folders || one_way_altogether.count(layer) > 0)) {
                folders[folder].insert(of);
            }
        }
    }
    EXPECT_GT(folders.size(), 30u);
    EXPECT_EQ(circle_of(folders), std::vector<std::string>());
}

TEST(Layers, ACircleWouldBeFound)
{
    EXPECT_EQ(circle_of({{"a", {"b"}}, {"b", {"c"}}, {"c", {"b"}}}),
              (std::vector<std::string>{"b", "c"}));
}

TEST(Layers, HaveNoFolderOfMoreThan40Sources)
{
    std::map<std::string, int> sources;
    for (const auto& [file, included] : read_includes()) {
        ++sources[fs::path(file).parent_path()];
    }
    for (const auto& [folder, count] : sources) {
        EXPECT_LE(count, 40) << folder;
    }
}

/// A comment says what a function does or what a thing is: "Of a study: .." leaves open which.
TEST(Comments, BeginWithNoOf)
{
    const fs::path root = ALXSIM_SOURCE_DIR;
    const std::regex riddle("^\\s*//[/!<]* Of ");
    for (const auto& [file, included] : read_includes()) {
        std::ifstream source(root / file);
        std::string before;
        for (std::string line; std::getline(source, line); before = line) {
            const bool goes_on = before.find("//") != std::string::npos;
            EXPECT_TRUE(goes_on || !std::regex_search(line, riddle)) << file << ": " << line;
        }
    }
}

} // namespace
} // namespace alxsim
