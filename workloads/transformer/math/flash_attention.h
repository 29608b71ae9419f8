// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/transformer/math/attention.h"

namespace alxsim::transformer {

/// Attention of whole sequences without an array of scores (Dao et al. 2022): context [tokens x
/// heads width], and log_sums [sequences][heads][length], the logarithm of the sum of exp(score) of
/// what each query sees.
template <class Real>
void flash_attention(const AttentionShape& shape, const Real* qkv, Real* context, Real* log_sums);

/// All of dqkv, from the forward's inputs and results.
template <class Real>
void flash_attention_backward(const AttentionShape& shape, const Real* qkv, const Real* context,
                              const Real* log_sums, const Real* dcontext, Real* dqkv);

} // namespace alxsim::transformer
