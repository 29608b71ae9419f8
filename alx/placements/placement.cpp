// SPDX-License-Identifier: Apache-2.0
#include "alx/placements/placement.h"

namespace alxsim::alx {

std::unique_ptr<const RowPlacement> make_contiguous_placement();
std::unique_ptr<const RowPlacement> make_cyclic_placement();
std::unique_ptr<const RowPlacement> make_degree_balanced_placement();
std::unique_ptr<const RowPlacement> make_hash_placement();
std::unique_ptr<const RowPlacement> make_partitioned_placement();

const Registry<RowPlacement>& placements()
{
    static const Registry<RowPlacement> registry(
        "/workload/alx/placement", {{"contiguous", make_contiguous_placement},
                                    {"cyclic", make_cyclic_placement},
                                    {"degree_balanced", make_degree_balanced_placement},
                                    {"hash", make_hash_placement},
                                    {"partitioned", make_partitioned_placement}});
    return registry;
}

} // namespace alxsim::alx
