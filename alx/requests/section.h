// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_document.h"

namespace alxsim::alx {

/// What a study has at `pointer`; an empty object where it has nothing.
inline Json section(const Json& study, const char* pointer)
{
    const Json::json_pointer at(pointer);
    return study.contains(at) ? study.at(at) : Json::object();
}

} // namespace alxsim::alx
