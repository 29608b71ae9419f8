// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/config.h"

#include <algorithm>

namespace alxsim::transformer {
namespace {

using What = Activations;

std::vector<What> all_of_them()
{
    std::vector<What> all;
    for (const auto& [name, what] : value_names(What())) {
        all.push_back(what);
    }
    return all;
}

std::vector<What> saved_by(RecomputationPolicy policy)
{
    switch (policy) {
    case RecomputationPolicy::none:
        return all_of_them();
    case RecomputationPolicy::selective: {
        std::vector<What> all = all_of_them();
        all.erase(std::find(all.begin(), all.end(), What::probabilities));
        return all;
    }
    case RecomputationPolicy::dots:
        return {What::layer_input, What::qkv, What::out_proj, What::fc1};
    case RecomputationPolicy::full:
        break;
    }
    return {What::layer_input};
}

/// What it is computed from.
std::vector<What> inputs_of(What what, bool stored)
{
    switch (what) {
    case What::layer_input:
        return {};
    case What::norm1:
        return {What::layer_input};
    case What::qkv:
        return {What::norm1};
    case What::probabilities:
        return {What::qkv};
    case What::context:
        return stored ? std::vector<What>{What::qkv, What::probabilities}
                      : std::vector<What>{What::qkv};
    case What::out_proj:
        return {What::layer_input, What::context};
    case What::norm2:
        return {What::out_proj};
    case What::fc1:
        return {What::norm2};
    case What::activation:
        break;
    }
    return {What::fc1};
}

std::string listed(const std::vector<What>& all)
{
    std::string words;
    for (const What what : all) {
        words += (words.empty() ? "" : " ") + std::string(name_of_value(what));
    }
    return words;
}

} // namespace

int Recomputation::set_of(const std::vector<What>& all)
{
    int set = 0;
    for (const What what : all) {
        set |= 1 << static_cast<int>(what);
    }
    return set;
}

Recomputation::Recomputation(RecomputationPolicy policy)
    : saved_(set_of(saved_by(policy))),
      words_(name_of_value(policy))
{
}

Recomputation::Recomputation(const std::vector<What>& save, const std::vector<What>& offload)
    : saved_(set_of(save)),
      offloaded_(set_of(offload))
{
    if (!offloads(What::layer_input)) {
        saved_ |= set_of({What::layer_input});
    }
    words_ = save.empty() && offload.empty()
                 ? name_of_value(RecomputationPolicy::full)
                 : (save.empty() ? "" : "saved " + listed(save)) +
                       std::string(save.empty() || offload.empty() ? "" : "; ") +
                       (offload.empty() ? "" : "in host memory " + listed(offload));
}

bool Recomputation::computes_again(What what, bool stored) const
{
    int again = 0;
    const std::vector<What> all = all_of_them();
    for (auto next = all.rbegin(); next != all.rend(); ++next) {
        const bool wanted = *next != What::probabilities || stored;
        if (finds(*next) || !(wanted || has(again, *next))) {
            continue;
        }
        again |= set_of({*next}) | set_of(inputs_of(*next, stored));
    }
    return has(again, what) && !finds(what);
}

} // namespace alxsim::transformer
