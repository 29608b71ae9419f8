// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/blocks/activation_work.h"

namespace alxsim::transformer {

model::Vector activation_work(const ActivationShape& shape, model::DType dtype, bool backward)
{
    model::Vector work;
    work.elements = shape.rows * shape.width;
    work.ops_per_element = 1;
    work.dtype = dtype;
    switch (shape.activation) {
    case Activation::gelu:
        work.ops_per_element = backward ? 16 : 8;
        work.medium_per_element = 1;
        break;
    case Activation::silu:
        work.ops_per_element = backward ? 9 : 4;
        work.medium_per_element = 1;
        work.division_per_element = 1;
        break;
    case Activation::relu:
        break;
    }
    work.ops_per_element += shape.gated ? (backward ? 2 : 1) : 0;
    return work;
}

} // namespace alxsim::transformer
