// SPDX-License-Identifier: Apache-2.0
#include "tests/temporary_folder.h"
#include "tests/unit/offload/store/stores.h"
#include "workloads/offload/store/store_file.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace alxsim::offload {
namespace {

/// As containers do; of this process, for good. False where the system has no such filters.
bool forbid_io_uring()
{
    sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_io_uring_setup, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const sock_fprog program{sizeof filter / sizeof filter[0], filter};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/// In a process of its own: 0, or the number of the first check that does not hold.
int first_that_fails(const std::vector<std::function<bool()>>& checks)
{
    const pid_t child = fork();
    if (child == 0) {
        int number = 0;
        for (const auto& holds : checks) {
            ++number;
            if (!holds()) {
                _exit(number);
            }
        }
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(TensorStore, GoesOnThreadsWhereIoUringIsForbidden)
{
    if (ways().size() < 4) {
        GTEST_SKIP() << "there is no io_uring to forbid";
    }
    const TemporaryFolder folder;
    const std::string path = folder.path("store");
    const StoreLayout layout({{"w", 20000}}, 4096);
    create_store(path, layout);
    const int failed = first_that_fails({
        [] { return forbid_io_uring(); },
        [&] {
            TensorStore store(path, layout, {});
            write_step(store, 0);
            store.commit(0);
            return store.io_engine() == IoEngine::threads &&
                   store.why_not_io_uring() ==
                       "the system refuses io_uring: Operation not permitted";
        },
        [&] { // where it is asked for, that is said
            try {
                const TensorStore store(path, layout,
                                        options_of({IoPath::user, IoEngine::io_uring}));
            } catch (const std::runtime_error& error) {
                return std::string(error.what()).find("not permitted") != std::string::npos;
            }
            return false;
        },
    });
    if (failed == 1) {
        GTEST_SKIP() << "this system has no filters of system calls";
    }
    EXPECT_EQ(failed, 0);
    TensorStore store(path, layout, options_of({IoPath::user, IoEngine::io_uring}));
    EXPECT_EQ(first_not_of_step(store, 0), -1);
}

} // namespace
} // namespace alxsim::offload
