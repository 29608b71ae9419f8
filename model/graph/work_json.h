// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_document.h"
#include "model/graph/op_graph.h"

#include <memory>
#include <set>
#include <string>

namespace alxsim::model {

/// Where a part of an op graph stands in a file, and the mesh that its groups may name.
struct JsonPlace {
    std::string file;
    std::string pointer;
    std::shared_ptr<const Mesh> mesh = nullptr;

    JsonPlace at(const std::string& below) const { return {file, pointer + below, mesh}; }
};

/// The work of an op that the schema has passed. Throws InputError for fields that its kind lacks
/// or does not have; `other_fields` are read elsewhere.
Work work_from_json(const Json& json, const JsonPlace& place,
                    const std::set<std::string>& other_fields);

/// "bf16", "f32", ...: of a name that a schema has passed.
DType dtype_named(const std::string& name);

/// "sort", "top_k", ...
std::string name_of(RowOperation operation);

/// With `work`.
Json to_json(const Work& work);

/// A graph, or the body of a repeat: declares no buffers but its own.
OpGraph graph_from_json(const Json& json, const JsonPlace& place);

/// The same without buffers, which the graph around it declares.
Json body_to_json(const OpGraph& body);

} // namespace alxsim::model
