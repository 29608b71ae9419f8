// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/experts/expert_loads.h"

#include "base/memo.h"
#include "base/numbers/random.h"
#include "workloads/transformer/experts/expert_math.h"
#include "workloads/transformer/text.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <tuple>

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

bool has_loads(const TransformerConfig& config)
{
    return config.size.experts.exist() && config.size.experts.capacity <= 0 &&
           config.mesh.expert > 1;
}

ExpertLoads expert_loads(const TransformerConfig& config, double imbalance)
{
    const Experts& experts = config.size.experts;
    if (!has_loads(config) || experts.routing == RoutingKind::balanced) {
        return {};
    }
    if (experts.routing == RoutingKind::trained) {
        return {imbalance};
    }
    ExpertLoads loads;
    loads.of_devices =
        loads_of_members(text_shares(whole_text(config), experts, config.seed), config.mesh.expert);
    loads.largest = *std::max_element(loads.of_devices.begin(), loads.of_devices.end());
    return loads;
}

std::vector<workloads::Unknown> expert_unknowns(const TransformerConfig& config)
{
    if (!has_loads(config) || config.size.experts.routing != RoutingKind::trained) {
        return {};
    }
    workloads::Unknown unknown = workloads::number_unknown(
        "expert_imbalance", {1, central_expert_imbalance, 1.6}, "1", workloads::UnknownOf::run);
    unknown.source = "assumed: routers are trained to spread tokens evenly, and each layer's "
                     "batch does so nearly";
    return {unknown};
}

namespace {

/// Returns that of a job's text. Points of a sweep mostly share it.
double dropped_share_of(const TransformerConfig& config)
{
    const Experts& experts = config.size.experts;
    using Key = std::tuple<std::string, std::vector<std::int64_t>, double>;
    static Memo<Key, double> known(16);
    const std::string text = whole_text(config);
    return known.get(
        {text,
         {experts.count, experts.per_token, config.size.sequence,
          static_cast<std::int64_t>(config.seed)},
         experts.capacity},
        [&] { return dropped_share(text, experts, config.size.sequence, config.seed); });
}

/// "1.25"
std::string two_digits(double number)
{
    const auto hundredths = std::llround(number * 100);
    const std::string rest = std::to_string(hundredths % 100);
    return std::to_string(hundredths / 100) + "." + (rest.size() < 2 ? "0" : "") + rest;
}

} // namespace

std::vector<std::string> expert_notes(const TransformerConfig& config)
{
    const Experts& experts = config.size.experts;
    if (!experts.exist()) {
        return {};
    }
    if (experts.capacity > 0) {
        const double share = dropped_share_of(config);
        return {"experts take " + two_digits(experts.capacity) +
                " times their even part of a sequence; of raw bytes that a router of random "
                "numbers sends out " +
                std::to_string(std::llround(share * 100)) +
                " % would find no place (a trained one drops few)"};
    }
    if (!has_loads(config)) {
        return {};
    }
    switch (experts.routing) {
    case RoutingKind::trained:
        return {"the device whose experts get most tokens is assumed to get " +
                two_digits(central_expert_imbalance) +
                " times the mean (1 to 1.6: \"expert_imbalance\")"};
    case RoutingKind::balanced:
        return {"all experts are assumed to get as many tokens"};
    case RoutingKind::text:
        break;
    }
    return {"by raw bytes that a router of random numbers sends out, with no context and no "
            "training, the device whose experts get most tokens gets " +
            two_digits(expert_loads(config, 1).largest) + " times the mean"};
}

} // namespace alxsim::transformer
