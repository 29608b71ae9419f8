// SPDX-License-Identifier: Apache-2.0
#include "base/units.h"

namespace alxsim {

void refuse_duration(double seconds)
{
    throw DurationError(seconds);
}

} // namespace alxsim
