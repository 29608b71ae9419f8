// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/transformer/config.h"
#include "workloads/unknown.h"

#include <cstdint>
#include <string>
#include <vector>

namespace alxsim::transformer {

/// [expert]: share of all pairs of token and choice, by a router that is not trained: the logits of
/// a byte are normal numbers that the seed determines, as those of random embeddings are. Bytes
/// alone decide, with no context: the most unequal that a router may be. Throws
/// std::invalid_argument for an empty text.
std::vector<double> text_shares(const std::string& text, const Experts& experts,
                                std::uint64_t seed);

/// Returns, for shares of experts that are dealt to so many devices in their order, each device's
/// share over the mean. `members` divides their number.
std::vector<double> loads_of_members(const std::vector<double>& shares, int members);

/// Returns the share of the pairs of token and choice of a text's sequences of `length` tokens that
/// finds no place (Experts::capacity), with the router of text_shares(). The text is read round and
/// round. 0 where experts take all that come.
double dropped_share(const std::string& text, const Experts& experts, std::int64_t length,
                     std::uint64_t seed);

/// Whether the time of a step depends on where tokens go: experts stand on several devices and take
/// all that come.
bool has_loads(const TransformerConfig& config);
/// TransformerConfig::expert_loads by its routing; of a trained one that imbalance. Throws
/// InputError for a text that cannot be read.
ExpertLoads expert_loads(const TransformerConfig& config, double imbalance);
inline constexpr double central_expert_imbalance = 1.15;
/// "expert_imbalance" of a trained routing: rows of the device that gets most over the mean.
std::vector<workloads::Unknown> expert_unknowns(const TransformerConfig& config);
/// What a job's experts rest on, as sentences without a capital and a full stop.
std::vector<std::string> expert_notes(const TransformerConfig& config);

} // namespace alxsim::transformer
