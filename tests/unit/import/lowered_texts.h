// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/input_error.h"
#include "model/graph/check.h"
#include "tests/unit/import/hlo_texts.h"
#include "workloads/import/hlo/lowering/lowering.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

/// What the tests of the lowering share: texts lowered, and their ops by name.
namespace alxsim::hlo {

using model::Op;

inline topologies::Machine slice_of(const std::string& chip, const std::string& shape, int cores,
                                    int slices = 1)
{
    topologies::SliceRequest request;
    request.cores = cores;
    request.shape = shape;
    request.slices = slices;
    return topologies::make_machine(topologies::Preset::load(chip), request);
}

inline Lowered lowered_text(const std::string& text, const LoweringOptions& options = {},
                            const topologies::Machine& machine = slice_of("tpu_v5e", "2x4", 8))
{
    Lowered program = lowered(read_hlo_text(text, "a.hlo"), nullptr, machine, options);
    model::check(*program.graph, machine);
    return program;
}

inline Lowered lowered_entry(const std::string& instructions, const std::string& before = "",
                             const LoweringOptions& options = {})
{
    return lowered_text(module_of(instructions, before), options);
}

inline const Op* find_op(const model::OpGraph& graph, const std::string& name)
{
    for (const Op& op : graph.ops) {
        if (op.name.text() == name) {
            return &op;
        }
        const auto* repeat = std::get_if<model::Repeat>(&op.work);
        const Op* inside = repeat == nullptr ? nullptr : find_op(*repeat->body, name);
        if (inside != nullptr) {
            return inside;
        }
    }
    return nullptr;
}

inline const Op& op_named(const Lowered& program, const std::string& name)
{
    const Op* const op = find_op(*program.graph, name);
    if (op == nullptr) {
        throw std::logic_error("no op " + name);
    }
    return *op;
}

template <class Work>
const Work& work_named(const Lowered& program, const std::string& name)
{
    return std::get<Work>(op_named(program, name).work);
}

inline int place_of_op(const Lowered& program, const std::string& name)
{
    return static_cast<int>(&op_named(program, name) - program.graph->ops.data());
}

inline bool waits_for(const Lowered& program, const std::string& op, const std::string& before)
{
    const std::vector<int>& after = op_named(program, op).after;
    return std::find(after.begin(), after.end(), place_of_op(program, before)) != after.end();
}

inline std::int64_t bytes_of_uses(const std::vector<model::BufferUse>& uses)
{
    std::int64_t bytes = 0;
    for (const model::BufferUse& use : uses) {
        bytes += use.touched.count();
    }
    return bytes;
}

inline std::string refusal_of_lowering(const std::string& text, const LoweringOptions& options = {})
{
    try {
        lowered_text(text, options);
    } catch (const InputError& error) {
        return error.what();
    }
    return "no error";
}

} // namespace alxsim::hlo
