// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/schema/value_names.h"
#include "workloads/transformer/model_size.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace alxsim::transformer {

/// How many of a step's tokens go to which experts, where no numbers say it.
enum class RoutingKind {
    trained,  ///< the largest device's share is drawn: `expert_imbalance`
    balanced, ///< as many to each
    text      ///< counted, of a router of random numbers over a text's bytes
};
constexpr std::array<ValueName<RoutingKind>, 3> value_names(RoutingKind /*any*/)
{
    return {{{"trained", RoutingKind::trained},
             {"balanced", RoutingKind::balanced},
             {"text", RoutingKind::text}}};
}

/// [expert]: share of all pairs of token and choice, by a router that is not trained: the logits of
/// a byte are normal numbers that the seed determines, as those of random embeddings are. Bytes
/// alone decide, with no context: the most unequal that a router may be. Throws
/// std::invalid_argument for an empty text.
std::vector<double> text_shares(const std::string& text, const Experts& experts,
                                std::uint64_t seed);

/// Of shares of experts that are dealt to so many devices in their order: of each device's share
/// over the mean. `members` divides their number.
std::vector<double> loads_of_members(const std::vector<double>& shares, int members);

/// Loads of so many devices of which the first has `largest` (1 to 2) times the mean, the others
/// evenly less down to 2 - `largest`; empty where all are equal.
std::vector<double> falling_loads(int members, double largest);

/// Of the pairs of token and choice of a text's sequences of `length` tokens, the share that finds
/// no place (Experts::capacity), with the router of text_shares(). The text is read round and
/// round. 0 where experts take all that come.
double dropped_share(const std::string& text, const Experts& experts, std::int64_t length,
                     std::uint64_t seed);

} // namespace alxsim::transformer
