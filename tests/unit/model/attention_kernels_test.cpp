// SPDX-License-Identifier: Apache-2.0
#include "base/json_document.h"
#include "model/costs/matmul.h"
#include "model/costs/vector_unit.h"
#include "tests/unit/model/building.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

/// Attention as a chain of ops (products of half the square of scores, and a softmax between them)
/// held against the code of the kernels that people train with. The chain is what an op graph has;
/// how far it is off is what these records are there to say. No preset value is from them.
namespace alxsim::model {
namespace {

struct Kernel {
    std::int64_t sequence, head_size;

    std::int64_t seen() const { return sequence / 2; }
    Matmul scores() const { return {1, sequence, head_size, seen()}; }
    Matmul context() const { return {1, sequence, seen(), head_size}; }
    Vector softmax(double operations) const
    {
        Vector vector{sequence * seen(),     operations,       DType::bf16,
                      OperationClass::cheap, Reduction::lanes, seen()};
        vector.medium_per_element = 1;
        return vector;
    }
};

double chain_cycles(const Kernel& kernel, bool backward, const topologies::DeviceSpec& device)
{
    const auto scores = static_cast<double>(matmul_cycles(kernel.scores(), device).count());
    const auto context = static_cast<double>(matmul_cycles(kernel.context(), device).count());
    const auto vector = [&](double operations) {
        return static_cast<double>(vector_cycles(kernel.softmax(operations), device).count());
    };
    return backward ? 2 * scores + 3 * context + vector(6) + vector(9)
                    : scores + context + vector(6);
}

/// For the records of a chip, the kernel's cycles over the chain's, for each head size and pass.
TEST(AttentionKernels, TakeOneToThreeTimesWhatTheirChainOfOpsSays)
{
    const Json all = load_json(ALXSIM_SOURCE_DIR "/tests/oracle/xla/attention_kernels.json");
    std::vector<double> ratios;
    for (const Json& record : all.at("records")) {
        const std::string chip = record.at("chip");
        const bool of_one_core = chip != "tpu_v4" && chip != "tpu_v5p";
        if (record.at("kernel") != "splash_segments" || record.at("sequence") != 8192 ||
            !of_one_core || record.at("pass") == "dq") {
            continue;
        }
        double cycles = record.at("kernel_cycles_per_head");
        const bool backward = record.at("pass") == "dkv";
        for (const Json& other : all.at("records")) { // queries' gradients in a kernel of their own
            const bool same = other.at("chip") == chip && other.at("kernel") == "splash_segments" &&
                              other.at("sequence") == 8192 && other.at("pass") == "dq" &&
                              other.at("head_size") == record.at("head_size");
            cycles += backward && same ? other.at("kernel_cycles_per_head").get<double>() : 0;
        }
        const Kernel kernel{8192, record.at("head_size")};
        ratios.push_back(cycles / chain_cycles(kernel, backward, machine_of(chip, 1).device));
        std::printf("%-8s d = %3d %-8s kernel over chain %.2f\n", chip.c_str(),
                    record.at("head_size").get<int>(), backward ? "backward" : "forward",
                    ratios.back());
    }
    ASSERT_GE(ratios.size(), 12U);
    EXPECT_GT(*std::min_element(ratios.begin(), ratios.end()), 0.5);
    EXPECT_LT(*std::max_element(ratios.begin(), ratios.end()), 3.0);
}

} // namespace
} // namespace alxsim::model
