// SPDX-License-Identifier: Apache-2.0
#include "workloads/tensor_network/steps.h"

namespace alxsim::tensor_network {

using spmd::Array;

/// What is left has the legs behind the cut as rows, the last one slowest, and (leg, rank) as
/// columns: the right singular vectors are the core as trains have it, on all devices; each takes
/// its share of the leg.
Train add_train_svd(Building& building, const std::vector<std::int64_t>& sizes, Array tensor,
                    double tolerance)
{
    const std::size_t legs = sizes.size();
    Truncation truncation(tolerance, legs - 1);
    Train train{sizes, std::vector<std::int64_t>(legs + 1, 1), {}};
    Array rest = tensor;
    for (std::size_t k = 0; k + 1 < legs; ++k) {
        const std::string name = "svd." + std::to_string(k + 1);
        const std::int64_t columns = sizes[k] * train.ranks[k];
        const std::int64_t rows = building.step.shape(rest).elements() / columns;
        const RightCut cut =
            add_right_cut(building, name, reshaped(building, rest, rows, columns), truncation);
        train.ranks[k + 1] = cut.kept;
        train.cores.push_back(add_own_share(building, name + ".core", cut.v, sizes[k]));
        rest = cut.rest;
    }
    const std::int64_t rank = train.ranks[legs - 1];
    train.cores.push_back(reshaped(building, rest, building.share(sizes.back()) * rank, 1));
    return train;
}

} // namespace alxsim::tensor_network
