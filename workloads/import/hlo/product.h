// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/import/hlo/text/module.h"

namespace alxsim::hlo {

/// A dot or a convolution as a product of matrices: `batches` of m x k by k x n.
struct Product {
    std::int64_t batches = 1, m = 1, k = 1, n = 1;
    std::int64_t flops = 0; ///< two for each multiplication that falls on elements, none on padding
    DType left = DType::f32, right = DType::f32, result = DType::f32;
    int passes = 1; ///< operand_precision: highest 6, high 3, else 1
};

bool is_product(const Instruction& instruction);

/// Reads an instruction that is one. For a convolution (XLA writes each dot as one): flops = 2 x
/// batch / batch groups x input features x output features x pairs of output and window positions,
/// per spatial dimension, that fall on an element. A dimension in which pairs, window and output
/// are the same number above 1 is one of batches; of n where the left operand has one element
/// in it, which all of the right one meet (gradients of weights by heads). Throws InputError where
/// dim_labels, window or dimensions do not fit the operands.
Product product_of(const Module& module, const Computation& computation,
                   const Instruction& instruction);

} // namespace alxsim::hlo
