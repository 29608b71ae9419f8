// SPDX-License-Identifier: Apache-2.0
#include "base/input_error.h"
#include "base/numbers/random.h"
#include "tests/temporary_folder.h"
#include "tests/unit/offload/store/stores.h"
#include "workloads/offload/store/store_file.h"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace alxsim::offload {
namespace {

/// The last whole number in a pipe to which nobody writes any more; `otherwise` where there is
/// none.
std::int64_t last_number(int pipe, std::int64_t otherwise)
{
    std::int64_t number = otherwise;
    while (read(pipe, &number, sizeof number) == sizeof number) {
    }
    close(pipe);
    return number;
}

/// Takes steps in a process of its own from where the store is, kills it after some time, and
/// returns the last step whose commit had returned.
std::int64_t steps_until_killed(const std::string& path, const StoreLayout& layout, const Way& way,
                                std::int64_t step, std::chrono::microseconds time)
{
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
        TensorStore store(path, layout, options_of(way, 2, 3));
        for (std::int64_t next = step + 1;; ++next) {
            write_step(store, next);
            store.commit(next);
            if (write(ends[1], &next, sizeof next) != sizeof next) {
                _exit(EXIT_FAILURE);
            }
        }
    }
    close(ends[1]);
    std::this_thread::sleep_for(time);
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status)) << "it ended by itself";
    return last_number(ends[0], step);
}

TEST(KilledStore, OpensAtTheLastCommit)
{
    const char* const wanted = std::getenv("ALXSIM_KILLS");
    const int kills = wanted == nullptr ? 8 : std::atoi(wanted);
    const StoreLayout layout({{"weights", 100001}, {"momentum", 70000}, {"bias", 10}}, 4096);
    const TemporaryFolder folder;
    SplitMix64 random(3);
    for (const Way& way : ways()) {
        SCOPED_TRACE(testing::Message() << way);
        const std::string path = folder.path("store");
        create_store(path, layout);
        std::int64_t step = -1;
        for (int i = 0; i < kills; ++i) {
            const std::chrono::microseconds time(random.below(40000));
            const std::int64_t told = steps_until_killed(path, layout, way, step, time);
            TensorStore store(path, layout, options_of(way));
            step = store.step().value_or(-1);
            EXPECT_GE(step, told);
            EXPECT_LE(step, told + 1); // a kill between the commit and what it tells
            EXPECT_EQ(first_not_of_step(store, step), -1);
        }
        std::filesystem::remove(path);
    }
}

/// The file with `from` up to `kept` bytes replaced by those of `to`.
std::string partly(std::string from, const std::string& to, std::size_t begin, std::size_t size)
{
    return from.replace(begin, size, to, begin, size);
}

TEST(KilledStore, InTheMidstOfAHeaderOpensAtOneOfTheTwoCommits)
{
    const StoreLayout layout({{"weights", 1000}, {"momentum", 700}}, 512);
    const TemporaryFolder folder;
    const std::string path = folder.path("store");
    create_store(path, layout);
    std::string before;
    {
        TensorStore store(path, layout, {});
        write_step(store, 0);
        store.commit(0);
        write_step(store, 1);
        before = file_content(path);
        store.commit(1);
    }
    const std::string after = file_content(path);
    const std::size_t size = layout.header_bytes();
    int opened_before = 0;
    const auto check = [&](const std::string& content, std::int64_t least) {
        folder.write("store", content);
        TensorStore store(path, layout, {});
        const std::int64_t step = *store.step();
        EXPECT_GE(step, least);
        EXPECT_EQ(first_not_of_step(store, step), -1);
        opened_before += step == 0 ? 1 : 0;
        // Mended: a kill in the midst of any of the two now leaves the other.
        EXPECT_EQ(file_content(path).substr(layout.header_offset(0), size),
                  file_content(path).substr(layout.header_offset(1), size));
    };
    for (std::size_t kept = 0; kept <= size; kept += 3) {
        const std::string torn = partly(before, after, layout.header_offset(0), kept);
        check(torn, 0);
        const std::string first = partly(before, after, layout.header_offset(0), size);
        check(partly(first, after, layout.header_offset(1), kept), 1);
    }
    EXPECT_GT(opened_before, 10);
}

} // namespace
} // namespace alxsim::offload
