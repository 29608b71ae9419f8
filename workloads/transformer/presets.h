// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/transformer/model_size.h"

#include <cstdint>
#include <string>
#include <vector>

namespace alxsim::transformer {

/// A published model.
struct Preset {
    const char* name;
    ModelSize size;
    std::int64_t parameters; ///< as published, or counted from the published weights
    const char* source;
};

const std::vector<Preset>& presets();
std::vector<std::string> preset_names();
/// Throws std::logic_error for a name that is none.
const Preset& preset_of(const std::string& name);

} // namespace alxsim::transformer
