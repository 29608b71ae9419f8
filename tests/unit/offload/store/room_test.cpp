// SPDX-License-Identifier: Apache-2.0
#include "base/input_error.h"
#include "tests/temporary_folder.h"
#include "tests/unit/offload/store/file_limit.h"
#include "tests/unit/offload/store/stores.h"
#include "workloads/offload/store/store_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace alxsim::offload {
namespace {

using testing::HasSubstr;

std::string problem_of(const std::function<void()>& call)
{
    try {
        call();
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

TEST(FullDisk, IsMetWhenTheFileIsMadeAndLeavesNothing)
{
    const TemporaryFolder folder;
    const std::string path = folder.path("store");
    const std::uint64_t more_than_any_disk = std::uint64_t{1} << 46;
    const StoreLayout large({{"w", more_than_any_disk}}, std::size_t{1} << 30);
    const std::string full = problem_of([&] { create_store(path, large); });
    EXPECT_THAT(full, HasSubstr(path));
    EXPECT_THAT(full,
                HasSubstr("found no room for " + std::to_string(large.file_bytes()) +
                          " bytes of the tensor store (No space left on device); available: "));
    const StoreLayout small({{"w", 100000}}, 4096);
    const FileLimit limit(50000);
    EXPECT_THAT(problem_of([&] { create_store(path, small); }),
                HasSubstr("found no room for " + std::to_string(small.file_bytes()) +
                          " bytes of the tensor store (File too large); available: 50000 bytes"));
    EXPECT_EQ(folder.names(), std::vector<std::string>());
}

/// What the file would give to who opens it now, after a kill.
int step_after_a_kill(const TemporaryFolder& folder, const StoreLayout& layout)
{
    const std::string copy = folder.path("copy");
    std::filesystem::copy_file(folder.path("store"), copy,
                               std::filesystem::copy_options::overwrite_existing);
    TensorStore store(copy, layout, {});
    const int step = static_cast<int>(store.step().value_or(-1));
    EXPECT_EQ(first_not_of_step(store, step), -1);
    return step;
}

TEST(FullDisk, FailsAWriteAndItsCommitAndLosesNothing)
{
    const TemporaryFolder folder;
    const StoreLayout layout({{"first", 20000}, {"second", 20000}}, 4096);
    for (const Way& way : ways()) {
        SCOPED_TRACE(testing::Message() << way);
        const std::string path = folder.path("store");
        create_store(path, layout);
        TensorStore store(path, layout, options_of(way));
        write_step(store, 0);
        store.commit(0);
        const AlignedBytes bytes = bytes_of(1, 1, 20000);
        {
            const FileLimit limit(layout.block_offset(1, 0, 2));
            const std::string problem =
                problem_of([&] { store.write(1, bytes.data(), bytes.size()).get(); });
            EXPECT_THAT(problem, HasSubstr(path));
            EXPECT_THAT(problem, HasSubstr("tensor 'second', block 2 at byte"));
            EXPECT_THAT(problem, HasSubstr("found no room for 4096 bytes"));
            EXPECT_THAT(problem, HasSubstr("available: "));
            EXPECT_EQ(problem_of([&] { store.commit(1); }), problem);
            EXPECT_EQ(problem_of([&] { read_tensor(store, 1); }), problem);
        }
        EXPECT_EQ(store.step(), 0);
        EXPECT_EQ(step_after_a_kill(folder, layout), 0);
        write_step(store, 2); // there is room again
        store.commit(2);
        EXPECT_EQ(step_after_a_kill(folder, layout), 2);
        std::filesystem::remove(path);
    }
}

TEST(FullDisk, FailsACommitAndAllThatFollowAndLosesNothing)
{
    const TemporaryFolder folder;
    const StoreLayout layout({{"first", 20000}, {"second", 20000}}, 4096);
    const std::string path = folder.path("store");
    for (const int header : {0, 1}) {
        create_store(path, layout);
        TensorStore store(path, layout, {});
        write_step(store, 0);
        store.commit(0);
        write_step(store, 1);
        std::string problem;
        {
            const FileLimit limit(layout.header_offset(header));
            problem = problem_of([&] { store.commit(1); });
            EXPECT_THAT(problem, HasSubstr("header " + std::to_string(header)));
            EXPECT_THAT(problem, HasSubstr("found no room for"));
        }
        // Which of the two is on the disk is not known here, so neither may be overwritten.
        EXPECT_EQ(problem_of([&] { store.commit(2); }), problem);
        EXPECT_EQ(problem_of([&] { write_step(store, 2); }), problem);
        EXPECT_EQ(step_after_a_kill(folder, layout), header);
        std::filesystem::remove(path);
    }
}

} // namespace
} // namespace alxsim::offload
