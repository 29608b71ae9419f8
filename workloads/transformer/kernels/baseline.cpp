// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/kernels/levels.h"
#include "workloads/transformer/kernels/products.h"

namespace alxsim::transformer {

Kernels baseline_kernels()
{
    return {add_tiles<float>, add_tiles<double>};
}

} // namespace alxsim::transformer
