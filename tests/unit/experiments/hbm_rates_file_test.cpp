// SPDX-License-Identifier: Apache-2.0
#include "experiments/runs/files/hbm_rates_file.h"

#include "base/json_document.h"
#include "experiments/runs/files/scratch_folder.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace alxsim::experiments {
namespace {

model::HbmRateShares some_rates()
{
    model::HbmRateShares shares;
    model::HbmRateKey key{};
    for (const double share : {1.0 / 3, 0.9322580645161291, 5e-324}) {
        ++key[7];
        shares.emplace(key, share);
    }
    return shares;
}

std::string text_in(const std::string& path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

TEST(HbmRatesFile, HasTheSameBitsAgain)
{
    const TemporaryFolder folder;
    write_hbm_rates(folder.path("rates"), some_rates());
    EXPECT_EQ(read_hbm_rates(folder.path("rates")), some_rates());
}

TEST(HbmRatesFile, IsAsGoodAsNoneWhereAByteIsMissingOrAnother)
{
    const TemporaryFolder folder;
    write_hbm_rates(folder.path("rates"), some_rates());
    const std::string whole = text_in(folder.path("rates"));
    for (std::size_t at = 0; at < whole.size(); ++at) {
        EXPECT_TRUE(read_hbm_rates(folder.write("rates", whole.substr(0, at))).empty()) << at;
        std::string damaged = whole;
        damaged[at] = static_cast<char>(damaged[at] ^ 1);
        EXPECT_TRUE(read_hbm_rates(folder.write("rates", damaged)).empty()) << at;
    }
    EXPECT_TRUE(read_hbm_rates(folder.path("nowhere")).empty());
    EXPECT_TRUE(read_hbm_rates(folder.path()).empty()) << "a folder";
}

TEST(HbmRatesFile, TellsOthersWhatItsProcessKnewBefore)
{
    const TemporaryFolder folder;
    model::tell_hbm_rates(some_rates());
    HbmRatesFile(folder.path("rates")).save();
    EXPECT_EQ(read_hbm_rates(folder.path("rates")), model::known_hbm_rates());
}

TEST(ScratchFolder, IsThereForItsOwnerAndGoneAfterwards)
{
    std::string file;
    {
        const ScratchFolder folder;
        const ScratchFolder other;
        file = folder.file("rates");
        EXPECT_NE(file, other.file("rates"));
        write_hbm_rates(file, some_rates());
        EXPECT_EQ(read_hbm_rates(file), some_rates());
    }
    EXPECT_FALSE(std::filesystem::exists(std::filesystem::path(file).parent_path()));
}

TEST(HbmRatesFile, ThatCannotBeWrittenIsLetBe)
{
    const TemporaryFolder folder;
    HbmRatesFile file(folder.path("no folder/rates"));
    model::tell_hbm_rates(some_rates());
    EXPECT_NO_THROW(file.save());
}

} // namespace
} // namespace alxsim::experiments
