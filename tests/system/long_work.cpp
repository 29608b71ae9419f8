// SPDX-License-Identifier: Apache-2.0
#include "long_work.h"

#include <utility>

namespace alxsim::testing {

Json unlike_collectives(const char* fidelity)
{
    Json ops = Json::array();
    for (int i = 0; i < 400; ++i) {
        ops.push_back({{"work", "collective"},
                       {"kind", "all_to_all"},
                       {"bytes", 1048576 + 4096 * i},
                       {"group", Json::array({"x", "y"})}});
    }
    return {{"study", "s"},
            {"machine", {{"chip", "tpu_v5p"}, {"slice", "8x16x16"}, {"cores", 4096}}},
            {"fidelity", fidelity},
            {"band", false},
            {"workload", {{"op_graph", {{"ops", std::move(ops)}}}}}};
}

} // namespace alxsim::testing
