// SPDX-License-Identifier: Apache-2.0
#include "golden_files.h"

namespace alxsim {

std::string golden_path(const std::string& name)
{
    return ALXSIM_SOURCE_DIR "/tests/golden/data/" + name;
}

Json golden_json(const std::string& name)
{
    return load_json(golden_path(name));
}

} // namespace alxsim
