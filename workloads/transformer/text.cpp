// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/text.h"

#include "base/file_input.h"
#include "base/input_error.h"
#include "base/numbers/random.h"
#include "workloads/transformer/resources.h"

namespace alxsim::transformer {
namespace {

/// Bytes of a text; more is no text that anybody meant.
constexpr std::int64_t largest_text = std::int64_t{1} << 30;

} // namespace

std::string whole_text(const TransformerConfig& config)
{
    return config.text.empty() ? std::string(resources().get("text/default.txt"))
                               : read_file(config.text, largest_text);
}

std::string training_text(const TransformerConfig& config)
{
    const std::string text = whole_text(config);
    if (static_cast<std::int64_t>(text.size()) < config.size.sequence + 2) {
        throw InputError(config.text.empty() ? "the text that comes with the program" : config.text,
                         "",
                         "found " + std::to_string(text.size()) +
                             " bytes; allowed: more than a sequence has tokens, " +
                             std::to_string(config.size.sequence + 2) + " or more");
    }
    return text;
}

StepTokens tokens_of_step(const TransformerConfig& config, const Layout& layout,
                          const std::string& text, int step)
{
    SplitMix64 random(mix64(config.seed) + static_cast<std::uint64_t>(step));
    const auto length = static_cast<std::size_t>(config.size.sequence + 1);
    std::vector<std::int32_t> tokens;
    for (std::int64_t i = 0; i < config.batch; ++i) {
        const auto begin = static_cast<std::size_t>(random.below(text.size() - length));
        for (std::size_t j = begin; j < begin + length; ++j) {
            tokens.push_back(static_cast<unsigned char>(text[j]));
        }
    }
    return deal_tokens(config, layout, tokens);
}

StepTokens deal_tokens(const TransformerConfig& config, const Layout& layout,
                       const std::vector<std::int32_t>& tokens)
{
    const std::int64_t length = config.size.sequence;
    const std::int64_t sequences = config.sequences() * config.microbatches;
    const int rows = layout.is_grid() ? layout.side() : 1;
    StepTokens dealt;
    for (int device = 0; device < layout.devices(); ++device) {
        const Place place = layout.place_of(device);
        const std::vector<std::int32_t> positions = token_positions(config, place.sequence_part);
        const std::int64_t first =
            (std::int64_t{place.batch_part} * rows + (layout.is_grid() ? place.row : 0)) *
            sequences;
        std::vector<std::int32_t>& inputs = dealt.inputs.emplace_back();
        std::vector<std::int32_t>& targets = dealt.targets.emplace_back();
        for (std::int64_t i = first; i < first + sequences; ++i) {
            const auto begin = tokens.begin() + i * (length + 1);
            for (const std::int32_t position : positions) {
                inputs.push_back(begin[position]);
                targets.push_back(begin[position + 1]);
            }
        }
    }
    return dealt;
}

} // namespace alxsim::transformer
