// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/data/split.h"
#include "base/json_document.h"

#include <memory>
#include <string>

namespace alxsim::alx {

/// dataset_of() (dataset_request.h), read once for all jobs of this process that have the same data
/// at the same time: as long as one of them lives, and its files are as they were. Throws
/// InputError. Safe from several threads, of which one reads while others wait.
std::shared_ptr<const Dataset> shared_dataset_of(const Json& study, const std::string& file);

} // namespace alxsim::alx
