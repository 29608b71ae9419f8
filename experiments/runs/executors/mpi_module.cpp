// SPDX-License-Identifier: Apache-2.0
#include "base/input_error.h"
#include "experiments/runs/executors/ranks.h"

#include <dlfcn.h>
#include <filesystem>

namespace alxsim::experiments {
namespace {

/// Beside the program as it is built, or where it is installed.
void* open_module()
{
    const std::filesystem::path program =
        std::filesystem::read_symlink("/proc/self/exe").parent_path();
    for (const char* const place : {"alxsim_mpi.so", ALXSIM_MPI_MODULE_FROM_PROGRAM}) {
        const std::string path = (program / place).string();
        // Global: parts of Open MPI that it loads by itself look for its symbols there.
        if (void* const module = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL)) {
            return module;
        }
    }
    return nullptr;
}

} // namespace

std::unique_ptr<Ranks> open_mpi_ranks()
{
    void* const module = open_module();
    if (module == nullptr) {
        const char* const why = dlerror();
        throw InputError("--mpi", "",
                         "found no MPI (" + std::string(why == nullptr ? "" : why) +
                             "); allowed: a program built where Open MPI is (Debian's "
                             "libopenmpi-dev), or --shard I/N on any hosts");
    }
    using Open = Ranks*();
    const auto open = reinterpret_cast<Open*>(dlsym(module, "alxsim_open_mpi_ranks"));
    return std::unique_ptr<Ranks>(open());
}

} // namespace alxsim::experiments
