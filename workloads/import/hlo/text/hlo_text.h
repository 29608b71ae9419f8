// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/import/hlo/text/module.h"

#include <string>

namespace alxsim::hlo {

/// Reads HLO text as XLA prints a compiled module: HloModule, the tables FileNames .. StackFrames
/// if it has them, computations, of which one is ENTRY. One pass, memory in proportion to the text,
/// which the module keeps.
///
/// Throws InputError with `file`, line, column, what was found and what is allowed: for every text
/// that is cut short, for names that are not defined above, for instructions whose operands do not
/// fit (module_checks.h), and for other formats by their names.
Module read_hlo_text(std::string text, const std::string& file);

/// The same of a file, plain or compressed by gzip, of up to 1 GiB.
Module read_hlo_file(const std::string& path);

} // namespace alxsim::hlo
