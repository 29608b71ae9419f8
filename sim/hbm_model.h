// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace alxsim::sim {

/// How the time of HBM transfers comes about: by measured rates, or burst by burst through the
/// banks (a hundred nanoseconds of host time and more for each).
enum class HbmModel { rates, banks };

} // namespace alxsim::sim
