// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/resource.h"

namespace alxsim::topologies {

/// The presets and their schema, embedded at build time; defined by cmake/embed.cmake.
const Resources& resources();

} // namespace alxsim::topologies
