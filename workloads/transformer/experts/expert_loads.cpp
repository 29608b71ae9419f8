// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/experts/expert_loads.h"

#include "base/numbers/random.h"
#include "workloads/transformer/experts/expert_math.h"

#include <numeric>
#include <stdexcept>

namespace alxsim::transformer {
namespace {

constexpr std::int64_t byte_values = 256;

/// [byte][choice]: experts of each byte.
std::vector<double> experts_of_bytes(const Experts& experts, std::uint64_t seed)
{
    const Routing routing{byte_values, experts.count, experts.per_token, byte_values, 0};
    std::vector<double> logits(static_cast<std::size_t>(byte_values * experts.count));
    for (std::size_t i = 0; i < logits.size(); ++i) {
        logits[i] = normal(mix64(seed) + i);
    }
    std::vector<double> chosen(static_cast<std::size_t>(routing.pairs()));
    choose_experts(routing, logits.data(), chosen.data());
    return chosen;
}

/// The pairs of `length` tokens of a text from `first` on, round and round.
std::vector<double> pairs_of(const std::string& text, std::int64_t first, std::int64_t length,
                             const std::vector<double>& of_bytes, std::int64_t per_token)
{
    std::vector<double> chosen;
    chosen.reserve(static_cast<std::size_t>(length * per_token));
    for (std::int64_t i = first; i < first + length; ++i) {
        const auto byte =
            static_cast<unsigned char>(text[static_cast<std::size_t>(i) % text.size()]);
        const auto row = of_bytes.begin() + byte * per_token;
        chosen.insert(chosen.end(), row, row + per_token);
    }
    return chosen;
}

void check_text(const std::string& text)
{
    if (text.empty()) {
        throw std::invalid_argument("a routing of no text");
    }
}

} // namespace

std::vector<double> text_shares(const std::string& text, const Experts& experts, std::uint64_t seed)
{
    check_text(text);
    const auto length = static_cast<std::int64_t>(text.size());
    const std::vector<double> chosen =
        pairs_of(text, 0, length, experts_of_bytes(experts, seed), experts.per_token);
    std::vector<double> shares(static_cast<std::size_t>(experts.count), 0);
    for (const double expert : chosen) {
        shares[static_cast<std::size_t>(expert)] += 1 / static_cast<double>(chosen.size());
    }
    return shares;
}

std::vector<double> loads_of_members(const std::vector<double>& shares, int members)
{
    std::vector<double> loads(static_cast<std::size_t>(members), 0);
    const std::size_t here = shares.size() / loads.size();
    for (std::size_t i = 0; i < shares.size(); ++i) {
        loads[i / here] += shares[i] * members;
    }
    return loads;
}

std::vector<double> falling_loads(int members, double largest)
{
    if (members == 1 || largest <= 1) {
        return {};
    }
    std::vector<double> loads;
    for (int i = 0; i < members; ++i) {
        loads.push_back(1 + (largest - 1) * (1 - 2.0 * i / (members - 1)));
    }
    return loads;
}

double dropped_share(const std::string& text, const Experts& experts, std::int64_t length,
                     std::uint64_t seed)
{
    check_text(text);
    if (experts.capacity <= 0) {
        return 0;
    }
    constexpr std::int64_t sequences = 16;
    const Routing routing{length, experts.count, experts.per_token, length,
                          capacity_of(experts.capacity, length, experts.per_token, experts.count)};
    const std::vector<double> of_bytes = experts_of_bytes(experts, seed);
    const auto step = static_cast<std::int64_t>(text.size()) / sequences + 1;
    std::vector<double> places(static_cast<std::size_t>(routing.pairs()));
    std::vector<double> counts(static_cast<std::size_t>(experts.count));
    double kept = 0;
    for (std::int64_t i = 0; i < sequences; ++i) {
        const std::vector<double> chosen =
            pairs_of(text, i * step, length, of_bytes, experts.per_token);
        places_of(routing, chosen.data(), places.data(), counts.data());
        kept += std::accumulate(counts.begin(), counts.end(), 0.0);
    }
    return 1 - kept / static_cast<double>(sequences * routing.pairs());
}

} // namespace alxsim::transformer
