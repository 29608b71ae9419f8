// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/resource.h"

namespace alxsim::transformer {

/// The text that is trained on where a study names none: documentation of this program as it once
/// was, so that numbers stay.
const Resources& resources();

} // namespace alxsim::transformer
