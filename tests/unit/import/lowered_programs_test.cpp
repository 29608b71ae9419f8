// SPDX-License-Identifier: Apache-2.0
// Compiled programs of all kinds as op graphs: data of their own licence, looked for beside the
// checkout.
#include "model/graph/check.h"
#include "model/graph/memory.h"
#include "tests/unit/import/hlo_texts.h"
#include "workloads/import/hlo/lowering/lowering.h"
#include "workloads/import/hlo/lowering/op_times.h"
#include "workloads/import/hlo/lowering/placement.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <set>

namespace alxsim::hlo {
namespace {

namespace fs = std::filesystem;

const std::string corpus_folder = std::string(ALXSIM_SHARED_DIR) + "/data/programs/tpu/";
const std::string jobs_folder = std::string(ALXSIM_SHARED_DIR) + "/data/programs/jobs/";

/// NAME__CHIP-SLICE: the slice where no NAME.json says it, as a mesh.
Sidecar sidecar_of_name(const std::string& name)
{
    const std::size_t chip =
        name.find("__") == std::string::npos ? name.find("_v") + 1 : name.find("__") + 2;
    std::string words = name.substr(chip);
    std::replace(words.begin(), words.end(), '_', '-');
    Sidecar sidecar;
    sidecar.chip =
        words.substr(0, 2) + (words[2] == 'e' || words[2] == 'p' ? words.substr(2, 1) : "");
    std::string shape = words.substr(words.find('-') + 1);
    shape = shape.substr(0, shape.find('-'));
    for (std::size_t begin = 0; begin < shape.size();) {
        const std::size_t end = std::min(shape.find('x', begin), shape.size());
        sidecar.chips.push_back(std::stoll(shape.substr(begin, end - begin)));
        begin = end + 1;
    }
    return sidecar;
}

struct LoweredProgram {
    Sidecar sidecar;
    topologies::Machine machine;
    Lowered lowered;
};

/// `options` are put into what lowers.
LoweredProgram lowered_file(const fs::path& path, const LoweringOptions& options = {})
{
    const std::string beside = sidecar_path(path.string());
    const std::string name = fs::path(beside).stem().string();
    const bool placed = fs::exists(beside);
    const Sidecar sidecar = placed ? read_sidecar(beside) : sidecar_of_name(name);
    const topologies::Machine machine = machine_of(sidecar, beside);
    return {sidecar, machine,
            lowered(read_hlo_file(path.string()), placed ? &sidecar : nullptr, machine, options)};
}

/// No step is shorter than its products at the arrays' full rate.
void expect_physical(const std::string& name, const LoweredProgram& program)
{
    model::check(*program.lowered.graph, program.machine);
    const ProgramTimes times = times_of(program.lowered, program.machine);
    EXPECT_GT(times.step_seconds, 0) << name;
    EXPECT_GE(times.step_seconds, 0.999 * times.products_at_peak_seconds) << name;
    const auto counted = static_cast<double>(program.lowered.accounts.total.matmul_flops);
    EXPECT_GE(times.product_flops, 0.999 * counted) << name; // windows' padding is multiplied, too
    const model::MemoryFit fit =
        model::memory_fit({{{program.lowered.graph, {}}, 1}}, program.machine);
    EXPECT_EQ(fit.needed.count(), program.lowered.accounts.memory.peak_bytes) << name;
    std::cout << name << ": " << times.step_seconds << " s, products at full rate "
              << times.products_at_peak_seconds << " s\n";
}

/// What a user would give: loops turn ten times, what nobody knows takes a millisecond.
LoweringOptions given_for(const Accounts& accounts)
{
    LoweringOptions options;
    for (const TripCount& trip : accounts.trip_counts) {
        if (!trip.count) {
            options.trips[trip.loop] = 10;
        }
    }
    for (const Unmapped& one : accounts.unmapped) {
        options.assumed[one.name] = Assumption::of_seconds(1e-3);
    }
    return options;
}

/// Refused with all reasons; with what they ask for it lowers. Returns whether it was refused.
bool lowers_or_says_why(const std::string& name, const fs::path& path)
{
    try {
        expect_physical(name, lowered_file(path));
        return false;
    } catch (const InputError& error) {
        const Accounts accounts = accounts_of(read_hlo_file(path.string()));
        for (const std::string& problem : accounts.problems) {
            EXPECT_NE(std::string(error.what()).find(problem), std::string::npos)
                << name << ": " << error.what();
        }
        if (name.find("v4cores") != std::string::npos) { // each core is a device: no v4 of ours
            EXPECT_THROW(lowered_file(path, given_for(accounts)), InputError) << name;
        } else {
            expect_physical(name, lowered_file(path, given_for(accounts)));
        }
        return true;
    }
}

/// Names of the programs in a folder that ask for more.
std::set<std::string> refused_in(const std::string& folder)
{
    std::set<std::string> refused;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
        const std::string file = entry.path().filename().string();
        const std::size_t end = file.find(".hlo.txt.gz");
        if (end != std::string::npos && lowers_or_says_why(file.substr(0, end), entry.path())) {
            refused.insert(file.substr(0, end));
        }
    }
    for (const std::string& name : refused) {
        std::cout << "refused until more is given: " << name << "\n";
    }
    return refused;
}

/// Training steps of up to 128B parameters on up to 256 chips; attention kernels have no estimate.
TEST(LoweredPrograms, PublishedJobsLowerWhenTheirKernelsAreGiven)
{
    if (!fs::exists(jobs_folder)) {
        GTEST_SKIP() << "no " << jobs_folder;
    }
    EXPECT_GE(refused_in(jobs_folder).size(), 1U);
}

TEST(LoweredPrograms, AllLowerOrAreRefusedWithTheirReasons)
{
    if (!fs::exists(corpus_folder)) {
        GTEST_SKIP() << "no " << corpus_folder;
    }
    const std::set<std::string> refused = refused_in(corpus_folder);
    for (const char* const name :
         {"cholesky_qr__v5e-2x2", "dynamic_loops__v5e-2x2", "moe_ragged_all_to_all__v5e-2x4",
          "splash_attention__v5p-2x2x1"}) {
        EXPECT_EQ(refused.count(name), 1U) << name;
    }
}

} // namespace
} // namespace alxsim::hlo
