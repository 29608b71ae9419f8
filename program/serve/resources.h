// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/resource.h"

namespace alxsim::serve {

/// The files of the page that are its own, and the study that is played with if none is named.
const Resources& resources();

} // namespace alxsim::serve
