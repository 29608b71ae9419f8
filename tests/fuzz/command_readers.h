// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/fuzz/documents.h"

namespace alxsim::fuzz {

/// What people hand to commands: each command runs as on a command line, without its words. What
/// takes longer than an input may is told to stop, and has to.
const std::map<std::string, Reader>& command_readers();

} // namespace alxsim::fuzz
