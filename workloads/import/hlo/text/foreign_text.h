// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace alxsim::hlo {

/// Throws InputError, which says what it is and what to do, where `text` is none that begins with
/// HloModule: StableHLO or other MLIR (as text or bytecode), JSON, a protobuf, or anything else.
void refuse_foreign_text(std::string_view text, const std::string& file);

} // namespace alxsim::hlo
