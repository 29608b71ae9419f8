// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/numbers/bf16.h"
#include "model/graph/dtype.h"
#include "workloads/offload/store/aligned_bytes.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <vector>

namespace alxsim::offload {

/// Numbers as they stand in the store: of bf16 two bytes, of others as they are in memory. `Real`
/// is what is computed in: double for f64, else float.
template <class Real>
std::vector<Real> numbers_in(const char* bytes, std::size_t count, model::DType type)
{
    std::vector<Real> numbers(count);
    if (type != model::DType::bf16) {
        std::copy_n(bytes, count * sizeof(Real), reinterpret_cast<char*>(numbers.data()));
        return numbers;
    }
    for (std::size_t i = 0; i < count; ++i) {
        Bf16 half = 0;
        std::memcpy(&half, bytes + i * sizeof half, sizeof half);
        numbers[i] = static_cast<Real>(to_float(half));
    }
    return numbers;
}

/// The other way round; bf16 is rounded.
template <class Real>
void store_numbers(const std::vector<Real>& numbers, model::DType type, char* bytes)
{
    if (type != model::DType::bf16) {
        std::copy_n(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Real),
                    bytes);
        return;
    }
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const Bf16 half = to_bf16(static_cast<float>(numbers[i]));
        std::memcpy(bytes + i * sizeof half, &half, sizeof half);
    }
}

} // namespace alxsim::offload
