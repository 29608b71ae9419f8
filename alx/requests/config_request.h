// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/config.h"
#include "alx/requests/point_request.h"

namespace alxsim::alx {

/// The algorithm's part of a point. Throws InputError for what does not go together.
AlxConfig config_of(const PointRequest& point);

} // namespace alxsim::alx
