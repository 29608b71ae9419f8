// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/import/hlo_texts.h"
#include "workloads/import/hlo/accounts.h"

#include <gtest/gtest.h>

namespace alxsim::hlo {
namespace {

Accounts accounts_in(const std::string& text, const AccountOptions& options = {})
{
    return accounts_of(read_hlo_text(text, "a.hlo"), options);
}

TEST(Accounts, CountBodiesOfLoopsOnceAndWithTrips)
{
    const Accounts accounts = accounts_in(small_program);
    constexpr std::int64_t product = 2 * 8 * 128 * 128;
    EXPECT_EQ(accounts.once.matmul_flops, product);
    EXPECT_EQ(accounts.total.matmul_flops, 3 * product);
    // Two conversions outside; the counter's add and compare inside.
    EXPECT_EQ(accounts.once.flops, product + 2 + 2 * 8 * 128);
    EXPECT_EQ(accounts.total.flops, 3 * (product + 2) + 2 * 8 * 128);
    EXPECT_EQ(accounts.once.transcendentals, 8 * 128);
    EXPECT_EQ(accounts.total.transcendentals, 3 * 8 * 128);
}

TEST(Accounts, CountWhatCollectivesMove)
{
    const Accounts accounts = accounts_in(small_program);
    using Counts = std::map<std::string, std::int64_t>;
    EXPECT_EQ(accounts.collectives.bytes,
              (Counts{{"all_gather", 64 * 128 * 2}, {"permute", 3 * 8 * 128 * 2}}));
    EXPECT_EQ(accounts.collectives.calls, (Counts{{"all_gather", 1}, {"permute", 3}}));
    EXPECT_TRUE(accounts.dcn.bytes.empty());
}

TEST(Accounts, GiveEveryInstructionThatRunsOneFate)
{
    const Accounts accounts = accounts_in(small_program);
    EXPECT_EQ(accounts.instructions, 12 + 9 + 4); // none of the fused
    EXPECT_EQ(accounts.instructions, accounts.mapped + accounts.free);
    EXPECT_EQ(accounts.mapped, 5 + 3 + 1);
    EXPECT_TRUE(accounts.problems.empty());
    EXPECT_NO_THROW(require_no_problems(accounts, "a.hlo"));
}

TEST(Accounts, ListAllThatIsUnknownInOneRefusal)
{
    const std::string text = module_of(
        "  %p = f32[8,8] parameter(0)\n  %q = f32[8,8] custom-call(%p), custom_call_target=\"QR\"\n"
        "  %r = f32[8,8] custom-call(%q), custom_call_target=\"QR\"\n"
        "  %b = f32[8,8] cholesky(%r), lower=true\n"
        "  ROOT %k = f32[8,8] custom-call(%b), custom_call_target=\"tpu_custom_call\", "
        "metadata={op_name=\"jit(step)/mine\"}\n");
    const Accounts accounts = accounts_in(text);
    ASSERT_EQ(accounts.unmapped.size(), 3U);
    EXPECT_EQ(accounts.unmapped[0].name, "QR");
    EXPECT_EQ(accounts.unmapped[0].count, 2);
    try {
        require_no_problems(accounts, "a.hlo");
        FAIL();
    } catch (const InputError& error) {
        const std::string message = error.what();
        for (const char* part : {"QR (2 times)", "cholesky (1 time)",
                                 "a kernel without cost_estimate, jit(step)/mine", "--assume"}) {
            EXPECT_NE(message.find(part), std::string::npos) << message;
        }
    }
}

TEST(Accounts, TakeWhatIsAssumedAsMapped)
{
    const std::string text = module_of(
        "  %p = f32[8,8] parameter(0)\n  %q = f32[8,8] custom-call(%p), custom_call_target=\"QR\"\n"
        "  ROOT %k = f32[8,8] custom-call(%q), custom_call_target=\"tpu_custom_call\", "
        "metadata={op_name=\"jit(step)/mine\"}\n");
    const Accounts accounts = accounts_in(text, {{}, {}, {"QR", "step)/mine"}});
    EXPECT_TRUE(accounts.problems.empty());
    EXPECT_EQ(accounts.assumed, (std::vector<std::string>{"QR", "step)/mine"}));
    EXPECT_THROW(accounts_in(text, {{}, {}, {"LU"}}), InputError);
}

TEST(Accounts, PriceKernelsByWhatTheirAuthorsSay)
{
    const Accounts accounts = accounts_in(module_of(
        "  %p = f32[8,8] parameter(0)\n  ROOT %k = f32[8,8] custom-call(%p), "
        "custom_call_target=\"tpu_custom_call\", backend_config={\"custom_call_config\":{\"body\":"
        "\"VHJ1\",\"cost_estimate\":{\"flops\":\"1000\",\"transcendentals\":\"20\","
        "\"bytes_accessed\":\"512\",\"remote_bytes_transferred\":\"7\"}}}\n"));
    EXPECT_EQ(accounts.once.flops, 1000);
    EXPECT_EQ(accounts.once.transcendentals, 20);
    ASSERT_EQ(accounts.kernels.size(), 1U);
    ASSERT_TRUE(accounts.kernels[0].cost);
    EXPECT_EQ(accounts.kernels[0].cost->bytes_accessed, 512);
    EXPECT_EQ(accounts.kernels[0].cost->remote_bytes, 7);
}

const std::string branching = module_of(
    "  %which = s32[] parameter(0)\n  %x = f32[64] parameter(1)\n"
    "  ROOT %if = f32[64] conditional(%which, %x, %x), branch_computations={%cheap, %dear}\n",
    "%cheap {\n  ROOT %p = f32[64] parameter(0)\n}\n\n"
    "%dear {\n  %p = f32[64] parameter(0)\n  ROOT %s = f32[64] add(%p, %p)\n}\n\n");

TEST(Accounts, TakeTheDearestBranchAndSaySo)
{
    const Accounts accounts = accounts_in(branching);
    EXPECT_EQ(accounts.total.flops, 64);
    ASSERT_EQ(accounts.branches.size(), 1U);
    EXPECT_EQ(accounts.branches[0].branch, 1);
    EXPECT_EQ(accounts.branches[0].branches, 2);
    EXPECT_FALSE(accounts.branches[0].given);
}

TEST(Accounts, TakeTheBranchThatIsGiven)
{
    const Accounts accounts = accounts_in(branching, {{}, {{"%if", 0}}, {}});
    EXPECT_EQ(accounts.total.flops, 0);
    EXPECT_EQ(accounts.once.flops, 64); // XLA's figure
    EXPECT_TRUE(accounts.branches[0].given);
    EXPECT_THROW(accounts_in(branching, {{}, {{"if", 2}}, {}}), InputError);
    EXPECT_THROW(accounts_in(branching, {{}, {{"of", 0}}, {}}), InputError);
}

TEST(Collectives, ThatSliceWhatTheyReduceAreReduceScatters)
{
    const Accounts accounts = accounts_in(module_of(
        "  %x = f32[64] parameter(0)\n  ROOT %f = f32[8] fusion(%x), kind=kCustom, calls=%ars\n",
        add_computation +
            "%ars {\n  %p = f32[64] parameter(0)\n  %r = f32[64] all-reduce(%p), "
            "replica_groups={}, to_apply=%add\n  %i = u32[] partition-id()\n"
            "  ROOT %d = f32[8] dynamic-slice(%r, %i), dynamic_slice_sizes={8}\n}\n\n"));
    EXPECT_EQ(accounts.collectives.bytes.at("reduce_scatter"), 256);
    EXPECT_EQ(accounts.collectives.bytes.size(), 1U);
}

/// The gather inside is shown by the fusion that begins it, by one that carries it on, and by the
/// one that ends it.
TEST(Collectives, ThatAreAsynchronousFusionsCountWhereTheyBegin)
{
    const auto fused = [](const std::string& name, const std::string& target) {
        return "%" + name + " {\n  %p = f32[8] parameter(0)\n  %g = f32[64] all-gather(%p), " +
               "replica_groups={}, dimensions={0}\n  ROOT %c = f32[8] custom-call(%g), " +
               "custom_call_target=\"" + target + "\"\n}\n\n";
    };
    const Accounts accounts = accounts_in(module_of(
        "  %x = f32[8] parameter(0)\n  %a = f32[8] fusion(%x), kind=kCustom, calls=%first\n"
        "  %b = f32[8] fusion(%a), kind=kOutput, calls=%async_collective_fusion\n"
        "  ROOT %c = f32[8] fusion(%b), kind=kCustom, calls=%last\n",
        fused("first", "AsyncCollectiveStart") + fused("async_collective_fusion", "Sharding") +
            fused("last", "AsyncCollectiveDone")));
    EXPECT_EQ(accounts.collectives.calls.at("all_gather"), 1);
    EXPECT_EQ(accounts.collectives.bytes.at("all_gather"), 256);
}

TEST(Collectives, InAFusionThatIsNotAsynchronousCountAsTheyAre)
{
    const Accounts accounts = accounts_in(module_of(
        "  %x = f32[64] parameter(0)\n  ROOT %f = f32[64] fusion(%x), kind=kCustom, calls=%ar\n",
        add_computation + "%ar {\n  %p = f32[64] parameter(0)\n  ROOT %r = f32[64] all-reduce(%p), "
                          "replica_groups={}, to_apply=%add\n}\n\n"));
    EXPECT_EQ(accounts.collectives.bytes.at("all_reduce"), 256);
}

TEST(Collectives, BegunAndEndedApartCountOnce)
{
    const Accounts accounts = accounts_in(
        module_of("  %x = f32[8] parameter(0)\n  %s = (f32[8], f32[64]) all-gather-start(%x), "
                  "replica_groups={}, dimensions={0}\n  ROOT %d = f32[64] all-gather-done(%s)\n"));
    EXPECT_EQ(accounts.collectives.bytes.at("all_gather"), 256);
    EXPECT_EQ(accounts.mapped, 1);
}

std::string transfer(const std::string& name, const std::string& what, const std::string& type)
{
    return "  %" + name + " = " + what +
           ", is_host_transfer=true, frontend_attributes={_xla_host_transfer_rendezvous=\"r\"" +
           (type.empty() ? "" : ",_xla_megascale_transfer_type=\"" + type + "\"") + "}\n";
}

TEST(Collectives, BetweenSlicesCountApart)
{
    const auto counted = [](const std::string& type) {
        return accounts_in(module_of(
            "  %x = f32[8] parameter(0)\n  %t = token[] after-all()\n" +
            transfer("s", "(f32[8], u32[], token[]) send(%x, %t)", type) +
            transfer("r", "(f32[16], u32[], token[]) recv(%t)", type) +
            "  %d = token[] send-done(%s)\n  ROOT %e = (f32[16], token[]) recv-done(%r)\n"));
    };
    EXPECT_EQ(counted("ALL_REDUCE").dcn.bytes.at("all_reduce"), 32);
    EXPECT_EQ(counted("ALL_GATHER").dcn.bytes.at("all_gather"), 64);
    EXPECT_EQ(counted("ONE_TO_ONE").dcn.calls.at("permute"), 1);
    EXPECT_TRUE(counted("ALL_REDUCE").collectives.bytes.empty());
    EXPECT_THROW(counted("SOME_TO_SOME"), InputError);
    const Accounts callback = counted("");
    EXPECT_EQ(callback.host.to_host_bytes, 32);
    EXPECT_EQ(callback.host.from_host_bytes, 64);
}

TEST(Collectives, ToAndFromTheHostAreCopies)
{
    const Accounts accounts =
        accounts_in(module_of("  %x = f32[8]{0:S(5)} parameter(0)\n"
                              "  %s = (f32[8]{0}, f32[8]{0:S(5)}, u32[]) copy-start(%x)\n"
                              "  %d = f32[8]{0} copy-done(%s)\n"
                              "  ROOT %v = f32[8]{0:S(1)} copy(%d)\n"));
    EXPECT_EQ(accounts.host.from_host_bytes, 32);
    EXPECT_EQ(accounts.host.to_host_bytes, 0);
    EXPECT_EQ(accounts.host.copies, 1);
}

TEST(Accounts, AreWholeNumbersInJson)
{
    const Json json = to_json(accounts_in(small_program));
    EXPECT_EQ(json.at("flops_once"), 2 * 8 * 128 * 128 + 2 + 2 * 8 * 128);
    EXPECT_EQ(json.at("collective_bytes").at("permute"), 6144);
    EXPECT_EQ(json.at("memory").at("arguments_bytes"), 8 * 128 * 4 + 128 * 128 * 2);
    EXPECT_EQ(json.at("trip_counts").at(0).at("count"), 3);
    EXPECT_TRUE(json.at("unmapped").is_array());
}

} // namespace
} // namespace alxsim::hlo
