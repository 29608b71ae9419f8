// SPDX-License-Identifier: Apache-2.0
#include "base/input_error.h"
#include "tests/temporary_folder.h"
#include "tests/unit/offload/store/stores.h"
#include "workloads/offload/store/store_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace alxsim::offload {
namespace {

using testing::HasSubstr;

/// The last commit has the third of these in slot 1.
const std::vector<StoredTensor> tensors{{"weights", 1300}, {"momentum", 512}, {"seldom", 700}};

void flip(const std::string& path, std::uint64_t offset)
{
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(static_cast<std::streamoff>(offset));
    const char byte = static_cast<char>(file.get());
    file.seekp(static_cast<std::streamoff>(offset));
    file.put(static_cast<char>(byte ^ 0x10));
}

std::string problem_of(const std::string& path, const StoreLayout& layout, int tensor,
                       const StoreOptions& options = {})
{
    try {
        TensorStore store(path, layout, options);
        read_tensor(store, tensor);
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

/// Steps 0 and 1; of step 1 no third tensor. With what step 2 had begun in the other slots.
void fill_store(const std::string& path, const StoreLayout& layout)
{
    create_store(path, layout);
    TensorStore store(path, layout, {});
    write_step(store, 0);
    store.commit(0);
    for (int tensor = 0; tensor < 2; ++tensor) {
        const AlignedBytes bytes = bytes_of(tensor, 1, layout.tensor(tensor).bytes);
        store.write(tensor, bytes.data(), bytes.size()).get();
    }
    store.commit(1);
    write_step(store, 2);
}

/// The step that the bytes of each tensor are of.
const std::vector<int> last_steps{1, 1, 0};

TEST(DamagedStore, GivesTheCommittedBytesOrSaysWhichBlockIsDamaged)
{
    const TemporaryFolder folder;
    const StoreLayout layout(tensors, 512);
    const std::string whole = folder.path("whole");
    const std::string path = folder.path("store");
    fill_store(whole, layout);
    int refused = 0;
    for (std::uint64_t offset = 0; offset < layout.file_bytes(); offset += 61) {
        std::filesystem::copy_file(whole, path, std::filesystem::copy_options::overwrite_existing);
        flip(path, offset);
        TensorStore store(path, layout, {}); // a copy of the header is whole
        EXPECT_EQ(store.step(), 1);
        for (int tensor = 0; tensor < layout.count(); ++tensor) {
            const std::uint64_t begin = layout.block_offset(tensor, tensor < 2 ? 0 : 1, 0);
            const bool in_tensor = offset >= begin && offset < begin + tensors[tensor].bytes;
            try {
                const AlignedBytes found = read_tensor(store, tensor);
                EXPECT_TRUE(equal(found, bytes_of(tensor, last_steps[tensor], found.size())));
                EXPECT_FALSE(in_tensor) << "byte " << offset;
            } catch (const InputError& error) {
                EXPECT_TRUE(in_tensor) << "byte " << offset << ": " << error.what();
                EXPECT_THAT(error.place(),
                            HasSubstr("block " + std::to_string((offset - begin) / 512)));
                ++refused;
            }
        }
    }
    EXPECT_GE(refused, 1300 / 61 + 512 / 61 + 700 / 61);
}

TEST(DamagedStore, SaysFileTensorBlockPlaceAndChecksums)
{
    const TemporaryFolder folder;
    const StoreLayout layout(tensors, 512);
    const std::string path = folder.path("store");
    fill_store(path, layout);
    const std::uint64_t offset = layout.block_offset(0, 0, 2);
    flip(path, offset + 5);
    const AlignedBytes bytes = bytes_of(0, 1, 1300);
    char expected[9];
    std::snprintf(expected, sizeof expected, "%08x", checksum_of(bytes.data() + 1024, 276));
    for (const Way& way : ways()) {
        const std::string problem = problem_of(path, layout, 0, options_of(way));
        EXPECT_THAT(problem, HasSubstr(path));
        EXPECT_THAT(problem,
                    HasSubstr("tensor 'weights', block 2 at byte " + std::to_string(offset)));
        EXPECT_THAT(problem, HasSubstr("as its checksum; allowed: " + std::string(expected)));
        EXPECT_EQ(problem_of(path, layout, 1, options_of(way)), "");
    }
}

TEST(DamagedStore, OfWhichBothHeadersAreDamagedIsRefused)
{
    const TemporaryFolder folder;
    const StoreLayout layout(tensors, 512);
    const std::string whole = folder.path("whole");
    const std::string path = folder.path("store");
    fill_store(whole, layout);
    for (std::size_t offset = 0; offset < layout.header_bytes(); ++offset) {
        std::filesystem::copy_file(whole, path, std::filesystem::copy_options::overwrite_existing);
        flip(path, layout.header_offset(0) + offset);
        flip(path, layout.header_offset(1) + offset);
        const std::string problem = problem_of(path, layout, 0);
        EXPECT_TRUE(problem.find("is damaged") != std::string::npos ||
                    problem.find("is no tensor store") != std::string::npos ||
                    problem.find("of version") != std::string::npos)
            << "byte " << offset << ": " << problem;
    }
    std::ofstream(path) << "{}\n";
    EXPECT_THAT(problem_of(path, layout, 0), HasSubstr("is no tensor store"));
    std::filesystem::copy_file(whole, path, std::filesystem::copy_options::overwrite_existing);
    std::filesystem::resize_file(path, layout.file_bytes() - 1);
    EXPECT_THAT(problem_of(path, layout, 0), HasSubstr("is damaged: found"));
}

TEST(TensorStore, OfAnotherLayoutIsRefusedWithWhatDiffers)
{
    const TemporaryFolder folder;
    const std::string path = folder.path("store");
    create_store(path, StoreLayout(tensors, 512));
    const auto problem = [&](std::vector<StoredTensor> wanted, std::size_t block_bytes) {
        return problem_of(path, StoreLayout(std::move(wanted), block_bytes), 0);
    };
    EXPECT_EQ(problem(tensors, 512), "");
    EXPECT_THAT(problem(tensors, 1024), HasSubstr("found 512 bytes a block; allowed: 1024"));
    EXPECT_THAT(problem({tensors[0]}, 512), HasSubstr("found 3 tensors; allowed: 1"));
    EXPECT_THAT(problem({tensors[0], tensors[2], tensors[1]}, 512),
                HasSubstr("found 'momentum' as the name of tensor 1; allowed: 'seldom'"));
    EXPECT_THAT(problem({tensors[0], {"momentum", 513}, tensors[2]}, 512),
                HasSubstr("found 512 bytes of tensor 'momentum'; allowed: 513"));
}

} // namespace
} // namespace alxsim::offload
