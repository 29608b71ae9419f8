// SPDX-License-Identifier: Apache-2.0
#include "program/serve/playground.h"
#include "tests/temporary_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>

namespace alxsim::program {
namespace {

using ::testing::HasSubstr;

constexpr const char* triangle = "0 1\n1 2\n2 0\n";

/// A study of a file with links, in a folder with files that it does not name.
class ServedFiles : public ::testing::Test {
protected:
    ServedFiles()
    {
        folder_.write("links.txt", triangle);
        folder_.write("secret.txt", triangle);
        folder_.write("secret", triangle);
        folder_.write("secret.json", "{}");
        std::filesystem::create_directory(folder_.path("folder"));
        const std::string file = folder_.path("study.json");
        playground_ = std::make_unique<Playground>(study_of(parse_json(R"({
                "study": "mine", "machine": {"chip": "tpu_v3", "cores": 1}, "numerics": false,
                "workload": {"dataset": {"file": "links.txt"}, "alx": {"dim": 8}}})",
                                                                       file),
                                                            file),
                                                   PlaygroundOptions{"", 1});
    }

    std::string refusal_of(const std::function<void()>& ask) const
    {
        try {
            ask();
        } catch (const InputError& error) {
            return error.what();
        }
        return "";
    }
    static Json with(const std::string& pointer, const Json& value)
    {
        return {{"set", {{pointer, value}}}};
    }

    TemporaryFolder folder_;
    std::unique_ptr<Playground> playground_;
};

constexpr const char* data = "/workload/dataset/file";

TEST_F(ServedFiles, ThoseThatTheStudyNamesAreRead)
{
    EXPECT_EQ(playground_->curve(Json::object()).at("points").size(), 1U);
    EXPECT_EQ(playground_->curve(with(data, "links.txt")).at("points").size(), 1U);
}

TEST_F(ServedFiles, OthersAreRefusedHoweverTheyAreWritten)
{
    for (const std::string& path :
         {std::string("secret.txt"), std::string("secret"), std::string("./secret.txt"),
          std::string("folder/../secret.txt"), std::string("folder/../links.txt"),
          std::string("/dev/zero"), std::string("/dev/stdin"), std::string("/proc/self/environ"),
          std::string("/etc/passwd"), std::string("../../etc/passwd"),
          std::string("no_such_file.txt"), folder_.path("secret.txt")}) {
        const Json request = with(data, path);
        for (const auto& ask : std::vector<std::function<void()>>{
                 [&] { playground_->curve(request); }, [&] { playground_->controls(request); },
                 [&] { playground_->confirm(request); }, [&] { playground_->save(request); }}) {
            EXPECT_THAT(refusal_of(ask), HasSubstr("itself does not name")) << path;
        }
    }
    EXPECT_EQ(playground_->confirmation().at("state"), "none");
}

TEST_F(ServedFiles, OthersAreRefusedWhereverAStudyNamesFiles)
{
    const std::vector<std::pair<std::string, Json>> places{
        {"/machine/chip", "secret.json"},
        {"/machine/chip", "./secret.json"},
        {"/machine/chip", "/dev/zero"},
        {"/machine/chip", ".json"},
        {"/workload/split", {{"test_file", "secret.txt"}}},
        {"/workload", {{"op_graph", "secret.json"}}},
        {"/workload", {{"op_graph", {{"steps", {{{"graph", "secret.json"}, {"times", 1}}}}}}}},
        {"/workload",
         {{"transformer", {{"preset", "gpt2-small"}, {"batch", 8}, {"text", "secret.txt"}}}}},
        {"/sweep/~1workload~1dataset~1file", {"links.txt", "secret.txt"}},
    };
    for (const auto& [pointer, value] : places) {
        const Json request = with(pointer, value);
        const Json curve = [&]() -> Json {
            try {
                return playground_->curve(request);
            } catch (const InputError& error) {
                return error.what();
            }
        }();
        EXPECT_THAT(curve.dump(), HasSubstr("itself does not name")) << pointer << " " << value;
    }
}

TEST_F(ServedFiles, WorldsThatTheStudyIsNotGivenAreRefused)
{
    Json request = with("/given", "secret.json");
    request["detail"] = "full";
    EXPECT_THAT(refusal_of([&] { playground_->curve(request); }),
                HasSubstr("itself does not name"));
}

TEST_F(ServedFiles, ARequestMakesNoSecondCurve)
{
    const Json several = Json::parse(R"([{"name": "a"}, {"name": "b"}])");
    EXPECT_THAT(refusal_of([&] { playground_->curve(with("/series", several)); }),
                HasSubstr("/series: is set by a request"));
}

TEST_F(ServedFiles, ASaveFollowsNoLink)
{
    namespace fs = std::filesystem;
    folder_.write("theirs.json", "theirs");
    fs::create_symlink(folder_.path("theirs.json"), folder_.path("link.json"));
    fs::create_symlink(folder_.path("nowhere.json"), folder_.path("dangling.json"));
    for (const char* name : {"link.json", "dangling.json", "theirs.json", "study.json/x.json"}) {
        EXPECT_NE(refusal_of([&] { playground_->save({{"file", name}}); }), "") << name;
    }
    EXPECT_FALSE(fs::exists(folder_.path("nowhere.json")));
    EXPECT_TRUE(fs::is_symlink(folder_.path("dangling.json")));
    playground_->save({{"file", "new.json"}});
    EXPECT_TRUE(fs::is_regular_file(folder_.path("new.json")));
}

} // namespace
} // namespace alxsim::program
