// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/import/hlo/text/module.h"
#include "workloads/import/hlo/text/text_cursor.h"

namespace alxsim::hlo {

/// The tables FileNames, FunctionNames, FileLocations and StackFrames, where they stand, in this
/// order, each with lines `N "text"` or `N {key=number ...}`, N from 1. Throws InputError with line
/// and column, also for a number of a line that the table before has not.
void read_tables(TextCursor& cursor, Module& module);

} // namespace alxsim::hlo
