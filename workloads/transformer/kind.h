// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/registry.h"

namespace alxsim::transformer {

/// "transformer": training of a GPT-2-like model, sharded five ways.
workloads::Kind transformer_kind();

} // namespace alxsim::transformer
