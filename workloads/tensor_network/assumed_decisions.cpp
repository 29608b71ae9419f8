// SPDX-License-Identifier: Apache-2.0
#include "workloads/tensor_network/request.h"
#include "workloads/tensor_network/steps.h"

#include <algorithm>

namespace alxsim::tensor_network {
namespace {

using Sizes = std::vector<std::int64_t>;

/// Adds, for a Tucker decomposition, each leg's rank, then the core's ranks after its rounding,
/// which are as low as what stands left and right of them allows. Becomes the core's train.
void add_tucker_decisions(Sizes& decisions, const Sizes& kept_of_legs, Sizes& ranks)
{
    decisions.insert(decisions.end(), kept_of_legs.begin(), kept_of_legs.end());
    const std::size_t legs = kept_of_legs.size();
    for (std::size_t k = 1; k < legs; ++k) {
        ranks[k] = std::min(ranks[k], ranks[k - 1] * kept_of_legs[k - 1]);
    }
    for (std::size_t k = legs - 1; k > 0; --k) {
        ranks[k] = std::min(ranks[k], ranks[k + 1] * kept_of_legs[k]);
    }
    decisions.insert(decisions.end(), ranks.begin() + 1, ranks.end() - 1);
}

/// One start for each disentangler, which finds its matrix after the iterations that are assumed.
Sizes mera_decisions(const Request& request)
{
    Sizes decisions;
    Sizes sizes = request.sizes;
    Sizes ranks = request.ranks;
    for (const std::int64_t rank : request.mera_ranks) {
        Sizes kept;
        Sizes above{1};
        for (std::size_t k = 1; k + 2 < sizes.size(); k += 2) {
            const std::int64_t target = disentangled_rank(rank, k, sizes.size(), ranks[k + 1]);
            if (target < ranks[k + 1]) {
                ranks[k + 1] = target;
                decisions.insert(decisions.end(), {request.iterations, 1});
            }
        }
        for (std::size_t k = 0; k + 1 < sizes.size(); k += 2) {
            above.push_back(ranks[k + 2]);
            kept.push_back(std::min({rank, sizes[k] * sizes[k + 1], ranks[k] * ranks[k + 2]}));
        }
        add_tucker_decisions(decisions, kept, above);
        sizes = kept;
        ranks = above;
    }
    return decisions;
}

} // namespace

std::vector<std::int64_t> assumed_decisions(const Request& request)
{
    Sizes decisions;
    Sizes ranks = request.ranks;
    switch (request.step) {
    case StepKind::svd:
        return {ranks.begin() + 1, ranks.end() - 1};
    case StepKind::round:
        return {request.kept.begin() + 1, request.kept.end() - 1};
    case StepKind::tucker:
        add_tucker_decisions(decisions, request.tucker_ranks, ranks);
        return decisions;
    case StepKind::mera:
        return mera_decisions(request);
    }
    return decisions;
}

} // namespace alxsim::tensor_network
