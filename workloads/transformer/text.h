// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/transformer/config.h"
#include "workloads/transformer/layout.h"
#include "workloads/transformer/step_tokens.h"

#include <cstdint>
#include <string>

namespace alxsim::transformer {

/// The bytes of config.text, or of the text that comes with the program. Throws InputError for a
/// file that cannot be read.
std::string whole_text(const TransformerConfig& config);
/// The same, to be trained on. Throws InputError for one of less than a sequence and one byte more.
std::string training_text(const TransformerConfig& config);

/// The tokens of a step, counted from 1: for each sequence of the batch as many bytes as it has
/// tokens, and the one after each, from a place in the text that the seed and the step determine.
StepTokens tokens_of_step(const TransformerConfig& config, const Layout& layout,
                          const std::string& text, int step);

/// Deals tokens [batch][sequence + 1] to devices: each gets what its rows of the logits are of.
StepTokens deal_tokens(const TransformerConfig& config, const Layout& layout,
                       const std::vector<std::int32_t>& tokens);

} // namespace alxsim::transformer
