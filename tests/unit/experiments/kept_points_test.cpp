// SPDX-License-Identifier: Apache-2.0
#include "experiments/runs/kept/kept_points.h"

#include "base/input_error.h"
#include "experiments/runs/files/folder_lock.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace alxsim::experiments {
namespace {

/// A job with numbers, split and band; `alx`: more of its fields.
PointSpec point_with(const Json& alx)
{
    Json study = Json::parse(R"({"study": "kept", "machine": {"chip": "tpu_v3", "cores": 4},
        "workload": {"dataset": {"generate": {"rows": 300, "columns": 200, "links": 3000,
                                              "locality": 0.4}},
                     "split": {},
                     "alx": {"dim": 8, "epochs": 1, "batch": {"lines": 64, "line_length": 8}}}})");
    study["workload"]["alx"].update(alx);
    return {"kept", {}, point_study(study, "s.json")};
}

std::string bytes_of(const std::string& file)
{
    std::ostringstream bytes;
    bytes << std::ifstream(file, std::ios::binary).rdbuf();
    return bytes.str();
}

TEST(KeptPoints, AreFoundAgainWithoutLosingAField)
{
    const TemporaryFolder folder;
    KeptPoints kept(folder.path("kept"));
    const PointSpec point = point_with(Json::object());
    const PointResult result = run_point(point.study, {});
    kept.keep(0, point, json_of(result).dump());
    kept.sync();
    const std::optional<PointResult> found = kept.find(0, point).result;
    ASSERT_TRUE(found);
    EXPECT_EQ(json_of(*found).dump(), json_of(result).dump());
    EXPECT_EQ(found->point.result->drawn->phases.size(), result.point.result->epoch.phases.size())
        << "verdicts need the draws of each phase";
    kept.discard();
}

TEST(KeptPoints, AreThoseOfAStudyThatSpellsADefaultOut)
{
    const TemporaryFolder folder;
    KeptPoints kept(folder.path("kept"));
    const PointSpec point = point_with(Json::object());
    kept.keep(0, point, json_of(PointResult{}).dump());
    EXPECT_TRUE(kept.find(0, point_with({{"gather", "all_reduce_loop"}, {"alpha", 0.01}})).result);
    const KeptPoints::Found other = kept.find(0, point_with({{"gather", "all_reduce"}}));
    EXPECT_FALSE(other.result);
    EXPECT_FALSE(other.damaged);
    kept.discard();
}

TEST(KeptPoints, ThatAreDamagedAreToldFromThoseThatAreNotThere)
{
    const TemporaryFolder folder;
    KeptPoints kept(folder.path("kept"));
    const PointSpec point = point_with(Json::object());
    EXPECT_FALSE(kept.find(0, point).damaged);
    kept.keep(0, point, json_of(run_point(point.study, {})).dump());
    const std::string bytes = bytes_of(folder.path("kept/points"));
    const std::size_t text = bytes.find('{');
    std::string flipped = bytes;
    flipped[bytes.size() / 2] = static_cast<char>(flipped[bytes.size() / 2] ^ 1);
    for (const std::string& damaged : {bytes.substr(0, text), bytes.substr(0, bytes.size() / 2),
                                       bytes.substr(0, bytes.size() - 2), flipped, "1" + bytes,
                                       bytes.substr(0, bytes.size() - 1) + " \n"}) {
        folder.write("kept/points", damaged);
        const KeptPoints::Found found = KeptPoints(folder.path("kept")).find(0, point);
        EXPECT_TRUE(found.damaged) << damaged.size();
        EXPECT_FALSE(found.result) << damaged.size();
    }
    folder.write("kept/points", bytes);
    EXPECT_TRUE(KeptPoints(folder.path("kept")).find(0, point).result);
}

TEST(KeptPoints, AreTheLastWholeOnesBehindLinesThatATornOneEnds)
{
    const TemporaryFolder folder;
    const PointSpec point = point_with(Json::object());
    const auto took = [](double seconds) {
        PointResult result;
        result.host = report::HostUse{};
        result.host->cpu_seconds = seconds;
        return json_of(result).dump();
    };
    KeptPoints(folder.path("kept")).keep(0, point, took(1));
    KeptPoints(folder.path("kept")).keep(0, point, took(2));
    const std::string both = bytes_of(folder.path("kept/points"));
    folder.write("kept/points", both.substr(0, both.size() - 9));
    KeptPoints(folder.path("kept")).keep(1, point, took(3));
    const KeptPoints kept(folder.path("kept"));
    ASSERT_TRUE(kept.find(0, point).result);
    EXPECT_EQ(kept.find(0, point).result->host->cpu_seconds, 1);
    ASSERT_TRUE(kept.find(1, point).result) << "it began behind the torn one";
    EXPECT_EQ(kept.find(1, point).result->host->cpu_seconds, 3);
}

TEST(FolderLock, KeepsOthersOutUntilItGoes)
{
    const TemporaryFolder folder;
    {
        const FolderLock lock(folder.path(), "--output");
        try {
            const FolderLock second(folder.path(), "--output");
            FAIL() << "two have it";
        } catch (const InputError& error) {
            EXPECT_NE(std::string(error.what()).find("another run"), std::string::npos)
                << error.what();
        }
    }
    EXPECT_NO_THROW(FolderLock(folder.path(), "--output"));
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

} // namespace
} // namespace alxsim::experiments
