// SPDX-License-Identifier: Apache-2.0
#include "base/npy.h"
#include "program.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <map>
#include <sys/wait.h>
#include <thread>

/// Results are of what files held, not of what they are called: each kind of file, in each of the
/// three ways in which results of two contents could come together.
namespace alxsim::testing {
namespace {

/// A study that reads one file of some kind.
struct FileKind {
    std::string name;
    Json study;        ///< merged on the small one; the file is told as it is written below
    std::string file;  ///< in the study's folder
    std::string first; ///< what it holds
    std::string then;
    std::map<std::string, std::string> others = {}; ///< files that do not change, by name
};

Json sweep_of(const std::string& study)
{
    Json json = Json::parse(study);
    json["study"] = "s";
    json["band"] = false;
    if (!json.contains("machine")) {
        json["machine"]["chip"] = "tpu_v5e";
    }
    json["sweep"] = {{"/machine/cores", {1, 2}}};
    return json;
}

std::string preset_with_hop_latency(double seconds)
{
    Json preset = load_json(std::string(ALXSIM_SOURCE_DIR) + "/topologies/presets/tpu_v5e.json");
    preset["values"]["ici_hop_latency_s"]["value"] = seconds;
    return preset.dump();
}

std::string links_to(int column)
{
    std::string lines;
    for (int row = 0; row < 40; ++row) {
        lines += std::to_string(row) + " " + std::to_string((row * 7 + column) % 40) + "\n" +
                 std::to_string(row) + " " + std::to_string((row * 11 + column) % 40) + "\n";
    }
    return lines;
}

std::string matmul_of(int m)
{
    return R"({"ops": [{"work": "matmul", "m": )" + std::to_string(m) + R"(, "k": 64, "n": 64}]})";
}

/// [48 x 8], of equal numbers.
std::string table_of(double number)
{
    const TemporaryFolder folder;
    const std::string path = folder.path("t.npy");
    write_npy(path, {48, 8, std::vector<double>(48 * 8, number)}, NpyNumber::f4);
    return read_file(path);
}

std::string names_of(const std::string& kind)
{
    std::string lines;
    for (int id = 0; id < 40; ++id) {
        lines += kind + std::to_string(id) + "\n";
    }
    return lines;
}

std::vector<FileKind> kinds()
{
    return {
        {"preset", sweep_of(R"({"machine": {"chip": "chip.json"}, "workload": {"op_graph":
              {"ops": [{"work": "collective", "kind": "all_reduce", "bytes": 4096}]}}})"),
         "chip.json", preset_with_hop_latency(1.2e-6), preset_with_hop_latency(1.8e-6)},
        {"op_graph", sweep_of(R"({"workload": {"op_graph": "step.json"}})"), "step.json",
         matmul_of(4096), matmul_of(8192)},
        {"data", sweep_of(R"({"workload": {"dataset": {"file": "web.edges", "format": "edges"},
                                          "alx": {"dim": 8, "epochs": 1}}, "numerics": true})"),
         "web.edges", links_to(1), links_to(3)},
        {"text", sweep_of(R"({"numerics": true, "workload": {"transformer": {
              "layers": 1, "hidden": 16, "heads": 2, "vocabulary": 256, "sequence": 16, "batch": 2,
              "sharding": "1d", "steps": 1, "text": "poem.txt"}}})"),
         "poem.txt", std::string(400, 'a'), std::string(400, 'b')},
        {"initial_tables",
         sweep_of(
             R"({"workload": {"dataset": {"generate": {"rows": 40, "columns": 40, "links": 200}},
                                   "alx": {"dim": 8, "epochs": 1,
                                           "initial_tables": {"columns": "h.npy"}}}})"),
         "h.npy", table_of(0.1), table_of(0.3)},
        {"test_file",
         sweep_of(R"({"workload": {"dataset": {"file": "web.edges", "format": "edges"},
                                   "split": {"test_file": "tests.txt"},
                                   "alx": {"dim": 8, "epochs": 1}}})"),
         "tests.txt",
         "40 | 1 2 | 3\n",
         "40 | 1 2 | 5\n",
         {{"web.edges", links_to(1)}}},
        {"names",
         sweep_of(R"({"workload": {"dataset": {"file": "web.edges", "format": "edges",
                                               "names": {"rows": "nodes.names"}},
                                   "evaluation": {"recommend": {"rows": [3], "k": 2}},
                                   "alx": {"dim": 8, "epochs": 1}}})"),
         "nodes.names",
         names_of("page "),
         names_of("film "),
         {{"web.edges", links_to(1)}}},
    };
}

class ChangedInput : public ::testing::TestWithParam<FileKind> {
protected:
    void hold(const std::string& content)
    {
        for (const auto& [name, other] : GetParam().others) {
            folder_.write(name, other);
        }
        folder_.write(GetParam().file, content);
    }
    /// What a report says of the kind's file.
    Json input_in(const std::string& report_name) const
    {
        const Json inputs = report(report_name).at("inputs");
        EXPECT_EQ(inputs.size(), 1 + GetParam().others.size()) << inputs;
        const auto found = std::find_if(inputs.begin(), inputs.end(), [](const Json& input) {
            return input.at("file") == GetParam().file;
        });
        return found == inputs.end() ? Json() : *found;
    }
    std::string out(const std::string& name) const { return folder_.path(name); }
    Outcome run(const std::string& name, const std::vector<std::string>& more = {}) const
    {
        std::vector<std::string> arguments{"run", study_, "-o", out(name)};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return run_program(arguments);
    }
    Json report(const std::string& name) const
    {
        Json report = Json::parse(read_file(out(name) + "/report.json"));
        report.erase("host");
        return report;
    }

    TemporaryFolder folder_;
    std::string study_ = folder_.write("s.json", GetParam().study.dump());
};

TEST_P(ChangedInput, IsToldInTheReport)
{
    hold(GetParam().first);
    const Outcome outcome = run("first");
    ASSERT_EQ(outcome.exit_code, 0) << outcome.errors;
    hold(GetParam().then);
    ASSERT_EQ(run("then").exit_code, 0);
    const Json before = input_in("first");
    const Json after = input_in("then");
    ASSERT_FALSE(before.is_null() || after.is_null());
    EXPECT_EQ(before.at("bytes"), GetParam().first.size());
    EXPECT_NE(before.at("sha256"), after.at("sha256"));
}

TEST_P(ChangedInput, IsComputedAnewByResume)
{
    hold(GetParam().first);
    ASSERT_EQ(run("kept", {"--shard", "1/1"}).exit_code, 0); // a shard's points stay
    hold(GetParam().then);
    const Outcome resumed = run("kept", {"--shard", "1/1", "--resume"});
    EXPECT_EQ(resumed.exit_code, 0) << resumed.errors;
    EXPECT_NE(resumed.errors.find(GetParam().file + " held other bytes"), std::string::npos)
        << resumed.errors;
    ASSERT_EQ(run_program({"merge", out("kept"), "-o", out("merged")}).exit_code, 0);
    ASSERT_EQ(run("then").exit_code, 0);
    EXPECT_EQ(report("merged"), report("then"));
}

TEST_P(ChangedInput, IsRefusedByMerge)
{
    hold(GetParam().first);
    ASSERT_EQ(run("of1", {"--shard", "1/2"}).exit_code, 0);
    hold(GetParam().then);
    ASSERT_EQ(run("of2", {"--shard", "2/2"}).exit_code, 0);
    const Outcome merged = run_program({"merge", out("of1"), out("of2"), "-o", out("merged")});
    EXPECT_EQ(merged.exit_code, 2);
    EXPECT_NE(merged.errors.find(GetParam().file + ": held two contents"), std::string::npos)
        << merged.errors;
    EXPECT_EQ(read_file(out("merged") + "/report.json"), "");
}

TEST(ChangedInputOfACheckpoint, IsNamedAndItsPointComputedFromTheBeginning)
{
    const TemporaryFolder folder;
    const std::string study = folder.write("s.json", small_study(folder, Json::parse(R"({
        "sweep": {"/machine/cores": [2]}, "workload": {"alx": {"dim": 32, "epochs": 400}}})"))
                                                         .dump());
    const std::string out = folder.path("out");
    while (read_file(out + "/.finished-points/0.checkpoint").empty()) {
        const pid_t child = start_program({"run", study, "-o", out, "--resume"});
        for (int i = 0; i < 3000 && read_file(out + "/.finished-points/0.checkpoint").empty();
             ++i) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        kill(child, SIGKILL);
        waitpid(child, nullptr, 0);
    }
    std::string links = read_file(folder.path("graph.txt"));
    std::swap(links[links.find('\n') - 1], links[links.find('\n', links.size() / 2) - 1]);
    ASSERT_NE(links, read_file(folder.path("graph.txt")));
    folder.write("graph.txt", links);
    const Outcome resumed = run_program({"run", study, "-o", out, "--resume"});
    EXPECT_EQ(resumed.exit_code, 0) << resumed.errors;
    EXPECT_NE(resumed.errors.find("this checkpoint is of other data"), std::string::npos)
        << resumed.errors;
    EXPECT_NE(resumed.errors.find("graph.txt held other bytes"), std::string::npos)
        << resumed.errors;
    ASSERT_EQ(run_program({"run", study, "-o", folder.path("anew")}).exit_code, 0);
    const auto points = [](const std::string& of) {
        return Json::parse(read_file(of + "/report.json")).at("points");
    };
    EXPECT_EQ(points(out), points(folder.path("anew")));
}

INSTANTIATE_TEST_SUITE_P(OfEachKind, ChangedInput, ::testing::ValuesIn(kinds()),
                         [](const auto& kind) { return kind.param.name; });

} // namespace
} // namespace alxsim::testing
