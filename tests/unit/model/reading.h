// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/input_error.h"
#include "model/graph/op_graph.h"

#include <string>

namespace alxsim::model {

inline OpGraph read_graph(const std::string& text)
{
    return op_graph_from_json(Json::parse(text), "graph.json");
}

/// Why a graph is refused.
inline std::string refusal_of(const std::string& text)
{
    try {
        read_graph(text);
    } catch (const InputError& error) {
        return error.what();
    }
    return "nothing was refused";
}

} // namespace alxsim::model
