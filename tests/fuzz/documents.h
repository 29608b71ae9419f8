// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/temporary_folder.h"

#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace alxsim::experiments {
struct Study;
} // namespace alxsim::experiments

namespace alxsim::fuzz {

using Reader = std::function<void(const TemporaryFolder&, std::string_view)>;

/// What people write as JSON, by the names of their corpora: each read, and used as far as takes no
/// simulation.
const std::map<std::string, Reader>& document_readers();

/// A Chakra trace in either form, read and made a graph of.
void read_chakra_trace(std::string_view bytes);

/// Whether a study has so few points that an input takes no seconds.
bool has_few_points(const experiments::Study& study);

} // namespace alxsim::fuzz
