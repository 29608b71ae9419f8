// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_document.h"

namespace alxsim::testing {

/// A study of ops that take SystemC long: collectives of which no two are alike, on 4,096 cores.
Json unlike_collectives(const char* fidelity);

} // namespace alxsim::testing
