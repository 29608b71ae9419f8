// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/schema/value_names.h"
#include "topologies/storage_spec.h"

#include <array>

namespace alxsim::topologies {

/// As studies and op graphs spell them.
constexpr std::array<ValueName<StorageIo>, 2> value_names(StorageIo /*any*/)
{
    return {{{"kernel", StorageIo::kernel}, {"user", StorageIo::user}}};
}

} // namespace alxsim::topologies
