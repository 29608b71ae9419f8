// SPDX-License-Identifier: Apache-2.0
#include "alx/solvers/outer_products.h"

#include "alx/config.h"

#include <algorithm>

namespace alxsim::alx {
void add_outer_products_in_passes(const float* rows, std::int64_t count, int stride, int passes,
                                  bool fresh, float* matrix, spmd::FloatBuffer& parts)
{
    if (passes == exact_products) {
        add_outer_products(rows, count, stride, fresh, matrix);
        return;
    }
    const auto numbers = static_cast<std::size_t>(count * stride);
    parts.resize(std::max(parts.size(), numbers * 3));
    spmd::kernels().split_into_bf16(rows, count * stride,
                                    passes == 1   ? 1
                                    : passes == 3 ? 2
                                                  : 3,
                                    parts.data());
    const float* high = parts.data();
    const float* middle = high + numbers;
    const float* low = middle + numbers;
    add_outer_products(high, count, stride, fresh, matrix);
    if (passes >= 3) {
        add_outer_products(high, middle, count, stride, matrix);
        add_outer_products(middle, high, count, stride, matrix);
    }
    if (passes >= 6) {
        add_outer_products(middle, count, stride, false, matrix);
        add_outer_products(high, low, count, stride, matrix);
        add_outer_products(low, high, count, stride, matrix);
    }
}

} // namespace alxsim::alx
