// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_fields.h"

#include <cstdint>

namespace alxsim::experiments {

/// What a study says of fidelity `sampled`.
struct SamplingOptions {
    double relative_width = 0.01; ///< of the interval, against the time: wide enough to stop
    double confidence = 0.95;
    std::uint64_t seed = 1;
};

template <class Fields>
void list_fields(Fields& fields, SamplingOptions& sampling)
{
    fields("relative_width", sampling.relative_width);
    fields("confidence", sampling.confidence);
}

} // namespace alxsim::experiments
